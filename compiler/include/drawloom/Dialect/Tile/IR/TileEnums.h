//===- TileEnums.h - The enumerations of the tile dialect ----- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DIALECT_TILE_IR_TILEENUMS_H
#define DRAWLOOM_DIALECT_TILE_IR_TILEENUMS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/DenseMapInfo.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

#include "drawloom/Dialect/Tile/IR/TileEnums.h.inc"

#endif // DRAWLOOM_DIALECT_TILE_IR_TILEENUMS_H
