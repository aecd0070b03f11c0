//===- Crossing.h - What a role needs from others ---------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The part of an item that one role runs: the operations that it owns, copies
// of what no role owns and these need, the loops around all of them, and the
// values that it gets from other roles. The invariant: an operand of something
// in the part is in the part, comes from outside the item, or crosses.

#ifndef DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_CROSSING_H
#define DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_CROSSING_H

#include "Owners.h"
#include "Rejection.h"
#include "llvm/ADT/SetVector.h"

namespace drawloom::agent {

struct Part {
  llvm::DenseSet<mlir::Operation *> ops;
  /// (loop, number) of what a loop carries in this role.
  llvm::DenseSet<std::pair<mlir::Operation *, unsigned>> carried;
  /// Values that other roles own, in the order of the program.
  llvm::SmallSetVector<mlir::Value, 4> crossing;
};

/// The part of each role.
llvm::SmallVector<Part> findParts(Item &item, const Owners &owners);

/// Checks that what crosses can: tiles travel through pipes, scalars do not.
MaybeRejection checkCrossing(Item &item, const Owners &owners,
                             llvm::ArrayRef<Part> parts);

/// Sorts values by where the program makes them.
void sortByProgram(Item &item, llvm::MutableArrayRef<mlir::Value> values);

/// The role that reads a value by this use: the owner of the operation, or of
/// what a loop carries.
int getReader(mlir::OpOperand &use, const Owners &owners);

/// Calls `visit` for every use by which `role` may read the value: by
/// operations that it owns, past copies of what no role owns, and by loops.
void forEachRead(mlir::Value value, int role, const Owners &owners,
                 llvm::function_ref<void(mlir::OpOperand &)> visit);

/// Whether all operations that `role` owns are of a kind.
bool ownsOnly(Item &item, const Owners &owners, int role,
              llvm::function_ref<bool(mlir::Operation *)> isIt);

} // namespace drawloom::agent

#endif // DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_CROSSING_H
