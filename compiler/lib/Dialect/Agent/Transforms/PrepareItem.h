//===- PrepareItem.h - A work tile that can be cut --------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Steps in front of the decision about roles. After them:
//
// - what a work tile reads is an argument of the item, a value that does not
//   depend on a loaded tile, or made in the item itself;
// - every operation of the item is a loop (scf.for), a load, a store, or has no
//   side effects, and control flow other than scf.for holds no tile;
// - where MMAs accumulate in tensor memory (`makeAccumulatorsWhole`), an
//   accumulator starts at zero and only MMAs touch it until it is complete,
//   but for those that a role rescales in place (Corrections.h).

#ifndef DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_PREPAREITEM_H
#define DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_PREPAREITEM_H

#include "Owners.h"
#include "Rejection.h"

namespace drawloom::target {
struct Architecture;
} // namespace drawloom::target

namespace drawloom::agent {

class Corrections;

/// Moves what stands between the loops over items, and what loads tiles around
/// them, into the item.
MaybeRejection sinkIntoItem(Item &item);

/// Checks that every operation of the item can belong to a role.
MaybeRejection checkOperations(Item &item);

/// Checks that the target has an instruction for every MMA.
MaybeRejection checkMmas(Item &item, const target::Architecture &arch);

/// Rewrites MMAs whose accumulator is no accumulator in tensor memory: what
/// is computed elsewhere is added elsewhere. Tells each rewrite to `remark`.
void makeAccumulatorsWhole(
    Item &item, const Corrections &corrections,
    llvm::function_ref<void(mlir::Operation *, const Reason &)> remark);

/// The loop-carried values that are accumulators in tensor memory: (loop,
/// number) of everything that MMAs alone make from zero.
using Accumulators = llvm::DenseSet<std::pair<mlir::Operation *, unsigned>>;
Accumulators findAccumulators(Item &item);

/// Whether `value` is an accumulator that an MMA may add to in place.
bool isAccumulator(mlir::Value value, const Accumulators &accumulators);

/// The MMA whose accumulator a loop carries.
mlir::Operation *getMma(mlir::scf::ForOp loop, unsigned number);

/// How many MMAs lie before each one on the longest way from a result to an
/// operand, in the order of the program. MMAs of a stage are one role's.
llvm::DenseMap<mlir::Operation *, unsigned> findStages(Item &item);

/// Whether `value` is what an MMA, or a loop over MMAs, leaves behind.
bool isMma(mlir::Value value, const Accumulators &accumulators);

} // namespace drawloom::agent

#endif // DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_PREPAREITEM_H
