//===- Engines.h - What an engine can do with a slot ------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slot is filled and emptied by the warps of a role or by an engine that one
// thread starts. `by(...)` on `agent.produce` and `agent.consume` says which;
// `assign-engines` is the only pass that decides it, and counts, bytes, the
// proof, the plan and the code read it.
//
// The predicates say what follows from the values of a slot alone. They are
// what the verifier asks, and what the pass chooses by.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DIALECT_AGENT_IR_ENGINES_H
#define DRAWLOOM_DIALECT_AGENT_IR_ENGINES_H

#include "drawloom/Dialect/Agent/IR/AgentOps.h"

namespace drawloom::agent {

/// The operation that computes `value`: through loops, consumes and branches
/// to the one that makes it in the end. Null for an argument of a block.
mlir::Operation *getMaker(mlir::Value value);

/// Whether a `tile.load` of the produce's own block makes the value, so that
/// a copy can bring it right into the slot.
bool isLoadedHere(mlir::Value value, ProduceOp op);

/// Whether an MMA makes the value in the end.
bool isMma(mlir::Value value);

/// Whether the value has uses and each of them ends in an MMA. A transpose
/// or a slice is a matter of the descriptor.
bool feedsMmasOnly(mlir::Value value);

/// Whether a `tile.store` of the block stores the argument as it is, so that a
/// bulk store can take it from the slot.
bool isStoredHere(mlir::BlockArgument argument);

/// Whether TMA stores a tile from a slot.
bool isStoredByTma(tile::StoreOp store);

/// An error if an end of one of the switch's pipes doesn't say who works:
/// whatever reads the engines comes after `assign-engines`.
llvm::LogicalResult requireEngines(SwitchOp roles);

} // namespace drawloom::agent

#endif // DRAWLOOM_DIALECT_AGENT_IR_ENGINES_H
