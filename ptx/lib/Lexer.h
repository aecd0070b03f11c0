//===- Lexer.h - PTX text to tokens -----------------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A hand-written lexer, without look-ahead and without allocation: a token is a
// range of the source. It is written by hand rather than generated because PTX
// needs two kinds of words (in `ld.global.v4.b32` the dots belong to the word,
// in `%tid.x` they don't, and `.2d` begins like a number), because a mnemonic
// is looked up as one string, and because every byte of a large file passes
// here.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_PTX_LIB_LEXER_H
#define DRAWLOOM_PTX_LIB_LEXER_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace drawloom::ptx {

struct Token {
  enum Kind : uint8_t {
    Eof,
    Identifier, ///< add, %r1, $L__BB0_1, _
    Directive,  ///< .reg: the text has no dot
    Integer,    ///< `value`
    Float32,    ///< 0f3F800000: the bits in `value`
    Float64,    ///< 0d3FF0000000000000, 1.5: the bits in `value`
    String,     ///< the text has no quotes
    Comma,
    Semicolon,
    Colon,
    LeftBrace,
    RightBrace,
    LeftBracket,
    RightBracket,
    LeftParen,
    RightParen,
    At,
    Equal,
    Less,
    Greater,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    Ampersand,
    Pipe,
    Caret,
    Tilde,
    Exclaim,
    Question,
    LessLess,
    GreaterGreater,
    LessEqual,
    GreaterEqual,
    EqualEqual,
    ExclaimEqual,
    AmpersandAmpersand,
    PipePipe,
    Error, ///< `problem` says why
  };

  Kind kind = Eof;
  bool isUnsigned = false; ///< An integer with suffix U, or beyond int64.
  uint32_t line = 1;
  llvm::StringRef text;
  uint64_t value = 0;
  const char *problem = nullptr;

  bool is(Kind k) const { return kind == k; }
  const char *loc() const { return start; }
  const char *start = nullptr; ///< The first byte, dot and quote included.
};

class Lexer {
public:
  /// The source must be followed by a NUL, as MemoryBuffers are.
  explicit Lexer(llvm::StringRef source)
      : cursor(source.begin()), end(source.end()) {}

  Token next();

  /// Makes the mnemonic that begins with the identifier `token`, which must be
  /// the one read last, into one token: `ld` to `ld.global.v4.b32`.
  void extendToMnemonic(Token &token);

  /// Whether a label's colon follows the token read last.
  bool colonFollows() const;

  bool isAtEnd() const { return cursor == end; }
  /// Behaves as if the source ended here.
  void stop() { cursor = end; }

private:
  void skipSpace(Token &token);
  void lexNumber(Token &token);
  void lexDecimal(Token &token);
  void lexString(Token &token);
  bool lexBits(Token &token, unsigned digits);

  const char *cursor;
  const char *end;
  uint32_t line = 1;
};

/// The words for a token in a message: "';'", "identifier 'x'".
std::string describe(const Token &token);
/// The words for a kind of token: "';'", "an identifier".
llvm::StringRef describe(Token::Kind kind);

} // namespace drawloom::ptx

#endif // DRAWLOOM_PTX_LIB_LEXER_H
