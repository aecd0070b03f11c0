//===- RegisterDemand.h - How many registers a role holds ----- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// An estimate of the registers that each thread of a role needs, from the tiles
// that it keeps. It is made before there is code, so it counts what no code can
// avoid: tiles that are carried from one iteration to the next (a wgmma's
// accumulator first of all), and a part of the tile that is worked on. What
// lives in tensor memory or goes from memory to memory by an engine takes none.

#ifndef DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_REGISTERDEMAND_H
#define DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_REGISTERDEMAND_H

#include "drawloom/Dialect/Agent/IR/AgentOps.h"

namespace drawloom::target {
struct Architecture;
} // namespace drawloom::target

namespace drawloom::agent {

struct RegisterDemand {
  /// Addresses, phases, loop counters.
  static constexpr int64_t overhead = 40;
  /// What element-wise work keeps of a tile at a time, if it is larger.
  static constexpr int64_t chunk = 64;

  /// Registers of a thread for the tiles that are carried through loops, and
  /// the largest of these tiles.
  int64_t held = 0;
  mlir::RankedTensorType largestHeld;
  /// Registers of a thread for the largest tile that is computed.
  int64_t working = 0;

  bool isLight() const { return held == 0 && working == 0; }
  int64_t total() const {
    return overhead + held + (working < chunk ? working : chunk);
  }
};

/// The demand of a role if it had `warps` warps.
RegisterDemand estimateRegisters(RoleOp role, int64_t warps,
                                 const target::Architecture &arch);

} // namespace drawloom::agent

#endif // DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_REGISTERDEMAND_H
