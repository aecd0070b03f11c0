//===- CheckCode.cpp - Reject what there is no code for -------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Owners.h"
#include "SharedTiles.h"
#include "StorePlaces.h"
#include "drawloom/Analysis/Code/Code.h"
#include "drawloom/Analysis/RoleTiles/Fragments.h"
#include "drawloom/Dialect/Agent/IR/Engines.h"
#include "drawloom/Dialect/Agent/Transforms/Passes.h"
#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace drawloom::agent {
#define GEN_PASS_DEF_CHECKCODE
#include "drawloom/Dialect/Agent/Transforms/Passes.h.inc"
} // namespace drawloom::agent

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

/// Whether TMA moves what an operation loads or stores.
static bool isByTma(Operation *op) {
  if (isa<tile::LoadOp>(op)) {
    auto produce = dyn_cast<ProduceOp>(op->getParentOp());
    return produce && produce.getEngine() == Engine::tma &&
           isa<RankedTensorType>(op->getResult(0).getType());
  }
  return isStoredByTma(cast<tile::StoreOp>(op));
}

/// A hint is part of an instruction of TMA.
static LogicalResult checkHints(tile::KernelOp kernel) {
  for (const auto &[name, eviction] : tile::getSchedule(kernel).hints) {
    WalkResult found = kernel.walk([&, &view = name](Operation *op) {
      if (!isa<tile::LoadOp, tile::StoreOp>(op))
        return WalkResult::advance();
      BlockArgument argument = getArgument(
          isa<tile::LoadOp>(op) ? cast<tile::LoadOp>(op).getView()
                                : cast<tile::StoreOp>(op).getView());
      return argument && tile::getArgumentName(argument) == view && isByTma(op)
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (!found.wasInterrupted())
      return kernel.emitError()
             << "hints: '" << name
             << "' is not moved by TMA, so that there is no copy to give a "
                "hint to; leave it out [schedule-hints]";
  }
  return success();
}

/// Roles that divide the work tiles take all of them. Which tile is the n-th of
/// a CTA depends on the grid, so what is left out would, too.
static LogicalResult checkTurns(SwitchOp roles) {
  llvm::MapVector<int64_t, llvm::SmallSetVector<int64_t, 4>> taken;
  llvm::DenseMap<int64_t, ForEachItemOp> first;
  roles.walk([&](ForEachItemOp loop) {
    taken[loop.getEvery()].insert(loop.getFrom());
    first.try_emplace(loop.getEvery(), loop);
  });
  for (auto &[every, residues] : taken)
    for (int64_t from = 0; from <= static_cast<int64_t>(residues.size());
         ++from) {
      if (from == every || residues.contains(from))
        continue;
      ForEachItemOp loop = first[every];
      return loop.emitOpError()
             << "takes every " << every << " from " << loop.getFrom()
             << ", and no role takes those from " << from
             << ": which work tiles are computed would depend on the number of "
                "CTAs; add a role for them [tiles-left-out]";
    }
  return success();
}

namespace {
struct CheckCodePass : agent::impl::CheckCodeBase<CheckCodePass> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    WalkResult result = kernel.walk([&](SwitchOp roles) -> WalkResult {
      FailureOr<const target::Architecture *> arch =
          tile::requireTarget(kernel);
      return failure(failed(arch) || failed(requireEngines(roles)) ||
                     failed(plan::requireLayouts(roles)) ||
                     failed(plan::checkCode(roles, **arch)) ||
                     failed(checkHints(kernel)) || failed(checkTurns(roles)) ||
                     failed(checkStores(roles)) ||
                     failed(checkSharedTiles(roles)));
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
