//===- Footprint.h - How much room a slot takes --------------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The room that one slot of a pipe takes in each CTA. A tile in a role is the
// tile of the whole cluster, and each CTA holds an equal part of it.
//
// | memory | unit | a tile |
// |---|---|---|
// | smem | bytes | starts where the pattern of its swizzle starts |
// | tmem | columns of 32 bits | 128 rows side by side, then the next 128 |
// | message | bytes | scalars one behind the other, in units of 16 bytes |
//
// Numbers saturate far above any machine: sizes come from the input, and a
// slot that is too large must be rejected, not wrapped around.

#ifndef DRAWLOOM_ANALYSIS_SLOTS_FOOTPRINT_H
#define DRAWLOOM_ANALYSIS_SLOTS_FOOTPRINT_H

#include "drawloom/Dialect/Agent/IR/AgentOps.h"

namespace drawloom::target {
struct Architecture;
} // namespace drawloom::target

namespace drawloom::plan {

/// Bytes and columns stop here.
constexpr int64_t saturated = int64_t(1) << 50;

/// The product of two numbers that are not negative, or `saturated`.
int64_t multiply(int64_t a, int64_t b);

/// The next multiple of `alignment`, or `saturated`.
int64_t alignUp(int64_t value, int64_t alignment);

/// Elements of a tile, or `saturated`.
int64_t countElements(mlir::RankedTensorType type);

/// Bits that an element takes in memory.
int64_t getElementBits(mlir::Type type);

/// What a tile takes in each of `ctas` CTAs: bytes of shared memory, columns of
/// tensor memory.
int64_t getTileBytes(mlir::RankedTensorType tile, int64_t ctas);
int64_t getTileColumns(mlir::RankedTensorType tile, int64_t ctas,
                       const target::Architecture &arch);

/// One slot of a pipe in shared memory, or one message.
struct SlotFootprint {
  /// Where each value starts in the slot.
  llvm::SmallVector<int64_t, 2> offsets;
  /// Bytes of each value.
  llvm::SmallVector<int64_t, 2> bytes;
  /// Bytes of all values, without gaps: what copies deliver.
  int64_t payloadBytes = 0;
  /// Bytes from one slot to the next.
  int64_t stride = 0;
  int64_t alignment = 1;
};

SlotFootprint getSlotFootprint(agent::PipeOp pipe);

/// Fails, with an error at the pipe, if the GPU lacks the pipe's memory.
mlir::LogicalResult checkMemory(agent::PipeOp pipe,
                                const target::Architecture &arch);

/// Columns of tensor memory that one slot of a pipe in tensor memory takes.
int64_t getSlotColumns(agent::PipeOp pipe, const target::Architecture &arch);

/// Loads in flight that hide the latency of memory behind MMAs.
constexpr int64_t wantedAhead = 4;
/// More have never been seen to help.
constexpr int64_t mostAhead = 8;

/// "48 KiB", "12.5 KiB", "144 B".
std::string formatBytes(int64_t bytes);

/// "1 slot", "4 slots".
std::string countSlots(int64_t count);

} // namespace drawloom::plan

#endif // DRAWLOOM_ANALYSIS_SLOTS_FOOTPRINT_H
