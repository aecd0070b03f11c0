//===- LowerPeers.cpp - Slots that CTAs fill for each other ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Where CTAs share a tile, each loads a part for all, and the slot is in all of
// them. Its full barrier is in the CTA that waits for it: the own load role
// announces all bytes, and each part that lands brings its own. Its empty
// barrier is in the CTA that loads: all CTAs that get a part arrive there.
//
// No byte comes too early. A CTA sends a part when all that get it have given
// the slot back, so the phase of their full barriers that these bytes belong to
// has begun. It may be over only after the own load role has arrived there.
//
// Of a pair, the leader multiplies for both CTAs. The full barrier is the
// leader's alone: its load role announces the bytes of both CTAs, and copies of
// both tell it. The phase that the peer's bytes count for has begun, because
// the leader's MMAs have read the slot before it went back to both. The
// barriers of accumulators are the other way round: full in both, empty in the
// leader.

#include "RoleLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

PeersOp RoleLowering::getPeers(ArrayRef<int64_t> along) {
  for (PeersOp known : peers)
    if (known.getAlong() == along)
      return known;
  peers.push_back(
      PeersOp::create(b, b.getI32Type(), b.getI32Type(), cluster, along));
  return peers.back();
}

bool RoleLowering::isOfPair(LoweredPipe &pipe) {
  // Messages are for all roles of a CTA, whomever they act for.
  return inPairs && !pipe.isMessage() &&
         (llvm::any_of(pipe.pipe.getProducers(), actsForPair) ||
          llvm::any_of(pipe.pipe.getConsumers(), actsForPair));
}

/// The leader is the first of the two, whose rank is even.
void RoleLowering::findPair() {
  Value own = getRank();
  leader = arith::AndIOp::create(b, own, constant(-2));
  place = arith::AndIOp::create(b, own, constant(1));
  isLeader =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, place, constant(0));
}

Value RoleLowering::getRank() {
  return getPeers(llvm::to_vector(llvm::seq<int64_t>(cluster.size())))
      .getPlace();
}

Value RoleLowering::announce() {
  if (!announces) {
    Value one = elect(Participants::warp);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfterValue(isLeader);
    announces = arith::AndIOp::create(b, one, isLeader);
  }
  return announces;
}

/// Computed once, where the role starts.
void RoleLowering::findPeers() {
  role.walk([&](NextTileOp) {
    if (nextTile.empty && requestsTiles())
      rank = getRank();
  });
  bool isMember = false;
  for (auto &[value, pipe] : pipes) {
    bool fills = llvm::is_contained(pipe.pipe.getProducers(), role);
    if (!fills && !llvm::is_contained(pipe.pipe.getConsumers(), role))
      continue;
    bool ofPair = isOfPair(pipe);
    if (ofPair && !isMember)
      findPair();
    isMember |= ofPair;
    // Who empties the accumulators of a pair tells its leader.
    if (ofPair && !fills && role.getScope() == Scope::cta) {
      signaled[value] = arith::ShLIOp::create(b, constant(1), leader);
      continue;
    }
    Value all;
    for (SmallVector<int64_t> along : pipe.multicasts) {
      // Where copies go, computed before the loops that need it.
      if (ofPair && fills && !along.empty())
        (void)getPeers(along);
      // What reaches one CTA of a pair goes back for both.
      if (ofPair && !llvm::is_contained(along, plan::getPairDim(roles))) {
        along.push_back(plan::getPairDim(roles));
        llvm::sort(along);
      }
      if (along.empty())
        continue;
      Value some = getPeers(along).getCtas();
      if (!all)
        all = some;
      else if (all != some)
        all = arith::OrIOp::create(b, all, some);
    }
    signaled[value] = all;
  }
}

/// This CTA's part goes to the slots of all that gather it; or each of them
/// gets one of its own.
void RoleLowering::sendParts(tile::AllGatherOp gather, LoweredPipe &pipe,
                             Value slot) {
  ArrayRef<int64_t> along = pipe.multicasts.front();
  PeersOp sharing = getPeers(along);
  ArrayRef<int64_t> starts = pipe.footprint.offsets;
  int64_t every = 1;
  for (int64_t size : ArrayRef(cluster).take_front(along.front()))
    every *= size;
  auto send = [&](Value part, Value ctas, int64_t count) {
    SendOp::create(b, map.lookupOrDefault(part), getBuffer(pipe, 0, slot),
                   sharing.getPlace(), starts[1] - starts[0], ctas, count,
                   every);
  };
  if (gather.getGiven().size() == 1)
    return send(gather.getGiven().front(), sharing.getCtas(),
                gather.getParts().size());
  // The lowest bit is that of the first of them.
  Value ctas = sharing.getCtas();
  Value first = arith::AndIOp::create(
      b, ctas, arith::SubIOp::create(b, constant(0), ctas));
  for (auto [place, part] : llvm::enumerate(gather.getGiven()))
    send(part, arith::ShLIOp::create(b, first, constant(place * every)), 1);
}
