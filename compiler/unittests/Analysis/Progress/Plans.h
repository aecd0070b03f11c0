//===- Plans.h - The networks of known plans ------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plans of compiler/test/Dialect/Agent/Plans as networks, written as a walk
// over them would write them.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_UNITTESTS_ANALYSIS_PROGRESS_PLANS_H
#define DRAWLOOM_UNITTESTS_ANALYSIS_PROGRESS_PLANS_H

#include "drawloom/Analysis/Progress/Prove.h"

namespace drawloom::progress::test {

/// A verdict as text.
std::string verdictOf(const Network &network);

/// A = B C on Hopper: a load role, and a compute role that stages its output.
Network hopperSingleRole(int64_t operandSlots = 4);
/// With a second load role for the residual.
Network hopperMultiRole(int64_t operandSlots = 4, int64_t residualSlots = 2);
/// Four roles, with the accumulator as a pipe.
Network blackwellMultiRole(int64_t operandSlots = 4, int64_t resultSlots = 2,
                           int64_t residualSlots = 2);
/// A cluster of two CTAs with a dynamic tile scheduler.
Network blackwellPairDynamic(int64_t workSlots = 2, int64_t throttleSlots = 2);
/// Two chained products with a softmax between them: a cycle of roles.
Network attention(int64_t scoreSlots = 2, int64_t probabilitySlots = 2,
                  int64_t leastBlocks = 1);

/// How two compute roles that take turns share the operands.
enum class PingPong { sharedRing, orderedRing, ringForEach };
Network pingPong(PingPong kind, int64_t slots = 4);

} // namespace drawloom::progress::test

#endif // DRAWLOOM_UNITTESTS_ANALYSIS_PROGRESS_PLANS_H
