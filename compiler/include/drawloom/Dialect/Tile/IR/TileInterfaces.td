//===- TileInterfaces.td - What operations have in common -*- tablegen -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DIALECT_TILE_IR_TILEINTERFACES_TD
#define DRAWLOOM_DIALECT_TILE_IR_TILEINTERFACES_TD

include "mlir/IR/OpBase.td"

def Tile_AxisOpInterface : OpInterface<"AxisOpInterface"> {
  let description = [{
    An operation that combines the elements of a tile along one axis. The
    interpreter, its bounds for rounding, the size of scratch memory and the
    check of layouts ask no more of it.
  }];
  let cppNamespace = "::drawloom::tile";
  let methods = [
    InterfaceMethod<"The tile whose elements are combined.",
      "::mlir::TypedValue<::mlir::RankedTensorType>", "getSource">,
    InterfaceMethod<"The axis along which they are.", "uint64_t", "getAxis">,
    InterfaceMethod<"What combines two of them.",
      "::drawloom::tile::Reduction", "getKind">,
    InterfaceMethod<[{
        The elements of the source that are combined to an element of the
        result; both by their numbers in row-major order.
      }], "::drawloom::tile::ElementRange", "getCombined",
      (ins "int64_t":$number)>,
    InterfaceMethod<[{
        How many elements warps exchange if the source has this layout;
        0 if no warp needs what another one has.
      }], "int64_t", "countExchanged", (ins "const ::drawloom::tile::Layout &":$layout)>,
  ];
}

#endif // DRAWLOOM_DIALECT_TILE_IR_TILEINTERFACES_TD
