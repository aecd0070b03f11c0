//===- BarrierExplorer.h - Every order of steps, at the level of barriers -===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The second opinion. It reads the same network as the engine and shares no
// code with it. It knows no slots and no FIFOs: it runs the warps of every role
// on mbarriers with phase, pending count and bytes, with waits by parity and
// with copies and tensor cores that finish when they like, and follows every
// order of steps at given sizes. A network that it finds no error in has none
// at these sizes.
//
// Invariant that it checks in every state: a wait by parity passes exactly if
// the phase that it means is complete, and an arrival is counted in the phase
// that it means. That is what makes a pair of barriers a slot.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_ANALYSIS_PROGRESS_BARRIEREXPLORER_H
#define DRAWLOOM_ANALYSIS_PROGRESS_BARRIEREXPLORER_H

#include "drawloom/Analysis/Progress/Sizes.h"

namespace drawloom::progress {

/// A warp that cannot move in a state where nothing can.
struct BlockedWarp {
  enum class Kind { empty, full, barrier, pool };

  RoleId role;
  unsigned cta, warp;
  Kind kind;
  /// The pipe, barrier or pool.
  unsigned object;
  /// Which content of the pipe, or arrival at the barrier, counted by this
  /// role.
  int64_t index;
};

struct Exploration {
  enum class Kind {
    allSucceed,
    stuck,
    wrongPhase,
    unconsumed,
    /// Something comes to a CTA that has left the cluster.
    hasLeft,
    tooLarge
  };

  Kind kind = Kind::allSucceed;
  /// stuck: the warps that cannot move.
  std::vector<BlockedWarp> blocked;
  /// What went wrong first, as text.
  std::string message;
  /// The steps that lead there.
  std::vector<std::string> trace;
  uint64_t states = 0;
};

struct ExploreLimits {
  uint64_t states = uint64_t(1) << 22;
  /// Keep the steps that lead to a failure; costs a word for each state.
  bool trace = false;
};

Exploration explore(const Network &network, const Sizes &sizes,
                    const ExploreLimits &limits = {});

} // namespace drawloom::progress

#endif // DRAWLOOM_ANALYSIS_PROGRESS_BARRIEREXPLORER_H
