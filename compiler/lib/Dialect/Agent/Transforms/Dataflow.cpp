//===- Dataflow.cpp - What depends on what in a work tile -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dataflow.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

bool drawloom::agent::isOperandOfMma(OpOperand &use) {
  auto mma = dyn_cast<tile::MmaOp>(use.getOwner());
  return mma && &use != &mma.getAccMutable();
}

void drawloom::agent::forEachSuccessor(OpOperand &use,
                                       function_ref<void(Value)> visit) {
  Operation *user = use.getOwner();
  if (auto loop = dyn_cast<scf::ForOp>(user)) {
    unsigned first = loop.getNumControlOperands();
    if (use.getOperandNumber() < first)
      return;
    visit(loop.getRegionIterArg(use.getOperandNumber() - first));
    visit(loop.getResult(use.getOperandNumber() - first));
    return;
  }
  auto loop = dyn_cast<scf::ForOp>(user->getParentOp());
  if (loop && user->hasTrait<OpTrait::IsTerminator>()) {
    visit(loop.getRegionIterArg(use.getOperandNumber()));
    visit(loop.getResult(use.getOperandNumber()));
    return;
  }
  for (Value result : user->getResults())
    visit(result);
}

/// The operation of the item's own loops that `op` belongs to: control flow
/// that computes scalars counts as one operation.
static Operation *getWhole(Operation *op, Block *body) {
  Operation *whole = op;
  for (Operation *up = op; up && up->getBlock() != body; up = up->getParentOp())
    if (!isa_and_nonnull<scf::ForOp>(up->getParentOp()))
      whole = up->getParentOp();
  return whole;
}

/// Adds everything that the results of a source lead to.
void Dataflow::close(Values &values, function_ref<bool(Operation *)> isSource) {
  SmallVector<Value> work;
  auto add = [&](Value value) {
    if (values.insert(value).second)
      work.push_back(value);
  };
  item.body->walk([&](Operation *op) {
    if (isSource(op))
      for (Value result : getWhole(op, item.body)->getResults())
        add(result);
  });
  while (!work.empty()) {
    Value value = work.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      Operation *whole = getWhole(use.getOwner(), item.body);
      if (whole == use.getOwner())
        forEachSuccessor(use, add);
      else
        llvm::for_each(whole->getResults(), add);
    }
  }
}

Dataflow::Dataflow(Item &item) : item(item) {
  item.body->walk([&](Operation *op) {
    mmas |= isa<tile::MmaOp>(op);
    auto store = dyn_cast<tile::StoreOp>(op);
    if (!store)
      return;
    if (BlockArgument argument = getArgument(store.getView()))
      stored.insert(argument);
    else
      storesAnywhere = true;
  });
  close(afterMma, [](Operation *op) { return isa<tile::MmaOp>(op); });
  close(derived, [&](Operation *op) {
    auto load = dyn_cast<tile::LoadOp>(op);
    return isa<tile::MmaOp>(op) ||
           (load &&
            (isa<RankedTensorType>(load.getType()) || readsOutput(load)));
  });
}

bool Dataflow::isDerived(Operation *op) const {
  if (isa<tile::StoreOp>(op))
    return true;
  return llvm::any_of(op->getResults(),
                      [&](Value result) { return isDerived(result); });
}

bool Dataflow::readsOutput(tile::LoadOp load) const {
  BlockArgument argument = getArgument(load.getView());
  if (!argument)
    return storesAnywhere || !stored.empty();
  return storesAnywhere || stored.contains(argument);
}

bool Dataflow::leadsToOperand(Value value) const {
  Values seen;
  SmallVector<Value> work{value};
  while (!work.empty()) {
    Value next = work.pop_back_val();
    for (OpOperand &use : next.getUses()) {
      if (isOperandOfMma(use))
        return true;
      forEachSuccessor(use, [&](Value successor) {
        if (!isAfterMma(successor) && seen.insert(successor).second)
          work.push_back(successor);
      });
    }
  }
  return false;
}

bool drawloom::agent::goesWithReader(Operation *op) {
  if (!isa<tile::TransposeOp, tile::ExtractSliceOp>(op) || op->use_empty())
    return false;
  return llvm::all_of(op->getUses(), [&](OpOperand &use) {
    return isOperandOfMma(use) || goesWithReader(use.getOwner());
  });
}
