//===- ItemOps.cpp - Streams of work tiles --------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verify.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace drawloom::agent;

//===----------------------------------------------------------------------===//
// ItemsOp
//===----------------------------------------------------------------------===//

LogicalResult ItemsOp::verify() {
  if (getBody().getNumArguments() != 1 ||
      !getBody().getArgument(0).getType().isIndex())
    return emitOpError("expects a region with one argument, the number of the "
                       "work tile, of type index");
  RoleOp first;
  for (OpOperand &use : getItems().getUses()) {
    Operation *user = use.getOwner();
    if (!isa<ForEachItemOp>(user)) {
      InFlightDiagnostic diag = emitOpError()
                                << "gives its items to '" << user->getName()
                                << "'; only agent.for_each_item takes them";
      diag.attachNote(user->getLoc()) << "the user is here";
      return diag;
    }
    auto role = user->getParentOfType<RoleOp>();
    if (getStream() == Stream::dynamic && first && role && role != first)
      return emitOpError()
             << "has two roles, " << nameOf(role) << " and " << nameOf(first)
             << ", that fetch tiles from the dynamic scheduler; exactly one "
                "may, and it must publish them through a pipe";
    first = role;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// ForEachItemOp
//===----------------------------------------------------------------------===//

/// Checks that `value`, if it is a pipe, is one that can carry `item`.
static LogicalResult verifyItemPipe(ForEachItemOp op, Value value,
                                    ArrayRef<Type> item) {
  auto type = dyn_cast<PipeType>(value.getType());
  if (!type)
    return success();
  FailureOr<PipeOp> pipe = getPipe(op, value);
  if (failed(pipe))
    return failure();
  if (type.getMemory() != Memory::message)
    return op.emitOpError() << "uses pipe '" << pipe->getName() << "' in "
                            << stringifyMemory(type.getMemory())
                            << "; work tiles travel in a message";
  if (type.getPayload() != item)
    return op.emitOpError()
           << "publishes items " << listOf(item) << ", but pipe '"
           << pipe->getName() << "' carries " << listOf(type.getPayload());
  return success();
}

/// Cluster launch control gives work tiles to a cluster, so one role of the
/// cluster asks. Where each CTA takes a work tile of its own, each has such a
/// role, and the first CTA's asks for all.
static LogicalResult verifyDynamic(ForEachItemOp op, RoleOp role) {
  auto items = getInFront<ItemsOp>(op, op.getSource());
  auto parent = role->getParentOfType<SwitchOp>();
  if (!items || items.getStream() != Stream::dynamic || !parent ||
      parent.getItems() == Scope::cta || role.getScope() == Scope::cluster)
    return success();
  return op.emitOpError() << "takes dynamic items of a cluster of "
                          << ctas(parent.getClusterSize()) << " in "
                          << nameOf(role) << ", which acts for a "
                          << stringifyScope(role.getScope())
                          << "; it needs scope(cluster)";
}

LogicalResult ForEachItemOp::verify() {
  auto role = (*this)->getParentOfType<RoleOp>();
  if (!role)
    return emitOpError("is not inside an 'agent.role'");
  if (auto outer = (*this)->getParentOfType<ForEachItemOp>()) {
    InFlightDiagnostic diag =
        emitOpError("is inside another one; a role takes one item at a time");
    diag.attachNote(outer.getLoc()) << "the other one is here";
    return diag;
  }
  if (getEvery() < 1 || getFrom() < 0 || getFrom() >= getEvery())
    return emitOpError() << "takes every " << getEvery() << " from "
                         << getFrom()
                         << "; the first item is below the period, and the "
                            "period is at least 1";
  if (getPublish() && getEvery() != 1)
    return emitOpError() << "publishes only every " << getEvery()
                         << " items; who publishes a stream takes all of it";

  ArrayRef<Type> item = getItemValues(getSource().getType());
  if (getBody().getArgumentTypes() != TypeRange(item))
    return emitOpError() << "has block arguments "
                         << listOf(getBody().getArgumentTypes())
                         << ", but an item is " << listOf(item);
  if (failed(verifyItemPipe(*this, getSource(), item)) ||
      (getPublish() && failed(verifyItemPipe(*this, getPublish(), item))))
    return failure();
  return verifyDynamic(*this, role);
}

Value ForEachItemOp::getStream() {
  SmallPtrSet<Operation *, 4> seen;
  for (ForEachItemOp loop = *this; loop && seen.insert(loop).second;) {
    if (isa<ItemsType>(loop.getSource().getType()))
      return loop.getSource();
    ForEachItemOp publisher;
    for (Operation *user : loop.getSource().getUsers())
      if (auto other = dyn_cast<ForEachItemOp>(user))
        if (other.getPublish() == loop.getSource())
          publisher = other;
    loop = publisher;
  }
  return nullptr;
}

SmallVector<Region *> ForEachItemOp::getLoopRegions() { return {&getBody()}; }

std::optional<SmallVector<Value>> ForEachItemOp::getLoopInductionVars() {
  return llvm::to_vector_of<Value>(getBody().getArguments());
}

void ForEachItemOp::getSuccessorRegions(
    RegionBranchPoint, SmallVectorImpl<RegionSuccessor> &regions) {
  // There may be no item, and after each item there may be another.
  regions.push_back(RegionSuccessor(&getBody()));
  regions.push_back(RegionSuccessor(*this, (*this)->getResults()));
}

void ForEachItemOp::getRegionInvocationBounds(
    ArrayRef<Attribute>, SmallVectorImpl<InvocationBounds> &bounds) {
  bounds.push_back(InvocationBounds::getUnknown());
}

void ForEachItemOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (isa<PipeType>(getSource().getType())) {
    effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable(),
                         PipeResource::get());
    effects.emplace_back(MemoryEffects::Write::get(), &getSourceMutable(),
                         PipeResource::get());
  }
  for (OpOperand &pipe : getPublishMutable())
    effects.emplace_back(MemoryEffects::Write::get(), &pipe,
                         PipeResource::get());
}
