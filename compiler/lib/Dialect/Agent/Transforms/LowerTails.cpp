//===- LowerTails.cpp - What a role waits for before it leaves ------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A commit arrives when the tensor core is done, whichever warps still run. So
// a kernel must not leave before the last arrival, which would hit memory that
// belongs to another CTA by then.
//
// Commits of a thread arrive in order, so of a role's commits only the last one
// matters. If it fills a slot, the role that empties the slot has waited for
// it. If it releases a slot, no role fills that slot any more and none waits:
// then the role that has filled it does, once, at its end. In
//
//   consume K { produce result { ... } commit full } commit empty
//
// that is the role that loads K. Where the produce is around the consume, the
// last commit is that of the result, and no role waits.
//
// In a cluster, a CTA must not leave before the last arrival of another one
// either. What a CTA sends is complete when a role has waited for it: copies by
// the roles that empty their slots, arrivals by the role that fills them.
// Arrivals for accumulators of a pair come before its CTAs synchronize to
// deallocate their tensor memory.

#include "RoleCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

/// Whether the role commits when it leaves `op`, an end of pipes.
static bool commits(Operation *op) {
  if (auto produce = dyn_cast<ProduceOp>(op))
    return produce.getEngine() == Engine::tensor_core;
  auto consume = dyn_cast<ConsumeOp>(op);
  return consume &&
         llvm::any_of(llvm::seq(consume.getPipes().size()), [&](unsigned pipe) {
           return consume.getEngine(pipe) == Engine::tensor_core;
         });
}

/// Whether the role is certain to commit again after it has left `op`.
static bool commitsAfter(Operation *op) {
  for (; !isa<RoleOp>(op); op = op->getParentOp()) {
    for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
      if (commits(next))
        return true;
    if (commits(op->getParentOp()))
      return true;
  }
  return false;
}

/// Whether no role tells that a slot of this pipe is empty.
static bool isImplied(Value pipe) {
  auto op = pipe.getDefiningOp<PipeOp>();
  return op && plan::findImplying(op);
}

/// Whether the last commit of a role releases a slot of this pipe.
bool agent::isReleasedLast(Value pipe) {
  return llvm::any_of(pipe.getUsers(), [&](Operation *user) {
    auto consume = dyn_cast<ConsumeOp>(user);
    if (!consume)
      return false;
    // Slots of one consume go back in the order of its pipes.
    unsigned last = consume.getPipes().size();
    while (last && (consume.getEngine(last - 1) != Engine::tensor_core ||
                    isImplied(consume.getPipes()[last - 1])))
      --last;
    return last && consume.getPipes()[last - 1] == pipe &&
           !commitsAfter(consume.getLag() ? getLagScope(consume) : consume);
  });
}

/// Stores read the CTA's memory.
void RoleCode::awaitLastStores(CodeBuilder &b) {
  bool isStaging = llvm::any_of(kernel.pipes, [&](auto &entry) {
    return entry.second.isStaged &&
           llvm::is_contained(entry.second.producers, role);
  });
  if (isStaging)
    when(b, elect(b, Participants::role),
         [&] { DrainOp::create(b, Work::stores, 0); });
}

void RoleCode::awaitLastCommits(CodeBuilder &b) {
  for (auto &[value, pipe] : kernel.pipes) {
    if (!llvm::is_contained(pipe.producers, role) || getSignaled(value) ||
        !pipe.isReleasedLast || !pipe.empty)
      continue;
    // The slot that was filled last, with the parity that its next pass would
    // wait for. If none was filled, that is the phase before the first one.
    Position at = getPosition(b, fills[value]);
    Value zero = constant(b, 0), one = constant(b, 1);
    Value end = constant(b, pipe.pipe.getSlots() - 1);
    Value isFirst =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, at.slot, zero);
    Value before = arith::SubIOp::create(b, at.slot, one);
    Value slot = arith::SelectOp::create(b, isFirst, end, before);
    Value flip = arith::SelectOp::create(b, isFirst, zero, one);
    Value parity = arith::XOrIOp::create(b, at.phase, flip);
    WaitOp::create(b, getBarrier(b, pipe.empty, slot), parity);
  }
}

/// Other CTAs arrive at the empty barriers of slots that CTAs share. The role
/// that fills them stays until all slots are back; a slot that was never filled
/// is.
void RoleCode::awaitPeers(CodeBuilder &b) {
  for (auto &[value, pipe] : kernel.pipes) {
    if (!getSignaled(value) || pipe.inTensorMemory() ||
        !llvm::is_contained(pipe.producers, role))
      continue;
    for (int64_t slot = 0; slot < pipe.pipe.getSlots(); ++slot) {
      Position at = getPosition(b, fills[value]);
      WaitOp::create(b, getBarrier(b, pipe.empty, at.slot), at.phase);
      advance(b, fills[value], at, pipe.pipe.getSlots());
    }
  }
}
