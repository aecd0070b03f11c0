//===- Resources.h - Registers and tensor memory of placed roles ----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A switch whose roles are placed hands registers from some warps to others,
// and takes tensor memory. Both can block, so both are pools of the network.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_LIB_ANALYSIS_AGENTPROGRESS_RESOURCES_H
#define DRAWLOOM_LIB_ANALYSIS_AGENTPROGRESS_RESOURCES_H

#include "drawloom/Analysis/Progress/Network.h"

namespace drawloom::agent {

class SwitchOp;

/// Adds the register reallocation of `setmaxnreg` at the start of each role.
/// The network's roles are those of the switch, in its order. False if a role
/// is on warps that no CTA has.
bool addRegisters(SwitchOp roles, progress::Network &network);

/// Adds the allocation of tensor memory.
void addTensorMemory(SwitchOp roles, progress::Network &network);

} // namespace drawloom::agent

#endif // DRAWLOOM_LIB_ANALYSIS_AGENTPROGRESS_RESOURCES_H
