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

  // EmitKernel.cpp: the kernel, scalars and loops.
  tile::KernelOp makeKernel();
  void emitSizes();
  mlir::Value emitScalar(mlir::Value original);
  mlir::Value emitDim(mlir::tensor::DimOp dim);
  llvm::LogicalResult emitItems(mlir::scf::ForallOp items);
  llvm::LogicalResult emitBlock(mlir::Block &block);
  llvm::LogicalResult emitLoop(mlir::scf::ForOp loop);
  llvm::LogicalResult emitOp(mlir::linalg::LinalgOp op);

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
