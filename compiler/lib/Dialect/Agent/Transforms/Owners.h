//===- Owners.h - Which role an operation belongs to ------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The answer of assign-roles. An operation of the work tile belongs to one
// role, or to none: then it is cheap or has to be where it is read, and every
// role that needs its results has its own copy (scalars, constants, masks,
// vectors that are loaded in place, transposes of operands). A value that a
// loop carries has an owner of its own, because a loop runs in every role that
// has a part of its body.
//
// Between the two passes the answer is in the text: `agent.owner = @mma` on an
// operation, `agent.owners = [@mma, unit]` on a loop for what it carries, and
// the list of roles in `agent.roles` on the kernel.

#ifndef DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_OWNERS_H
#define DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_OWNERS_H

#include "drawloom/Dialect/Agent/IR/Rules.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"

namespace drawloom::agent {

/// The work tile of a kernel: its innermost body, and the loops over items
/// around it, outermost first.
struct Item {
  tile::KernelOp kernel;
  llvm::SmallVector<tile::ForEachOp, 2> nest;
  mlir::Block *body;

  static Item of(tile::KernelOp kernel);
  /// The loops around `op` inside the item, outermost first.
  llvm::SmallVector<mlir::Operation *, 4> loopsAround(mlir::Operation *op);
};

/// A role before it exists.
struct RoleSpec {
  std::string name;
  int64_t warps = 1;
  /// Who copies what the role loads into its slots.
  Engine loads = Engine::cp_async;
  llvm::SmallVector<Reason> because;
};

class Owners {
public:
  static constexpr int noRole = -1;

  llvm::SmallVector<RoleSpec, 4> roles;

  /// The role of an operation or value: an index into `roles`, or noRole.
  int of(mlir::Operation *op) const { return ops.lookup_or(op, noRole); }
  int of(mlir::Value value) const;
  int ofCarried(mlir::scf::ForOp loop, unsigned index) const {
    return carried.lookup_or({loop, index}, noRole);
  }

  void set(mlir::Operation *op, int role) { ops[op] = role; }
  void setCarried(mlir::scf::ForOp loop, unsigned index, int role) {
    carried[{loop, index}] = role;
  }

  /// Writes the answer into the attributes of the kernel, and reads it back. A
  /// kernel without it, or with one that names no role, is an error.
  void write(tile::KernelOp kernel) const;
  static mlir::FailureOr<Owners> read(tile::KernelOp kernel);
  static void erase(tile::KernelOp kernel);

private:
  llvm::DenseMap<mlir::Operation *, int> ops;
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, int> carried;
};

/// Whether values of this type can travel through a pipe of tiles.
bool isTile(mlir::Type type);

/// The kernel's argument that a view was cut from; null if it is none.
mlir::BlockArgument getArgument(mlir::Value view);

/// The name of a view in the user's program.
std::string getViewName(mlir::Value view);

} // namespace drawloom::agent

#endif // DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_OWNERS_H
