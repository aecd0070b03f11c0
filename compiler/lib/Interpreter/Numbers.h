//===- Numbers.h - Functions of numbers that rules share --------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that both elementwise operations and reductions use, so that
// `tile.reduce maximumf` means what `arith.maximumf` means.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_LIB_INTERPRETER_NUMBERS_H
#define DRAWLOOM_LIB_INTERPRETER_NUMBERS_H

#include <cmath>
#include <cstdint>

namespace drawloom::interp {

/// NaN if one is NaN; -0 is less than +0.
inline double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return a + b;
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
inline double minimum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return a + b;
  if (a == b)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

/// The number if one is NaN. Of two zeros either may be returned; this returns
/// the one that maximum and minimum do.
inline double maxNum(double a, double b) {
  return std::isnan(a) ? b : std::isnan(b) ? a : maximum(a, b);
}
inline double minNum(double a, double b) {
  return std::isnan(a) ? b : std::isnan(b) ? a : minimum(a, b);
}

/// a * b + c, rounded to odd: if the exact value is no double, the neighbor
/// whose last bit is set. Rounding that to a format of at most 51 bits gives
/// what one rounding of the exact value gives. The operands are numbers of at
/// most 24 bits and of the range of f32, so the product is exact.
double fusedMultiplyAddToOdd(double a, double b, double c);

/// The magnitude as a double, rounded to odd, for the same reason.
double toDoubleToOdd(uint64_t magnitude);

} // namespace drawloom::interp

#endif // DRAWLOOM_LIB_INTERPRETER_NUMBERS_H
