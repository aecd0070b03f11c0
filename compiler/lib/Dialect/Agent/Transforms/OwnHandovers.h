//===- OwnHandovers.h - What a role hands to itself -------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Where one thread issues an MMA and its accumulator is in tensor memory, a
// role that issues MMAs and computes as well hands itself what MMAs
// read and what they leave behind, as it would to another role.

#ifndef DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_OWNHANDOVERS_H
#define DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_OWNHANDOVERS_H

#include "Crossing.h"

namespace drawloom::agent {

struct OwnHandovers {
  /// Operands that the role has made itself, and results that it reads.
  llvm::SetVector<mlir::Value> values;
  /// Those that MMAs leave behind.
  llvm::DenseSet<mlir::Value> results;
};

/// Leaves out accumulators of loops that compute other tiles, too, which no
/// produce can hold; check-code refuses them.
OwnHandovers findOwnHandovers(Item &item, const Owners &owners);

} // namespace drawloom::agent

#endif // DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_OWNHANDOVERS_H
