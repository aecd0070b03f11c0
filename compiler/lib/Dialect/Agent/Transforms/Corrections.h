//===- Corrections.h - Accumulators that are rescaled in place --*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A loop may scale the rows of an accumulator between two MMAs, as online
// softmax does where a maximum grows:
//
//   scf.for ... iter_args(%acc = %zeros) {
//     %old = arith.mulf %acc, %factors    one for each row
//     %new = tile.mma %p, %v, %old
//     scf.yield %new
//
// Such an accumulator stays in tensor memory. A role of its own, the
// correction, scales it there and computes what becomes of it after the loop,
// so that neither the role that computes the factors nor the MMAs of the next
// scores wait for this one.

#ifndef DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_CORRECTIONS_H
#define DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_CORRECTIONS_H

#include "Owners.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"

namespace drawloom::target {
struct Architecture;
} // namespace drawloom::target

namespace drawloom::agent {

class Corrections {
public:
  /// An operation, or (loop, 1 + number) for what a loop carries.
  using Node = std::pair<mlir::Operation *, unsigned>;

  Corrections() = default;
  /// Finds the accumulators of an item that can stay in tensor memory.
  Corrections(Item &item, const target::Architecture &arch);

  /// Whether the accumulator of an MMA is one of them.
  bool isRescaled(tile::MmaOp mma) const { return mmas.contains(mma); }
  /// Whether the correction computes a node.
  bool contains(Node node) const { return nodes.contains(node); }

private:
  llvm::DenseSet<mlir::Operation *> mmas;
  llvm::DenseSet<Node> nodes;
};

} // namespace drawloom::agent

#endif // DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_CORRECTIONS_H
