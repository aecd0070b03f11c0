//===- ParseConstant.cpp - Constant expressions ---------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

using namespace drawloom::ptx;

bool Parser::parseConstant(Constant &value) {
  return parseConditional(value, 0);
}

bool Parser::parseConditional(Constant &value, unsigned depth) {
  if (!parseBinary(value, 1, depth))
    return false;
  if (!consumeIf(Token::Question))
    return true;
  Constant ifTrue, ifFalse;
  if (!parseConditional(ifTrue, depth + 1) ||
      !expect(Token::Colon, "between the two values of '?:'") ||
      !parseConditional(ifFalse, depth + 1))
    return false;
  value = value.toDouble() != 0 ? ifTrue : ifFalse;
  return true;
}

/// Precedence climbing: operators of `minPrecedence` and tighter ones.
bool Parser::parseBinary(Constant &value, unsigned minPrecedence,
                         unsigned depth) {
  if (!parseUnary(value, depth))
    return false;
  for (;;) {
    Token op = token;
    unsigned precedence = precedenceOf(op.kind);
    if (precedence < minPrecedence || precedence == 0)
      return true;
    advance();
    Constant right;
    if (!parseBinary(right, precedence + 1, depth + 1))
      return false;
    std::optional<Constant> result = evaluateBinary(op.kind, value, right);
    if (!result)
      return error(op.loc(), "this operation has no value");
    value = *result;
  }
}

bool Parser::parseUnary(Constant &value, unsigned depth) {
  if (depth > maxNesting)
    return error("this expression is nested too deeply");
  switch (token.kind) {
  case Token::Integer:
    value = {token.isUnsigned ? Constant::Unsigned : Constant::Signed,
             token.value};
    advance();
    return true;
  case Token::Float32:
  case Token::Float64:
    value = {token.is(Token::Float32) ? Constant::Float32 : Constant::Float64,
             token.value};
    advance();
    return true;
  case Token::Identifier:
    if (token.text != "WARP_SZ")
      break;
    value = {Constant::Signed, 32};
    advance();
    return true;
  case Token::Plus:
  case Token::Minus:
  case Token::Tilde:
  case Token::Exclaim: {
    Token op = token;
    advance();
    if (!parseUnary(value, depth + 1))
      return false;
    std::optional<Constant> result = evaluateUnary(op.kind, value);
    if (!result)
      return error(op.loc(), "this operation has no value");
    value = *result;
    return true;
  }
  case Token::LeftParen: {
    advance();
    if (isDirective("s64") || isDirective("u64")) {
      bool isUnsigned = token.text == "u64";
      advance();
      if (!expect(Token::RightParen, "after the type of a cast") ||
          !parseUnary(value, depth + 1))
        return false;
      if (value.isFloat())
        return error("only integers can be cast");
      value.kind = isUnsigned ? Constant::Unsigned : Constant::Signed;
      return true;
    }
    return parseConditional(value, depth + 1) &&
           expect(Token::RightParen, "to close the expression");
  }
  default:
    break;
  }
  return error("expected a constant, found " + describe(token));
}

bool Parser::parseInteger(int64_t &value) {
  const char *loc = token.loc();
  Constant constant;
  if (!parseConstant(constant))
    return false;
  if (constant.isFloat())
    return error(loc, "expected an integer, not a floating-point value");
  value = static_cast<int64_t>(constant.bits);
  return true;
}

bool Parser::parseUnsigned(uint32_t &value, const llvm::Twine &what) {
  const char *loc = token.loc();
  int64_t wide;
  if (!parseInteger(wide))
    return false;
  if (wide < 0 || wide > std::numeric_limits<uint32_t>::max())
    return error(loc, what + " must be between 0 and 4294967295, not " +
                          llvm::Twine(wide));
  value = static_cast<uint32_t>(wide);
  return true;
}
