//===- PipeCode.h - What pipes become ---------------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What a pipe becomes, and what the code of roles has to know of it. That is
// found before the first role is lowered: afterwards its produces and consumes
// are gone.

#ifndef DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_PIPECODE_H
#define DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_PIPECODE_H

#include "drawloom/Analysis/Slots/Accumulators.h"
#include "drawloom/Analysis/Slots/Engines.h"
#include "drawloom/Analysis/Slots/Footprint.h"
#include "drawloom/Dialect/Agent/IR/ProtocolOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"

namespace drawloom::target {
struct Architecture;
} // namespace drawloom::target

namespace drawloom::agent {

/// Whether one CTA of two does the role's part for both.
inline bool actsForPair(RoleOp role) { return role.getScope() == Scope::pair; }

/// What a pipe becomes: memory, and a ring of barriers for each of its ends.
struct LoweredPipe {
  PipeOp pipe;
  plan::BarrierCounts counts;
  plan::SlotFootprint footprint;
  Engine producer;
  llvm::SmallVector<RoleOp, 4> producers, consumers;
  /// For each tile, the dimensions of the cluster along which CTAs share it,
  /// counted with that of the pair.
  llvm::SmallVector<llvm::SmallVector<int64_t>> multicasts;
  /// Where each tile of a slot is; none for a message.
  llvm::SmallVector<tile::BufferType> buffers;
  /// Whether the slots are filled, or emptied, for both CTAs of a pair by one
  /// of them.
  bool isOfPair;
  /// Whether the last commit of a role releases a slot.
  bool isReleasedLast;
  /// Whether a barrier of the role that fills and stores the slots stands for
  /// their mbarriers. The slot that was filled last is the one to store from.
  bool isStaged;
  mlir::Value staged;
  /// No slots for a message without values, no barriers where others stand for
  /// them.
  mlir::Value slots, full, empty;

  bool isMessage() {
    return pipe.getPipe().getType().getMemory() == Memory::message;
  }
  bool inTensorMemory() {
    return pipe.getPipe().getType().getMemory() == Memory::tmem;
  }
};

/// Where the next tile is put, by cluster launch control or by the first CTA of
/// a cluster, and the barrier that says so; nothing without a dynamic tile
/// scheduler. In a cluster the first CTA requests for all, when all have read
/// the tile before.
struct NextTile {
  std::optional<int64_t> at;
  mlir::Value full, empty;
};

/// An accumulator that stays in its slot, and the part of it that threads scale
/// at a time.
struct RescaledPipe {
  plan::Rescaling rescaling;
  mlir::RankedTensorType part;
};

/// What the code of all roles shares.
struct KernelCode {
  const target::Architecture &arch;
  SwitchOp roles;
  /// The CTAs of a cluster along each dimension, with that of the pair.
  llvm::SmallVector<int64_t> cluster;
  llvm::MapVector<mlir::Value, LoweredPipe> pipes;
  NextTile nextTile;
  llvm::SmallVector<RescaledPipe> rescaled;
  /// Stores that are known to begin inside their view.
  llvm::DenseSet<mlir::Operation *> beginInside;
};

/// Makes the memory and the barriers of all pipes, where the builder is.
llvm::FailureOr<KernelCode> lowerMemory(mlir::ImplicitLocOpBuilder &b,
                                        SwitchOp roles,
                                        const target::Architecture &arch);

/// Says what happens before the roles start and after they have ended.
void setUp(mlir::ImplicitLocOpBuilder &b, KernelCode &code);

/// The loop, or the role, after which a consume with a lag gives its last slots
/// back.
mlir::Operation *getLagScope(ConsumeOp op);

/// Whether the last commit of a role releases a slot of this pipe.
bool isReleasedLast(mlir::Value pipe);

} // namespace drawloom::agent

#endif // DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_PIPECODE_H
