//===- CheckKernel.h - Whether a kernel is ready for code ----- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A kernel can be hand-written, or changed between two passes. What patterns
// assume is checked here, so that none of them fails.

#ifndef DRAWLOOM_LIB_CONVERSION_AGENTTONVVM_CHECKKERNEL_H
#define DRAWLOOM_LIB_CONVERSION_AGENTTONVVM_CHECKKERNEL_H

#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"

namespace drawloom::codegen {

/// An error if a kernel is not as the passes before this one leave it.
llvm::LogicalResult checkKernel(tile::KernelOp kernel);

/// The same for the tiles and buffers of a role.
llvm::LogicalResult checkLayouts(agent::RoleOp role);

} // namespace drawloom::codegen

#endif // DRAWLOOM_LIB_CONVERSION_AGENTTONVVM_CHECKKERNEL_H
