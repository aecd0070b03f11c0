//===- ConstantExpression.cpp - Values known in the text ------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstantExpression.h"
#include <bit>
#include <limits>

using namespace drawloom::ptx;

double Constant::toDouble() const {
  switch (kind) {
  case Signed:
    return static_cast<double>(static_cast<int64_t>(bits));
  case Unsigned:
    return static_cast<double>(bits);
  case Float32:
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  case Float64:
    return std::bit_cast<double>(bits);
  }
  return 0;
}

Constant Constant::fromDouble(double value) {
  return {Float64, std::bit_cast<uint64_t>(value)};
}

unsigned drawloom::ptx::precedenceOf(Token::Kind op) {
  switch (op) {
  case Token::PipePipe:
    return 1;
  case Token::AmpersandAmpersand:
    return 2;
  case Token::Pipe:
    return 3;
  case Token::Caret:
    return 4;
  case Token::Ampersand:
    return 5;
  case Token::EqualEqual:
  case Token::ExclaimEqual:
    return 6;
  case Token::Less:
  case Token::Greater:
  case Token::LessEqual:
  case Token::GreaterEqual:
    return 7;
  case Token::LessLess:
  case Token::GreaterGreater:
    return 8;
  case Token::Plus:
  case Token::Minus:
    return 9;
  case Token::Star:
  case Token::Slash:
  case Token::Percent:
    return 10;
  default:
    return 0;
  }
}

std::optional<Constant> drawloom::ptx::evaluateUnary(Token::Kind op,
                                                     Constant value) {
  switch (op) {
  case Token::Plus:
    return value;
  case Token::Minus:
    // The sign bit alone: a NaN keeps its payload.
    if (value.kind == Constant::Float32)
      return Constant{value.kind, value.bits ^ 0x80000000u};
    if (value.kind == Constant::Float64)
      return Constant{value.kind, value.bits ^ (uint64_t(1) << 63)};
    return Constant{value.kind, 0 - value.bits};
  case Token::Tilde:
    if (value.isFloat())
      return std::nullopt;
    return Constant{value.kind, ~value.bits};
  case Token::Exclaim:
    return Constant::fromBool(value.isFloat() ? value.toDouble() == 0
                                              : value.bits == 0);
  default:
    return std::nullopt;
  }
}

static std::optional<Constant> evaluateFloat(Token::Kind op, double a,
                                             double b) {
  switch (op) {
  case Token::Plus:
    return Constant::fromDouble(a + b);
  case Token::Minus:
    return Constant::fromDouble(a - b);
  case Token::Star:
    return Constant::fromDouble(a * b);
  case Token::Slash:
    if (b == 0)
      return std::nullopt;
    return Constant::fromDouble(a / b);
  case Token::EqualEqual:
    return Constant::fromBool(a == b);
  case Token::ExclaimEqual:
    return Constant::fromBool(a != b);
  case Token::Less:
    return Constant::fromBool(a < b);
  case Token::Greater:
    return Constant::fromBool(a > b);
  case Token::LessEqual:
    return Constant::fromBool(a <= b);
  case Token::GreaterEqual:
    return Constant::fromBool(a >= b);
  default:
    return std::nullopt;
  }
}

/// Shifts by the width or more give what the shifted bits run out to.
static uint64_t shift(Token::Kind op, Constant left, uint64_t by) {
  if (op == Token::LessLess)
    return by < 64 ? left.bits << by : 0;
  if (left.kind == Constant::Unsigned)
    return by < 64 ? left.bits >> by : 0;
  return static_cast<uint64_t>(static_cast<int64_t>(left.bits) >>
                               std::min<uint64_t>(by, 63));
}

std::optional<Constant>
drawloom::ptx::evaluateBinary(Token::Kind op, Constant left, Constant right) {
  if (op == Token::AmpersandAmpersand || op == Token::PipePipe) {
    bool a = left.toDouble() != 0, b = right.toDouble() != 0;
    return Constant::fromBool(op == Token::PipePipe ? a || b : a && b);
  }
  if (left.isFloat() || right.isFloat())
    return evaluateFloat(op, left.toDouble(), right.toDouble());
  if (op == Token::LessLess || op == Token::GreaterGreater)
    return Constant{left.kind, shift(op, left, right.bits)};

  // As in C: unsigned if either side is.
  bool isUnsigned =
      left.kind == Constant::Unsigned || right.kind == Constant::Unsigned;
  auto make = [&](uint64_t bits) {
    return Constant{isUnsigned ? Constant::Unsigned : Constant::Signed, bits};
  };
  uint64_t a = left.bits, b = right.bits;
  auto sa = static_cast<int64_t>(a), sb = static_cast<int64_t>(b);
  // The one signed quotient that overflows wraps, as the hardware's does.
  bool overflows = sa == std::numeric_limits<int64_t>::min() && sb == -1;
  switch (op) {
  case Token::Plus:
    return make(a + b);
  case Token::Minus:
    return make(a - b);
  case Token::Star:
    return make(a * b);
  case Token::Slash:
    if (b == 0)
      return std::nullopt;
    return make(isUnsigned ? a / b : overflows ? a : uint64_t(sa / sb));
  case Token::Percent:
    if (b == 0)
      return std::nullopt;
    return make(isUnsigned ? a % b : overflows ? 0 : uint64_t(sa % sb));
  case Token::Ampersand:
    return make(a & b);
  case Token::Pipe:
    return make(a | b);
  case Token::Caret:
    return make(a ^ b);
  case Token::EqualEqual:
    return Constant::fromBool(a == b);
  case Token::ExclaimEqual:
    return Constant::fromBool(a != b);
  case Token::Less:
    return Constant::fromBool(isUnsigned ? a < b : sa < sb);
  case Token::Greater:
    return Constant::fromBool(isUnsigned ? a > b : sa > sb);
  case Token::LessEqual:
    return Constant::fromBool(isUnsigned ? a <= b : sa <= sb);
  case Token::GreaterEqual:
    return Constant::fromBool(isUnsigned ? a >= b : sa >= sb);
  default:
    return std::nullopt;
  }
}
