//===- Sequence.h - The first work tiles of a plan, event by event --------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Runs the programs of a plan's roles against each other, on paper: who waits
// for which slot, who fills and who releases it, in an order in which it can
// happen. Trip counts that are known only at launch are taken to be small, so
// that the run shows how the slots come round and still fits on a page. It is a
// picture, no proof: that is docs/ProgressModel.md.

#ifndef DRAWLOOM_LIB_ANALYSIS_PRINTPLAN_SEQUENCE_H
#define DRAWLOOM_LIB_ANALYSIS_PRINTPLAN_SEQUENCE_H

#include "drawloom/Analysis/Plan/Plan.h"

namespace drawloom::plan {

/// Sizes of a run.
struct RunSizes {
  int64_t items = 2;
  /// For loops whose trip count is known only at launch.
  int64_t trips = 3;
  /// Constant trip counts above this are cut.
  int64_t longest = 2;
};

struct Event {
  enum class Kind {
    /// The role begins a work tile: `index`.
    Item,
    WaitEmpty,
    Fill,
    WaitFull,
    Release,
    Work
  };

  Kind kind;
  unsigned role;
  unsigned pipe = 0;
  /// The slots of the pipe that were filled before this one; for an item, its
  /// number.
  int64_t index = 0;
  /// Work, and what was done to fill a slot.
  std::string text = {};
};

struct Run {
  std::vector<Event> events;
  RunSizes sizes;
  /// Every role came to its end.
  bool complete = false;
};

/// A run at small sizes: with long loops cut, or whole if the roles don't agree
/// on what is cut.
Run runFirstItems(const Plan &plan);

/// What fills or releases a slot: "TMA load a, b [3], 49152 bytes",
/// "tcgen05.commit", "4 warps arrive".
std::string describeArrival(const Plan &plan, const Event &event);

} // namespace drawloom::plan

#endif // DRAWLOOM_LIB_ANALYSIS_PRINTPLAN_SEQUENCE_H
