//===- Search.h - One run for all sizes at once ---------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a network without knowing its sizes. Roles move as long as they can; an
// unknown trip count forks the run. Two states that differ by a shift of
// iterations have the same futures, so a path that comes to a known state ends
// there. If no path is left, the network succeeds at all sizes of the box: the
// states that were seen are the invariant.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_LIB_ANALYSIS_PROGRESS_SEARCH_H
#define DRAWLOOM_LIB_ANALYSIS_PROGRESS_SEARCH_H

#include "LoopClasses.h"
#include "Run.h"

namespace drawloom::progress {

struct SearchResult {
  enum class Kind {
    /// Every path succeeds.
    closed,
    /// A failure, confirmed by a run at its sizes.
    failure,
    /// A failure at sizes that don't exist: the classes are too free.
    spurious,
    /// States don't repeat within the limit.
    open
  };

  Kind kind = Kind::open;
  std::optional<Failure> failure;
  /// open: the trip count that keeps growing.
  std::string construct;
  uint64_t states = 0;
  uint64_t steps = 0;
};

/// Searches the sizes of a box.
SearchResult search(const Code &code, const Box &box, Grain grain,
                    unsigned maxStates);

/// Searches from free classes to exact ones. Never spurious.
SearchResult searchAll(const Code &code, const Box &box, unsigned maxStates);

} // namespace drawloom::progress

#endif // DRAWLOOM_LIB_ANALYSIS_PROGRESS_SEARCH_H
