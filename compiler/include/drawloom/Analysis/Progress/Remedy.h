//===- Remedy.h - What would make a network that hangs end ----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A deadlock is often a matter of a slot more or of a lag less. The engine is
// fast enough to try: each remedy that is offered was proved.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_ANALYSIS_PROGRESS_REMEDY_H
#define DRAWLOOM_ANALYSIS_PROGRESS_REMEDY_H

#include "drawloom/Analysis/Progress/Prove.h"

namespace drawloom::progress {

/// A change of one number.
struct Remedy {
  enum class Kind { slots, lag };

  Kind kind;
  PipeId pipe;
  /// The least number of slots, or the largest lag, with which it is proved.
  int64_t value;
  /// The condition that is left, as text; empty if there is none.
  std::string condition;
  /// Where the pipe is, or the consume with the lag.
  std::string location;
};

/// Changes of one number each with which the network is proved. The failure is
/// one of the network.
std::vector<Remedy> findRemedies(const Network &network, const Failure &failure,
                                 const ProveLimits &limits = {});

} // namespace drawloom::progress

#endif // DRAWLOOM_ANALYSIS_PROGRESS_REMEDY_H
