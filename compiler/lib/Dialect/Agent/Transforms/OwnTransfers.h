//===- OwnTransfers.h - What a role passes to itself ------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Where one thread issues an MMA and its accumulator is in tensor memory, a
// role that issues MMAs and computes as well passes to itself, through pipes,
// what MMAs read and what they leave, as it would to another role.

#ifndef DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_OWNTRANSFERS_H
#define DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_OWNTRANSFERS_H

#include "Crossing.h"

namespace drawloom::agent {

struct OwnTransfers {
  /// Operands that the role has made itself, and results that it reads.
  llvm::SetVector<mlir::Value> values;
  /// Those that MMAs leave.
  llvm::DenseSet<mlir::Value> results;
};

/// Leaves out accumulators of loops that also compute other tiles, which no
/// produce can hold; check-code rejects them.
OwnTransfers findOwnTransfers(Item &item, const Owners &owners);

} // namespace drawloom::agent

#endif // DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_OWNTRANSFERS_H
