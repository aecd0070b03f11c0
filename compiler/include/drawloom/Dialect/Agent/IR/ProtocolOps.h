//===- ProtocolOps.h - The protocol, written out ----------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What pipes, produces and consumes become in `lower-pipes`: slots are memory,
// barriers are waited for and arrived at, slot and phase are values; and the
// variables that these are before, from `assign-slot-phase` on. They have a
// header of their own, because only the back half needs them.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DIALECT_AGENT_IR_PROTOCOLOPS_H
#define DRAWLOOM_DIALECT_AGENT_IR_PROTOCOLOPS_H

#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/Dialect/Tile/IR/TileTypes.h"

#define GET_OP_CLASSES
#include "drawloom/Dialect/Agent/IR/AgentProtocolOps.h.inc"

#endif // DRAWLOOM_DIALECT_AGENT_IR_PROTOCOLOPS_H
