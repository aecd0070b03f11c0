//===- TileOps.td - The operations of the tile dialect --- -*- tablegen -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DIALECT_TILE_IR_TILEOPS_TD
#define DRAWLOOM_DIALECT_TILE_IR_TILEOPS_TD

include "drawloom/Dialect/Tile/IR/TileKernelOps.td"
include "drawloom/Dialect/Tile/IR/TileMemoryOps.td"
include "drawloom/Dialect/Tile/IR/TileValueOps.td"

#endif // DRAWLOOM_DIALECT_TILE_IR_TILEOPS_TD
