//===- PlacedRoles.h - Where code is generated from -------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What the passes that write the protocol out begin with.

#ifndef DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_PLACEDROLES_H
#define DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_PLACEDROLES_H

#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"

namespace drawloom::agent {

/// The roles of a kernel that has a target and places for its warps; an error
/// that names the pass that is missing if it has none.
llvm::FailureOr<SwitchOp> getPlacedRoles(tile::KernelOp kernel);

} // namespace drawloom::agent

#endif // DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_PLACEDROLES_H
