//===- Engines.h - Who moves what is in a slot ---------------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What follows from who fills and empties the slots of a pipe (docs of
// `#agent.engine`): how many arrivals complete the full and the empty barrier
// of a slot, and how many bytes. And what the architecture makes of an MMA.
//
// Invariant: everything here is read off the IR and the architecture's table,
// after assign-engines.

#ifndef DRAWLOOM_ANALYSIS_SLOTS_ENGINES_H
#define DRAWLOOM_ANALYSIS_SLOTS_ENGINES_H

#include "drawloom/Dialect/Agent/IR/AgentOps.h"

namespace drawloom::target {
struct Architecture;
} // namespace drawloom::target

namespace drawloom::plan {

using agent::Engine;

/// "threads", "cp.async", "TMA", "tensor core".
llvm::StringRef toString(Engine engine);

/// Whether a matrix product is issued by one thread and accumulates in tensor
/// memory.
bool isTcgen05Mma(mlir::Operation *op, const target::Architecture &arch);

/// Whether an MMA is done when the next operation starts, because threads
/// add it to the total: wgmma's own sums of 8-bit MMAs keep too few bits.
bool isPromoted(mlir::Operation *op, const target::Architecture &arch);

/// What the full and the empty barrier of each slot of a pipe count.
struct BarrierCounts {
  int64_t fullArrivals = 0;
  /// Bytes that copies deliver to the full barrier; 0 if there are none.
  int64_t fullBytes = 0;
  /// None where the full barriers of another pipe say that a slot is free.
  int64_t emptyArrivals = 0;
};

BarrierCounts countArrivals(agent::PipeOp pipe);

/// The only end of a pipe of this kind; null if there are several.
template <typename End>
End getOnly(agent::PipeOp pipe) {
  End only;
  for (mlir::Operation *user : pipe.getPipe().getUsers())
    if (auto end = mlir::dyn_cast<End>(user)) {
      if (only)
        return {};
      only = end;
    }
  return only;
}

/// Whether threads of one role fill a slot, and TMA stores from it before they
/// fill the next one. A barrier of the role orders that on Blackwell: the slots
/// of such a pipe have no mbarriers.
bool isStagedByRole(agent::PipeOp pipe);

/// CTAs that a scope spans in a cluster of `clusterSize`.
int64_t countCtas(agent::Scope scope, int64_t clusterSize);

} // namespace drawloom::plan

#endif // DRAWLOOM_ANALYSIS_SLOTS_ENGINES_H
