//===- BarrierProgram.h - What each warp does to which barrier ------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// At given sizes, a role is a list of steps, and each of its warps has its own
// version of it. Slots are gone: content n of a pipe with s slots is use n / s
// of the barrier pair n % s, as generated code would compute it.
//
// Each CTA of a cluster has warps and barriers of its own. Where a pipe is
// shared, the number of arrivals says which barriers there are: none for a full
// barrier that no warp of its CTA waits for, or for an empty one in a CTA that
// fills nothing.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_ANALYSIS_PROGRESS_BARRIERPROGRAM_H
#define DRAWLOOM_ANALYSIS_PROGRESS_BARRIERPROGRAM_H

#include "drawloom/Analysis/Progress/Sizes.h"

namespace drawloom::progress::barriers {

struct WarpStep {
  enum class Kind : uint8_t {
    waitEmpty,
    arriveFull,
    waitFull,
    arriveEmpty,
    arrive,
    wait,
    take,
    give
  };

  Kind kind;
  /// The pipe, barrier or pool. Barriers after the network's own ones are
  /// those among the warps of a role.
  unsigned object;
  /// For a pipe: which content; -1 for one that is never produced. For a
  /// barrier: which of the role's arrivals.
  int64_t number = 0;
  /// How many contents of the pipe this role has had before.
  int64_t index = 0;
  /// For arriveFull: this warp announces the bytes and starts the copies.
  bool announces = false;
  /// The tensor core arrives, some time after this step.
  bool asynchronous = false;
  int64_t amount = 0;
  /// For waitEmpty: nothing is filled any more, the role only stays until its
  /// slots are back.
  bool leaving = false;
};

struct Warp {
  RoleId role;
  unsigned cta;
  unsigned number;
  std::vector<WarpStep> steps;
};

struct PipeBarriers {
  int64_t slots = 1;
  bool shared = false;
  /// CTAs that fill a slot together.
  int64_t fillers = 1;
  /// Arrivals that complete a phase, by the CTA that the barrier is in.
  std::vector<int64_t> fullCounts, emptyCounts;
  bool hasBytes = false;
  /// The bytes of each content.
  std::vector<const Bytes *> bytes;
};

struct BarrierProgram {
  BarrierProgram(const Network &network, const Sizes &sizes);

  std::vector<Warp> warps;
  std::vector<PipeBarriers> pipes;
  /// Warps that complete a phase of each barrier: the network's own, then one
  /// for each role that has a barrier among its warps. Every CTA has them all,
  /// and the pools.
  std::vector<int64_t> barrierCounts;
  std::vector<int64_t> pools;
};

} // namespace drawloom::progress::barriers

#endif // DRAWLOOM_ANALYSIS_PROGRESS_BARRIERPROGRAM_H
