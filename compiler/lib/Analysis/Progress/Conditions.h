//===- Conditions.h - Looking for a condition on the sizes ----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// When some sizes fail, a grid of small sizes shows which. The points that
// succeed are covered by boxes, boxes that touch the edge of the grid are taken
// to be open there, and each is then proved on its own. So a condition can be
// guessed boldly: what is wrong with the guess, the proof finds.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_LIB_ANALYSIS_PROGRESS_CONDITIONS_H
#define DRAWLOOM_LIB_ANALYSIS_PROGRESS_CONDITIONS_H

#include "Search.h"
#include "drawloom/Analysis/Progress/Prove.h"

namespace drawloom::progress {

struct ConditionResult {
  Condition condition;
  /// Every point of the grid that succeeds is admitted.
  bool exact = true;
  /// The point of the grid that fails and has the least sum.
  std::optional<Sizes> smallestFailure;
  /// A box that could not be proved, and why.
  std::string construct;
  uint64_t states = 0;
  uint64_t runs = 0;
};

ConditionResult findCondition(const Code &code, const ProveLimits &limits);

} // namespace drawloom::progress

#endif // DRAWLOOM_LIB_ANALYSIS_PROGRESS_CONDITIONS_H
