//===- TileDialect.h - The tile dialect ----------------------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DIALECT_TILE_IR_TILEDIALECT_H
#define DRAWLOOM_DIALECT_TILE_IR_TILEDIALECT_H

#include "mlir/IR/Dialect.h"

#include "drawloom/Dialect/Tile/IR/TileDialect.h.inc"

#endif // DRAWLOOM_DIALECT_TILE_IR_TILEDIALECT_H
