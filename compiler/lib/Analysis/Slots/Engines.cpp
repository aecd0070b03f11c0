//===- Engines.cpp - Who moves what is in a slot --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Analysis/Slots/Engines.h"
#include "drawloom/Analysis/Slots/Accumulators.h"
#include "drawloom/Analysis/Slots/Footprint.h"
#include "drawloom/Analysis/Slots/Multicast.h"
#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Target/Architecture.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using namespace drawloom::plan;

StringRef plan::toString(Engine engine) {
  static constexpr StringLiteral names[] = {"threads", "cp.async", "TMA",
                                            "tensor core"};
  return names[static_cast<unsigned>(engine)];
}

bool plan::isTcgen05Mma(Operation *op, const target::Architecture &arch) {
  return isa_and_present<tile::MmaOp>(op) &&
         arch.mma == target::MmaInstruction::Tcgen05;
}

bool plan::isPromoted(Operation *op, const target::Architecture &arch) {
  auto mma = dyn_cast_if_present<tile::MmaOp>(op);
  if (!mma || arch.mma != target::MmaInstruction::Wgmma)
    return false;
  Type element = mma.getA().getType().getElementType();
  return isa<FloatType>(element) && getElementBits(element) == 8;
}

int64_t plan::countCtas(Scope scope, int64_t clusterSize) {
  switch (scope) {
  case Scope::cta:
    return 1;
  case Scope::pair:
    return 2;
  case Scope::cluster:
    return clusterSize;
  }
  return 1;
}

/// Arrivals of one instance of a role that fills a slot.
static int64_t countFilling(RoleOp role, Engine engine) {
  switch (engine) {
  case Engine::threads:
  case Engine::cp_async:
    return role.getWarps();
  case Engine::tma:
  case Engine::tensor_core:
    return 1;
  }
  return 1;
}

/// Arrivals of one instance of a role that empties a slot. Bulk stores don't
/// arrive; the thread that started them waits, and the warps arrive.
static int64_t countEmptying(RoleOp role, Engine engine) {
  return engine == Engine::tensor_core ? 1 : role.getWarps();
}

/// Whether `role` takes the slots of the items whose number is `residue`,
/// counted by the period of the roles that share the pipe. Roles that divide
/// the items do so by the same number.
static bool takesResidue(PipeOp pipe, RoleOp role, int64_t residue) {
  return llvm::any_of(pipe.getPipe().getUsers(), [&](Operation *user) {
    if (isa<ProduceOp>(user) || user->getParentOfType<RoleOp>() != role)
      return false;
    // A loop over messages receives all of them, whichever work tiles it takes.
    if (isa<ForEachItemOp>(user))
      return true;
    auto loop = user->getParentOfType<ForEachItemOp>();
    return !loop || loop.getEvery() == 1 || loop.getFrom() == residue;
  });
}

bool plan::isStagedByRole(PipeOp pipe) {
  // Without a wait for an mbarrier at a known place, ptxas keeps the slots of
  // the mainloop of a role that issues wgmma in registers of each thread.
  const target::Architecture *arch =
      tile::getTarget(pipe->getParentOfType<tile::KernelOp>());
  if (!arch || arch->mma == target::MmaInstruction::Wgmma)
    return false;
  auto produce = getOnly<ProduceOp>(pipe);
  auto consume = getOnly<ConsumeOp>(pipe);
  return produce && consume && pipe.getPipe().hasNUses(2) &&
         pipe.getScope() == Scope::cta &&
         produce->getBlock() == consume->getBlock() &&
         produce->isBeforeInBlock(consume) &&
         pipe.getProducerEngine() == Engine::threads &&
         pipe.getConsumerEngine(consume->getParentOfType<RoleOp>()) ==
             Engine::tma;
}

BarrierCounts plan::countArrivals(PipeOp pipe) {
  BarrierCounts counts;
  if (isStagedByRole(pipe))
    return counts;
  int64_t clusterSize = pipe.getSwitch().getClusterSize();
  int64_t span = countCtas(pipe.getScope(), clusterSize);
  bool shared = isMulticast(pipe);
  // Every CTA that the pipe reaches and that has the role arrives. A slot that
  // CTAs share is filled by each for itself, and emptied by all that get it. In
  // pairs, the leader announces the bytes of both.
  auto instances = [&](RoleOp role) {
    return std::max<int64_t>(1, span / countCtas(role.getScope(), clusterSize));
  };

  RoleOp producer = pipe.getProducers().front();
  Engine engine = *pipe.getProducerEngine();

  // Each work tile has the same number of consumers, so any residue that a
  // consumer takes gives the count.
  int64_t residue = 0;
  SmallVector<RoleOp, 4> consumers = pipe.getConsumers();
  for (Operation *user : pipe.getPipe().getUsers())
    if (auto loop = user->getParentOfType<ForEachItemOp>();
        loop && loop.getEvery() > 1)
      residue = loop.getFrom();
  int64_t waitingCtas = 1;
  bool isImplied = static_cast<bool>(findImplying(pipe));
  for (RoleOp role : consumers) {
    if (isImplied || !takesResidue(pipe, role, residue))
      continue;
    counts.emptyArrivals += (shared ? countReceivers(pipe) : instances(role)) *
                            countEmptying(role, *pipe.getConsumerEngine(role));
    waitingCtas =
        std::max(waitingCtas, countCtas(role.getScope(), clusterSize));
  }
  // A consumer that acts for several CTAs waits for the bytes of all of them,
  // which its own CTA announces.
  int64_t filling = shared ? 1 : instances(producer);
  // Where threads write to each other's CTA, all of them arrive.
  if (shared && engine == Engine::threads)
    filling = countReceivers(pipe);
  if (engine == Engine::tma) {
    counts.fullBytes =
        multiply(getSlotFootprint(pipe).payloadBytes, waitingCtas);
    filling = std::max<int64_t>(1, filling / waitingCtas);
  }
  counts.fullArrivals = filling * countFilling(producer, engine);
  return counts;
}
