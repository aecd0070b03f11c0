//===- RoleChecker.h - A role, with places instead of code ------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What `checkCode` carries along a role: where each tile is. Code.cpp has the
// tiles themselves and control flow, CheckSlots.cpp what fills and empties
// slots, CheckTiles.cpp operations on tiles and MMAs.

#ifndef DRAWLOOM_LIB_ANALYSIS_CODE_ROLECHECKER_H
#define DRAWLOOM_LIB_ANALYSIS_CODE_ROLECHECKER_H

#include "drawloom/Analysis/RoleTiles/Fragments.h"
#include "drawloom/Analysis/RoleTiles/Panels.h"
#include "drawloom/Analysis/RoleTiles/Scratch.h"
#include "drawloom/Analysis/RoleTiles/VectorAxes.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace drawloom::plan {

/// Where a tile is.
struct Place {
  enum class Kind { Splat, Iota, Shared, Tensor, Registers, Accumulator };
  Kind kind = Kind::Registers;
  /// In shared memory: its panels.
  std::optional<Panels> panels = {};
  /// What is there is its transpose.
  bool transposed = false;
};
class RoleChecker {
public:
  RoleChecker(agent::RoleOp role, const target::Architecture &arch)
      : role(role), arch(arch), fragments(Fragments::get(role, arch)),
        scratchOperands(findScratchOperands(role, arch)) {}
  llvm::LogicalResult run();

private:
  llvm::LogicalResult checkBlock(mlir::Block &block);
  llvm::LogicalResult check(mlir::Operation *op);
  llvm::LogicalResult checkLoop(mlir::scf::ForOp op);
  llvm::LogicalResult carry(mlir::scf::ForOp op, mlir::ValueRange values,
                            mlir::Operation *user);
  void bindCarried(mlir::scf::ForOp op, mlir::ValueRange values);
  llvm::LogicalResult checkIf(mlir::scf::IfOp op);
  llvm::LogicalResult checkProduce(agent::ProduceOp op);
  llvm::LogicalResult checkConsume(agent::ConsumeOp op);
  llvm::LogicalResult checkAccumulator(agent::ConsumeOp op, agent::PipeOp pipe,
                                       unsigned index);
  llvm::LogicalResult checkBulkCopy(mlir::Operation *copy, mlir::Value view,
                                    mlir::Type type,
                                    llvm::ArrayRef<int64_t> dims);
  llvm::LogicalResult checkStore(tile::StoreOp op);
  llvm::LogicalResult checkLoad(tile::LoadOp op);
  /// The layouts of a tile that `op` reads and of the one that it makes, which
  /// is in registers.
  llvm::FailureOr<std::pair<tile::Layout, tile::Layout>>
  holdReshaped(mlir::Operation *op);
  llvm::LogicalResult checkSlice(mlir::Operation *op);
  llvm::LogicalResult checkReshape(mlir::Operation *op);
  llvm::LogicalResult checkElementwise(mlir::Operation *op);
  /// The tiles that an operation makes are in registers.
  llvm::LogicalResult holdResults(mlir::Operation *op);
  llvm::LogicalResult checkWgmma(tile::MmaOp op);
  llvm::LogicalResult checkTcgen05(tile::MmaOp op);
  llvm::LogicalResult checkOperand(mlir::Value value, mlir::Operation *user);

  llvm::FailureOr<tile::Layout> getLayout(mlir::RankedTensorType type,
                                          unsigned axis, mlir::Operation *user);
  /// The layout of a tile that `op` makes.
  llvm::FailureOr<tile::Layout> getLayout(mlir::Value tile,
                                          mlir::Operation *op);
  /// Whether threads can have a tile in registers, as `user` reads it.
  llvm::LogicalResult read(mlir::Value tile, mlir::Operation *user);
  llvm::LogicalResult access(mlir::RankedTensorType type, unsigned axis,
                             const Place &place, mlir::Operation *user);
  llvm::LogicalResult write(mlir::Value tile,
                            const std::optional<Panels> &panels,
                            mlir::Operation *user);
  llvm::LogicalResult writeTensor(mlir::Value tile, mlir::Operation *user);

  agent::RoleOp role;
  const target::Architecture &arch;
  Fragments fragments;
  llvm::SmallSetVector<mlir::Value, 4> scratchOperands;
  VectorAxes axes;
  llvm::DenseMap<mlir::Value, Place> places;
  /// MMAs whose accumulator has a slot.
  llvm::DenseSet<mlir::Operation *> accumulators;
};

} // namespace drawloom::plan

#endif // DRAWLOOM_LIB_ANALYSIS_CODE_ROLECHECKER_H
