//===- SliceEpilogue.h - What of an epilogue can be cut ------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An epilogue is what lies between the results of matrix products and the
// stores of a work tile. It can be computed in parts because almost all of its
// operations work on each column for itself: a part of the result needs the
// same part of the operands.
//
//      %acc ──┐                        roots: the store, the reduction
//      load ─ addf ─ truncf ─ store    sliced: load, addf, truncf
//               └─ reduce along the    whole: %acc, from which parts are taken,
//                  columns             and what is made of the reduction
//
// Each sliced operation has one dimension along which it is cut. A root is
// where parts end: a store, which stores its part, or a reduction along the cut
// dimension, which a loop carries. What needs the result of such a reduction
// comes after the loop; if that is an epilogue of the same tile again, it is a
// later stage with a loop of its own.
//
// The invariant: every use of a sliced operation's result is by a sliced
// operation or a root that reads the same part. So a tile that an operation
// needs whole stays whole, and no tile exists both whole and in parts.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_LIB_DIALECT_TILE_TRANSFORMS_SLICEEPILOGUE_H
#define DRAWLOOM_LIB_DIALECT_TILE_TRANSFORMS_SLICEEPILOGUE_H

#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/MapVector.h"

namespace drawloom::tile {

/// The dimension of the operand that dimension `dim` of the owner's result is
/// made of; none if that takes the whole operand. The owner must be sliceable.
std::optional<int64_t> getOperandDim(mlir::OpOperand &operand, int64_t dim);

/// The dimension of the owner's result that is made of dimension `dim` of the
/// operand; none if the owner needs the whole operand.
std::optional<int64_t> getResultDim(mlir::OpOperand &operand, int64_t dim);

/// Whether a part of the result can be computed from parts of the operands.
bool isSliceable(mlir::Operation *op);

/// The neutral element of the reduction, which changes no bit of what it is
/// combined with; null if the type has none.
mlir::TypedAttr getNeutral(Reduction kind, mlir::Type elementType);

/// The argument of the kernel that the view is a part of.
mlir::Value getRootView(mlir::Value view);

/// Where parts end: a store or a reduction, and the dimension in which its tile
/// is cut.
struct Root {
  mlir::Operation *op;
  int64_t dim;
  /// Roots of one class have their parts computed together.
  unsigned group;
  /// The number of reductions along the cut dimension that it has to wait for,
  /// one after the other.
  unsigned stage = 0;

  mlir::Value getTile() const { return op->getOperand(0); }
  int64_t getExtent() const {
    return mlir::cast<mlir::ShapedType>(getTile().getType()).getDimSize(dim);
  }
  bool isReduction() const { return mlir::isa<ReduceOp>(op); }
};

/// Something that stays whole, and why.
struct Rejected {
  mlir::Operation *op;
  std::string reason;
};

/// A stretch of the item between matrix products that can be computed in parts.
/// Its loops come after its last root, one for each stage and group.
struct Segment {
  llvm::SmallVector<Root> roots;
  /// The operations that are cut, and in which dimension of their result.
  llvm::MapVector<mlir::Operation *, int64_t> sliced;
  /// Operations before the last root that need a reduction's result, in order:
  /// they have to move after the loops of the stage before theirs.
  llvm::SmallVector<std::pair<mlir::Operation *, unsigned>> moved;
};

/// Finds what can be cut, of tiles that are wider than `columns`. The segments
/// are in the order of the item.
struct Epilogue {
  Epilogue(mlir::Block &item, int64_t columns);

  std::vector<Segment> segments;
  std::vector<Rejected> rejected;
};

} // namespace drawloom::tile

#endif // DRAWLOOM_LIB_DIALECT_TILE_TRANSFORMS_SLICEEPILOGUE_H
