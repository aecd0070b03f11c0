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
//
// Beside the tiles, one instruction has to fit. ptxas rejects (C7602) a kernel
// whose entry count is below what it needs for an instruction, also where
// setmaxnreg has raised the count by then. ptxas 13.0 asks for
//
// | instruction | its own registers | and |
// |---|---|---|
// | wgmma, A in shared memory | N / 2 of D | 26 |
// | wgmma, A in registers | N / 2 of D, 4 of A | 26 |
// | tcgen05.ld, tcgen05.st | a register for each column | 18 |

#ifndef DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_REGISTERDEMAND_H
#define DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_REGISTERDEMAND_H

#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include <algorithm>

namespace drawloom::target {
struct Architecture;
} // namespace drawloom::target

namespace drawloom::agent {

struct RegisterDemand {
  /// Addresses, phases, loop counters.
  static constexpr int64_t overhead = 40;
  /// What element-wise work keeps of a tile at a time, if it is larger.
  static constexpr int64_t chunk = 64;
  /// What an instruction needs at most beside D or the columns.
  static constexpr int64_t besideWidest = 30;
  /// Copies that a role can issue with these addresses alone, and what it needs
  /// to issue more: each has coordinates and a place of its own.
  static constexpr int64_t fewCopies = 16, forManyCopies = 16;

  /// Registers of a thread for the tiles that are carried through loops, and
  /// the largest of these tiles.
  int64_t held = 0;
  mlir::RankedTensorType largestHeld;
  /// Registers of a thread for the largest tile that is computed.
  int64_t working = 0;
  /// Registers of the widest instruction: of an MMA's D, or of columns of
  /// tensor memory.
  int64_t widest = 0;
  /// Bulk copies that fill the slots of the role's pipes once.
  int64_t copies = 0;

  int64_t beyondOverhead() const {
    return copies > fewCopies ? forManyCopies : 0;
  }
  bool isLight() const { return held == 0 && working == 0 && widest == 0; }
  /// What the CTA has to enter with.
  int64_t leastEntry() const { return widest ? widest + besideWidest : 0; }
  int64_t total() const {
    return std::max(overhead + held + std::min(working, chunk), leastEntry());
  }
};

/// The demand of a role whose tiles have layouts.
RegisterDemand estimateRegisters(RoleOp role, const target::Architecture &arch);

} // namespace drawloom::agent

#endif // DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_REGISTERDEMAND_H
