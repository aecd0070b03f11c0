//===- Deviate.h - What rules for deviations share --------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_LIB_INTERPRETER_DEVIATE_H
#define DRAWLOOM_LIB_INTERPRETER_DEVIATE_H

#include "Evaluator.h"
#include <cmath>
#include <limits>

namespace drawloom::interp {

/// What is said where there is no bound.
constexpr double infinity = std::numeric_limits<double>::infinity();

/// An operand of an element.
struct Operand {
  double value;
  double off; ///< At most.

  double magnitude() const { return std::abs(value) + off; }
};

/// x * y, where 0 times infinity is 0: what does not move moves nothing.
inline double times(double x, double y) { return x == 0 || y == 0 ? 0 : x * y; }

/// How far a product moves.
inline double productSpread(const Operand &a, const Operand &b) {
  return times(std::abs(a.value), b.off) + times(std::abs(b.value), a.off) +
         times(a.off, b.off);
}

} // namespace drawloom::interp

#endif // DRAWLOOM_LIB_INTERPRETER_DEVIATE_H
