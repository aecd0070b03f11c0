//===- OpEmitter.h - One linalg operation on tiles --------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_LIB_CONVERSION_LINALGTOTILE_OPEMITTER_H
#define DRAWLOOM_LIB_CONVERSION_LINALGTOTILE_OPEMITTER_H

#include "LinalgFunction.h"
#include "Padding.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace drawloom::linalg_to_tile {

class OpEmitter {
public:
  /// What an operation needs of the kernel that it becomes a part of.
  struct Kernel {
    mlir::OpBuilder &builder;
    Padding &padding;
    /// Of each axis: its length, and where the tiles of it begin.
    llvm::ArrayRef<mlir::Value> sizes, positions;
    const mlir::IRMapping &scalars;
    llvm::function_ref<mlir::Value(mlir::Value)> getTile;
  };

  OpEmitter(mlir::linalg::LinalgOp op, Kernel kernel)
      : op(op), kernel(kernel) {}

  /// Gives the tiles of the results.
  llvm::FailureOr<llvm::SmallVector<mlir::Value>> emit();

private:
  /// A value in the body of a linalg operation: a tile over some of its loops,
  /// in ascending order; a scalar over none.
  struct Piece {
    mlir::Value value;
    llvm::SmallVector<unsigned, 4> loops;
  };

  /// The result of a product of matrices; null of other operations.
  llvm::FailureOr<mlir::Value> emitProduct();
  Piece getPiece(mlir::OpOperand &operand);
  Piece evaluate(mlir::Value value, llvm::DenseMap<mlir::Value, Piece> &pieces);
  /// The pieces of the results of an operation of the body.
  llvm::SmallVector<Piece, 1> apply(mlir::Operation &inner,
                                    llvm::ArrayRef<Piece> operands);
  Piece combineAlong(Piece piece, const Along &along);
  Piece reduce(Piece piece, tile::Reduction kind);
  Piece widen(Piece piece, llvm::ArrayRef<unsigned> loops);
  mlir::Value arrange(Piece piece, llvm::ArrayRef<unsigned> order);
  /// Permutes the dimensions of a tile, whose loops are `from`.
  mlir::Value permute(mlir::Value tile, llvm::ArrayRef<unsigned> from,
                      llvm::ArrayRef<unsigned> to);
  /// The tile with `neutral` past the end of the loop, its dimension `dim`.
  mlir::Value neutralize(mlir::Value tile, unsigned loop, int64_t dim,
                         mlir::TypedAttr neutral);
  /// The loops of an operand's dimensions that are part of its tile.
  llvm::SmallVector<unsigned, 4> getLoops(mlir::OpOperand &operand);
  mlir::Value track(mlir::Value tile, llvm::ArrayRef<unsigned> loops);

  mlir::linalg::LinalgOp op;
  Kernel kernel;
};

} // namespace drawloom::linalg_to_tile

#endif // DRAWLOOM_LIB_CONVERSION_LINALGTOTILE_OPEMITTER_H
