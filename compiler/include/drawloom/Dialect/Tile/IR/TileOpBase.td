//===- TileOpBase.td - What every tile operation has ----- -*- tablegen -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DIALECT_TILE_IR_TILEOPBASE_TD
#define DRAWLOOM_DIALECT_TILE_IR_TILEOPBASE_TD

include "drawloom/Dialect/Tile/IR/TileTypes.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Tile_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tile_Dialect, mnemonic, traits>;

// A pure operation on tiles whose result type, but for its layout, follows from
// the operands (InferTypeOpAdaptorWithIsCompatible). The text still spells the
// type out, because a pass may have given the result a layout.
class Tile_ValueOp<string mnemonic, list<Trait> traits = []>
    : Tile_Op<mnemonic, !listconcat(traits, [Pure])>;

#endif // DRAWLOOM_DIALECT_TILE_IR_TILEOPBASE_TD
