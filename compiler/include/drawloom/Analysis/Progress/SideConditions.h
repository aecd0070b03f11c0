//===- SideConditions.h - What makes a pair of mbarriers a slot -----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The progress model speaks of slots. That a full and an empty mbarrier, waited
// on by several warps, behave as a slot is proved once, under side conditions;
// this checks them, on every pipe, barrier and pool. A network that breaks one
// is outside the model: no verdict on slots says anything about its barriers.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_ANALYSIS_PROGRESS_SIDECONDITIONS_H
#define DRAWLOOM_ANALYSIS_PROGRESS_SIDECONDITIONS_H

#include "drawloom/Analysis/Progress/Network.h"

namespace drawloom::progress {

/// The largest arrival count and the largest number of outstanding bytes of an
/// mbarrier (PTX ISA, mbarrier contents).
constexpr int64_t maxBarrierCount = (int64_t(1) << 20) - 1;

/// A side condition that does not hold.
struct Breach {
  enum class Rule {
    everyWaiterArrives,
    sameArrivalsEachUse,
    arrivalsInRange,
    bytesInRange,
    barrierCountsWarps,
    poolDecides,
    noTakeAfterRelinquish,
    takesOnceFromSharedPool,
    noTakeBeforeLaunchWait,
    staysForPeers
  };

  Rule rule;
  /// In the user's names, with the arithmetic and a way out.
  std::string message;
  std::string location;
};

/// Expects a network without a mistake.
std::vector<Breach> checkSideConditions(const Network &network);

} // namespace drawloom::progress

#endif // DRAWLOOM_ANALYSIS_PROGRESS_SIDECONDITIONS_H
