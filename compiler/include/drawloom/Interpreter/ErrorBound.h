//===- ErrorBound.h - How far a kernel may be from the reference ----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The hardware adds the products of a matrix product in an unspecified order,
// so its result and the interpreter's differ by rounding. The bound here holds
// for every order.
//
// A sum of n + 1 numbers takes n additions. If each returns the exact sum times
// (1 + d) with |d| <= u, then in every order each number carries at most n such
// factors, so the result differs from the exact sum by at most
//   g(n) * (sum of magnitudes),   g(n) = n*u / (1 - n*u).
// The products themselves are exact. The interpreter obeys the same bound: it
// rounds less often, and with a smaller u. docs/Interpreter.md has the steps.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_INTERPRETER_ERRORBOUND_H
#define DRAWLOOM_INTERPRETER_ERRORBOUND_H

#include "drawloom/Interpreter/HostTensor.h"

namespace drawloom::interp {

/// g(n) above: infinite when n*u reaches 1, where no bound exists.
double getSumErrorFactor(int64_t additions, double unitRoundoff);

/// For each element of the product of a (M by K) and b (N by K), how far two
/// ways to compute it may be apart, when each adds with relative error
/// `unitRoundoff` in an order of its own and rounds at the end. The result is
/// M by N in f64. `accumulator` is what the sum started from, M by N, or null.
///
/// The unit roundoff is that of the accumulator's format for additions that
/// round to nearest, twice that for additions that truncate, and 2^-(b+1) for
/// an adder that keeps only b bits after the point.
HostTensor boundProductError(const HostTensor &a, const HostTensor &b,
                             const HostTensor *accumulator,
                             double unitRoundoff);

} // namespace drawloom::interp

#endif // DRAWLOOM_INTERPRETER_ERRORBOUND_H
