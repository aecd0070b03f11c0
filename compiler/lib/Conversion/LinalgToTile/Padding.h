//===- Padding.h - What stands in a tile past an edge --------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The last tile along an axis may reach past the end. What stands there does no
// harm until an operation combines elements along that axis: then it must be
// the neutral element, zero for a sum, minus infinity for a maximum.
//
// Three ways to get it there, tried in this order:
//
//   1. It stands there already. A load pads with zero, and operations on
//      padding are folded: extf(0) is 0, but exp(0) is 1.
//   2. The load that the tile comes from pads with the neutral element instead.
//      A load pads one way only, so the first to ask decides.
//   3. A mask: the elements past the end are replaced just before the
//   reduction.
//
// Nothing is assumed about data. What a product leaves past an edge is not
// zero, although one operand is: the other may hold an infinity.

#ifndef DRAWLOOM_LIB_CONVERSION_LINALGTOTILE_PADDING_H
#define DRAWLOOM_LIB_CONVERSION_LINALGTOTILE_PADDING_H

#include "LinalgFunction.h"
#include "llvm/ADT/DenseSet.h"

namespace drawloom::linalg_to_tile {

class Padding {
public:
  Padding(LinalgFunction &function, mlir::OpBuilder &builder)
      : function(function), builder(builder) {}

  /// Says along which axes the dimensions of a new tile lie.
  void setAxes(mlir::Value tile, llvm::ArrayRef<int64_t> axes) {
    tileAxes[tile] = AxisList(axes);
  }

  /// Where a tile lies on an axis.
  struct Edge {
    int64_t axis;
    /// The dimension of the tile that lies along the axis.
    int64_t dim;
    /// The length of the axis, and where the tile begins.
    mlir::Value size, position;
  };

  /// The tile with `neutral` past the end of the axis.
  mlir::Value neutralize(mlir::Location loc, mlir::Value tile, const Edge &edge,
                         mlir::TypedAttr neutral);

private:
  /// A load, and what it would pad with.
  struct Trial {
    tile::LoadOp load;
    mlir::TypedAttr pad;
  };

  /// What stands past the end of the axis, as a splat of the value's type; null
  /// if that is not known. `loads` gets the loads that it depends on.
  mlir::Attribute getPad(mlir::Value value, int64_t axis, const Trial &trial,
                         llvm::SmallPtrSetImpl<mlir::Operation *> &loads);
  mlir::Value mask(mlir::Location loc, mlir::Value tile, const Edge &edge,
                   mlir::TypedAttr neutral);

  LinalgFunction &function;
  mlir::OpBuilder &builder;
  llvm::DenseMap<mlir::Value, AxisList> tileAxes;
  /// Tiles that were masked: along which axis, and with what.
  llvm::DenseMap<mlir::Value, std::pair<int64_t, mlir::TypedAttr>> masked;
  /// Loads whose padding an operation relies on.
  llvm::SmallPtrSet<mlir::Operation *, 8> decided;
};

} // namespace drawloom::linalg_to_tile

#endif // DRAWLOOM_LIB_CONVERSION_LINALGTOTILE_PADDING_H
