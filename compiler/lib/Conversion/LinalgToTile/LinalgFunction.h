//===- LinalgFunction.h - What a function computes, by axes -----*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A function of linalg operations walks a few index ranges: the rows, the
// columns and the summed dimension of a matrix product, and whatever its
// neighbors add. Such a range is an axis. Loops of different operations that
// meet in a tensor are the same axis, however the tensor is transposed or
// broadcast in between.
//
//   %d[m, n] = sum over k of %a[m, k] * %b[n, k]     axes m, n, k
//   %s[m]    = max over n of %d[m, n]                 axes m, n
//
// Everything that follows speaks of axes: a tile has one size for each; an axis
// that every result keeps and no operation reduces is cut into work tiles, and
// the others are walked inside one. An edge is a property of an axis.
//
// The conversion has these steps:
//
//   Normalize       one form for what may be said in several ways
//   CheckProgram    rejections
//   FindAxes        the axes, from the indexing maps
//   ChooseTiles     a tile size for each, from the schedule
//   NominalProgram  a copy of the function in which every axis is exactly two
//     TileAndFuse   tiles long, or one that is walked in one step: upstream's
//                   tile-and-fuse sees static shapes and no edges
//   EmitKernel      the tiled copy becomes a tile.kernel; here the real sizes
//     EmitOp        come back: loops run to them, loads pad, reductions are
//     EmitAccess    masked where the padding would take part, stores clip
//     Padding
//   RescaleReductions  sums that depend on a maximum follow it as it grows
//
// The invariant: the nominal sizes decide nothing. A loop of the copy stands
// for all the tiles of its axis, and is replaced by a loop over the real size.

#ifndef DRAWLOOM_LIB_CONVERSION_LINALGTOTILE_LINALGFUNCTION_H
#define DRAWLOOM_LIB_CONVERSION_LINALGTOTILE_LINALGFUNCTION_H

#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace drawloom::linalg_to_tile {

using AxisList = llvm::SmallVector<int64_t, 4>;

/// An attribute of an operation on elements that stands for one along an axis,
/// which Normalize has made of several: the name of the operation of tile, the
/// loop along which it combines elements, and its own attributes.
inline constexpr llvm::StringLiteral alongAttrName = "tile.along";
struct Along {
  llvm::StringRef name;
  int64_t loop;
  mlir::DictionaryAttr attributes;
};
std::optional<Along> getAlong(mlir::linalg::LinalgOp op);

/// In an AxisList: a dimension of size one that belongs to no axis.
inline constexpr int64_t noAxis = -1;

struct Axis {
  /// mlir::ShapedType::kDynamic if not known.
  int64_t size = mlir::ShapedType::kDynamic;
  /// Some operation combines the elements along it.
  bool reduced = false;
  /// Some operation needs all elements along it in one tile.
  bool whole = false;
  /// Has tiles of more than one element unless the schedule says otherwise. The
  /// batch of a product has not.
  bool thick = false;
  /// Has one element and is read at index 0, so it is never cut.
  bool unit = false;
  /// Cut into work tiles, rather than walked inside one.
  bool item = false;
  /// Better not cut: some product would be computed again for each tile.
  bool undivided = false;
  /// Elements of a tile; 0 if the axis has one element and is never cut.
  int64_t tile = 0;

  /// Where the size can be read: a number of an argument of the kernel (the
  /// function's arguments, then its results) and a dimension of it.
  struct Place {
    unsigned argument;
    int64_t dim;
  };
  std::optional<Place> place;

  /// Walked in one step, so that what is computed there once is there for
  /// everything else.
  bool isOneTile() const {
    return (!item || undivided) && !mlir::ShapedType::isDynamic(size) &&
           size > 0 && size <= tile;
  }

  /// The length of the axis in the nominal program.
  int64_t getNominalSize() const {
    return tile == 0 ? 1 : isOneTile() ? tile : 2 * tile;
  }

  /// The last tile may reach past the end.
  bool hasEdge() const {
    return tile > 1 && (mlir::ShapedType::isDynamic(size) || size % tile != 0);
  }
};

/// A function whose operations have been checked.
struct LinalgFunction {
  mlir::func::FuncOp func;
  llvm::SmallVector<mlir::linalg::LinalgOp> ops;
  /// The operations whose results are returned, each once, in program order.
  llvm::SmallVector<mlir::linalg::LinalgOp> roots;

  /// In the order of the schedule's `tile`: the dimensions of the results, then
  /// what is reduced.
  llvm::SmallVector<Axis> axes;
  /// For each operation, the axes of its loops.
  llvm::DenseMap<mlir::Operation *, AxisList> opAxes;

  /// The axes of the dimensions of an operand or init of an operation.
  AxisList getAxes(mlir::OpOperand &operand) const;
  /// The axes of the dimensions of a result of an operation.
  AxisList getAxes(mlir::OpResult result) const;
};

/// The argument that a tensor is, or is cut out of; null for others.
mlir::BlockArgument findArgument(mlir::Value tensor);

/// The name of the view that a result of the function is stored to.
std::string getResultName(mlir::func::FuncOp func, unsigned number);

/// The sum of products that a tensor core computes.
struct Contraction {
  mlir::OpOperand *lhs, *rhs;
};

/// Reads `out + a * b`, with the operands perhaps extended before the product.
std::optional<Contraction> matchContraction(mlir::linalg::LinalgOp op);

/// The loops of a product of matrices: it has rows, columns and something to
/// add up, so that a tensor core may compute it. Failure for other operations.
llvm::FailureOr<mlir::linalg::ContractionDimensions>
matchMatrixProduct(mlir::linalg::LinalgOp op);

/// How one result of an operation with reduced loops is combined.
struct Combiner {
  tile::Reduction kind;
  /// What is combined with the previous value.
  mlir::Value value;
};
std::optional<Combiner> matchCombiner(mlir::linalg::LinalgOp op,
                                      unsigned result);

/// Takes reductions that find the largest or smallest number and its place
/// apart: the number, then the first place where it is.
void splitSearches(mlir::func::FuncOp func);

/// Writes what a function may say in several ways in one: softmax and
/// operations on whole tensors as linalg operations, products with sums in f32,
/// and numbers of tensors in the bodies that use them.
llvm::LogicalResult normalize(mlir::func::FuncOp func);

/// Rejects what has no form in a tile program, at its place. On success the
/// function has one block of linalg operations on tensors and of scalar code,
/// and every linalg operation reads and writes whole loops.
llvm::LogicalResult checkProgram(mlir::func::FuncOp func);

/// Finds the axes of a checked function and which of them are work tiles.
llvm::FailureOr<LinalgFunction> findAxes(mlir::func::FuncOp func);

/// Gives each axis its tile size.
llvm::LogicalResult chooseTiles(LinalgFunction &function, int64_t smaller);

/// Puts loops whose sums depend on the end of an earlier loop into that loop,
/// where what is added up can be rescaled as it goes. Returns how many.
unsigned rescaleReductions(tile::KernelOp kernel);

} // namespace drawloom::linalg_to_tile

#endif // DRAWLOOM_LIB_CONVERSION_LINALGTOTILE_LINALGFUNCTION_H
