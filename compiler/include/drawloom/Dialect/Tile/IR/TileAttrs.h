//===- TileAttrs.h - The attributes of the tile dialect ------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DIALECT_TILE_IR_TILEATTRS_H
#define DRAWLOOM_DIALECT_TILE_IR_TILEATTRS_H

#include "drawloom/Dialect/Tile/IR/Layout.h"
#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "drawloom/Dialect/Tile/IR/TileDialect.h"
#include "drawloom/Dialect/Tile/IR/TileEnums.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/TensorEncoding.h"

#define GET_ATTRDEF_CLASSES
#include "drawloom/Dialect/Tile/IR/TileAttrs.h.inc"

#endif // DRAWLOOM_DIALECT_TILE_IR_TILEATTRS_H
