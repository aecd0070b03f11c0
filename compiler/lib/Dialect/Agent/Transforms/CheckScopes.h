//===- CheckScopes.h - Which roles act for which CTAs -----------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_CHECKSCOPES_H
#define DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_CHECKSCOPES_H

#include "drawloom/Dialect/Agent/IR/AgentOps.h"

namespace drawloom::agent {

/// An error if roles or pipes act for CTAs of a cluster in a way that has no
/// code.
llvm::LogicalResult checkScopes(SwitchOp roles);

} // namespace drawloom::agent

#endif // DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_CHECKSCOPES_H
