//===- DescribeMma.h - MMAs of tiles as the target names them - -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The target's table of MMAs (drawloom/Target/MmaCode.h) has names of its
// own for element types. This is the one translation.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DIALECT_TILE_IR_MMAS_H
#define DRAWLOOM_DIALECT_TILE_IR_MMAS_H

#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Target/MmaCode.h"

namespace drawloom::tile {

/// An MMA of tiles with these element types; `scale` may be null. With
/// `tf32`, operands of f32 are rounded to it.
target::Mma makeMma(int64_t m, int64_t n, int64_t k, mlir::Type a, mlir::Type b,
                    mlir::Type accumulator, mlir::Type scale, bool tf32);

/// The same for an operation.
target::Mma describeMma(MmaOp op);

/// Whether a tile, or a number, is known to be zero: an accumulator that starts
/// with it need not be written before the first MMA.
bool isZero(mlir::Value value);

} // namespace drawloom::tile

#endif // DRAWLOOM_DIALECT_TILE_IR_PRODUCTS_H
