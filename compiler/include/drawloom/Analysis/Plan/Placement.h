//===- Placement.h - Where a plan's decisions are written down  -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The passes that place a kernel write what they decide into the IR, where a
// person can read it and the next pass, the plan and the code generator take it
// from. Warps and registers are clauses of `agent.role`; the rest are
// discardable attributes:
//
// | on | attribute | meaning |
// |---|---|---|
// | switch | agent.warps | warps of a CTA, a multiple of four |
// | switch | agent.holes | warps without a role |
// | switch | agent.entry_registers | of a thread when the kernel starts |
// | switch | agent.shared_bytes | shared memory of a CTA |
// | switch | agent.tensor_columns | columns that are allocated |
// | switch | agent.tensor_address | where the allocation's address is put |
// | switch | agent.grant | where the hardware's answer is put: 16 bytes, then
// |        |             | its barrier |
// | switch | agent.progress | the verdict on progress, by prove-progress |
// | pipe | agent.place | where its slots and barriers are |
// | role | agent.scratch | room for what its products use in no pipe |
// | role, pipe | because | reasons, as "rule: sentence" |
//
// Invariant: offsets are bytes from the start of the CTA's shared memory,
// barriers of a pipe are 8 bytes apart, one for each slot.

#ifndef DRAWLOOM_ANALYSIS_PLAN_PLACEMENT_H
#define DRAWLOOM_ANALYSIS_PLAN_PLACEMENT_H

#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"

namespace drawloom::plan {

inline constexpr llvm::StringLiteral warpsAttrName = "agent.warps";
inline constexpr llvm::StringLiteral holesAttrName = "agent.holes";
inline constexpr llvm::StringLiteral entryRegistersAttrName =
    "agent.entry_registers";
inline constexpr llvm::StringLiteral sharedBytesAttrName = "agent.shared_bytes";
inline constexpr llvm::StringLiteral tensorColumnsAttrName =
    "agent.tensor_columns";
inline constexpr llvm::StringLiteral tensorAddressAttrName =
    "agent.tensor_address";
inline constexpr llvm::StringLiteral grantAttrName = "agent.grant";
inline constexpr llvm::StringLiteral scratchAttrName = "agent.scratch";
inline constexpr llvm::StringLiteral placeAttrName = "agent.place";
/// What prove-progress has found out.
inline constexpr llvm::StringLiteral verdictAttrName = "agent.progress";
inline constexpr llvm::StringLiteral becauseAttrName = "because";

/// Warps that setmaxnreg, wgmma and the lanes of tensor memory take together.
constexpr int64_t warpsPerGroup = 4;
constexpr int64_t barrierBytes = 8;
/// What the hardware answers when it is asked for a work item.
constexpr int64_t grantBytes = 16;
/// The address of an allocation of tensor memory.
constexpr int64_t tensorAddressBytes = 4;

/// Refuses a kernel whose roles are not all that it does: warps take their
/// roles once, in a switch of the kernel's own block, and nothing runs after
/// them.
mlir::LogicalResult checkRolesAreAll(tile::KernelOp kernel);

/// Where a pipe is.
struct Place {
  /// Bytes into shared memory, or, for tensor memory, the first column.
  int64_t start = 0;
  /// From one slot to the next, in the same unit.
  int64_t stride = 0;
  /// The first full and the first empty barrier.
  int64_t full = 0;
  int64_t empty = 0;
  /// The pipe whose bytes these are, if they had another use before.
  std::string reuses;
};

void setPlace(agent::PipeOp pipe, const Place &place);
/// The place of a pipe; nothing if it has none, or one that makes no sense.
std::optional<Place> getPlace(agent::PipeOp pipe);

/// Room of a role beside the pipes: bytes of shared memory and columns of
/// tensor memory.
struct ScratchPlace {
  int64_t offset = 0;
  int64_t bytes = 0;
  int64_t column = 0;
  int64_t columns = 0;
};

void setScratch(agent::RoleOp role, const ScratchPlace &place);
std::optional<ScratchPlace> getScratch(agent::RoleOp role);

/// A number of the switch or of another operation.
void setNumber(mlir::Operation *op, llvm::StringRef name, int64_t value);
std::optional<int64_t> getNumber(mlir::Operation *op, llvm::StringRef name);

/// Adds a reason to a role or a pipe. A rule gives one reason: a second run of
/// a pass replaces what the first one said.
void addBecause(mlir::Operation *op, llvm::StringRef rule,
                const llvm::Twine &sentence);
llvm::SmallVector<llvm::StringRef> getBecause(mlir::Operation *op);

/// Whether a rule has given its reason. What a pass decided in an earlier run
/// looks like a wish of the program in the next one; its reason stays.
bool hasBecause(mlir::Operation *op, llvm::StringRef rule);

} // namespace drawloom::plan

#endif // DRAWLOOM_ANALYSIS_PLAN_PLACEMENT_H
