//===- Mmas.cpp - Matrix products: legal forms, accumulators --------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Corrections.h"
#include "Dataflow.h"
#include "PrepareItem.h"
#include "drawloom/Dialect/Tile/IR/DescribeMma.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

//===----------------------------------------------------------------------===//
// Legal forms
//===----------------------------------------------------------------------===//

static MaybeRejection checkMma(tile::MmaOp op,
                               const target::Architecture &arch) {
  std::string why = target::whyNoCode(tile::describeMma(op), arch);
  if (why.empty())
    return std::nullopt;
  return Rejection{op.getLoc(), why, {}, /*hasFallback=*/false};
}

MaybeRejection drawloom::agent::checkMmas(Item &item,
                                          const target::Architecture &arch) {
  MaybeRejection rejection;
  item.body->walk([&](tile::MmaOp op) {
    if (!rejection)
      rejection = checkMma(op, arch);
  });
  return rejection;
}

//===----------------------------------------------------------------------===//
// Accumulators
//===----------------------------------------------------------------------===//

bool drawloom::agent::isMma(Value value, const Accumulators &accumulators) {
  auto result = dyn_cast<OpResult>(value);
  return result &&
         (isa<tile::MmaOp>(result.getOwner()) ||
          accumulators.contains({result.getOwner(), result.getResultNumber()}));
}

bool drawloom::agent::isAccumulator(Value value,
                                    const Accumulators &accumulators) {
  if (tile::isZero(value))
    return true;
  if (!value.hasOneUse())
    return false;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getArgNumber() > 0 &&
           accumulators.contains({argument.getOwner()->getParentOp(),
                                  argument.getArgNumber() - 1});
  return isMma(value, accumulators);
}

DenseMap<Operation *, unsigned> drawloom::agent::findStages(Item &item) {
  SmallVector<tile::MmaOp> mmas;
  item.body->walk([&](tile::MmaOp op) { mmas.push_back(op); });
  DenseMap<Operation *, unsigned> stages;
  for (auto [number, mma] : llvm::enumerate(mmas)) {
    unsigned stage = stages[mma];
    ArrayRef<tile::MmaOp> later = ArrayRef(mmas).drop_front(number + 1);
    DenseSet<Value> seen;
    SmallVector<Value> work{mma.getResult()};
    while (!work.empty())
      for (OpOperand &use : work.pop_back_val().getUses()) {
        auto next = dyn_cast<tile::MmaOp>(use.getOwner());
        if (next && isOperandOfMma(use)) {
          if (llvm::is_contained(later, next))
            stages[next] = std::max(stages[next], stage + 1);
          continue;
        }
        forEachSuccessor(use, [&](Value value) {
          if (seen.insert(value).second)
            work.push_back(value);
        });
      }
  }
  return stages;
}

Operation *drawloom::agent::getMma(scf::ForOp loop, unsigned number) {
  auto result = cast<OpResult>(loop.getYieldedValues()[number]);
  auto inner = dyn_cast<scf::ForOp>(result.getOwner());
  return inner ? getMma(inner, result.getResultNumber()) : result.getOwner();
}

/// Whether `value` is the sum of another MMA than one of that stage, whose
/// role has it then.
static bool isOfAnotherStage(Value value, unsigned stage,
                             const Accumulators &accumulators,
                             const DenseMap<Operation *, unsigned> &stages) {
  if (!isMma(value, accumulators))
    return false;
  auto result = cast<OpResult>(value);
  auto loop = dyn_cast<scf::ForOp>(result.getOwner());
  Operation *mma =
      loop ? getMma(loop, result.getResultNumber()) : result.getOwner();
  return stages.lookup(mma) != stage;
}

/// Whether the only use of `value` continues it: an MMA's accumulator,
/// or the first value of a loop.
static bool continues(Value value) {
  if (!value.hasOneUse())
    return false;
  OpOperand &use = *value.use_begin();
  if (auto mma = dyn_cast<tile::MmaOp>(use.getOwner()))
    return &use == &mma.getAccMutable();
  auto loop = dyn_cast<scf::ForOp>(use.getOwner());
  return loop && use.getOperandNumber() >= loop.getNumControlOperands();
}

/// Removes what is none until nothing changes; `starts` says which first values
/// are accepted.
static Accumulators
findAccumulators(Item &item,
                 function_ref<bool(Value, const Accumulators &)> starts) {
  Accumulators set;
  SmallVector<scf::ForOp> loops;
  item.body->walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops)
    for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs()))
      if (continues(argument) && isTile(argument.getType()))
        set.insert({loop, i});
  for (bool changed = true; changed;) {
    changed = false;
    for (scf::ForOp loop : loops)
      for (unsigned i = 0; i < loop.getInitArgs().size(); ++i) {
        Value yielded = loop.getYieldedValues()[i];
        if (!set.contains({loop, i}) ||
            (isMma(yielded, set) && yielded.hasOneUse() &&
             starts(loop.getInitArgs()[i], set)))
          continue;
        set.erase({loop, i});
        changed = true;
      }
  }
  return set;
}

Accumulators drawloom::agent::findAccumulators(Item &item) {
  return ::findAccumulators(item, isAccumulator);
}

static Value addTiles(OpBuilder &builder, Location loc, Value a, Value b) {
  if (isa<FloatType>(cast<RankedTensorType>(a.getType()).getElementType()))
    return arith::AddFOp::create(builder, loc, a, b);
  return arith::AddIOp::create(builder, loc, a, b);
}

static Value makeZero(Item &item, Type type) {
  OpBuilder builder = OpBuilder::atBlockBegin(&item.kernel.getBody().front());
  return arith::ConstantOp::create(builder, item.kernel.getLoc(),
                                   builder.getZeroAttr(type));
}

void drawloom::agent::makeAccumulatorsWhole(
    Item &item, const Corrections &corrections,
    function_ref<void(Operation *, const Reason &)> remark) {
  // An accumulator that starts with something else: add that after the loop.
  Accumulators whatever = ::findAccumulators(
      item, [](Value, const Accumulators &) { return true; });
  Accumulators already = findAccumulators(item);
  DenseMap<Operation *, unsigned> stages = findStages(item);
  SmallVector<scf::ForOp> loops;
  item.body->walk<WalkOrder::PreOrder>(
      [&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops)
    for (unsigned i = 0; i < loop.getInitArgs().size(); ++i) {
      OpOperand &init = loop.getInitArgsMutable()[i];
      if (!whatever.contains({loop, i}))
        continue;
      bool crosses = isOfAnotherStage(
          init.get(), stages.lookup(getMma(loop, i)), whatever, stages);
      if (!crosses &&
          (already.contains({loop, i}) || isAccumulator(init.get(), whatever)))
        continue;
      OpBuilder builder(loop->getContext());
      builder.setInsertionPointAfter(loop);
      Value first = init.get();
      init.set(makeZero(item, first.getType()));
      Value sum = addTiles(builder, loop.getLoc(), loop.getResult(i), first);
      loop.getResult(i).replaceAllUsesExcept(sum, sum.getDefiningOp());
      remark(loop, fire(Rule::StartsAtZero));
    }
  // What is left is no sum of MMAs alone.
  Accumulators accumulators = findAccumulators(item);
  SmallVector<tile::MmaOp> mmas;
  item.body->walk([&](tile::MmaOp op) { mmas.push_back(op); });
  for (tile::MmaOp op : mmas) {
    Value old = op.getAcc();
    if (corrections.isRescaled(op) ||
        (isAccumulator(old, accumulators) &&
         !isOfAnotherStage(old, stages.lookup(op), accumulators, stages)))
      continue;
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    op.getAccMutable().assign(makeZero(item, old.getType()));
    Value sum = addTiles(builder, op.getLoc(), op.getResult(), old);
    op.getResult().replaceAllUsesExcept(sum, sum.getDefiningOp());
    remark(op, fire(Rule::FromZero));
  }
}
