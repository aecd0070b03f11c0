//===- Threads.h - The threads that have a tile, and its elements - C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What all patterns need: who runs an operation, the numbers of a thread as
// values, and how an element is kept. A tile in registers is a vector for each
// thread, with an element for each register of the layout.

#ifndef DRAWLOOM_LIB_CONVERSION_TILETONVVM_THREADS_H
#define DRAWLOOM_LIB_CONVERSION_TILETONVVM_THREADS_H

#include "drawloom/Conversion/TileToNVVM/Elements.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace drawloom::tonvvm {

/// The warps that run an operation: those of its role, or of its kernel.
struct Warps {
  int64_t first, count;
};
std::optional<Warps> findWarps(mlir::Operation *op);

/// The number of this lane, and of this warp among those that run `op`.
mlir::Value getLane(mlir::ImplicitLocOpBuilder &b);
mlir::Value getWarp(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op);

mlir::Value constant(mlir::ImplicitLocOpBuilder &b, int64_t value);

/// Whether an odd number of the bits of `number` that `mask` has are set, an
/// i1.
mlir::Value getParity(mlir::ImplicitLocOpBuilder &b, mlir::Value number,
                      int64_t mask);

/// Whether the bits of `number` with these weights are all zero, an i1; null if
/// there are none. Anded to `other`, unless that is null.
mlir::Value areZero(mlir::ImplicitLocOpBuilder &b, mlir::Value number,
                    llvm::ArrayRef<int64_t> weights, mlir::Value other = {});

/// Makes what `body` makes only where `condition` holds; null is always.
void when(mlir::ImplicitLocOpBuilder &b, mlir::Value condition,
          llvm::function_ref<void()> body);

/// The sum over bits of the words whose bit is set in `number`: word i belongs
/// to the bit of weight `weights[i]`. Null if it is zero for all numbers.
mlir::Value sumWords(mlir::ImplicitLocOpBuilder &b, mlir::Value number,
                     llvm::ArrayRef<int64_t> weights,
                     llvm::ArrayRef<uint64_t> words);

/// The coordinates that a layout has at a place, one i32 for each.
llvm::SmallVector<mlir::Value> apply(mlir::ImplicitLocOpBuilder &b,
                                     const tile::Layout &layout,
                                     llvm::ArrayRef<mlir::Value> place);

/// The layout of a tile or a buffer; null if it has none.
const tile::Layout *getLayout(mlir::Type type);

/// The registers of a tile; null if it has no layout.
mlir::VectorType getRegisters(mlir::RankedTensorType tile);

/// Bytes of an element in memory, where a truth value has one. 0 if an element
/// shares its byte with others.
int64_t getElementBytes(mlir::Type element);

} // namespace drawloom::tonvvm

#endif // DRAWLOOM_LIB_CONVERSION_TILETONVVM_THREADS_H
