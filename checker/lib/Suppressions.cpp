//===- Suppressions.cpp - Findings that are known ------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Checker/Suppressions.h"
#include "drawloom/Input/Read.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/GlobPattern.h"

using namespace drawloom::checker;
using llvm::StringRef;

/// The first word, and what comes after it.
static std::pair<StringRef, StringRef> firstWord(StringRef text) {
  size_t end = text.find_first_of(" \t");
  return {text.take_front(end), text.substr(end).trim()};
}

llvm::Expected<Suppressions> Suppressions::read(StringRef file) {
  Suppressions result;
  if (file.empty())
    return result;
  auto buffer = input::readText(file);
  if (!buffer)
    return buffer.takeError();
  result.name = file.str();
  unsigned number = 0;
  for (StringRef line : llvm::split((*buffer)->getBuffer(), '\n')) {
    ++number;
    line = line.split('#').first.trim();
    if (line.empty())
      continue;
    Entry entry;
    entry.text = line.str();
    entry.number = number;
    auto [rule, rest] = firstWord(line);
    auto [place, kernel] = firstWord(rest);
    entry.rule = rule.str();
    if (!place.empty() && place != "*") {
      auto [source, at] = place.rsplit(':');
      if (at.getAsInteger(10, entry.line) || entry.line == 0 || source.empty())
        return llvm::createStringError(
            file + ":" + llvm::Twine(number) + ": '" + place +
            "' is no place; write FILE:LINE of the source, ptx:LINE or *");
      if (source != "ptx")
        entry.file = source.str();
    }
    entry.kernel = kernel.empty() ? "*" : kernel.str();
    if (auto pattern = llvm::GlobPattern::create(entry.kernel); !pattern)
      return llvm::createStringError(
          file + ":" + llvm::Twine(number) + ": '" + kernel +
          "': " + llvm::toString(pattern.takeError()));
    result.entries.push_back(std::move(entry));
  }
  return result;
}

bool Suppressions::covers(StringRef rule, StringRef kernel,
                          llvm::ArrayRef<Place> places) {
  for (Entry &entry : entries) {
    auto isThere = [&](const Place &place) {
      if (entry.line == 0)
        return true;
      if (entry.file.empty())
        return place.ptxLine == entry.line;
      return llvm::any_of(place.source, [&](const ptx::SourceLine &source) {
        StringRef folder = source.file;
        return source.line == entry.line && folder.consume_back(entry.file) &&
               (folder.empty() || folder.ends_with("/"));
      });
    };
    // A pattern refers to its text, so it is made where it is used.
    auto isMeant = [&](StringRef name) {
      return llvm::cantFail(llvm::GlobPattern::create(entry.kernel))
          .match(name);
    };
    if (entry.rule != rule || !llvm::any_of(places, isThere) ||
        !isMeant(kernel))
      continue;
    entry.isUsed = true;
    return true;
  }
  return false;
}

std::vector<std::string> Suppressions::unused() const {
  std::vector<std::string> result;
  for (const Entry &entry : entries)
    if (!entry.isUsed)
      result.push_back(name + ":" + llvm::utostr(entry.number) + ": '" +
                       entry.text + "' suppresses nothing");
  return result;
}
