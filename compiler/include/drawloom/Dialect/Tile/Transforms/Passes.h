//===- Passes.h - Passes over the 'tile' dialect ------------ -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DIALECT_TILE_TRANSFORMS_PASSES_H
#define DRAWLOOM_DIALECT_TILE_TRANSFORMS_PASSES_H

#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/Pass/Pass.h"

namespace drawloom::tile {

#define GEN_PASS_DECL
#include "drawloom/Dialect/Tile/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "drawloom/Dialect/Tile/Transforms/Passes.h.inc"

} // namespace drawloom::tile

#endif // DRAWLOOM_DIALECT_TILE_TRANSFORMS_PASSES_H
