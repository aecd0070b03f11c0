//===- AssignEngines.cpp - Who fills and empties the slots ----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The ends of a pipe in one role have one engine, because a barrier counts the
// arrivals of one. So the pass looks at all of them together, chooses the best
// engine that can do what each of them does, and writes it to each. What the
// program says stays as it is, if the architecture has it.

#include "Copies.h"
#include "StorePlaces.h"
#include "drawloom/Analysis/Slots/Engines.h"
#include "drawloom/Dialect/Agent/IR/Engines.h"
#include "drawloom/Dialect/Agent/Transforms/Passes.h"
#include "drawloom/Dialect/Tile/IR/Code.h"
#include "drawloom/Target/Architecture.h"

namespace drawloom::agent {
#define GEN_PASS_DEF_ASSIGNENGINES
#include "drawloom/Dialect/Agent/Transforms/Passes.h.inc"
} // namespace drawloom::agent

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

static bool hasTcgen05(const target::Architecture &arch) {
  return arch.mma == target::MmaInstruction::Tcgen05;
}

//===----------------------------------------------------------------------===//
// What the architecture and the role can do
//===----------------------------------------------------------------------===//

/// An error if the architecture or the role lacks the engine of an end: the
/// program says it, or leaves out that its loads are not by TMA.
static LogicalResult checkEngine(Operation *end, PipeOp pipe, Engine engine,
                                 const target::Architecture &arch) {
  auto reject = [&] {
    return end->emitOpError() << "of pipe '" << pipe.getName() << "' is by("
                              << stringifyEngine(engine) << "), but ";
  };
  if (engine == Engine::tensor_core && !hasTcgen05(arch))
    return reject() << "the warp groups of " << arch.name
                    << " issue MMAs and arrive themselves; use "
                       "by(threads) [engine]";
  auto role = end->getParentOfType<RoleOp>();
  int64_t warps = role.getWarps();
  if (isa<ProduceOp>(end) && warps != 1 && engine == Engine::tma)
    return reject() << "one warp starts what fills a slot, and @"
                    << role.getSymName() << " has " << warps
                    << "; use warps(1), or by(cp_async) [engine]";
  return success();
}

//===----------------------------------------------------------------------===//
// What follows from the values
//===----------------------------------------------------------------------===//

static Engine chooseFiller(PipeOp pipe, ArrayRef<ProduceOp> ends,
                           const target::Architecture &arch) {
  bool allLoads = true, allMmas = true;
  for (ProduceOp end : ends)
    for (Value value : end.getBody().front().getTerminator()->getOperands()) {
      allLoads &= isLoadedHere(value, end);
      allMmas &= isMma(value);
    }
  Memory memory = pipe.getPipe().getType().getMemory();
  if (memory == Memory::tmem && allMmas && hasTcgen05(arch))
    return Engine::tensor_core;
  // assign-roles knows which loads TMA rejects, and says so.
  if (memory == Memory::smem && allLoads)
    return Engine::tma;
  return Engine::threads;
}

/// Whether MMAs read a slot of a consume: they release the others, which
/// nothing reads, with it.
static bool feedsMmas(ConsumeOp op) {
  return llvm::any_of(op.getBody().getArguments(), feedsMmasOnly);
}

static Engine chooseReader(PipeOp pipe,
                           ArrayRef<std::pair<ConsumeOp, unsigned>> ends,
                           const target::Architecture &arch) {
  bool any = false, allMmas = true, stores = true;
  for (auto [end, number] : ends) {
    ConsumeOp op = end;
    bool storesOne = false;
    for (BlockArgument value : op.getSlotArguments(number)) {
      if (value.use_empty())
        continue;
      any = true;
      allMmas &= feedsMmasOnly(value);
      storesOne |= isStoredHere(value);
      // Bulk stores are done in any order, of what TMA can move.
      for (Operation *user : value.getUsers())
        if (auto store = dyn_cast<tile::StoreOp>(user))
          stores &= !needsOrder(store) && whyNotTma(store, arch.tma).empty();
    }
    stores &= storesOne;
  }
  Memory memory = pipe.getPipe().getType().getMemory();
  if (!any && memory == Memory::tmem)
    any = llvm::all_of(ends, [](auto end) { return feedsMmas(end.first); });
  if (any && allMmas && hasTcgen05(arch))
    return Engine::tensor_core;
  if (stores && memory == Memory::smem)
    return Engine::tma;
  return Engine::threads;
}

namespace {
/// An end of a pipe: a produce or a consume, and which of its pipes.
using End = std::pair<Operation *, unsigned>;

struct AssignEnginesPass : agent::impl::AssignEnginesBase<AssignEnginesPass> {
  void runOnOperation() override;
  LogicalResult decide(PipeOp pipe);

  /// What is decided; written when all of it is, since a consume says it for
  /// all of its pipes at once.
  DenseMap<End, Engine> engines;
};
} // namespace

LogicalResult AssignEnginesPass::decide(PipeOp pipe) {
  if (pipe.getPipe().getType().getMemory() == Memory::message) {
    for (OpOperand &use : pipe.getPipe().getUses())
      engines[{use.getOwner(), use.getOperandNumber()}] = Engine::threads;
    return success();
  }
  FailureOr<const target::Architecture *> arch =
      tile::requireTarget(getOperation());
  if (failed(arch))
    return failure();
  SmallVector<ProduceOp> fillers;
  llvm::MapVector<Operation *, SmallVector<std::pair<ConsumeOp, unsigned>>>
      readers;
  for (OpOperand &use : pipe.getPipe().getUses()) {
    if (auto produce = dyn_cast<ProduceOp>(use.getOwner()))
      fillers.push_back(produce);
    else if (auto consume = dyn_cast<ConsumeOp>(use.getOwner()))
      readers[consume->getParentOfType<RoleOp>()].emplace_back(
          consume, use.getOperandNumber());
  }

  Engine filler =
      pipe.getProducerEngine().value_or(chooseFiller(pipe, fillers, **arch));
  for (ProduceOp produce : fillers) {
    if (failed(checkEngine(produce, pipe, filler, **arch)))
      return failure();
    engines[{produce, 0}] = filler;
  }
  for (auto &[role, ends] : readers) {
    Engine reader = pipe.getConsumerEngine(cast<RoleOp>(role))
                        .value_or(chooseReader(pipe, ends, **arch));
    for (auto [consume, number] : ends) {
      if (failed(checkEngine(consume, pipe, reader, **arch)))
        return failure();
      engines[{consume, number}] = reader;
    }
  }
  return success();
}

void AssignEnginesPass::runOnOperation() {
  engines.clear();
  // No pass has asked this of hand-written roles.
  if (const target::Architecture *arch = tile::getTarget(getOperation());
      arch && failed(tile::requireCode(getOperation(), *arch)))
    return signalPassFailure();
  WalkResult result = getOperation().walk(
      [&](PipeOp pipe) { return WalkResult(decide(pipe)); });
  if (result.wasInterrupted())
    return signalPassFailure();
  getOperation().walk([&](Operation *op) {
    if (auto produce = dyn_cast<ProduceOp>(op)) {
      produce.setEngine(engines.at({op, 0}));
    } else if (auto consume = dyn_cast<ConsumeOp>(op)) {
      SmallVector<Attribute> said;
      for (unsigned number = 0; number < consume.getPipes().size(); ++number)
        said.push_back(
            EngineAttr::get(&getContext(), engines.at({op, number})));
      consume.setEnginesAttr(ArrayAttr::get(&getContext(), said));
    }
  });
}
