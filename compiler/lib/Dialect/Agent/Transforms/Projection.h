//===- Projection.h - A role's own copy of the item -------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A role runs the work tile's program with everything left out that is not its
// part. The copy keeps the order and the loops, so roles take the slots of a
// pipe in the same order. Regions are put around the copy afterwards:
//
// - a consume reaches from the first to the last read of its slot, in the block
//   that makes the values. Regions that overlap in part are made to nest;
// - a produce holds the loads or the MMA that fill the slot, or stands
//   after what computes the values.

#ifndef DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_PROJECTION_H
#define DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_PROJECTION_H

#include "Pipes.h"
#include "mlir/IR/IRMapping.h"

namespace drawloom::agent {

/// The copy of the item in one role.
struct Projection {
  int role;
  mlir::Block *body;
  /// From the item to the copy. A value that crosses is mapped to a stand-in
  /// until a consume gives the real one.
  mlir::IRMapping mapping;
  llvm::SmallVector<mlir::Operation *> standIns;
};

/// Copies the part of a role to the end of `body`, whose arguments are the
/// offsets of the item's loops.
Projection project(Item &item, const Part &part, int role, mlir::Block *body);

/// Puts the role's produces, staged stores and consumes into the copy.
/// `channels`, `stagings` and `exchanges` are the pipes in the order of
/// `pipes`.
void addRegions(Projection &projection, const Pipes &pipes,
                llvm::ArrayRef<mlir::Value> channels,
                llvm::ArrayRef<mlir::Value> stagings,
                llvm::ArrayRef<mlir::Value> exchanges);

} // namespace drawloom::agent

#endif // DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_PROJECTION_H
