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

#include "RoleCode.h"
#include "drawloom/Analysis/Slots/Multicast.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

PeersOp RoleCode::getPeers(CodeBuilder &b, ArrayRef<int64_t> along) {
  for (PeersOp known : peers)
    if (known.getAlong() == along)
      return known;
  peers.push_back(PeersOp::create(b, b.getI32Type(), b.getI32Type(),
                                  kernel.cluster, along));
  return peers.back();
}

/// The leader is the first of the two, whose rank is even.
void RoleCode::findPair(CodeBuilder &b) {
  Value own = getRank(b);
  leader = arith::AndIOp::create(b, own, constant(b, -2));
  place = arith::AndIOp::create(b, own, constant(b, 1));
  isLeader =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, place, constant(b, 0));
}

Value RoleCode::getRank(CodeBuilder &b) {
  return getPeers(b, llvm::to_vector(llvm::seq<int64_t>(kernel.cluster.size())))
      .getPlace();
}

Value RoleCode::announce(CodeBuilder &b) {
  if (!announces) {
    Value one = elect(b, Participants::warp);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfterValue(isLeader);
    announces = arith::AndIOp::create(b, one, isLeader);
  }
  return announces;
}

/// Whom the role tells when it is done with a slot of a pipe that it fills, or
/// else empties.
Value RoleCode::findSignaled(CodeBuilder &b, LoweredPipe &pipe, bool fills) {
  // Who empties the accumulators of a pair tells its leader.
  if (pipe.isOfPair && !fills && role.getScope() == Scope::cta)
    return arith::ShLIOp::create(b, constant(b, 1), leader);
  Value all;
  for (SmallVector<int64_t> along : pipe.multicasts) {
    // Where copies go, computed before the loops that need it.
    if (pipe.isOfPair && fills && !along.empty())
      (void)getPeers(b, along);
    // What reaches one CTA of a pair goes back for both.
    int64_t pair = plan::getPairDim(kernel.roles);
    if (pipe.isOfPair && !llvm::is_contained(along, pair)) {
      along.push_back(pair);
      llvm::sort(along);
    }
    if (along.empty())
      continue;
    Value some = getPeers(b, along).getCtas();
    if (!all)
      all = some;
    else if (all != some)
      all = arith::OrIOp::create(b, all, some);
  }
  return all;
}

/// Computed once, where the role starts.
void RoleCode::findPeers(CodeBuilder &b) {
  role.walk([&](NextTileOp) {
    if (kernel.nextTile.empty)
      rank = getRank(b);
  });
  for (auto &[value, pipe] : kernel.pipes) {
    bool fills = llvm::is_contained(pipe.producers, role);
    if (!fills && !llvm::is_contained(pipe.consumers, role))
      continue;
    if (pipe.isOfPair && !isLeader)
      findPair(b);
    signaled[value] = findSignaled(b, pipe, fills);
  }
}

void agent::sendParts(CodeBuilder &b, RoleCode &code, tile::AllGatherOp gather,
                      LoweredPipe &pipe, Value slot) {
  ArrayRef<int64_t> along = pipe.multicasts.front();
  PeersOp sharing = code.getPeers(b, along);
  ArrayRef<int64_t> starts = pipe.footprint.offsets;
  int64_t every = 1;
  for (int64_t size : ArrayRef(code.kernel.cluster).take_front(along.front()))
    every *= size;
  auto send = [&](Value part, Value ctas, int64_t count) {
    SendOp::create(b, part, getBuffer(b, pipe, 0, slot), sharing.getPlace(),
                   starts[1] - starts[0], ctas, count, every);
  };
  if (gather.getGiven().size() == 1)
    return send(gather.getGiven().front(), sharing.getCtas(),
                gather.getParts().size());
  // The lowest bit is that of the first of them.
  Value ctas = sharing.getCtas();
  Value first = arith::AndIOp::create(
      b, ctas, arith::SubIOp::create(b, constant(b, 0), ctas));
  for (auto [place, part] : llvm::enumerate(gather.getGiven()))
    send(part, arith::ShLIOp::create(b, first, constant(b, place * every)), 1);
}
