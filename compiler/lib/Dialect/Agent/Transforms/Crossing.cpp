//===- Crossing.cpp - What a role needs from others -----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Crossing.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

namespace {
/// Grows the part of one role backwards from what the role owns.
class PartBuilder {
public:
  PartBuilder(Item &item, const Owners &owners, int role)
      : item(item), owners(owners), role(role) {}

  Part build();

private:
  void needOp(Operation *op);
  void needLoopsAround(Operation *op);
  void needCarried(scf::ForOp loop, unsigned index);
  void needValue(Value value);
  void drain();

  Item &item;
  const Owners &owners;
  int role;
  Part part;
  DenseSet<Value> reached;
  SmallVector<Value> work;
};
} // namespace

void PartBuilder::needOp(Operation *op) {
  if (!part.ops.insert(op).second)
    return;
  // Control flow that computes scalars is one operation with what it holds.
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (!op->isAncestor(operand.getParentRegion()->getParentOp()))
        needValue(operand);
  });
  needLoopsAround(op);
}

void PartBuilder::needLoopsAround(Operation *op) {
  for (Operation *up = op->getParentOp(); up && up->getBlock() != nullptr;
       up = up->getParentOp()) {
    auto loop = dyn_cast<scf::ForOp>(up);
    if (!loop || !item.body->findAncestorOpInBlock(*up))
      return;
    if (!part.ops.insert(loop).second)
      return;
    for (Value bound :
         {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
      needValue(bound);
  }
}

void PartBuilder::needCarried(scf::ForOp loop, unsigned index) {
  if (!part.carried.insert({loop, index}).second)
    return;
  needLoopsAround(loop.getBody()->getTerminator());
  needValue(loop.getInitArgs()[index]);
  needValue(loop.getYieldedValues()[index]);
}

void PartBuilder::needValue(Value value) {
  if (reached.insert(value).second)
    work.push_back(value);
}

void PartBuilder::drain() {
  while (!work.empty()) {
    Value value = work.pop_back_val();
    Operation *def = value.getDefiningOp();
    Operation *at = def ? def : value.getParentBlock()->getParentOp();
    bool inItem = def ? item.body->findAncestorOpInBlock(*def) != nullptr
                      : at->getBlock() &&
                            item.body->findAncestorOpInBlock(*at) != nullptr;
    if (!inItem)
      continue;
    int owner = owners.of(value);
    if (owner != Owners::noRole && owner != role) {
      part.crossing.insert(value);
      continue;
    }
    if (auto loop = dyn_cast<scf::ForOp>(at)) {
      unsigned number = def ? cast<OpResult>(value).getResultNumber() + 1
                            : cast<BlockArgument>(value).getArgNumber();
      if (number != 0)
        needCarried(loop, number - 1);
      continue;
    }
    // Arguments of control flow inside an operation come with it.
    if (def)
      needOp(def);
  }
}

Part PartBuilder::build() {
  item.body->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (owners.of(op) == role)
      needOp(op);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      for (unsigned i = 0; i < loop.getInitArgs().size(); ++i)
        if (owners.ofCarried(loop, i) == role)
          needCarried(loop, i);
  });
  drain();
  // What crosses is found backwards; pipes are in the order of the program.
  SmallVector<Value> sorted(part.crossing.begin(), part.crossing.end());
  sortByProgram(item, sorted);
  part.crossing.clear();
  part.crossing.insert(sorted.begin(), sorted.end());
  return std::move(part);
}

/// Numbers the places where values are made: a loop's arguments where it
/// begins, its results where it ends.
static void numberValues(Block *block, DenseMap<Value, unsigned> &numbers) {
  auto number = [&](ValueRange values) {
    for (Value value : values)
      numbers.try_emplace(value, numbers.size());
  };
  number(block->getArguments());
  for (Operation &op : *block) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      numberValues(loop.getBody(), numbers);
    number(op.getResults());
  }
}

void drawloom::agent::sortByProgram(Item &item, MutableArrayRef<Value> values) {
  DenseMap<Value, unsigned> numbers;
  numberValues(item.body, numbers);
  llvm::sort(values, [&](Value a, Value b) {
    return numbers.lookup(a) < numbers.lookup(b);
  });
}

SmallVector<Part> drawloom::agent::findParts(Item &item, const Owners &owners) {
  SmallVector<Part> parts;
  for (size_t role = 0; role < owners.roles.size(); ++role)
    parts.push_back(PartBuilder(item, owners, role).build());
  return parts;
}

MaybeRejection drawloom::agent::checkCrossing(Item &item, const Owners &owners,
                                              ArrayRef<Part> parts) {
  for (auto [role, part] : llvm::enumerate(parts))
    for (Value value : part.crossing) {
      if (isTile(value.getType()))
        continue;
      std::string type;
      llvm::raw_string_ostream(type) << value.getType();
      return Rejection{
          value.getLoc(),
          llvm::formatv(
              "@{0} needs this {1}, which @{2} computes from tiles; only tiles "
              "travel through pipes, because a role that loads must run ahead "
              "of the one that computes: compute it from scalars, or write "
              "fallback = unspecialized",
              owners.roles[role].name, type,
              owners.roles[owners.of(value)].name)
              .str(),
          {}};
    }
  return std::nullopt;
}

int drawloom::agent::getReader(OpOperand &use, const Owners &owners) {
  Operation *user = use.getOwner();
  if (auto loop = dyn_cast<scf::ForOp>(user)) {
    unsigned first = loop.getNumControlOperands();
    return use.getOperandNumber() < first
               ? Owners::noRole
               : owners.ofCarried(loop, use.getOperandNumber() - first);
  }
  if (auto loop = dyn_cast<scf::ForOp>(user->getParentOp());
      loop && user->hasTrait<OpTrait::IsTerminator>())
    return owners.ofCarried(loop, use.getOperandNumber());
  return owners.of(user);
}

void drawloom::agent::forEachRead(Value value, int role, const Owners &owners,
                                  function_ref<void(OpOperand &)> visit) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    auto loop = dyn_cast<scf::ForOp>(user);
    bool yields = user->hasTrait<OpTrait::IsTerminator>();
    if (loop || yields) {
      visit(use);
      continue;
    }
    int owner = owners.of(user);
    if (owner == role)
      visit(use);
    else if (owner == Owners::noRole)
      for (Value result : user->getResults())
        forEachRead(result, role, owners, visit);
  }
}

bool drawloom::agent::ownsOnly(Item &item, const Owners &owners, int role,
                               function_ref<bool(Operation *)> isIt) {
  bool only = true;
  item.body->walk(
      [&](Operation *op) { only &= owners.of(op) != role || isIt(op); });
  return only;
}
