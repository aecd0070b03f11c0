//===- Canonicalize.h - What canonical forms have in common -----*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_LIB_DIALECT_TILE_IR_CANONICALIZE_H
#define DRAWLOOM_LIB_DIALECT_TILE_IR_CANONICALIZE_H

#include "mlir/IR/Operation.h"

namespace drawloom::tile {

/// Tiles that carry layouts are left alone: which layout the tile in between
/// should have is for a later pass to say.
bool hasLayout(mlir::Operation *op);

} // namespace drawloom::tile

#endif // DRAWLOOM_LIB_DIALECT_TILE_IR_CANONICALIZE_H
