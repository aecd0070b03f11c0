//===- MutateModule.cpp - Other operations, operands and schedules --------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mutator.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::diagnostics;

static constexpr int64_t numbers[] = {0,
                                      1,
                                      2,
                                      3,
                                      7,
                                      8,
                                      16,
                                      32,
                                      64,
                                      65,
                                      100,
                                      128,
                                      256,
                                      1000,
                                      -1,
                                      -64,
                                      int64_t(1) << 40};
static constexpr StringLiteral targets[] = {"sm_90a", "sm_100a", "sm_103a",
                                            "sm_110a"};
static constexpr StringLiteral floatOps[] = {
    "arith.addf", "arith.subf",     "arith.mulf",    "arith.divf",
    "arith.remf", "arith.maximumf", "arith.minnumf", "math.powf"};
static constexpr StringLiteral unaryOps[] = {
    "arith.negf", "math.exp", "math.exp2", "math.rsqrt",
    "math.tanh",  "math.erf", "math.absf"};

namespace {
/// One kind of change. False if there was nothing to change.
using Change = bool (*)(Mutator &, ArrayRef<Operation *>);
} // namespace

/// Values that may be used by `op`: what comes before it in its block and in
/// those around it, up to the function.
static SmallVector<Value> getVisible(Operation *op) {
  SmallVector<Value> values;
  for (Operation *at = op; at && !isa<FunctionOpInterface>(at);
       at = at->getParentOp()) {
    Block *block = at->getBlock();
    if (!block)
      break;
    llvm::append_range(values, block->getArguments());
    for (Operation &other : *block) {
      if (&other == at)
        break;
      llvm::append_range(values, other.getResults());
    }
  }
  return values;
}

static Value findAlike(Mutator &mutator, Operation *at, Type type) {
  SmallVector<Value> alike;
  for (Value value : getVisible(at))
    if (value.getType() == type)
      alike.push_back(value);
  return alike.empty() ? Value() : mutator.choose(alike);
}

static bool swapOperand(Mutator &mutator, ArrayRef<Operation *> ops) {
  Operation *op = mutator.choose(ops);
  if (op->getNumOperands() == 0)
    return false;
  OpOperand &operand = op->getOpOperand(mutator.pick(op->getNumOperands()));
  Value other = findAlike(mutator, op, operand.get().getType());
  if (!other || other == operand.get())
    return false;
  operand.set(other);
  return true;
}

/// Its results are taken from elsewhere; where there is nothing alike, it
/// stays.
static bool drop(Mutator &mutator, ArrayRef<Operation *> ops) {
  Operation *op = mutator.choose(ops);
  if (op->hasTrait<OpTrait::IsTerminator>())
    return false;
  for (Value result : op->getResults()) {
    if (result.use_empty())
      continue;
    Value other = findAlike(mutator, op, result.getType());
    if (!other)
      return false;
    result.replaceAllUsesWith(other);
  }
  op->erase();
  return true;
}

static bool duplicate(Mutator &mutator, ArrayRef<Operation *> ops) {
  Operation *op = mutator.choose(ops);
  if (op->hasTrait<OpTrait::IsTerminator>())
    return false;
  Operation *copy = op->clone();
  op->getBlock()->getOperations().insertAfter(op->getIterator(), copy);
  for (auto [before, after] :
       llvm::zip_equal(op->getResults(), copy->getResults()))
    for (OpOperand &use : llvm::make_early_inc_range(before.getUses()))
      if (use.getOwner() != copy && mutator.chance(0.5))
        use.set(after);
  return true;
}

static bool renameOp(Mutator &mutator, ArrayRef<Operation *> ops) {
  Operation *op = mutator.choose(ops);
  for (ArrayRef<StringLiteral> names :
       {ArrayRef(floatOps), ArrayRef(unaryOps)}) {
    if (!llvm::is_contained(names, op->getName().getStringRef()))
      continue;
    OperationState state(op->getLoc(), mutator.choose(names));
    state.addOperands(op->getOperands());
    state.addTypes(op->getResultTypes());
    OpBuilder builder(op);
    Operation *other = builder.create(state);
    op->replaceAllUsesWith(other);
    op->erase();
    return true;
  }
  return false;
}

static bool changeNumber(Mutator &mutator, ArrayRef<Operation *> ops) {
  Operation *op = mutator.choose(ops);
  Builder builder(op);
  if (auto constant = dyn_cast<arith::ConstantIndexOp>(op)) {
    constant->setAttr("value", builder.getIndexAttr(mutator.choose(numbers)));
  } else if (auto offsets =
                 op->getAttrOfType<DenseI64ArrayAttr>("static_offsets")) {
    SmallVector<int64_t> values(offsets.asArrayRef());
    if (values.empty())
      return false;
    int64_t &value = mutator.choose(values);
    if (!ShapedType::isDynamic(value))
      value = mutator.choose(numbers);
    op->setAttr("static_offsets", builder.getDenseI64ArrayAttr(values));
  } else if (auto loop = dyn_cast<tile::ForEachOp>(op)) {
    SmallVector<int64_t> tiles(loop.getTiles());
    mutator.choose(tiles) = std::max<int64_t>(1, mutator.choose(numbers));
    loop.setTiles(tiles);
  } else {
    return false;
  }
  return true;
}

/// Moves an operation up in its block, or out of its loop, as far as its
/// operands allow.
static bool move(Mutator &mutator, ArrayRef<Operation *> ops) {
  Operation *op = mutator.choose(ops);
  if (op->hasTrait<OpTrait::IsTerminator>())
    return false;
  Operation *to = op->getPrevNode();
  if (!to || mutator.chance(0.3))
    to = op->getParentOp();
  if (!to || isa<FunctionOpInterface, ModuleOp>(to))
    return false;
  SmallVector<Value> visible = getVisible(to);
  bool stays = false;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      stays |= !llvm::is_contained(visible, operand) &&
               !op->isAncestor(operand.getParentRegion()->getParentOp());
  });
  if (stays)
    return false;
  op->moveBefore(to);
  return true;
}

/// Wraps an operation without tile results into a loop, so that it runs as
/// often as an index says.
static bool wrap(Mutator &mutator, ArrayRef<Operation *> ops) {
  Operation *op = mutator.choose(ops);
  if (!isa<tile::StoreOp, scf::ForOp>(op) || op->getNumResults() != 0)
    return false;
  Value low = findAlike(mutator, op, IndexType::get(op->getContext()));
  Value high = findAlike(mutator, op, IndexType::get(op->getContext()));
  if (!low || !high)
    return false;
  OpBuilder builder(op);
  Value step = arith::ConstantIndexOp::create(builder, op->getLoc(),
                                              mutator.choose(numbers));
  auto loop = scf::ForOp::create(builder, op->getLoc(), low, high, step);
  op->moveBefore(loop.getBody()->getTerminator());
  return true;
}

static tile::Schedule makeSchedule(Mutator &mutator, Operation *function) {
  tile::Schedule schedule = tile::getSchedule(function);
  SmallVector<std::string> names = {"operands", "result", "output", "bias"};
  for (BlockArgument argument : function->getRegion(0).getArguments())
    names.push_back(tile::getArgumentName(argument));
  switch (mutator.pick(10)) {
  case 0:
    schedule.persistent = tile::Persistence(mutator.pick(3));
    break;
  case 1:
    schedule.roles = tile::Roles(mutator.pick(3));
    break;
  case 2:
    schedule.fallback = tile::Fallback(mutator.pick(2));
    break;
  case 3:
    schedule.slots.emplace_back(mutator.choose(names), mutator.choose(numbers));
    break;
  case 4:
    schedule.together.push_back({mutator.choose(names), mutator.choose(names)});
    break;
  case 5:
    schedule.cluster = {int64_t(1 + mutator.pick(4)), 1, 1};
    break;
  case 6:
    schedule.warps = 4 * mutator.pick(5);
    break;
  case 7:
    schedule.epilogueTile = mutator.choose(numbers);
    break;
  case 8:
    schedule.tile.assign(2 + mutator.pick(3), 0);
    for (int64_t &size : schedule.tile)
      size = mutator.choose(numbers);
    break;
  case 9:
    schedule.fastMath = mutator.pick(2) == 1;
    break;
  }
  return schedule;
}

static bool reschedule(Mutator &mutator, ArrayRef<Operation *> ops) {
  auto function = ops.front()->getParentOfType<FunctionOpInterface>();
  if (!function || function.isExternal())
    return false;
  tile::Schedule schedule = makeSchedule(mutator, function);
  // A wrong field is the attribute's own rejection, which has its own test.
  if (!schedule.findError().empty())
    return false;
  tile::setSchedule(function, schedule);
  return true;
}

static bool retarget(Mutator &mutator, ArrayRef<Operation *> ops) {
  auto function = ops.front()->getParentOfType<FunctionOpInterface>();
  if (!function)
    return false;
  function->setAttr(
      tile::targetAttrName,
      StringAttr::get(function->getContext(), mutator.choose(targets)));
  return true;
}

static constexpr Change changes[] = {
    swapOperand, swapOperand, drop, duplicate,  renameOp,   changeNumber,
    move,        move,        wrap, reschedule, reschedule, retarget};

void Mutator::mutateModule(ModuleOp module, unsigned count) {
  // Every program has some target; which one is part of the change.
  for (Operation &op : *module.getBody())
    if (!op.hasAttr(tile::targetAttrName) && isa<FunctionOpInterface>(op))
      op.setAttr(tile::targetAttrName,
                 StringAttr::get(module.getContext(), choose(targets)));
  constexpr unsigned attempts = 20;
  for (unsigned done = 0, tried = 0; done < count && tried < attempts;
       ++tried) {
    SmallVector<Operation *> ops;
    module.walk([&](Operation *op) {
      // What is inside a linalg operation is a scalar formula.
      if (!isa<ModuleOp, FunctionOpInterface>(op))
        ops.push_back(op);
    });
    if (ops.empty())
      return;
    done += choose(changes)(*this, ops);
  }
}
