//===- TileTypes.h - Views and buffers ------------------------ -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DIALECT_TILE_IR_TILETYPES_H
#define DRAWLOOM_DIALECT_TILE_IR_TILETYPES_H

#include "drawloom/Dialect/Tile/IR/TileAttrs.h"
#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"

#define GET_TYPEDEF_CLASSES
#include "drawloom/Dialect/Tile/IR/TileTypes.h.inc"

#endif // DRAWLOOM_DIALECT_TILE_IR_TILETYPES_H
