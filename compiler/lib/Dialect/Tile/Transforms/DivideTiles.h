//===- DivideTiles.h - What the CTAs of a cluster divide --------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CTAs that take a work tile together divide the rows of its tiles, if rows are
// reduced, or else the steps of the loops that add up MMAs. Either way each
// ends up with a part of the columns of what is stored, and the part is a
// dimension of the work tiles.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_LIB_DIALECT_TILE_TRANSFORMS_DIVIDETILES_H
#define DRAWLOOM_LIB_DIALECT_TILE_TRANSFORMS_DIVIDETILES_H

#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace drawloom::tile {

/// Whether a tile changes nothing when it is combined with another.
bool isNeutral(mlir::Value tile, Reduction kind);

class Divider {
public:
  Divider(ForEachOp items, int64_t count, int64_t along)
      : items(items), count(count), along(along) {}

  /// Whether rows are reduced at all.
  bool findRows();
  mlir::LogicalResult spread();
  void divide();

  // DivideSums.cpp
  /// Whether MMAs are added up.
  bool findSums();
  mlir::LogicalResult spreadSums();
  std::vector<std::string> explainSums() const;

  int64_t getRow() const { return row; }

private:
  mlir::LogicalResult mark(mlir::Value value, int64_t dim,
                           mlir::Operation *because);
  mlir::LogicalResult follow();
  mlir::LogicalResult goBackward(mlir::Value value, int64_t dim);
  mlir::LogicalResult goForward(mlir::Value value, int64_t dim);
  mlir::LogicalResult divideMma(MmaOp mma, int64_t dim);
  mlir::LogicalResult tieLoop(mlir::scf::ForOp loop, unsigned number,
                              int64_t dim);
  mlir::LogicalResult reject(mlir::Operation *op);

  void addDimension();
  bool isDivided(mlir::OpOperand &use);
  void shorten(mlir::Value value, int64_t dim);
  void storeOnce(StoreOp store);
  void combine(ReduceOp reduce);
  mlir::Value combineParts(mlir::OpBuilder &b, AllGatherOp gather,
                           Reduction kind);
  template <typename AccessT>
  void moveAccess(AccessT access, int64_t dim);

  // DivideSums.cpp
  mlir::LogicalResult checkSteps(mlir::scf::ForOp loop);
  void addUp(mlir::Value sum);
  void divideSteps();

  ForEachOp items;
  int64_t count, along;
  int64_t row = 0;
  /// The dimension of each tile that is divided.
  llvm::MapVector<mlir::Value, int64_t> divided;
  llvm::SmallVector<mlir::Value> open;
  llvm::SetVector<ReduceOp> crossing;
  /// The loops whose steps are divided, and what they add up.
  llvm::SetVector<mlir::scf::ForOp> steps;
  llvm::SetVector<mlir::Value> sums;
  mlir::Value part;
};

} // namespace drawloom::tile

#endif // DRAWLOOM_LIB_DIALECT_TILE_TRANSFORMS_DIVIDETILES_H
