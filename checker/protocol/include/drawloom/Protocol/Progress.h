//===- Progress.h - Whether a kernel is deadlock-free -----------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Is a kernel deadlock-free, whatever it is called with? Lanes that use
// barriers in the same order (Paths.h) are a role. Their steps are tried in one
// order, which stands for all (lib/Explore.h), with both answers to everything
// that a launch decides (lib/Decisions.h). Loops are not bounded: the states of
// roles and barriers are finitely many, and what is proved holds for any number
// of iterations.
//
// A state in which no warp can go on is a deadlock. Where what is waited for
// would come from a role that has left, roles had different trip counts; that
// they agree on these is an assumption, and reported as one. So are the bytes
// of tensor maps, and all else that may keep a warp waiting and isn't known.
//
// Invariant: a kernel that is proved without assumptions doesn't hang, if lanes
// of a warp that wait at the same instructions wait together, copies and MMAs
// complete, and no counter wraps.

#ifndef DRAWLOOM_PROTOCOL_PROGRESS_H
#define DRAWLOOM_PROTOCOL_PROGRESS_H

#include "drawloom/Protocol/Claims.h"

namespace drawloom::protocol {

struct ProgressLimits {
  unsigned automaton = 4000; ///< States of a role.
  unsigned states = 400000;  ///< Of all roles and barriers together.
};

struct Progress {
  /// For all runs in which what is assumed holds.
  bool isProved = false;
  std::set<Assumption> assumptions;
  unsigned roles = 0, states = 0;
  std::string why; ///< Of what isn't proved.

  bool isUnconditional() const { return isProved && assumptions.empty(); }
};

/// Expects claims about at least one barrier.
Progress proveProgress(const Claims &claims, const ProgressLimits &limits = {});

/// "proved", "proved if ..." or "not proved: ...".
std::string describe(const Progress &progress);

} // namespace drawloom::protocol

#endif // DRAWLOOM_PROTOCOL_PROGRESS_H
