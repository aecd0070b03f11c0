//===- Elements.h - Elements in registers and in memory ------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_LIB_CONVERSION_AGENTTONVVM_ELEMENTS_H
#define DRAWLOOM_LIB_CONVERSION_AGENTTONVVM_ELEMENTS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace drawloom::codegen {

/// The type of an element in registers: `index` is an i32, and a float of eight
/// bits, for which there is no arithmetic, an i8.
mlir::Type getRegisterType(mlir::Type element);

/// The type of an element in memory, where a truth value has a byte, and the
/// way there and back of an element or a vector.
mlir::Type getMemoryType(mlir::Type element);
/// Bytes of an element in memory; 0 if it shares its byte with others.
int64_t getElementBytes(mlir::Type element);
mlir::Value toMemory(mlir::ImplicitLocOpBuilder &b, mlir::Value value);
mlir::Value fromMemory(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                       mlir::Type type);

/// Words that a tcgen05.ld loads, once they are there.
llvm::SmallVector<mlir::Value> waitForLoad(mlir::ImplicitLocOpBuilder &b,
                                           llvm::ArrayRef<mlir::Value> words);

} // namespace drawloom::codegen

#endif // DRAWLOOM_LIB_CONVERSION_AGENTTONVVM_ELEMENTS_H
