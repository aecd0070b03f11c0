//===- TileEmitter.h - A tiled program to a tile.kernel ---------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Walks the tiled nominal program once, in order, and writes the kernel. A
// value of the nominal program is one of three things in the kernel:
//
//   box    a part of a view that is not loaded yet: slices of it move the
//          offsets, the first operation that reads it loads it;
//   tile   a computed tile, or a scalar if every dimension has one element:
//          dimensions of size one are not part of a tile;
//   strip  a part of a result that a loop writes piece by piece: each piece is
//          stored where it is computed, so there is no value.

#ifndef DRAWLOOM_LIB_CONVERSION_LINALGTOTILE_TILEEMITTER_H
#define DRAWLOOM_LIB_CONVERSION_LINALGTOTILE_TILEEMITTER_H

#include "NominalProgram.h"
#include "Padding.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace drawloom::linalg_to_tile {

class TileEmitter {
public:
  TileEmitter(LinalgFunction &function, NominalProgram &program);

  /// Writes the kernel before the function.
  llvm::FailureOr<tile::KernelOp> run();

private:
  /// A part of a view, of a constant, of positions, or of nothing
  /// (`tensor.empty`).
  struct Box {
    mlir::Value view;
    mlir::Attribute constant;
    bool isPositions = false;
    AxisList axes;
    llvm::SmallVector<mlir::OpFoldResult> offsets;
  };

  /// A place in a result: its number and offsets.
  struct Destination {
    unsigned result;
    llvm::SmallVector<mlir::OpFoldResult> offsets;
  };

  /// A value in the body of a linalg operation: a tile over some of its loops,
  /// in ascending order; a scalar over none.
  struct Piece {
    mlir::Value value;
    llvm::SmallVector<unsigned, 4> loops;
  };

  // EmitKernel.cpp: the kernel, scalars and loops.
  tile::KernelOp makeKernel();
  void emitSizes();
  mlir::Value emitScalar(mlir::Value original);
  mlir::Value emitDim(mlir::tensor::DimOp dim);
  llvm::LogicalResult emitItems(mlir::scf::ForallOp items);
  llvm::LogicalResult emitBlock(mlir::Block &block);
  llvm::LogicalResult emitLoop(mlir::scf::ForOp loop);

  // EmitAccess.cpp: parts of tensors, loads and stores.
  void emitTerminator(mlir::Operation *op);
  /// What only a change of upstream's tiling would leave behind.
  static llvm::LogicalResult rejectRemainder(mlir::Operation *op);
  llvm::LogicalResult emitSlice(mlir::tensor::ExtractSliceOp slice);
  void emitInsert(mlir::Operation *op, mlir::Value source,
                  llvm::ArrayRef<mlir::OpFoldResult> offsets,
                  mlir::Value inserted);
  void emitStore(mlir::Location loc, mlir::Value source,
                 const Destination &destination);
  void findDestinations(mlir::Value value,
                        llvm::ArrayRef<mlir::OpFoldResult> offsets,
                        llvm::SmallVectorImpl<Destination> &destinations);
  mlir::Value getTile(mlir::Value nominal);
  Box makeBox(const NominalProgram::Input &input);
  mlir::Value getView(mlir::Value tensor);
  mlir::OpFoldResult emitIndex(mlir::OpFoldResult original);
  mlir::Value countFrom(mlir::OpFoldResult start, mlir::Type type,
                        mlir::Location loc);
  mlir::Value load(const Box &box, mlir::RankedTensorType type,
                   mlir::Location loc);
  /// The sum of offsets that were taken one after the other.
  llvm::SmallVector<mlir::OpFoldResult>
  addOffsets(llvm::ArrayRef<mlir::OpFoldResult> kernel,
             llvm::ArrayRef<mlir::OpFoldResult> nominal);

  // EmitOp.cpp: one linalg operation on tiles.
  llvm::LogicalResult emitOp(mlir::linalg::LinalgOp op);
  llvm::FailureOr<bool> emitProduct(mlir::linalg::LinalgOp op);
  Piece getPiece(mlir::linalg::LinalgOp op, mlir::OpOperand &operand);
  Piece evaluate(mlir::linalg::LinalgOp op, mlir::Value value,
                 llvm::DenseMap<mlir::Value, Piece> &pieces);
  /// The pieces of the results of an operation of the body.
  llvm::SmallVector<Piece, 1> apply(mlir::linalg::LinalgOp op,
                                    mlir::Operation &inner,
                                    llvm::ArrayRef<Piece> operands);
  Piece combineAlong(mlir::linalg::LinalgOp op, Piece piece,
                     const Along &along);
  Piece reduce(mlir::linalg::LinalgOp op, Piece piece, tile::Reduction kind);
  Piece widen(mlir::linalg::LinalgOp op, Piece piece,
              llvm::ArrayRef<unsigned> loops);
  mlir::Value arrange(mlir::linalg::LinalgOp op, Piece piece,
                      llvm::ArrayRef<unsigned> order);
  /// Permutes the dimensions of a tile, whose loops are `from`.
  mlir::Value permute(mlir::linalg::LinalgOp op, mlir::Value tile,
                      llvm::ArrayRef<unsigned> from,
                      llvm::ArrayRef<unsigned> to);
  /// The tile with `neutral` past the end of the loop, its dimension `dim`.
  mlir::Value neutralize(mlir::linalg::LinalgOp op, mlir::Value tile,
                         unsigned loop, int64_t dim, mlir::TypedAttr neutral);
  /// The loops of an operand's dimensions that are part of its tile.
  llvm::SmallVector<unsigned, 4> getLoops(mlir::linalg::LinalgOp op,
                                          mlir::OpOperand &operand);
  mlir::Value track(mlir::linalg::LinalgOp op, mlir::Value tile,
                    llvm::ArrayRef<unsigned> loops);

  LinalgFunction &function;
  NominalProgram &program;
  mlir::OpBuilder builder;
  Padding padding;
  tile::KernelOp kernel;

  llvm::SmallVector<mlir::Value> sizes;
  /// Where the tiles of an axis begin, in the innermost loop over it.
  llvm::SmallVector<mlir::Value> positions;
  mlir::IRMapping originals;
  mlir::IRMapping scalars;
  llvm::DenseMap<mlir::Value, Box> boxes;
  llvm::DenseMap<mlir::Value, mlir::Value> tiles;
};

} // namespace drawloom::linalg_to_tile

#endif // DRAWLOOM_LIB_CONVERSION_LINALGTOTILE_TILEEMITTER_H
