//===- Progress.h - Whether somebody waits for ever ----------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Does a kernel come to its end, whatever its trip counts? Lanes that use
// mbarriers in the same order (Paths.h) are a role. All orders in which roles
// may go on are tried, with mbarriers that count arrivals and have a parity, as
// the machine's do. Loops are not bounded: the states of roles and barriers
// are finitely many, and what is proved holds for any number of rounds.
//
// A state is stuck if nobody in it can go on. It counts if a circle of roles
// wait for each other, or for an arrival that nobody makes. It doesn't if what
// is waited for would come from a role that has left: then roles had different
// trip counts, and it is taken that they agree on these.
//
// Also taken: lanes that only wait go with those that arrive, and copies and
// products come to their end. Other barriers than mbarriers aren't looked at.

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
