//===- Lexer.cpp - PTX text to tokens -------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lexer.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"
#include <array>
#include <bit>
#include <limits>

using namespace drawloom::ptx;
using llvm::StringRef;

namespace {
enum CharClass : uint8_t {
  Other = 0,
  Word = 1,  ///< Letters, digits, '_', '$': what an identifier goes on with.
  Digit = 2, ///< Also Word.
  Space = 4, ///< White space but newline.
};
} // namespace

static constexpr std::array<uint8_t, 256> charClasses = [] {
  std::array<uint8_t, 256> classes{};
  for (int c = 'a'; c <= 'z'; ++c)
    classes[c] = classes[c - 'a' + 'A'] = Word;
  for (int c = '0'; c <= '9'; ++c)
    classes[c] = Word | Digit;
  classes['_'] = classes['$'] = Word;
  for (char c : {' ', '\t', '\r', '\v', '\f'})
    classes[static_cast<unsigned char>(c)] = Space;
  return classes;
}();

static bool isClass(char c, CharClass charClass) {
  return charClasses[static_cast<unsigned char>(c)] & charClass;
}
static bool isWord(char c) { return isClass(c, Word); }

/// Skips white space and comments. An unclosed comment makes `token` an error.
void Lexer::skipSpace(Token &token) {
  for (;;) {
    char c = *cursor;
    if (isClass(c, Space)) {
      ++cursor;
    } else if (c == '\n') {
      ++cursor;
      ++line;
    } else if (c == '/' && cursor[1] == '/') {
      // The NUL behind the source ends the search in the last line.
      const void *newline = memchr(cursor, '\n', end - cursor);
      cursor = newline ? static_cast<const char *>(newline) : end;
    } else if (c == '/' && cursor[1] == '*') {
      StringRef rest(cursor, end - cursor);
      size_t close = rest.find("*/", 2);
      if (close == StringRef::npos) {
        token.kind = Token::Error;
        token.problem = "this comment is not closed";
        token.start = cursor;
        line += rest.count('\n');
        cursor = end;
        return;
      }
      line += rest.substr(0, close).count('\n');
      cursor += close + 2;
    } else {
      return;
    }
  }
}

namespace {
struct Punctuation {
  Token::Kind kind;
  unsigned length;
};
} // namespace

/// The operator or bracket that begins with `c`; an error if there is none.
static Punctuation getPunctuation(char c, char following) {
  switch (c) {
  case ',':
    return {Token::Comma, 1};
  case ';':
    return {Token::Semicolon, 1};
  case '[':
    return {Token::LeftBracket, 1};
  case ']':
    return {Token::RightBracket, 1};
  case '{':
    return {Token::LeftBrace, 1};
  case '}':
    return {Token::RightBrace, 1};
  case '(':
    return {Token::LeftParen, 1};
  case ')':
    return {Token::RightParen, 1};
  case '@':
    return {Token::At, 1};
  case ':':
    return {Token::Colon, 1};
  case '+':
    return {Token::Plus, 1};
  case '-':
    return {Token::Minus, 1};
  case '*':
    return {Token::Star, 1};
  case '/':
    return {Token::Slash, 1};
  case '%':
    return {Token::Percent, 1};
  case '^':
    return {Token::Caret, 1};
  case '~':
    return {Token::Tilde, 1};
  case '?':
    return {Token::Question, 1};
  case '=':
    return following == '=' ? Punctuation{Token::EqualEqual, 2}
                            : Punctuation{Token::Equal, 1};
  case '!':
    return following == '=' ? Punctuation{Token::ExclaimEqual, 2}
                            : Punctuation{Token::Exclaim, 1};
  case '&':
    return following == '&' ? Punctuation{Token::AmpersandAmpersand, 2}
                            : Punctuation{Token::Ampersand, 1};
  case '|':
    return following == '|' ? Punctuation{Token::PipePipe, 2}
                            : Punctuation{Token::Pipe, 1};
  case '<':
    if (following == '<')
      return {Token::LessLess, 2};
    return following == '=' ? Punctuation{Token::LessEqual, 2}
                            : Punctuation{Token::Less, 1};
  case '>':
    if (following == '>')
      return {Token::GreaterGreater, 2};
    return following == '=' ? Punctuation{Token::GreaterEqual, 2}
                            : Punctuation{Token::Greater, 1};
  default:
    return {Token::Error, 1};
  }
}

Token Lexer::next() {
  Token token;
  skipSpace(token);
  token.line = line;
  if (token.is(Token::Error))
    return token;
  const char *start = token.start = cursor;
  char c = *cursor;
  if ((isWord(c) && !isClass(c, Digit)) || (c == '%' && isWord(cursor[1]))) {
    do
      ++cursor;
    while (isWord(*cursor));
    token.kind = Token::Identifier;
    token.text = StringRef(start, cursor - start);
    return token;
  }
  if (isClass(c, Digit)) {
    lexNumber(token);
    token.text = StringRef(start, cursor - start);
    return token;
  }
  switch (c) {
  case '.':
    if (isClass(cursor[1], Digit)) {
      lexDecimal(token);
      token.text = StringRef(start, cursor - start);
      return token;
    }
    if (!isWord(cursor[1]))
      break;
    do
      ++cursor;
    while (isWord(*cursor));
    token.kind = Token::Directive;
    token.text = StringRef(start + 1, cursor - start - 1);
    return token;
  case '"':
    lexString(token);
    return token;
  case '\0':
    if (cursor >= end) {
      token.kind = Token::Eof;
      return token;
    }
    break;
  default:
    break;
  }
  auto [kind, length] = getPunctuation(c, c ? cursor[1] : 0);
  if (kind == Token::Error)
    token.problem = "this character does not belong to PTX";
  token.kind = kind;
  cursor = start + length;
  token.text = StringRef(start, length);
  return token;
}

void Lexer::lexString(Token &token) {
  const char *start = ++cursor;
  while (cursor < end && *cursor != '"' && *cursor != '\n') {
    // PTX has no escapes in strings, but file names may hold \".
    if (*cursor == '\\' && cursor + 1 < end && cursor[1] != '\n')
      ++cursor;
    ++cursor;
  }
  if (cursor >= end || *cursor != '"') {
    token.kind = Token::Error;
    token.problem = "this string is not closed";
    return;
  }
  token.kind = Token::String;
  token.text = StringRef(start, cursor - start);
  ++cursor;
}

/// Reads exactly `digits` hexadecimal digits, the bits of a float.
bool Lexer::lexBits(Token &token, unsigned digits) {
  StringRef text(cursor, std::min<size_t>(digits, end - cursor));
  if (text.size() != digits || !llvm::all_of(text, llvm::isHexDigit) ||
      text.getAsInteger(16, token.value))
    return false;
  cursor += digits;
  return true;
}

void Lexer::lexNumber(Token &token) {
  const char *start = cursor;
  auto fail = [&](const char *problem) {
    while (isWord(*cursor))
      ++cursor;
    token.kind = Token::Error;
    token.problem = problem;
  };
  if (*cursor == '0' && (cursor[1] == 'f' || cursor[1] == 'F')) {
    cursor += 2;
    token.kind = Token::Float32;
    if (!lexBits(token, 8) || isWord(*cursor))
      fail("0f must be followed by 8 hexadecimal digits");
    return;
  }
  if (*cursor == '0' && (cursor[1] == 'd' || cursor[1] == 'D')) {
    cursor += 2;
    token.kind = Token::Float64;
    if (!lexBits(token, 16) || isWord(*cursor))
      fail("0d must be followed by 16 hexadecimal digits");
    return;
  }

  unsigned radix = 10;
  if (*cursor == '0' && (cursor[1] == 'x' || cursor[1] == 'X')) {
    radix = 16;
    start += 2;
  } else if (*cursor == '0' && (cursor[1] == 'b' || cursor[1] == 'B')) {
    radix = 2;
    start += 2;
  } else {
    const char *digit = cursor;
    while (isClass(*digit, Digit))
      ++digit;
    if (*digit == '.' || *digit == 'e' || *digit == 'E')
      return lexDecimal(token);
    if (*cursor == '0' && isClass(cursor[1], Digit)) {
      radix = 8;
      ++start;
    }
  }
  while (isWord(*cursor))
    ++cursor;
  StringRef digits(start, cursor - start);
  token.kind = Token::Integer;
  token.isUnsigned = digits.consume_back("U") || digits.consume_back("u");
  if (digits.empty() || !llvm::all_of(digits, [&](char c) {
        return llvm::hexDigitValue(c) < radix;
      }))
    return fail(radix == 8    ? "this is not an octal integer"
                : radix == 2  ? "this is not a binary integer"
                : radix == 16 ? "this is not a hexadecimal integer"
                              : "this is not an integer");
  if (digits.getAsInteger(radix, token.value))
    return fail("this integer does not fit in 64 bits");
  if (token.value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    token.isUnsigned = true;
}

/// A decimal floating-point literal; it is of type .f64.
void Lexer::lexDecimal(Token &token) {
  const char *start = cursor;
  while (isClass(*cursor, Digit))
    ++cursor;
  if (*cursor == '.')
    ++cursor;
  while (isClass(*cursor, Digit))
    ++cursor;
  if (*cursor == 'e' || *cursor == 'E') {
    ++cursor;
    if (*cursor == '+' || *cursor == '-')
      ++cursor;
    while (isClass(*cursor, Digit))
      ++cursor;
  }
  token.kind = Token::Error;
  token.problem = "this is not a floating-point literal";
  if (isWord(*cursor)) {
    while (isWord(*cursor))
      ++cursor;
    return;
  }
  llvm::APFloat value(llvm::APFloat::IEEEdouble());
  llvm::Expected<llvm::APFloat::opStatus> status = value.convertFromString(
      StringRef(start, cursor - start), llvm::APFloat::rmNearestTiesToEven);
  if (!status) {
    llvm::consumeError(status.takeError());
    return;
  }
  token.kind = Token::Float64;
  token.problem = nullptr;
  token.value = value.bitcastToAPInt().getZExtValue();
}

void Lexer::extendToMnemonic(Token &token) {
  for (;;) {
    if (isWord(*cursor))
      ++cursor;
    else if (*cursor == '.' && isWord(cursor[1]))
      cursor += 2;
    else if (*cursor == ':' && cursor[1] == ':' && isWord(cursor[2]))
      cursor += 3;
    else
      break;
  }
  token.text = StringRef(token.start, cursor - token.start);
}

bool Lexer::colonFollows() const {
  const char *at = cursor;
  while (isClass(*at, Space) || *at == '\n')
    ++at;
  return *at == ':' && at[1] != ':';
}

StringRef drawloom::ptx::describe(Token::Kind kind) {
  static constexpr llvm::StringLiteral words[] = {
      "the end of the file",
      "an identifier",
      "a directive",
      "an integer",
      "a floating-point literal",
      "a floating-point literal",
      "a string",
      "','",
      "';'",
      "':'",
      "'{'",
      "'}'",
      "'['",
      "']'",
      "'('",
      "')'",
      "'@'",
      "'='",
      "'<'",
      "'>'",
      "'+'",
      "'-'",
      "'*'",
      "'/'",
      "'%'",
      "'&'",
      "'|'",
      "'^'",
      "'~'",
      "'!'",
      "'?'",
      "'<<'",
      "'>>'",
      "'<='",
      "'>='",
      "'=='",
      "'!='",
      "'&&'",
      "'||'",
      "an error",
  };
  static_assert(std::size(words) == Token::Error + 1);
  return words[kind];
}

std::string drawloom::ptx::describe(const Token &token) {
  switch (token.kind) {
  case Token::Identifier:
  case Token::Integer:
  case Token::Float32:
  case Token::Float64:
    return ("'" + token.text + "'").str();
  case Token::Directive:
    return ("'." + token.text + "'").str();
  case Token::String:
    return ("\"" + token.text + "\"").str();
  default:
    return describe(token.kind).str();
  }
}
