//===- TileToNVVM.h - Tiles with layouts to nvvm -------------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// One pattern for each operation, given the layouts of its operands and
// results. None keeps state for another. A tile in registers becomes a vector
// of what a thread has, a buffer of shared memory a pointer, one of tensor
// memory its address.

#ifndef DRAWLOOM_CONVERSION_TILETONVVM_TILETONVVM_H
#define DRAWLOOM_CONVERSION_TILETONVVM_TILETONVVM_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/DialectConversion.h"

namespace drawloom {

/// The variable that all of a CTA's shared memory is, the same for all kernels
/// of a module, and how it is aligned: the most that a swizzle asks for.
inline constexpr llvm::StringLiteral sharedMemoryName = "shared_memory";
inline constexpr int64_t sharedMemoryAlignment = 1024;

/// Adds the types that tiles and buffers become.
void addTileToNVVMTypes(mlir::TypeConverter &types);

/// Adds the patterns of tile.convert_layout, tile.read, tile.write and
/// tile.alloc.
void addTileToNVVMPatterns(const mlir::TypeConverter &types,
                           mlir::RewritePatternSet &patterns);

/// Those of tile.read and tile.write for buffers of shared memory with a layout
/// in their type.
void addSharedAccessPatterns(const mlir::TypeConverter &types,
                             mlir::RewritePatternSet &patterns,
                             mlir::PatternBenefit benefit);

/// The registers of a tile of type `from` as those of one of type `to`, in the
/// same warps. `getThread` gives the numbers of a thread's lane and warp among
/// those that have the tile. Null if elements change warps.
mlir::Value convertInWarp(
    mlir::ImplicitLocOpBuilder &b, mlir::Value registers,
    mlir::RankedTensorType from, mlir::RankedTensorType to,
    llvm::function_ref<std::pair<mlir::Value, mlir::Value>()> getThread);

/// An error at an operation that the patterns don't take, with the reason.
llvm::LogicalResult checkLayouts(mlir::Operation *root);

} // namespace drawloom

#endif // DRAWLOOM_CONVERSION_TILETONVVM_TILETONVVM_H
