//===- PromoteVariables.h - Variables become values -------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Variables of a role, which it reads and sets in loops and branches, become
// values that loops carry and branches give:
//
//   %v = agent.variable "v" [0]
//   scf.for %i = ... {                  %r = scf.for %i = ... iter_args(%x =
//   %c0) -> (i32) {
//     %x = agent.get %v : i32
//     agent.set %v, %y : i32              scf.yield %y : i32
//   }                                   }
//
// Upstream's mem2reg does this for branches between blocks; through the regions
// of scf it does not.

#ifndef DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_PROMOTEVARIABLES_H
#define DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_PROMOTEVARIABLES_H

#include "mlir/IR/Block.h"

namespace drawloom::agent {

/// Promotes the variables that are used in the block, and erases them. A loop
/// carries those that it sets in the order that is given.
void promoteVariables(mlir::Block &block, llvm::ArrayRef<mlir::Value> order);

} // namespace drawloom::agent

#endif // DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_PROMOTEVARIABLES_H
