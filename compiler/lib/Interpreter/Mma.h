//===- Mma.h - One product and sum ------------------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All operations that multiply compute the same, tile.mma's, and differ in who
// reads the operands and where the accumulator is.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_LIB_INTERPRETER_MMA_H
#define DRAWLOOM_LIB_INTERPRETER_MMA_H

#include "Protocol.h"

namespace drawloom::interp {

struct MmaOperands {
  RuntimeValue a, b;
  /// Null tensors if there are none.
  RuntimeValue aScale = {}, bScale = {}, acc = {};
  bool tf32 = false, negated = false;
};

/// acc + a * b^T, rounded once; zeros for an accumulator that is not there.
/// Elements without a meaning are marked.
llvm::FailureOr<RuntimeValue>
multiplyAdd(mlir::Operation *op, const MmaOperands &operands, Format format);

/// An operand of an MMA: if it is in a slot, the engine reads it there.
llvm::FailureOr<RuntimeValue> readOperand(mlir::Operation *op, Evaluator &eval,
                                          mlir::Value operand, By by);

/// Which elements of a product have no meaning because those of the operands
/// have none: a row of a and its scales reach a row of the result, one of b a
/// column. Null if all have one.
TensorRef spreadProduct(const MmaOperands &operands);

} // namespace drawloom::interp

#endif // DRAWLOOM_LIB_INTERPRETER_MMA_H
