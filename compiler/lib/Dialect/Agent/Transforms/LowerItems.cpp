//===- LowerItems.cpp - Loops over work tiles -----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A role that knows its items beforehand counts: CTA c of C takes c, c + C, ...
// All others find out at run time, and their loops have one form:
//
//   scf.while   is there an item? take its number, or its message; tell others
//   do          the role's body; then the next number
//
// The number of an item is that of a CTA. The CTA's own comes first; after it,
// launch control gives those of CTAs that have not started, and where there is
// no launch control, a counter gives what no CTA has begun with. An item whose
// number is not below the count is none, and a rejection is such a number. So
// the end is found by one comparison, it is a message like the others, and
// no role asks after it.
//
// The answer is waited for before the loop goes on: when the role ends, no
// answer is in flight.

#include "RoleLowering.h"
#include "drawloom/Analysis/Slots/Placement.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

/// Goes to the end of a branch, which has no terminator then: the builder makes
/// one only for branches without results.
static void enterBranch(OpBuilder &b, Block *branch) {
  if (!branch->empty())
    branch->back().erase();
  b.setInsertionPointToEnd(branch);
}

/// The stream of numbers that a loop takes its items from; null if it is a
/// pipe.
static ItemsOp getNumbers(ForEachItemOp op) {
  return op.getSource().getDefiningOp<ItemsOp>();
}

static bool isDynamic(ForEachItemOp op) {
  ItemsOp items = getNumbers(op);
  return items && items.getStream() == Stream::dynamic;
}

bool RoleLowering::requestsTiles(ForEachItemOp op) {
  return isDynamic(op) &&
         (arch.clusterLaunchControl || roles.getClusterSize() > 1);
}

LogicalResult RoleLowering::lowerItems(ForEachItemOp op) {
  // A wait tells one pass of a ring from the next by one bit. A role that does
  // not see the slots between its own items would lose count.
  if (op.getEvery() != 1)
    for (auto [value, end] : findRings(op)) {
      auto found = pipes.find(value);
      if (found == pipes.end() || value == op.getSource())
        continue;
      PipeOp pipe = found->second.pipe;
      if (pipe.getProducers().size() > 1 || pipe.getConsumers().size() > 1)
        return op->emitOpError()
               << "takes one work tile in " << op.getEvery() << " and shares '"
               << pipe.getName()
               << "' with a role that takes others; give each of these roles a "
                  "pipe of its own [dynamic-items]";
    }
  if (isDynamic(op) && role.getWarps() != 1)
    return op->emitOpError() << "takes dynamic work tiles in @"
                             << role.getSymName() << ", of " << role.getWarps()
                             << " warps; one warp asks, and publishes the "
                                "answers to the others [dynamic-items]";
  if (requestsTiles(op) && !nextTile.at)
    return op->emitOpError(
        "has no place for the answer about the next work "
        "tile: code is generated after 'place-memory' [pass-order]");
  startLags(op);
  LogicalResult lowered = getNumbers(op) && !isDynamic(op) && !op.getPublish()
                              ? lowerKnownItems(op)
                              : lowerItemsAsTheyCome(op);
  endLags(op);
  return lowered;
}

/// Binds the values of item `number`, where the builder is.
LogicalResult RoleLowering::locate(ItemsOp items, Value number,
                                   SmallVectorImpl<Value> &values) {
  Block &body = items.getBody().front();
  map.map(body.getArgument(0), number);
  if (failed(lowerBlock(body)))
    return failure();
  for (Value value : body.getTerminator()->getOperands())
    values.push_back(map.lookupOrDefault(value));
  return success();
}

//===----------------------------------------------------------------------===//
// Known beforehand
//===----------------------------------------------------------------------===//

LogicalResult RoleLowering::lowerKnownItems(ForEachItemOp op) {
  ItemsOp items = getNumbers(op);
  SmallVector<RingKey> keys = findRings(op);
  SmallVector<Value> inits;
  pushRings(keys, inits);
  // CTA c of C takes the items c, c + C, ...; this role the ones that are its.
  Value first = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  Value step = gpu::GridDimOp::create(b, gpu::Dimension::x);
  if (op.getEvery() != 1) {
    Value from = arith::ConstantIndexOp::create(b, op.getFrom());
    Value every = arith::ConstantIndexOp::create(b, op.getEvery());
    Value skipped = arith::MulIOp::create(b, step, from);
    first = arith::AddIOp::create(b, first, skipped);
    step = arith::MulIOp::create(b, step, every);
  }
  auto loop = scf::ForOp::create(
      b, first, map.lookupOrDefault(items.getCount()), step, inits);
  {
    OpBuilder::InsertionGuard guard(b);
    enter(b, loop);
    popRings(keys, loop.getRegionIterArgs());
    SmallVector<Value> values;
    if (failed(locate(items, loop.getInductionVar(), values)))
      return failure();
    map.map(op.getBody().getArguments(), values);
    if (failed(lowerBlock(op.getBody().front())))
      return failure();
    b.setLoc(op.getLoc());
    SmallVector<Value> next;
    pushRings(keys, next);
    scf::YieldOp::create(b, next);
  }
  popRings(keys, loop.getResults());
  return success();
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

void RoleLowering::publish(Value value, Value there, ValueRange values) {
  LoweredPipe &pipe = pipes.find(value)->second;
  Ring &ring = rings[{value, Fills}];
  Value full = getBarrier(b, pipe.full, ring.slot);
  WaitOp::create(b, getBarrier(b, pipe.empty, ring.slot), ring.phase);
  WriteMessageOp::create(b, pipe.slots, ring.slot, there, values);
  ArriveOp::create(b, full, Engine::threads);
  advance(pipe, ring);
}

ReadMessageOp RoleLowering::readMessage(LoweredPipe &pipe, Value slot) {
  SmallVector<Type> types = {b.getI1Type()};
  llvm::append_range(types, pipe.pipe.getPipe().getType().getPayload());
  return ReadMessageOp::create(b, types, pipe.slots, slot);
}

Value RoleLowering::receive(Value value, SmallVectorImpl<Value> &values) {
  LoweredPipe &pipe = pipes.find(value)->second;
  Ring &ring = rings[{value, Empties}];
  WaitOp::create(b, getBarrier(b, pipe.full, ring.slot), ring.phase);
  ReadMessageOp message = readMessage(pipe, ring.slot);
  llvm::append_range(values, message.getValues());
  // The message is in registers, so its slot is free.
  ArriveOp::create(b, getBarrier(b, pipe.empty, ring.slot), Engine::threads);
  advance(pipe, ring);
  return message.getThere();
}

//===----------------------------------------------------------------------===//
// As they come
//===----------------------------------------------------------------------===//

/// Whether `number` is an item, and, if so, its values.
FailureOr<Value> RoleLowering::look(ItemsOp items, Value number,
                                    SmallVectorImpl<Value> &values) {
  Value there = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, number,
                                      map.lookupOrDefault(items.getCount()));
  ArrayRef<Type> types = items.getItems().getType().getItem();
  auto branch =
      scf::IfOp::create(b, TypeRange(types), there, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  enterBranch(b, branch.thenBlock());
  SmallVector<Value> located;
  if (failed(locate(items, number, located)))
    return failure();
  b.setLoc(items.getLoc());
  scf::YieldOp::create(b, located);
  enterBranch(b, branch.elseBlock());
  SmallVector<Value> none;
  for (Type type : types)
    none.push_back(arith::ConstantOp::create(b, b.getZeroAttr(type)));
  scf::YieldOp::create(b, none);
  llvm::append_range(values, branch.getResults());
  return there;
}

/// The first CTA requests for all, when all have read the tile before.
void RoleLowering::requestForAll(const Ring &ring,
                                 llvm::function_ref<void()> request) {
  Value empty = getBarrier(b, nextTile.empty, ring.slot);
  ArriveOp::create(b, empty, Engine::threads, constant(1));
  when(arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rank, constant(0)),
       [&] {
         WaitOp::create(b, empty, ring.phase);
         request();
       });
}

/// Waits for the next tile. In a cluster the full and the empty barrier flip
/// once for each, so one ring counts both.
void RoleLowering::awaitNextTile(Ring &ring, Value full) {
  WaitOp::create(b, full, ring.phase);
  Type i32 = b.getI32Type();
  auto next = AdvanceOp::create(b, i32, i32, ring.slot, ring.phase, 1);
  ring.slot = next.getNext();
  ring.phase = next.getNextPhase();
}

/// Requests a tile by cluster launch control, and waits for the response.
Value RoleLowering::requestTile() {
  Ring &ring = rings[{nextTile.full, Empties}];
  Value full = getBarrier(b, nextTile.full, ring.slot);
  auto expect = [&] {
    ExpectOp::create(b, full, constant(plan::nextTileBytes));
  };
  auto request = [&] {
    ClcTryCancelOp::create(b, *nextTile.at, full,
                           /*multicast=*/bool(nextTile.empty));
  };
  if (!nextTile.empty) {
    when(elect(Participants::warp), [&] {
      expect();
      request();
    });
  } else {
    when(elect(Participants::warp), expect);
    requestForAll(ring, [&] { when(elect(Participants::warp), request); });
  }
  awaitNextTile(ring, full);
  Value number = ClcQueryOp::create(b, b.getIndexType(), *nextTile.at);
  // The CTAs of a cluster take neighbors. A rejection is the same for all.
  if (nextTile.empty) {
    Value none = arith::ConstantIndexOp::create(b, -1);
    Value rejected =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number, none);
    Value own = arith::IndexCastOp::create(b, b.getIndexType(), rank);
    Value mine = arith::AddIOp::create(b, number, own);
    number = arith::SelectOp::create(b, rejected, none, mine);
  }
  // All lanes have read the answer before the next one is written there, by
  // another proxy: they meet at the end of the item.
  FenceOp::create(b, Fence::async);
  return number;
}

/// How many numbers the counter has given before this CTA's. Of a cluster the
/// first CTA counts, and broadcasts to all: its number stands for one of each.
Value RoleLowering::countTile() {
  Type index = b.getIndexType();
  if (!nextTile.empty)
    return AtomicNextTileOp::create(b, index);
  Ring &ring = rings[{nextTile.full, Empties}];
  Value full = getBarrier(b, nextTile.full, ring.slot);
  int64_t ctas = roles.getClusterSize();
  requestForAll(ring, [&] {
    Value all = constant((int64_t(1) << ctas) - 1);
    ClusterBroadcastOp::create(b, AtomicNextTileOp::create(b, index),
                               *nextTile.at, all);
    ArriveOp::create(b, full, Engine::threads, all);
  });
  awaitNextTile(ring, full);
  Value first =
      arith::MulIOp::create(b, ClusterReceiveOp::create(b, index, *nextTile.at),
                            arith::ConstantIndexOp::create(b, ctas));
  return arith::AddIOp::create(b, first,
                               arith::IndexCastOp::create(b, index, rank));
}

/// The number that comes after `number`.
Value RoleLowering::findNext(ForEachItemOp op, Value number) {
  Value ctas = gpu::GridDimOp::create(b, gpu::Dimension::x);
  // Each CTA begins with its own number, and the counter goes on from there.
  if (isDynamic(op) && !arch.clusterLaunchControl)
    return arith::AddIOp::create(b, countTile(), ctas);
  Value next = arith::AddIOp::create(b, number, ctas);
  if (!requestsTiles(op))
    return next;
  // A launch has a CTA for each item. With fewer of them, each stands for more
  // items, at the stride of the grid.
  Value more =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, next,
                            map.lookupOrDefault(getNumbers(op).getCount()));
  RingKey key = {nextTile.full, Empties};
  SmallVector<Value> stays = {next};
  pushRings(key, stays);
  auto branch = scf::IfOp::create(b, ValueRange(stays).getTypes(), more,
                                  /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    enterBranch(b, branch.thenBlock());
    scf::YieldOp::create(b, stays);
    enterBranch(b, branch.elseBlock());
    SmallVector<Value> requested = {requestTile()};
    pushRings(key, requested);
    scf::YieldOp::create(b, requested);
  }
  popRings(key, branch.getResults().drop_front());
  return branch.getResult(0);
}

bool RoleLowering::receivesItems() {
  return role
      .walk([](ForEachItemOp loop) {
        return isa<PipeType>(loop.getSource().getType())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The role's body, if the item is its own; always without `mine`.
LogicalResult RoleLowering::lowerTurn(ForEachItemOp op, Value mine,
                                      ArrayRef<RingKey> keys) {
  if (!mine)
    return lowerBlock(op.getBody().front());
  SmallVector<Value> before;
  pushRings(keys, before);
  auto branch = scf::IfOp::create(b, ValueRange(before).getTypes(), mine,
                                  /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    enterBranch(b, branch.elseBlock());
    scf::YieldOp::create(b, before);
    enterBranch(b, branch.thenBlock());
    if (failed(lowerBlock(op.getBody().front())))
      return failure();
    b.setLoc(op.getLoc());
    SmallVector<Value> after;
    pushRings(keys, after);
    scf::YieldOp::create(b, after);
  }
  popRings(keys, branch.getResults());
  return success();
}

/// Finds out whether there is an item, and publishes it to the roles that wait
/// for it: the condition of the loop. The arguments are what the loop carries,
/// of which the rings begin at `ringsAt`.
LogicalResult RoleLowering::takeItem(ForEachItemOp op, ValueRange arguments,
                                     ArrayRef<RingKey> keys, size_t ringsAt) {
  popRings(keys, arguments.drop_front(ringsAt));
  SmallVector<Value> item;
  ItemsOp items = getNumbers(op);
  FailureOr<Value> there = items ? look(items, arguments.front(), item)
                                 : receive(op.getSource(), item);
  if (failed(there))
    return failure();
  b.setLoc(op.getLoc());
  if (op.getPublish())
    publish(op.getPublish(), *there, item);
  SmallVector<Value> state(arguments.take_front(ringsAt));
  pushRings(keys, state);
  llvm::append_range(state, item);
  scf::ConditionOp::create(b, *there, state);
  return success();
}

/// The role's body, and what the loop carries on: the next number, whose turn
/// it is, and the rings. The arguments are what the loop carries and the
/// values of the item.
LogicalResult RoleLowering::lowerItem(ForEachItemOp op, ValueRange arguments,
                                      ArrayRef<RingKey> keys, size_t ringsAt) {
  size_t values = op.getBody().getNumArguments();
  popRings(keys, arguments.drop_front(ringsAt).drop_back(values));
  map.map(op.getBody().getArguments(), arguments.take_back(values));
  Value turn = op.getEvery() != 1 ? arguments[ringsAt - 1] : Value();
  // Of a pair, one CTA acts for both.
  Value mine = actsForPair(role) ? isLeader : Value();
  if (turn) {
    Value own = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, turn,
                                      constant(op.getFrom()));
    mine = mine ? arith::AndIOp::create(b, mine, own).getResult() : own;
  }
  if (failed(lowerTurn(op, mine, keys)))
    return failure();
  b.setLoc(op.getLoc());
  SmallVector<Value> next;
  if (getNumbers(op))
    next.push_back(findNext(op, arguments.front()));
  if (turn) {
    Type i32 = b.getI32Type();
    next.push_back(
        AdvanceOp::create(b, i32, i32, turn, constant(0), op.getEvery())
            .getNext());
  }
  pushRings(keys, next);
  // Lanes synchronize before they go back. Otherwise what ends the body, a
  // branch of one lane or a loop, is the end of this loop as well, and ptxas
  // takes lanes to be apart in all that follows: MMAs by 113 instructions, not
  // 34.
  SyncOp::create(b, Participants::warp);
  scf::YieldOp::create(b, next);
  return success();
}

LogicalResult RoleLowering::lowerItemsAsTheyCome(ForEachItemOp op) {
  SmallVector<RingKey> keys = findRings(op);
  // The loop carries the number, whose turn it is, and the rings.
  SmallVector<Value> inits;
  if (getNumbers(op))
    inits.push_back(gpu::BlockIdOp::create(b, gpu::Dimension::x));
  if (op.getEvery() != 1)
    inits.push_back(constant(0));
  size_t ringsAt = inits.size();
  pushRings(keys, inits);
  SmallVector<Type> carried(ValueRange(inits).getTypes());
  SmallVector<Type> passed = carried;
  llvm::append_range(passed, op.getBody().getArgumentTypes());

  auto loop = scf::WhileOp::create(b, passed, inits);
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Location> places(passed.size(), op.getLoc());
  Block *before =
      b.createBlock(&loop.getBefore(), {}, carried,
                    ArrayRef<Location>(places).take_front(carried.size()));
  if (failed(takeItem(op, before->getArguments(), keys, ringsAt)))
    return failure();
  Block *body = b.createBlock(&loop.getAfter(), {}, passed, places);
  if (failed(lowerItem(op, body->getArguments(), keys, ringsAt)))
    return failure();
  popRings(keys, loop.getResults().slice(ringsAt, carried.size() - ringsAt));
  return success();
}
