//===- Passes.h - Passes over the 'agent' dialect ------------ -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DIALECT_AGENT_TRANSFORMS_PASSES_H
#define DRAWLOOM_DIALECT_AGENT_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace drawloom::agent {

#define GEN_PASS_DECL
#include "drawloom/Dialect/Agent/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "drawloom/Dialect/Agent/Transforms/Passes.h.inc"

} // namespace drawloom::agent

#endif // DRAWLOOM_DIALECT_AGENT_TRANSFORMS_PASSES_H
