//===- AgentDialect.h - The agent dialect -----------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers the dialect of roles and pipes. AgentOps.h has its operations.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DIALECT_AGENT_IR_AGENTDIALECT_H
#define DRAWLOOM_DIALECT_AGENT_IR_AGENTDIALECT_H

#include "mlir/IR/Dialect.h"

#include "drawloom/Dialect/Agent/IR/AgentDialect.h.inc"

#endif // DRAWLOOM_DIALECT_AGENT_IR_AGENTDIALECT_H
