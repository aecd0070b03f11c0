//===- ErrorBound.cpp - How far a kernel may be from the reference --------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Interpreter/ErrorBound.h"
#include <cmath>

using namespace drawloom::interp;

double drawloom::interp::getSumErrorFactor(int64_t additions,
                                           double unitRoundoff) {
  double total = static_cast<double>(additions) * unitRoundoff;
  return total < 1 ? total / (1 - total) : HUGE_VAL;
}

HostTensor drawloom::interp::boundProductError(const HostTensor &a,
                                               const HostTensor &b,
                                               const HostTensor *accumulator,
                                               double unitRoundoff) {
  int64_t m = a.getShape()[0], n = b.getShape()[0], k = a.getShape()[1];
  std::vector<double> left = a.toFloats(), right = b.toFloats();
  // K additions for the products and the accumulator, one rounding at the end,
  // and both sides of the comparison have the error.
  double factor = 2 * getSumErrorFactor(k + 1, unitRoundoff);
  HostTensor bound(Format::F64, {m, n});
  for (int64_t row = 0; row < m; ++row)
    for (int64_t column = 0; column < n; ++column) {
      double magnitude =
          accumulator ? std::fabs(accumulator->getFloat(row * n + column)) : 0;
      for (int64_t i = 0; i < k; ++i)
        magnitude += std::fabs(left[row * k + i] * right[column * k + i]);
      bound.setFloat(row * n + column, factor * magnitude);
    }
  return bound;
}
