//===- MessageOps.h - Messages and work tiles -------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How roles learn about work tiles that are found at run time: through pipes
// after `lower-work-tiles`, and by the protocol after `lower-pipes`.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DIALECT_AGENT_IR_MESSAGEOPS_H
#define DRAWLOOM_DIALECT_AGENT_IR_MESSAGEOPS_H

#include "drawloom/Dialect/Agent/IR/AgentOps.h"

namespace drawloom::agent {
/// The memory that a launch zeroes and passes after all other parameters, on a
/// function that wants some.
inline constexpr llvm::StringLiteral workspaceBytesAttrName =
    "agent.workspace_bytes";
} // namespace drawloom::agent

#define GET_OP_CLASSES
#include "drawloom/Dialect/Agent/IR/AgentMessageOps.h.inc"

#endif // DRAWLOOM_DIALECT_AGENT_IR_MESSAGEOPS_H
