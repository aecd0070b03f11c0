//===- MutateText.cpp - Other sizes, types and views ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mutator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <vector>

using namespace drawloom::diagnostics;
using llvm::StringRef;

static constexpr llvm::StringLiteral sizes[] = {
    "1",   "2",    "3",    "8",    "16",      "24",
    "32",  "48",   "64",   "72",   "96",      "100",
    "128", "160",  "192",  "256",  "384",     "512",
    "640", "1000", "1024", "4096", "1048576", "4611686018427387904"};
static constexpr llvm::StringLiteral types[] = {
    "f32", "f16", "bf16", "f8E4M3FN", "f8E5M2", "f64", "i8", "i32", "f4E2M1FN"};

/// Splits text into numbers, words and everything else. The `x` of a shape is
/// no part of a word: `64xbf16` is 64, x and bf16.
static std::vector<std::string> split(StringRef text) {
  std::vector<std::string> tokens;
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; };
  bool afterSize = false;
  while (!text.empty()) {
    size_t length = 1;
    char first = text.front();
    if (llvm::isDigit(first)) {
      length = text.find_if_not(llvm::isDigit);
    } else if (first == 'x' && afterSize) {
      length = 1;
    } else if (isWord(first) || first == '%' || first == '@' || first == '#') {
      length = text.find_if_not(isWord, 1);
    }
    length = std::min(length, text.size());
    tokens.push_back(text.take_front(length).str());
    afterSize = llvm::isDigit(first) || first == '?';
    text = text.drop_front(length);
  }
  return tokens;
}

/// Replaces one token of a kind by another word: in all places, or in one.
static void replaceToken(Mutator &mutator, std::vector<std::string> &tokens,
                         bool (*isCandidate)(StringRef), StringRef with) {
  std::vector<size_t> places;
  for (size_t i = 0; i < tokens.size(); ++i)
    if (isCandidate(tokens[i]))
      places.push_back(i);
  if (places.empty())
    return;
  size_t place = mutator.choose(places);
  std::string old = tokens[place];
  if (mutator.chance(0.2)) {
    tokens[place] = with.str();
    return;
  }
  for (size_t i : places)
    if (tokens[i] == old)
      tokens[i] = with.str();
}

/// Gives one type of view fixed sizes or strides, wherever it stands.
static std::string changeView(Mutator &mutator, std::string text) {
  constexpr llvm::StringLiteral start = "!tile.view<";
  std::vector<std::string> views;
  for (size_t at = text.find(start); at != std::string::npos;
       at = text.find(start, at + 1)) {
    size_t end = text.find('>', at);
    if (end == std::string::npos)
      break;
    views.push_back(text.substr(at, end + 1 - at));
  }
  if (views.empty())
    return text;
  std::string old = mutator.choose(views), changed = old;
  size_t rank = 0;
  for (size_t i = start.size(); i < changed.size(); ++i) {
    rank += changed[i] == 'x';
    if (changed[i] == '?' && changed.find(',') > i && mutator.chance(0.5))
      changed.replace(i, 1, mutator.choose(sizes).str());
  }
  if (rank > 0 && old.find(',') == std::string::npos && mutator.chance(0.5)) {
    std::string strides = ", strides = [";
    for (size_t i = 0; i < rank; ++i)
      strides += (i ? ", " : "") +
                 (i + 1 == rank && mutator.chance(0.8) ? std::string("1")
                  : mutator.chance(0.5) ? std::string("?")
                                        : mutator.choose(sizes).str());
    changed.insert(changed.size() - 1, strides + "]");
  }
  for (size_t at = text.find(old); at != std::string::npos;
       at = text.find(old, at + changed.size()))
    text.replace(at, old.size(), changed);
  return text;
}

std::string Mutator::mutateText(StringRef text) {
  std::string result = text.str();
  if (chance(0.3))
    result = changeView(*this, std::move(result));
  std::vector<std::string> tokens = split(result);
  auto isSize = [](StringRef token) {
    return llvm::isDigit(token.front()) && token != "0" && token != "1";
  };
  auto isType = [](StringRef token) {
    return llvm::is_contained(types, token);
  };
  while (chance(0.4))
    replaceToken(*this, tokens, isSize, choose(sizes));
  if (chance(0.1))
    replaceToken(*this, tokens, isType, choose(types));
  return llvm::join(tokens, "");
}
