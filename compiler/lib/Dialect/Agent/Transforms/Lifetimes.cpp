//===- Lifetimes.cpp - When the bytes of one pipe are free for another ----===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lifetimes.h"
#include "drawloom/Analysis/AgentProgress/ReadVerdict.h"
#include "drawloom/Analysis/Slots/ItemCount.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

bool drawloom::agent::isStaging(PipeOp pipe) {
  SmallVector<RoleOp, 4> producers = pipe.getProducers();
  SmallVector<RoleOp, 4> consumers = pipe.getConsumers();
  return pipe.getScope() == Scope::cta && producers.size() == 1 &&
         consumers.size() == 1 && producers.front() == consumers.front();
}

/// Whether the roles end in every launch that starts: what is proved under a
/// condition is launched under it only, if a launch can check it.
static bool isProved(SwitchOp op) {
  llvm::Expected<std::optional<LaunchCondition>> verdict = readVerdict(op);
  if (verdict)
    return true;
  llvm::consumeError(verdict.takeError());
  return false;
}

/// The innermost region operation around `op` that can run its body more than
/// once for a work tile.
static Operation *getLoop(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp()) {
    if (isa<ForEachItemOp, RoleOp>(parent))
      return nullptr;
    if (isa<LoopLikeOpInterface>(parent))
      return parent;
  }
  return nullptr;
}

/// Whether `first` ends, or is left, before `second` begins, whatever the trip
/// counts: they are in one role and stand in this order in a block that is in
/// no loop.
static bool endsBefore(Operation *first, Operation *second) {
  for (Block *block = first->getBlock(); block;) {
    Operation *a = block->findAncestorOpInBlock(*first);
    if (Operation *b = block->findAncestorOpInBlock(*second))
      return a && a != b && a->isBeforeInBlock(b) && !getLoop(a);
    Operation *parent = block->getParentOp();
    block = parent && !isa<RoleOp>(parent) ? parent->getBlock() : nullptr;
  }
  return false;
}

/// Whether `later` begins after `first` ended, or inside it.
static bool beginsBefore(Operation *first, Operation *later) {
  return (first->isProperAncestor(later) && !getLoop(first)) ||
         endsBefore(first, later);
}

/// Whether a consume has given its slots back when control has left the block
/// that `endsBefore` looks at: with a lag they stay until a loop is left.
static bool isReleasedThere(Operation *consume) {
  return cast<ConsumeOp>(consume).getLag() == 0 || getLoop(consume);
}

/// Where the first of `uses` begins, in a block that is in no loop and in which
/// all of `consumes` end before; null if there is no such place.
static Operation *findFirstUse(ArrayRef<Operation *> uses,
                               ArrayRef<Operation *> consumes) {
  Block *block = uses.front()->getBlock();
  auto isInBlock = [&](Operation *op) {
    return block->findAncestorOpInBlock(*op) != nullptr;
  };
  while (!llvm::all_of(uses, isInBlock) || !llvm::all_of(consumes, isInBlock)) {
    if (isa<RoleOp>(block->getParentOp()))
      return nullptr;
    block = block->getParentOp()->getBlock();
  }
  Operation *first = block->findAncestorOpInBlock(*uses.front());
  for (Operation *use : uses.drop_front())
    if (Operation *other = block->findAncestorOpInBlock(*use);
        other->isBeforeInBlock(first))
      first = other;
  bool areBefore = llvm::all_of(consumes, [&](Operation *consume) {
    return block->findAncestorOpInBlock(*consume)->isBeforeInBlock(first);
  });
  return areBefore && !getLoop(first) ? first : nullptr;
}

static SmallVector<Operation *> getConsumes(PipeOp pipe) {
  return llvm::filter_to_vector(pipe.getPipe().getUsers(), [](Operation *op) {
    return isa<ConsumeOp>(op);
  });
}

/// Whether every read of `pipe` is over when `produce` hands its slot on.
static bool readsEndIn(PipeOp pipe, ProduceOp produce) {
  if (getLoop(produce))
    return false;
  return llvm::all_of(getConsumes(pipe), [&](Operation *consume) {
    return consume->getParentOfType<RoleOp>() ==
               produce->getParentOfType<RoleOp>() &&
           isReleasedThere(consume) &&
           (produce->isProperAncestor(consume) || endsBefore(consume, produce));
  });
}

/// The pipe between the last read of `earlier` and all of `uses`, if there is
/// one.
static PipeOp findWitness(PipeOp earlier, ArrayRef<Operation *> uses,
                          RoleOp role) {
  PipeOp witness;
  role.walk([&](ConsumeOp consume) {
    if (!llvm::all_of(
            uses, [&](Operation *use) { return beginsBefore(consume, use); }))
      return WalkResult::advance();
    for (Value operand : consume.getPipes()) {
      auto pipe = operand.getDefiningOp<PipeOp>();
      SmallVector<ProduceOp> produces;
      for (Operation *user : pipe.getPipe().getUsers())
        if (auto produce = dyn_cast<ProduceOp>(user))
          produces.push_back(produce);
      if (produces.size() == 1 && readsEndIn(earlier, produces.front())) {
        witness = pipe;
        return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  });
  return witness;
}

ReuseAnswer drawloom::agent::mayReuse(PipeOp staging, PipeOp earlier) {
  SwitchOp op = staging.getSwitch();
  std::string other = "'" + earlier.getName().str() + "'";
  if (!plan::takesOneItem(op))
    return {false, "a CTA takes more than one work tile, so slots of " + other +
                       " may be in flight for the next one"};
  if (op.getClusterSize() != 1)
    return {false, "other CTAs of the cluster may still write to " + other};
  if (!isProved(op))
    return {false, "progress is not proved, so slots of " + other +
                       " may never be consumed"};

  RoleOp role = staging.getProducers().front();
  SmallVector<Operation *> uses(staging.getPipe().getUsers());
  SmallVector<Operation *> consumes = getConsumes(earlier);
  std::string roleName = "@" + role.getSymName().str();
  Operation *first = findFirstUse(uses, consumes);
  if (first && !consumes.empty() && llvm::all_of(consumes, isReleasedThere)) {
    std::string why = "a CTA takes one work tile, and " + roleName +
                      " has released every slot of " + other +
                      " in front of its first use of this one";
    if (role.getWarps() == 1)
      return {true, why};
    return {true,
            why + "; its " + std::to_string(role.getWarps()) +
                " warps synchronize in between, because one may be ahead",
            first};
  }
  if (PipeOp witness = findWitness(earlier, uses, role))
    return {true, "a CTA takes one work tile, and " + roleName +
                      " has waited for '" + witness.getName().str() +
                      "', which is full after the last read of " + other};
  return {false, "nothing that " + roleName +
                     " waits for is after the last "
                     "read of " +
                     other};
}
