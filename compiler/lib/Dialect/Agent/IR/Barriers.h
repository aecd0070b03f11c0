//===- Barriers.h - Barriers that wait for more than one role ---*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A barrier that all threads of a CTA or of a cluster must reach hangs inside a
// role, because the other roles run other code.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_LIB_DIALECT_AGENT_IR_BARRIERS_H
#define DRAWLOOM_LIB_DIALECT_AGENT_IR_BARRIERS_H

#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include <optional>

namespace drawloom::agent {

/// The CTAs whose threads must all reach `op`, if it is a barrier of that kind.
std::optional<Scope> getBarrierScope(mlir::Operation *op);

} // namespace drawloom::agent

#endif // DRAWLOOM_LIB_DIALECT_AGENT_IR_BARRIERS_H
