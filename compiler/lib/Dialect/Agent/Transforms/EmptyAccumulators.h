//===- EmptyAccumulators.h - Accumulators of no MMAs ------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// MMAs of tcgen05 build their accumulator in the slot that is being filled. If
// the loop of MMAs does not run (K = 0), nothing is written, and one warp could
// not write all lanes. So the role that reads the accumulator writes zeros
// there first (LowerConsume.cpp). It computes for itself whether the loop runs:
// the bounds are scalars of the work tile, which every role knows.
//
//   agent.consume %acc as (%r) { ... %r ... }
//
//   agent.consume %acc as (%r) {
//     %runs = arith.cmpi slt, %c0, %K : index
//     %sum = agent.or_zero %r if(%runs) : tensor<128x256xf32>
//     ... %sum ...
//   }

#ifndef DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_EMPTYACCUMULATORS_H
#define DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_EMPTYACCUMULATORS_H

#include "drawloom/Dialect/Agent/IR/AgentOps.h"

namespace drawloom::agent {

/// Adds what is above to every consume of roles that still have their work
/// tiles. check-code has asked whether each of them can tell.
void readEmptyAccumulators(SwitchOp roles);

} // namespace drawloom::agent

#endif // DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_EMPTYACCUMULATORS_H
