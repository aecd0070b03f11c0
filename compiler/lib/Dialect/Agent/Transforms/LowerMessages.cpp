//===- LowerMessages.cpp - Messages and the next work tile ----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The answer about the next work tile is waited for before the loop goes on:
// when the role ends, no answer is in flight.

#include "RoleLowering.h"
#include "drawloom/Analysis/Slots/Placement.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

void RoleLowering::lowerPublish(PublishOp op) {
  LoweredPipe &pipe = pipes.find(op.getPipe())->second;
  Ring &ring = rings[{op.getPipe(), Fills}];
  SmallVector<Value> values;
  for (Value value : op.getValues())
    values.push_back(map.lookupOrDefault(value));
  Value full = getBarrier(b, pipe.full, ring.slot);
  WaitOp::create(b, getBarrier(b, pipe.empty, ring.slot), ring.phase);
  WriteMessageOp::create(b, pipe.slots, ring.slot,
                         map.lookupOrDefault(op.getThere()), values);
  ArriveOp::create(b, full, Engine::threads);
  advance(pipe, ring);
}

ReadMessageOp RoleLowering::readMessage(LoweredPipe &pipe, Value slot) {
  SmallVector<Type> types = {b.getI1Type()};
  llvm::append_range(types, pipe.pipe.getPipe().getType().getPayload());
  return ReadMessageOp::create(b, types, pipe.slots, slot);
}

void RoleLowering::lowerReceive(ReceiveOp op) {
  LoweredPipe &pipe = pipes.find(op.getPipe())->second;
  Ring &ring = rings[{op.getPipe(), Empties}];
  WaitOp::create(b, getBarrier(b, pipe.full, ring.slot), ring.phase);
  ReadMessageOp message = readMessage(pipe, ring.slot);
  map.map(op.getResults(), message.getResults());
  // The message is in registers, so its slot is free.
  ArriveOp::create(b, getBarrier(b, pipe.empty, ring.slot), Engine::threads);
  advance(pipe, ring);
}

//===----------------------------------------------------------------------===//
// The next work tile
//===----------------------------------------------------------------------===//

/// Goes to the end of a branch, which has no terminator then: the builder makes
/// one only for branches without results.
static void enterBranch(OpBuilder &b, Block *branch) {
  if (!branch->empty())
    branch->back().erase();
  b.setInsertionPointToEnd(branch);
}

bool RoleLowering::requestsTiles() {
  return arch.clusterLaunchControl || roles.getClusterSize() > 1;
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

void RoleLowering::lowerNextTile(NextTileOp op) {
  Value ctas = gpu::GridDimOp::create(b, gpu::Dimension::x);
  // Each CTA begins with its own number, and the counter goes on from there.
  if (!arch.clusterLaunchControl) {
    map.map(op.getNext(),
            arith::AddIOp::create(b, countTile(), ctas).getResult());
    return;
  }
  Value next =
      arith::AddIOp::create(b, map.lookupOrDefault(op.getNumber()), ctas);
  // A launch has a CTA for each item. With fewer of them, each stands for more
  // items, at the stride of the grid.
  Value more = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, next,
                                     map.lookupOrDefault(op.getCount()));
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
  map.map(op.getNext(), branch.getResult(0));
}
