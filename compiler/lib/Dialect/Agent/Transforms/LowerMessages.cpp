//===- LowerMessages.cpp - Messages and the next work tile ----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A work tile that is found at run time is a message to the roles that wait for
// it, and the next one is asked for. The answer is waited for before the loop
// goes on: when the role ends, no answer is in flight.

#include "RoleCode.h"
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

void agent::lowerPublish(PublishOp op, RoleCode &code) {
  CodeBuilder b(op.getLoc(), op);
  LoweredPipe &pipe = code.getPipe(op.getPipe());
  Position at = getPosition(b, op.getAt());
  Value full = getBarrier(b, pipe.full, at.slot);
  WaitOp::create(b, getBarrier(b, pipe.empty, at.slot), at.phase);
  WriteMessageOp::create(b, pipe.slots, at.slot, op.getThere(), op.getValues());
  ArriveOp::create(b, full, Engine::threads);
  advance(b, op.getAt(), at, pipe.pipe.getSlots());
  op.erase();
}

ReadMessageOp agent::readMessage(CodeBuilder &b, LoweredPipe &pipe,
                                 Value slot) {
  SmallVector<Type> types = {b.getI1Type()};
  llvm::append_range(types, pipe.pipe.getPipe().getType().getPayload());
  return ReadMessageOp::create(b, types, pipe.slots, slot);
}

void agent::lowerReceive(ReceiveOp op, RoleCode &code) {
  CodeBuilder b(op.getLoc(), op);
  LoweredPipe &pipe = code.getPipe(op.getPipe());
  Position at = getPosition(b, op.getAt());
  WaitOp::create(b, getBarrier(b, pipe.full, at.slot), at.phase);
  ReadMessageOp message = readMessage(b, pipe, at.slot);
  // The message is in registers, so its slot is free.
  ArriveOp::create(b, getBarrier(b, pipe.empty, at.slot), Engine::threads);
  advance(b, op.getAt(), at, pipe.pipe.getSlots());
  replace(op, message.getResults());
}

//===----------------------------------------------------------------------===//
// The next work tile
//===----------------------------------------------------------------------===//

namespace {
/// One request for the next work tile.
class Request {
public:
  Request(NextTileOp op, RoleCode &code)
      : op(op), code(code), tile(code.kernel.nextTile), b(op.getLoc(), op) {}

  Value findNext();

private:
  Value request();
  Value count();
  void begin();
  void forAll(llvm::function_ref<void()> request);
  void await();

  NextTileOp op;
  RoleCode &code;
  const NextTile &tile;
  CodeBuilder b;
  /// Of the barrier that the answer comes to.
  Position at;
  Value full;
};
} // namespace

/// Where the answer comes to. In a cluster the full and the empty barrier flip
/// once for each, so one variable counts both.
void Request::begin() {
  at = getPosition(b, op.getAt());
  full = getBarrier(b, tile.full, at.slot);
}

/// The first CTA requests for all, when all have read the tile before.
void Request::forAll(llvm::function_ref<void()> request) {
  Value empty = getBarrier(b, tile.empty, at.slot);
  ArriveOp::create(b, empty, Engine::threads, constant(b, 1));
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, code.rank,
                                        constant(b, 0));
  when(b, isFirst, [&] {
    WaitOp::create(b, empty, at.phase);
    request();
  });
}

/// Waits for the answer.
void Request::await() {
  WaitOp::create(b, full, at.phase);
  advance(b, op.getAt(), at, /*slots=*/1);
}

/// Requests a tile by cluster launch control, and waits for the response.
Value Request::request() {
  begin();
  auto expect = [&] {
    ExpectOp::create(b, full, constant(b, plan::nextTileBytes));
  };
  auto tryCancel = [&] {
    ClcTryCancelOp::create(b, *tile.at, full,
                           /*multicast=*/bool(tile.empty));
  };
  if (!tile.empty) {
    when(b, code.elect(b, Participants::warp), [&] {
      expect();
      tryCancel();
    });
  } else {
    when(b, code.elect(b, Participants::warp), expect);
    forAll([&] { when(b, code.elect(b, Participants::warp), tryCancel); });
  }
  await();
  Value number = ClcQueryOp::create(b, b.getIndexType(), *tile.at);
  // The CTAs of a cluster take neighbors. A rejection is the same for all.
  if (tile.empty) {
    Value none = arith::ConstantIndexOp::create(b, -1);
    Value rejected =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number, none);
    Value own = arith::IndexCastOp::create(b, b.getIndexType(), code.rank);
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
Value Request::count() {
  Type index = b.getIndexType();
  if (!tile.empty)
    return AtomicNextTileOp::create(b, index);
  begin();
  int64_t ctas = code.kernel.roles.getClusterSize();
  forAll([&] {
    Value all = constant(b, (int64_t(1) << ctas) - 1);
    ClusterBroadcastOp::create(b, AtomicNextTileOp::create(b, index), *tile.at,
                               all);
    ArriveOp::create(b, full, Engine::threads, all);
  });
  await();
  Value first =
      arith::MulIOp::create(b, ClusterReceiveOp::create(b, index, *tile.at),
                            arith::ConstantIndexOp::create(b, ctas));
  return arith::AddIOp::create(b, first,
                               arith::IndexCastOp::create(b, index, code.rank));
}

Value Request::findNext() {
  Value ctas = gpu::GridDimOp::create(b, gpu::Dimension::x);
  // Each CTA begins with its own number, and the counter goes on from there.
  if (!code.kernel.arch.clusterLaunchControl)
    return arith::AddIOp::create(b, count(), ctas);
  Value next = arith::AddIOp::create(b, op.getNumber(), ctas);
  // A launch has a CTA for each work tile. With fewer of them, each stands for
  // more work tiles, at the stride of the grid.
  Value more =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, next, op.getCount());
  auto branch = scf::IfOp::create(b, b.getIndexType(), more,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(b, next);
  b.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(b, request());
  return branch.getResult(0);
}

void agent::lowerNextTile(NextTileOp op, RoleCode &code) {
  replace(op, Request(op, code).findNext());
}
