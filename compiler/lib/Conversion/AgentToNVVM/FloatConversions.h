//===- FloatConversions.h - Between floats, also of eight bits --*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Floats of eight bits are bytes, and the hardware converts two of them at a
// time, to f16 and from f32.

#ifndef DRAWLOOM_LIB_CONVERSION_AGENTTONVVM_FLOATCONVERSIONS_H
#define DRAWLOOM_LIB_CONVERSION_AGENTTONVVM_FLOATCONVERSIONS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace drawloom::codegen {

/// `type`, a scalar or a vector, with another element.
mlir::Type withElement(mlir::Type type, mlir::Type element);

/// A float, or a vector of floats, of 16 bits or more in another such type.
mlir::Value convertFloat(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                         mlir::Type element);

/// A vector of pairs of bf16 as f32, one instruction for each element: bf16 are
/// the upper halves of words. Null for other vectors and for scalars.
mlir::Value extendPairs(mlir::ImplicitLocOpBuilder &b, mlir::Value value);

/// Of an extension or a truncation; null if neither side has eight bits.
mlir::Value convertShortFloat(mlir::ImplicitLocOpBuilder &b,
                              mlir::Operation *op, mlir::Value operand);

/// Between integers and floats of eight bits, by way of f32: it has every
/// integer that the latter have, so nothing is rounded twice. Null if neither
/// side is such a float.
mlir::Value convertShortInteger(mlir::ImplicitLocOpBuilder &b,
                                mlir::Operation *op, mlir::Value operand);

} // namespace drawloom::codegen

#endif // DRAWLOOM_LIB_CONVERSION_AGENTTONVVM_FLOATCONVERSIONS_H
