//===- Engines.h - Who moves what is in a slot ---------------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A slot is filled and emptied by the warps of a role or by an engine that one
// thread starts: the copy engine (TMA) or the tensor core. From that follow the
// numbers that a person would otherwise write by hand, and get wrong: how many
// arrivals complete the full and the empty barrier of a slot, and how many
// bytes.
//
// | engine | arrives at the barrier |
// |---|---|
// | tma | the elected thread, once, with the bytes that the copies deliver |
// | tensor core | tcgen05.commit, once, when the products before it are done |
// | cp.async | every thread, once, when its copies have landed |
// | threads | every warp, once, when its lanes are done |
//
// A warp arrives once for its 32 lanes: fewer arrivals than one for each
// thread, and every warp that waits also arrives, which is what makes a pair of
// barriers a slot (docs/ProgressModel.md).
//
// Invariant: everything here is read off the IR and the architecture's table.

#ifndef DRAWLOOM_ANALYSIS_PLAN_ENGINES_H
#define DRAWLOOM_ANALYSIS_PLAN_ENGINES_H

#include "drawloom/Dialect/Agent/IR/AgentOps.h"

namespace drawloom::target {
struct Architecture;
} // namespace drawloom::target

namespace drawloom::plan {

enum class Engine : int { Threads, CpAsync, Tma, TensorCore };

/// "threads", "cp.async", "TMA", "tensor core".
llvm::StringRef toString(Engine engine);

/// The operation that computes `value`: through loops, consumes and branches
/// to the one that makes it in the end. Null for an argument of a block.
mlir::Operation *getMaker(mlir::Value value);

/// Whether a matrix product is issued by one thread and accumulates in tensor
/// memory.
bool isTensorCoreProduct(mlir::Operation *op, const target::Architecture &arch);

/// Whether a product is done when the next operation starts, because threads
/// add it to the total: wgmma's own sums of 8-bit products keep too few bits.
bool isPromoted(mlir::Operation *op, const target::Architecture &arch);

/// What fills the slots of a verified pipe.
Engine getProducerEngine(agent::PipeOp pipe, const target::Architecture &arch);

/// What reads the slots of a verified pipe for `consumer`.
Engine getConsumerEngine(agent::PipeOp pipe, agent::RoleOp consumer,
                         const target::Architecture &arch);

/// What the full and the empty barrier of each slot of a pipe count.
struct BarrierCounts {
  int64_t fullArrivals = 0;
  /// Bytes that copies deliver to the full barrier; 0 if there are none.
  int64_t fullBytes = 0;
  int64_t emptyArrivals = 0;
};

BarrierCounts countArrivals(agent::PipeOp pipe,
                            const target::Architecture &arch);

/// CTAs that a scope spans in a cluster of `clusterSize`.
int64_t countCtas(agent::Scope scope, int64_t clusterSize);

} // namespace drawloom::plan

#endif // DRAWLOOM_ANALYSIS_PLAN_ENGINES_H
