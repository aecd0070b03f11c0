//===- Scratch.h - Memory that MMAs need beside the pipes ----- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// An MMA reads its operands from shared memory and, on the tensor cores with
// a memory of their own, leaves its result there. Most of these tiles are in
// the slots of pipes. A role that loads or computes operands itself, or that
// works on with a result itself, needs room for them: kernels without roles do.
// Elements that change threads need room on their way (Exchanges.h).

#ifndef DRAWLOOM_ANALYSIS_ROLETILES_SCRATCH_H
#define DRAWLOOM_ANALYSIS_ROLETILES_SCRATCH_H

#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace drawloom::target {
struct Architecture;
} // namespace drawloom::target

namespace drawloom::plan {

struct Scratch {
  /// Where the pattern of the widest swizzle starts.
  static constexpr int64_t alignment = 1024;

  agent::RoleOp role;
  /// Operands that are in no slot, each with its first byte.
  llvm::MapVector<mlir::Value, int64_t> operands;
  /// All of them, in each CTA, and after them what an exchange needs.
  int64_t operandBytes = 0, bytes = 0;
  /// Results that go into no slot.
  int64_t columns = 0;
  /// Where they are, once placed.
  int64_t offset = 0;
  int64_t column = 0;
};

Scratch findScratch(agent::RoleOp role, const target::Architecture &arch);

/// The operands of MMAs that scratch memory has, whole. One that wgmma
/// takes from registers is none of them.
llvm::SmallSetVector<mlir::Value, 4>
findScratchOperands(agent::RoleOp role, const target::Architecture &arch);

/// The memory that a tile is in and that no thread has read: a slot's, or that
/// of a transpose or of columns of what is there. Nothing if it is in none.
std::optional<agent::Memory> getMemory(mlir::Value tile);

/// The tile that an operand is, or is a part of: a transpose or a slice is a
/// matter of the descriptor, and a consume hands on what is inside it.
mlir::Value getWhole(mlir::Value operand);

/// The tile that an operand is a transpose of, or itself.
mlir::Value skipTransposes(mlir::Value operand);

} // namespace drawloom::plan

#endif // DRAWLOOM_ANALYSIS_ROLETILES_SCRATCH_H
