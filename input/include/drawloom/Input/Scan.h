//===- Scan.h - Texts that would exhaust their parser -----------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The parsers of LLVM and MLIR are recursive and know no limit: some thousand
// brackets in each other end the process. So a text is looked at once, from its
// beginning to its end and without recursion, before one of them gets it:
//
//   text ──► scan ──► parser ──► passes
//             └ rejected: where, how deep, and how deep it may be
//
// A scan understands strings and comments and nothing else of the grammar. It
// lets through everything that people or compilers write, whether it is right
// or not: what is wrong is the parser's to say.

#ifndef DRAWLOOM_INPUT_SCAN_H
#define DRAWLOOM_INPUT_SCAN_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <optional>
#include <string>

namespace drawloom::input {

/// How many brackets may stand in each other. Programs have about ten.
constexpr unsigned deepestNesting = 256;
/// Operators of one affine expression: each is a call of the parser's, too.
constexpr unsigned longestExpression = 256;
/// Bytes of one word. The sizes of a type are read as a word, again for each.
constexpr unsigned longestWord = 16384;
/// Bytes of a text in which every alias is written out.
constexpr uint64_t largestExpansion = uint64_t(256) << 20;

/// Why a text is not parsed.
struct Rejection {
  /// The byte at which it went too far.
  size_t at = 0;
  std::string words;
};

std::optional<Rejection> scanJson(llvm::StringRef text);

/// Besides nesting, written out or by aliases: words, affine expressions, what
/// makes upstream's parser of linalg's `permutation = [...]` and
/// `dimensions = [...]` fail without noticing, and operations whose verifier
/// crashes when they are wrong.
std::optional<Rejection> scanMlir(llvm::StringRef text);

/// llvm::json::parse() of an untrusted text.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text);

} // namespace drawloom::input

#endif // DRAWLOOM_INPUT_SCAN_H
