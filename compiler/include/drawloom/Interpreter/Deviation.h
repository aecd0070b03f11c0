//===- Deviation.h - How far a machine may be from the reference ----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel computes what its tile program says, but adds in another order, may
// keep a product unrounded for the sum after it, and has approximations for
// exp2 and the like. So its results differ from the interpreter's, and a
// comparison needs a bound that holds for every kernel that is right.
//
// A run with a machine carries such a bound with every element: for each value
// v that the interpreter computes, a number d with |machine's v - v| <= d. Each
// operation has a rule that makes the d of its result from
//   - the d of its operands, by how steep the function is there,
//   - the rounding of the interpreter's own result,
//   - the rounding, or the stated error of the approximation, of the hardware.
// Loads and constants have d = 0. A cast to a narrower type takes the distance
// to the furthest number that something within d may be rounded to. This is
// running error analysis; docs/Interpreter.md has the rules.
//
// Invariant: nothing here is tuned. A rule that can't say anything, such as the
// reciprocal of a number that may be 0, says infinity.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_INTERPRETER_DEVIATION_H
#define DRAWLOOM_INTERPRETER_DEVIATION_H

#include "drawloom/Interpreter/HostTensor.h"

namespace drawloom::interp {

/// What is promised about the arithmetic of an architecture.
struct Arithmetic {
  /// Of an addition in a matrix instruction, relative.
  double sumRoundoff;
  /// If not 0, matrix instructions on 8-bit floats keep so many bits after the
  /// point of the largest of their terms, and each tile.mma has an accumulator
  /// of its own that is added to the program's in f32; see AlignedSums.h.
  unsigned alignedBits = 0;
};

/// What is known about the architecture of that name, such as `sm_90a`.
Arithmetic getArithmetic(llvm::StringRef architecture);

/// Whether what the hardware computed may stand for what the interpreter did.
/// NaN stands for NaN, an infinity for itself.
bool isWithin(double machine, double reference, double deviation);

} // namespace drawloom::interp

#endif // DRAWLOOM_INTERPRETER_DEVIATION_H
