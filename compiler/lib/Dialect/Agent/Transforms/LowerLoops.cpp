//===- LowerLoops.cpp - Loops that carry rings ----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoleLowering.h"
#include "drawloom/Analysis/Slots/Accumulators.h"
#include "drawloom/Dialect/Agent/IR/Engines.h"
#include "drawloom/Dialect/Tile/IR/DescribeMma.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

void agent::enter(OpBuilder &b, scf::ForOp loop) {
  if (loop.getBody()->mightHaveTerminator())
    loop.getBody()->getTerminator()->erase();
  b.setInsertionPointToEnd(loop.getBody());
}

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

SmallVector<RoleLowering::RingKey> RoleLowering::findRings(Operation *loop) {
  llvm::SetVector<RingKey> keys;
  loop->walk([&](Operation *op) {
    if (auto produce = dyn_cast<ProduceOp>(op))
      keys.insert({produce.getPipe(), Fills});
    else if (auto consume = dyn_cast<ConsumeOp>(op))
      for (Value pipe : consume.getPipes())
        keys.insert({pipe, Empties});
  });
  loop->walk([&](Operation *op) {
    if (auto receive = dyn_cast<ReceiveOp>(op))
      keys.insert({receive.getPipe(), Empties});
    else if (isa<NextTileOp>(op) && requestsTiles())
      keys.insert({nextTile.full, Empties});
  });
  loop->walk([&](PublishOp op) { keys.insert({op.getPipe(), Fills}); });
  return keys.takeVector();
}

void RoleLowering::pushRings(ArrayRef<RingKey> keys,
                             SmallVectorImpl<Value> &values) {
  for (const RingKey &key : keys) {
    Ring &ring = rings[key];
    values.append({ring.slot, ring.phase});
    llvm::append_range(values, ring.kept);
  }
}

void RoleLowering::popRings(ArrayRef<RingKey> keys, ValueRange values) {
  for (const RingKey &key : keys) {
    Ring &ring = rings[key];
    ring.slot = values[0];
    ring.phase = values[1];
    values = values.drop_front(2);
    for (Value &kept : ring.kept) {
      kept = values.front();
      values = values.drop_front();
    }
  }
}

Operation *agent::getLagScope(ConsumeOp op) {
  Operation *scope = op->getParentOp();
  while (!isa<scf::ForOp, scf::WhileOp, RoleOp>(scope))
    scope = scope->getParentOp();
  return scope;
}

static void forEachLag(Operation *scope,
                       llvm::function_ref<void(ConsumeOp, Value)> visit) {
  scope->walk([&](ConsumeOp op) {
    if (op.getLag() > 0 && getLagScope(op) == scope)
      for (Value pipe : op.getPipes())
        visit(op, pipe);
  });
}

void RoleLowering::startLags(Operation *scope) {
  forEachLag(scope, [&](ConsumeOp op, Value value) {
    Ring &ring = rings[{value, Empties}];
    ring.kept.assign(op.getLag(), constant(-1));
  });
}

void RoleLowering::endLags(Operation *scope) {
  bool multiplies = false;
  forEachLag(scope, [&](ConsumeOp op, Value) {
    multiplies |= isMultipliedByWarpGroups(op);
  });
  if (multiplies)
    DrainOp::create(b, Work::wgmma, 0);
  forEachLag(scope, [&](ConsumeOp op, Value value) {
    LoweredPipe &pipe = pipes.find(value)->second;
    Ring &ring = rings[{value, Empties}];
    for (Value oldest : llvm::reverse(ring.kept))
      when(isSlot(oldest), [&] { release(op, pipe, oldest, 0); });
    ring.kept.clear();
  });
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Whether a value is an accumulator in tensor memory, which MMAs build
/// where it is.
bool RoleLowering::isInTensorMemory(Value value) {
  return isa<RankedTensorType>(value.getType()) &&
         plan::isTcgen05Mma(getMaker(value), arch);
}

/// What a loop carries of `values`, which it starts with, or yields.
LogicalResult RoleLowering::carry(scf::ForOp op, ValueRange values,
                                  SmallVectorImpl<Value> &carried) {
  for (auto [result, value] : llvm::zip_equal(op.getResults(), values)) {
    if (!isInTensorMemory(result)) {
      carried.push_back(map.lookupOrDefault(value));
      continue;
    }
    if (Value there = filled.lookup(value))
      carried.push_back(there);
    else if (tile::isZero(value))
      carried.push_back(constant(0, 1));
    else
      return plan::rejectStart(op);
  }
  return success();
}

void RoleLowering::bindCarried(ValueRange to, ValueRange from) {
  for (auto [value, carried] : llvm::zip_equal(to, from))
    if (value.getType() != carried.getType())
      filled[value] = carried;
    else
      map.map(value, carried);
}

LogicalResult RoleLowering::lowerFor(scf::ForOp op) {
  startLags(op);
  SmallVector<RingKey> keys = findRings(op);
  SmallVector<Value> inits;
  pushRings(keys, inits);
  size_t ringCount = inits.size();
  if (failed(carry(op, op.getInitArgs(), inits)))
    return failure();
  auto loop = scf::ForOp::create(b, map.lookupOrDefault(op.getLowerBound()),
                                 map.lookupOrDefault(op.getUpperBound()),
                                 map.lookupOrDefault(op.getStep()), inits,
                                 nullptr, op.getUnsignedCmp());
  loop->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  {
    OpBuilder::InsertionGuard guard(b);
    enter(b, loop);
    map.map(op.getInductionVar(), loop.getInductionVar());
    ValueRange carried = loop.getRegionIterArgs();
    popRings(keys, carried.take_front(ringCount));
    bindCarried(op.getRegionIterArgs(), carried.drop_front(ringCount));
    if (failed(lowerBlock(*op.getBody())))
      return failure();
    b.setLoc(op.getLoc());
    SmallVector<Value> next;
    pushRings(keys, next);
    if (failed(carry(op, op.getBody()->getTerminator()->getOperands(), next)))
      return failure();
    scf::YieldOp::create(b, next);
  }
  ValueRange results = loop.getResults();
  popRings(keys, results.take_front(ringCount));
  bindCarried(op.getResults(), results.drop_front(ringCount));
  endLags(op);
  return success();
}

LogicalResult RoleLowering::lowerWhile(scf::WhileOp op) {
  startLags(op);
  SmallVector<RingKey> keys = findRings(op);
  SmallVector<Value> inits;
  for (Value init : op.getInits())
    inits.push_back(map.lookupOrDefault(init));
  size_t ringsAt = inits.size();
  pushRings(keys, inits);
  SmallVector<Type> types(ValueRange(inits).getTypes());
  size_t ringCount = types.size() - ringsAt;
  SmallVector<Type> passed(types);
  llvm::append_range(passed,
                     TypeRange(op.getResultTypes()).drop_front(ringsAt));
  auto bind = [&](ValueRange to, ValueRange from) {
    popRings(keys, from.drop_front(ringsAt));
    map.map(to.take_front(ringsAt), from.take_front(ringsAt));
    map.map(to.drop_front(ringsAt), from.drop_front(ringsAt + ringCount));
  };
  auto collect = [&](ValueRange values) {
    SmallVector<Value> collected;
    for (Value value : values)
      collected.push_back(map.lookupOrDefault(value));
    SmallVector<Value> rings;
    pushRings(keys, rings);
    collected.insert(collected.begin() + ringsAt, rings.begin(), rings.end());
    return collected;
  };
  auto loop = scf::WhileOp::create(b, passed, inits);
  {
    OpBuilder::InsertionGuard guard(b);
    Block *before =
        b.createBlock(&loop.getBefore(), {}, types,
                      SmallVector<Location>(types.size(), op.getLoc()));
    bind(op.getBeforeArguments(), before->getArguments());
    if (failed(lowerBlock(*op.getBeforeBody())))
      return failure();
    b.setLoc(op.getLoc());
    scf::ConditionOp condition = op.getConditionOp();
    scf::ConditionOp::create(b, map.lookupOrDefault(condition.getCondition()),
                             collect(condition.getArgs()));
    Block *after =
        b.createBlock(&loop.getAfter(), {}, passed,
                      SmallVector<Location>(passed.size(), op.getLoc()));
    bind(op.getAfterArguments(), after->getArguments());
    if (failed(lowerBlock(*op.getAfterBody())))
      return failure();
    b.setLoc(op.getLoc());
    scf::YieldOp::create(b, collect(op.getYieldOp().getOperands()));
  }
  bind(op.getResults(), loop.getResults());
  endLags(op);
  return success();
}

LogicalResult RoleLowering::lowerIf(scf::IfOp op) {
  SmallVector<RingKey> keys = findRings(op);
  SmallVector<Value> before;
  pushRings(keys, before);
  auto branch = scf::IfOp::create(b, ValueRange(before).getTypes(),
                                  map.lookupOrDefault(op.getCondition()),
                                  /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    auto enterBranch = [&](Block *block) {
      if (!block->empty())
        block->back().erase();
      b.setInsertionPointToEnd(block);
    };
    enterBranch(branch.elseBlock());
    scf::YieldOp::create(b, before);
    enterBranch(branch.thenBlock());
    if (failed(lowerBlock(*op.thenBlock())))
      return failure();
    b.setLoc(op.getLoc());
    SmallVector<Value> after;
    pushRings(keys, after);
    scf::YieldOp::create(b, after);
  }
  popRings(keys, branch.getResults());
  return success();
}
