//===- PipeOps.cpp - Pipes, produce, consume, yield -----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verify.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

//===----------------------------------------------------------------------===//
// What produce and consume share
//===----------------------------------------------------------------------===//

/// Checks that `op`, an end of the channel `pipe`, is in a role and not inside
/// another end of its own kind: slots are filled and released in order.
template <typename EndOp>
static LogicalResult verifyEnd(EndOp op, PipeOp pipe, StringRef order) {
  if (!op->template getParentOfType<RoleOp>())
    return op.emitOpError() << "of pipe '" << pipe.getName()
                            << "' is not inside an 'agent.role'";
  for (auto outer = op->template getParentOfType<EndOp>(); outer;
       outer = outer->template getParentOfType<EndOp>()) {
    if (!llvm::is_contained(outer->getOperands(), pipe.getPipe()))
      continue;
    InFlightDiagnostic diag = op.emitOpError()
                              << "of pipe '" << pipe.getName()
                              << "' is inside another one; slots are " << order
                              << " in order, one at a time";
    diag.attachNote(outer.getLoc()) << "the other one is here";
    return diag;
  }
  return success();
}

/// The variable of the next slot is read and set.
static void
addAdvance(OpOperand &at,
           SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &at);
  effects.emplace_back(MemoryEffects::Write::get(), &at);
}

//===----------------------------------------------------------------------===//
// ProduceOp
//===----------------------------------------------------------------------===//

LogicalResult ProduceOp::verify() {
  FailureOr<PipeOp> pipe = agent::getPipe(*this, getPipe());
  if (failed(pipe))
    return failure();
  if (failed(verifyAt(*this, getAtMutable())))
    return failure();
  return verifyEnd(*this, *pipe, "filled");
}

void ProduceOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getPipeMutable(),
                       PipeResource::get());
  for (OpOperand &at : getAtMutable())
    addAdvance(at, effects);
}

//===----------------------------------------------------------------------===//
// ConsumeOp
//===----------------------------------------------------------------------===//

/// A lag of n keeps n slots while the role waits for one more.
static LogicalResult verifyLag(ConsumeOp op, PipeOp pipe) {
  int64_t lag = op.getLag(), slots = pipe.getSlots();
  if (lag < slots)
    return success();
  uint64_t needed = static_cast<uint64_t>(lag) + 1;
  InFlightDiagnostic diag =
      op.emitOpError() << "of pipe '" << pipe.getName()
                       << "' holds lag + 1 = " << lag << " + 1 = " << needed
                       << " slots at once, but the pipe has " << slots
                       << "; use slots(" << needed << ") or a lag below "
                       << slots;
  diag.attachNote(pipe.getLoc()) << "the pipe is here";
  return diag;
}

LogicalResult ConsumeOp::verify() {
  if (getPipes().empty())
    return emitOpError("needs at least one pipe");
  if (!getAt().empty() && getAt().size() != getPipes().size())
    return emitOpError() << "has " << getAt().size() << " variables for "
                         << getPipes().size()
                         << " pipes; each pipe has a next slot of its own";
  if (failed(verifyAt(*this, getAt())))
    return failure();
  if (getLag() < 0)
    return emitOpError() << "has a lag of " << getLag()
                         << "; a lag is 0 or more";

  SmallVector<PipeOp> pipes;
  for (Value value : getPipes()) {
    FailureOr<PipeOp> pipe = agent::getPipe(*this, value);
    if (failed(pipe) || failed(verifyEnd(*this, *pipe, "released")))
      return failure();
    if (llvm::is_contained(pipes, *pipe))
      return emitOpError() << "names pipe '" << pipe->getName() << "' twice";
    pipes.push_back(*pipe);
  }

  SmallVector<Type> values = getSlotValues(getPipes().getTypes());
  if (getBody().getArgumentTypes() != TypeRange(values))
    return emitOpError() << "has block arguments "
                         << listOf(getBody().getArgumentTypes())
                         << ", but the slots hold " << listOf(values);
  for (PipeOp pipe : pipes)
    if (failed(verifyLag(*this, pipe)))
      return failure();
  return success();
}

void ConsumeOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  // The release is a write: it gives the slot back to the producer.
  for (OpOperand &pipe : getPipesMutable()) {
    effects.emplace_back(MemoryEffects::Read::get(), &pipe,
                         PipeResource::get());
    effects.emplace_back(MemoryEffects::Write::get(), &pipe,
                         PipeResource::get());
  }
  for (OpOperand &at : getAtMutable())
    addAdvance(at, effects);
}

void ConsumeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *) {
  // Results that are not used, that are yielded twice, or that come from
  // outside the region.
  populateRegionBranchOpInterfaceCanonicalizationPatterns(patterns,
                                                          getOperationName());
}

//===----------------------------------------------------------------------===//
// YieldOp
//===----------------------------------------------------------------------===//

LogicalResult YieldOp::verify() {
  TypeRange given = getValues().getTypes();
  // A slot has no layout; threads write it from registers, which have one.
  auto withoutLayout = [](Type type) -> Type {
    auto tile = dyn_cast<RankedTensorType>(type);
    return tile ? tile.dropEncoding() : type;
  };
  auto check = [&](TypeRange expected, const Twine &what) -> LogicalResult {
    bool isSlot = isa<ProduceOp>((*this)->getParentOp());
    if (given == expected ||
        (isSlot &&
         llvm::equal(llvm::map_range(given, withoutLayout), expected)))
      return success();
    return emitOpError() << "gives " << listOf(given) << ", but " << what << " "
                         << listOf(expected);
  };
  Operation *parent = (*this)->getParentOp();
  if (auto produce = dyn_cast<ProduceOp>(parent))
    return check(produce.getPipe().getType().getPayload(), "a slot holds");
  if (auto consume = dyn_cast<ConsumeOp>(parent))
    return check(consume.getResultTypes(), "the results are");
  if (auto items = dyn_cast<ItemsOp>(parent))
    return check(items.getItems().getType().getItem(), "a work tile is");
  return check(TypeRange(),
               "'" + parent->getName().getStringRef() + "' passes on");
}

MutableOperandRange YieldOp::getMutableSuccessorOperands(RegionSuccessor) {
  // A produce's values go into the slot, an item's to the roles: to the
  // analyses of control flow these are uses, not branches.
  bool forwards = isa<ConsumeOp>((*this)->getParentOp());
  return MutableOperandRange(*this, 0, forwards ? getNumOperands() : 0);
}
