//===- Placement.h - What placement goes by ---------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What the passes that place a kernel, the plan and the code generator agree
// about. What they decide stands in attributes of the roles, the pipes and the
// switch (`#agent.place`, `#agent.scratch`, and the table of `agent.switch`).

#ifndef DRAWLOOM_ANALYSIS_SLOTS_PLACEMENT_H
#define DRAWLOOM_ANALYSIS_SLOTS_PLACEMENT_H

#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Target/Architecture.h"

namespace drawloom::plan {

/// Warps that setmaxnreg, wgmma and the lanes of tensor memory take together.
constexpr int64_t warpsPerGroup = target::warpsPerGroup;
constexpr int64_t barrierBytes = 8;
/// What the hardware answers when it is asked for a work tile.
constexpr int64_t nextTileBytes = 16;
/// The same with its barriers: that it has come, and in a cluster also that all
/// CTAs are ready for it.
int64_t getNextTileBytes(agent::SwitchOp roles);
/// The address of an allocation of tensor memory.
constexpr int64_t tensorAddressBytes = 4;

/// Rejects a kernel whose roles are not all that it does: warps take their
/// roles once, in a switch of the kernel's own block, and nothing runs after
/// them.
mlir::LogicalResult checkRolesAreAll(tile::KernelOp kernel);

} // namespace drawloom::plan

#endif // DRAWLOOM_ANALYSIS_SLOTS_PLACEMENT_H
