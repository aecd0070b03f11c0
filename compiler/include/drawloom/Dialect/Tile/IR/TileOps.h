//===- TileOps.h - The operations of the tile dialect --------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DIALECT_TILE_IR_TILEOPS_H
#define DRAWLOOM_DIALECT_TILE_IR_TILEOPS_H

#include "drawloom/Dialect/Tile/IR/TileInterfaces.h"
#include "drawloom/Dialect/Tile/IR/TileTypes.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "drawloom/Dialect/Tile/IR/TileOps.h.inc"

#endif // DRAWLOOM_DIALECT_TILE_IR_TILEOPS_H
