//===- ScanMlir.cpp - MLIR that would exhaust its parser ------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Input/Scan.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

using namespace drawloom::input;
using llvm::StringRef;

namespace {
/// What an alias stands for.
struct Alias {
  unsigned depth = 0;
  /// Bytes, with the aliases in it written out.
  uint64_t bytes = 0;
};

class Scanner {
public:
  explicit Scanner(StringRef text) : text(text) {}

  std::optional<Rejection> run();

private:
  void reject(const llvm::Twine &words) {
    if (!rejection)
      rejection = Rejection{begin, words.str()};
  }
  bool isWord(size_t place) const {
    return place < text.size() && (llvm::isAlnum(text[place]) ||
                                   StringRef("_$.").contains(text[place]));
  }
  /// The place of the next byte that is neither space nor in a comment.
  size_t skipSpace(size_t place) const;

  void skipString();
  void readWord();
  void readName();
  void readSign();
  void readList(StringRef word);
  void checkOperation(StringRef name);

  void nest(unsigned levels);
  void expand(uint64_t bytes);
  void startDefinition(StringRef name);
  /// An alias ends where the line does, unless it goes on.
  void endDefinition(char next);

  StringRef text;
  /// Of the token that is looked at, and behind it.
  size_t begin = 0, at = 0;
  unsigned depth = 0;
  unsigned operators = 0;
  uint64_t expansion = 0;
  /// The last byte of the token before.
  char previous = 0;
  bool isNewLine = false;
  llvm::StringMap<Alias> aliases;
  Alias *defined = nullptr;
  std::optional<Rejection> rejection;
};
} // namespace

size_t Scanner::skipSpace(size_t place) const {
  while (place < text.size()) {
    if (llvm::isSpace(text[place]))
      ++place;
    else if (text.substr(place).starts_with("//"))
      place = std::min(text.find('\n', place), text.size());
    else
      break;
  }
  return place;
}

void Scanner::nest(unsigned levels) {
  unsigned reached = depth + levels;
  if (defined)
    defined->depth = std::max(defined->depth, reached);
  if (reached > deepestNesting)
    reject("brackets are nested " + llvm::Twine(reached) +
           " deep here; the limit is " + llvm::Twine(deepestNesting));
}

void Scanner::expand(uint64_t bytes) {
  expansion = llvm::SaturatingAdd(expansion, bytes);
  if (defined)
    defined->bytes = llvm::SaturatingAdd(defined->bytes, bytes);
  if (expansion > largestExpansion)
    reject("with its aliases written out the text is longer than " +
           llvm::Twine(largestExpansion >> 20) + " MiB here");
}

void Scanner::startDefinition(StringRef name) {
  defined = &aliases[name];
  *defined = {};
}

void Scanner::endDefinition(char next) {
  bool begins = llvm::isAlnum(next) || StringRef("#!%@\"{}^").contains(next);
  if (defined && depth == 0 && isNewLine && begins &&
      !StringRef(":=,").contains(previous))
    defined = nullptr;
}

/// Upstream's parser of wasmssa, and its verifiers of the others, crash on what
/// is wrong. No program has them: they are about other machines, and memories
/// that a tile program doesn't see.
void Scanner::checkOperation(StringRef name) {
  if (name.starts_with("wasmssa.") || name.starts_with("affine.dma_"))
    reject("'" + name + "' is no operation of a program");
  // In the generic form, operands may be left out.
  size_t place = skipSpace(at + 1);
  if (name.starts_with("linalg.") && text.substr(at).starts_with("\"") &&
      text.substr(place).starts_with("(") &&
      text.substr(skipSpace(place + 1)).starts_with(")"))
    reject("'" + name + "' has no operands");
}

void Scanner::skipString() {
  for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at)
    at += text[at] == '\\';
  checkOperation(text.slice(begin + 1, at));
  at = std::min(at + 1, text.size());
}

/// Upstream's parser of these lists sets an attribute that is null when they
/// are no lists of numbers of 64 bits, says so, and goes on with it. In front
/// of one stand the operands, `outs(...)`; where the operation is in its
/// generic form the word is a key of a dictionary.
void Scanner::readList(StringRef word) {
  size_t place = skipSpace(at);
  if (previous != ')' || !text.substr(place).consume_front("="))
    return;
  place = skipSpace(place + 1);
  StringRef rest = text.substr(place);
  StringRef list = rest.take_until([](char c) { return c == ']'; });
  bool isList = list.consume_front("[") && list.size() + 1 < rest.size();
  llvm::SmallVector<StringRef> numbers;
  list.split(numbers, ',');
  if (list.trim().empty())
    numbers.clear();
  for (StringRef number : numbers) {
    int64_t value = 0;
    isList &= !number.trim().getAsInteger(0, value);
  }
  if (!isList)
    reject("'" + word +
           "' takes a list of numbers such as [0, 1]: each from "
           "0 on and below 2^63, and smaller than the rank");
}

void Scanner::readWord() {
  while (isWord(at))
    ++at;
  StringRef word = text.slice(begin, at);
  if (word.size() > longestWord)
    reject("a word has " + llvm::Twine(word.size()) + " bytes; the limit is " +
           llvm::Twine(longestWord));
  if (word == "mod" || word == "floordiv" || word == "ceildiv")
    ++operators;
  checkOperation(word);
  if (word == "permutation" || word == "dimensions")
    readList(word);
}

/// `#name`, `!name`.
void Scanner::readName() {
  ++at;
  while (isWord(at))
    ++at;
  StringRef name = text.slice(begin, at);
  size_t next = skipSpace(at);
  if (depth == 0 && text.substr(next).starts_with("=")) {
    startDefinition(name);
    return;
  }
  if (auto found = aliases.find(name); found != aliases.end()) {
    Alias alias = found->second;
    nest(alias.depth);
    expand(alias.bytes);
  }
}

void Scanner::readSign() {
  StringRef pair = text.substr(at, 2);
  if (pair == "->" || pair == "<=" || pair == ">=") {
    at += 2;
    operators = 0;
    return;
  }
  char c = text[at++];
  if (StringRef("([{<").contains(c)) {
    ++depth;
    nest(0);
  } else if (StringRef(")]}>").contains(c) && depth) {
    --depth;
  }
  if (StringRef("+-*").contains(c))
    ++operators;
  // Whatever else is in an expression.
  else if (!StringRef("()%#").contains(c))
    operators = 0;
}

std::optional<Rejection> Scanner::run() {
  while (!rejection) {
    begin = skipSpace(at);
    isNewLine |= text.slice(at, begin).contains('\n');
    at = begin;
    if (at == text.size())
      break;
    char c = text[at];
    endDefinition(c);
    bool isSplit = at == 0 || !isWord(at - 1);
    if (c == '"') {
      skipString();
      operators = 0;
    } else if (isWord(at)) {
      readWord();
    } else if ((c == '#' || c == '!') && isSplit) {
      readName();
    } else {
      readSign();
    }
    if (operators > longestExpression)
      reject("an expression has " + llvm::Twine(operators) +
             " operators here; the limit is " + llvm::Twine(longestExpression));
    expand(at - begin);
    previous = text[at - 1];
    isNewLine = false;
  }
  return rejection;
}

std::optional<Rejection> drawloom::input::scanMlir(StringRef text) {
  return Scanner(text).run();
}
