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

#include "RoleLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

PeersOp RoleLowering::getPeers(ArrayRef<int64_t> along) {
  for (PeersOp known : peers)
    if (known.getAlong() == along)
      return known;
  return {};
}

/// Computed once, where the role starts.
void RoleLowering::findPeers() {
  ArrayRef<int64_t> cluster = cast<SwitchOp>(role->getParentOp())
                                  .getCluster()
                                  .value_or(ArrayRef<int64_t>());
  for (auto &[value, pipe] : pipes) {
    if (!llvm::is_contained(pipe.pipe.getProducers(), role) &&
        !llvm::is_contained(pipe.pipe.getConsumers(), role))
      continue;
    Value all;
    for (ArrayRef<int64_t> along : pipe.multicasts) {
      if (along.empty())
        continue;
      PeersOp some = getPeers(along);
      if (!some) {
        some =
            PeersOp::create(b, b.getI32Type(), b.getI32Type(), cluster, along);
        peers.push_back(some);
      }
      if (!all)
        all = some.getCtas();
      else if (all != some.getCtas())
        all = arith::OrIOp::create(b, all, some.getCtas());
    }
    receivers[value] = all;
  }
}
