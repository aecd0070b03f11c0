//===- VectorAxes.h - Along which axis vectors run ------------ -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A vector (a tile of rank one) runs along the rows or along the columns of the
// tiles of its role, and that decides which threads have its elements:
//
//   tile.reduce axis 1       drops the columns: the result runs along axis 0
//   tile.expand_dims axis 0  adds rows: the operand runs along axis 1
//
// Operations on elements and loops tie their vectors together. A constant, a
// splat, an iota and a load can be made along either axis, so each use of one
// is on its own. What makes a vector decides before what uses it: a use along
// the other axis is turned, and its elements change threads. Of two that are
// made along different axes and tied together, the second is turned wherever it
// is used.
//
// Invariant: after infer, all vectors that are tied together are used along the
// same axis, but for uses that want the other one.

#ifndef DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_VECTORAXES_H
#define DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_VECTORAXES_H

#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace drawloom::agent {

class VectorAxes {
public:
  /// A vector that nothing ties to an axis runs along `freeAxis`.
  void infer(RoleOp role, unsigned freeAxis);

  /// The axis of a vector that an operation makes.
  unsigned get(mlir::Value vector) const;
  /// The axis along which a vector is used.
  unsigned get(mlir::OpOperand &use) const;
  /// Whether a use is along the other axis than its vector.
  bool isTurned(mlir::OpOperand &use) const {
    return !isRemade(use.get()) && get(use.get()) != get(use);
  }

  /// Whether a tile can be made anew for each use.
  static bool isRemade(mlir::Value tile);

private:
  /// A value, or one use of a value that is made anew.
  using Node = const void *;

  static Node getNode(mlir::OpOperand &use);
  static Node getNode(mlir::Value value) { return value.getAsOpaquePointer(); }
  void visit(mlir::Operation *op);
  void tie(mlir::OpOperand &use, mlir::Value value);
  unsigned lookup(Node node) const;

  struct Anchor {
    Node node;
    unsigned axis;
    /// Null if an operation makes the vector.
    mlir::OpOperand *use;
  };

  llvm::EquivalenceClasses<Node> ties;
  llvm::SmallVector<Anchor> anchors;
  llvm::DenseMap<Node, unsigned> axes;
  /// The axis of each use that wants another one than its vectors have.
  llvm::DenseMap<mlir::OpOperand *, unsigned> turned;
  /// The axis of what is made along another one than it is used.
  llvm::DenseMap<Node, unsigned> made;
  unsigned freeAxis = 0;
};

} // namespace drawloom::agent

#endif // DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_VECTORAXES_H
