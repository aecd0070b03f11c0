//===- Accesses.h - Which elements of a view are touched ------ -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DIALECT_TILE_IR_ACCESSES_H
#define DRAWLOOM_DIALECT_TILE_IR_ACCESSES_H

#include "drawloom/Dialect/Tile/IR/TileOps.h"

namespace drawloom::tile {

/// Whether two stores to one view never touch the same element, because their
/// tiles are a known distance apart. False if that is not known.
bool areApart(StoreOp a, StoreOp b);

/// Whether a number is known to be a size of a view.
bool isSize(mlir::OpFoldResult number, mlir::Value view, int64_t dim);

} // namespace drawloom::tile

#endif // DRAWLOOM_DIALECT_TILE_IR_ACCESSES_H
