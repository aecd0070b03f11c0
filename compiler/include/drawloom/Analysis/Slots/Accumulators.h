//===- Accumulators.h - Whether an accumulator in tensor memory has an MMA
//----*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The first MMA of an accumulator overwrites what was in its columns. Where
// loops of MMAs may not run, nothing is written, and the role that reads the
// accumulator has to know. It finds out by itself: it computes the loops'
// bounds from the work tile and from what all roles know.

#ifndef DRAWLOOM_ANALYSIS_SLOTS_ACCUMULATORS_H
#define DRAWLOOM_ANALYSIS_SLOTS_ACCUMULATORS_H

#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace drawloom::target {
struct Architecture;
} // namespace drawloom::target

namespace drawloom::plan {

/// Whether a tile is a sum that MMAs build in tensor memory.
bool isAccumulator(mlir::Value tile, const target::Architecture &arch);

/// The column with a factor of f32 for each row that a tile is scaled by; null
/// if it is scaled by anything else.
mlir::Value findFactors(mlir::arith::MulFOp scaled);

/// An accumulator that a loop of a role scales between two MMAs of another:
///
///   scf.for ... iter_args(%acc = %zeros) {
///     %old = arith.mulf %acc, %factors
///     agent.produce %rescaled { agent.yield %old }
///     %new = agent.consume %result as (%sum) { agent.yield %sum }
///     scf.yield %new
///
/// The slots of both pipes are the same columns, which the roles give each
/// other. So the tile that the loop carries is never anywhere else.
struct Rescaling {
  agent::PipeOp rescaled, result;
  mlir::scf::ForOp loop;
  /// Of what the loop carries.
  unsigned number;
  mlir::arith::MulFOp scaled;

  /// How many columns threads scale at a time: parts are equally large.
  int64_t countColumnsOfPart();
};

/// How MMAs come by what they add to, if `result` is the pipe that they fill
/// and they don't start from zero.
std::optional<Rescaling> findRescaling(agent::PipeOp result);

/// Whether a tile stays in tensor memory when the consume that waits for it is
/// over, until its role gives the slot back rescaled.
bool isRescaled(mlir::Value tile);

/// The pipe of an accumulator whose columns an operand takes that a role has
/// computed from it; null if the operand has columns of its own. Who reads the
/// operand holds a slot of both, and releases them together:
///
///   agent.consume %result as (%scores) { ... }
///   agent.produce %operand { ... }
///
///   agent.consume %operand, %result as (%a, %unused) by(tensor_core, ...)
agent::PipeOp findShared(agent::PipeOp operand);

/// The pipe whose full barriers say that the slot of `pipe` is free, too, so
/// that it has no empty barriers; null of most pipes. Of a `Rescaling`, each
/// role that fills has waited for what the other one made of the slot before.
agent::PipeOp findImplying(agent::PipeOp pipe);

/// The ways in which an accumulator comes to have an MMA: each is the loops
/// that all have to run for it, the outermost first. A way without loops is
/// certain.
using Ways = llvm::SmallVector<llvm::SmallVector<mlir::scf::ForOp>>;
Ways findWays(mlir::Value accumulator);

/// Visits the MMAs of an accumulator that is built in place, the last one
/// first: through loops and consumes, and what they start with.
void forEachMma(mlir::Value accumulator,
                llvm::function_ref<void(tile::MmaOp)> visit);

/// What scalars of another role are computed from.
struct ScalarSlice {
  /// In the order of the program that they are from.
  llvm::SetVector<mlir::Operation *> ops;
  /// The items of the other role.
  agent::ForEachItemOp items;
};

/// What the bounds of a loop are computed from; nothing if that is more than
/// the work tile and what all roles know.
std::optional<ScalarSlice> sliceBounds(mlir::scf::ForOp loop);

/// Rejects an operation that gives an accumulator in tensor memory a start that
/// is not zero.
mlir::InFlightDiagnostic rejectStart(mlir::Operation *op);

} // namespace drawloom::plan

#endif // DRAWLOOM_ANALYSIS_SLOTS_ACCUMULATORS_H
