//===- Dataflow.h - What depends on what in a work tile ---------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The facts about an item that the rules ask for. All of them follow values
// through operations and around loops: what a loop yields is what its next
// iteration and its users see.

#ifndef DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_DATAFLOW_H
#define DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_DATAFLOW_H

#include "Owners.h"

namespace drawloom::agent {

class Dataflow {
public:
  explicit Dataflow(Item &item);

  bool hasMmas() const { return mmas; }

  /// Whether a value depends on a loaded tile, an MMA, or memory that the
  /// kernel writes. Everything else can be computed again anywhere.
  bool isDerived(mlir::Value value) const { return derived.contains(value); }
  bool isDerived(mlir::Operation *op) const;

  /// Whether a value depends on an MMA.
  bool isAfterMma(mlir::Value value) const { return afterMma.contains(value); }

  /// Whether the kernel stores to what `load` may read.
  bool readsOutput(tile::LoadOp load) const;

  /// Whether `value` leads to an operand of an MMA through operations that
  /// depend on no MMA.
  bool leadsToOperand(mlir::Value value) const;

private:
  using Values = llvm::DenseSet<mlir::Value>;
  void close(Values &values,
             llvm::function_ref<bool(mlir::Operation *)> isSource);

  Item &item;
  bool mmas = false;
  bool storesAnywhere = false;
  Values stored, derived, afterMma;
};

/// Whether the use is an operand of an MMA, a scale included, but not its
/// accumulator.
bool isOperandOfMma(mlir::OpOperand &use);

/// Whether the results of `op` are read by MMAs only, as operands, and `op`
/// only changes how the tile is seen: it is a field of the MMA's
/// descriptor, and reads the tile when the MMA does.
bool goesWithReader(mlir::Operation *op);

/// Calls `visit` for each value that `use` passes its own value on to: the
/// results of its owner, or what a loop carries.
void forEachSuccessor(mlir::OpOperand &use,
                      llvm::function_ref<void(mlir::Value)> visit);

} // namespace drawloom::agent

#endif // DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_DATAFLOW_H
