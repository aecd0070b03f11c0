//===- Prove.h - The verdict on a network's progress ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The two questions: does the kernel end at these sizes, and does it end at all
// sizes? docs/ProgressModel.md has the model and the argument.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_ANALYSIS_PROGRESS_PROVE_H
#define DRAWLOOM_ANALYSIS_PROGRESS_PROVE_H

#include "drawloom/Analysis/Progress/Verdict.h"

namespace drawloom::progress {

struct ProveLimits {
  /// States that one proof may visit before it is given up.
  unsigned states = 20000;
  /// Steps that all proofs for a condition may make together.
  uint64_t conditionSteps = 4'000'000;
  /// Points of the grid that a condition is looked for on.
  unsigned points = 4096;
  /// Boxes that are tried for a condition.
  unsigned boxes = 64;
};

/// The verdict for all sizes of a network.
Verdict prove(const Network &network, const ProveLimits &limits = {});

/// What fails at these sizes, or nothing. Expects a network without a mistake
/// (`findMistake`) and pools that the model decides.
std::optional<Failure> run(const Network &network, const Sizes &sizes);

} // namespace drawloom::progress

#endif // DRAWLOOM_ANALYSIS_PROGRESS_PROVE_H
