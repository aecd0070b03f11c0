//===- ConstantExpression.h - Values known in the text ----------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The value of a constant expression and the operators on it (PTX ISA, section
// 4.5): integers are 64 bits wide, signed or unsigned; floating point is .f64,
// except for a 0f literal, which keeps its 32 bits.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_PTX_LIB_CONSTANTEXPRESSION_H
#define DRAWLOOM_PTX_LIB_CONSTANTEXPRESSION_H

#include "Lexer.h"
#include <cstdint>
#include <optional>

namespace drawloom::ptx {

struct Constant {
  enum Kind : uint8_t { Signed, Unsigned, Float32, Float64 };
  Kind kind = Signed;
  uint64_t bits = 0;

  bool isFloat() const { return kind >= Float32; }
  /// The value as a double, whatever the kind.
  double toDouble() const;

  static Constant fromBool(bool value) { return {Signed, value}; }
  static Constant fromDouble(double value);
};

/// How tightly a binary operator binds: 1 for `||` up to 10 for `*`; 0 if the
/// token is no binary operator.
unsigned precedenceOf(Token::Kind op);

/// Nothing if the operator does not take such a value.
std::optional<Constant> evaluateUnary(Token::Kind op, Constant value);
/// Nothing if the operator does not take such values, or divides by zero.
std::optional<Constant> evaluateBinary(Token::Kind op, Constant left,
                                       Constant right);

} // namespace drawloom::ptx

#endif // DRAWLOOM_PTX_LIB_CONSTANTEXPRESSION_H
