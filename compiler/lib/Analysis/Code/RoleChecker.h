//===- RoleChecker.h - Whether a role has code ------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Code.cpp has control flow and the conversions that threads read by,
// CheckSlots.cpp what fills and empties slots, CheckTiles.cpp parts of tiles
// and MMAs.

#ifndef DRAWLOOM_LIB_ANALYSIS_CODE_ROLECHECKER_H
#define DRAWLOOM_LIB_ANALYSIS_CODE_ROLECHECKER_H

#include "drawloom/Analysis/RoleTiles/Panels.h"
#include "drawloom/Analysis/RoleTiles/Scratch.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace drawloom::plan {

/// Where an operand of an MMA is.
struct OperandPlace {
  /// The tile in memory or in registers, and whether the operand is its
  /// transpose.
  mlir::Value tile;
  bool transposed = false;
  /// Nothing if it is in registers.
  std::optional<agent::Memory> memory = {};
  /// In shared memory: its panels.
  std::optional<Panels> panels = {};
};

class RoleChecker {
public:
  RoleChecker(agent::RoleOp role, const target::Architecture &arch)
      : role(role), arch(arch),
        scratchOperands(findScratchOperands(role, arch)) {}
  llvm::LogicalResult run();

private:
  llvm::LogicalResult check(mlir::Operation *op);
  llvm::LogicalResult checkSizes(mlir::Operation *op);
  llvm::LogicalResult checkCarried(mlir::scf::ForOp op, mlir::ValueRange values,
                                   mlir::Operation *user);
  llvm::LogicalResult checkIf(mlir::scf::IfOp op);
  llvm::LogicalResult checkYield(mlir::scf::YieldOp op);
  llvm::LogicalResult checkConversion(tile::ConvertLayoutOp op);
  llvm::LogicalResult readTensor(mlir::RankedTensorType type,
                                 tile::ConvertLayoutOp op,
                                 mlir::Operation *user);
  /// Whether threads can have a tile in registers and in these panels.
  llvm::LogicalResult access(mlir::RankedTensorType type,
                             const std::optional<Panels> &panels,
                             bool transposed, mlir::Operation *user);

  // CheckSlots.cpp
  llvm::LogicalResult checkProduce(agent::ProduceOp op);
  llvm::LogicalResult checkFilled(agent::ProduceOp op);
  llvm::LogicalResult writeTensor(mlir::RankedTensorType type,
                                  mlir::Operation *user);
  llvm::LogicalResult checkConsume(agent::ConsumeOp op);
  llvm::LogicalResult checkAccumulator(agent::ConsumeOp op, agent::PipeOp pipe,
                                       unsigned index);
  llvm::LogicalResult checkStore(tile::StoreOp op);
  llvm::LogicalResult checkBulkCopy(mlir::Operation *copy, mlir::Value view,
                                    mlir::Type type,
                                    llvm::ArrayRef<int64_t> dims);

  // CheckTiles.cpp
  llvm::LogicalResult checkSlice(mlir::Operation *op);
  llvm::LogicalResult checkReshape(mlir::Operation *op);
  OperandPlace locate(mlir::Value operand);
  llvm::LogicalResult checkOperand(mlir::Value operand, mlir::Operation *user);
  llvm::LogicalResult checkWgmma(tile::MmaOp op);
  llvm::LogicalResult checkTcgen05(tile::MmaOp op);

  agent::RoleOp role;
  const target::Architecture &arch;
  llvm::SmallSetVector<mlir::Value, 4> scratchOperands;
  /// MMAs whose accumulator has a slot.
  llvm::DenseSet<mlir::Operation *> accumulators;
};

} // namespace drawloom::plan

#endif // DRAWLOOM_LIB_ANALYSIS_CODE_ROLECHECKER_H
