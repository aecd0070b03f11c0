//===- Multicast.h - Slots that several CTAs fill ------------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Where CTAs of a cluster load the same tile, each loads a part for all. The
// slots of such a pipe are in every CTA, and so are their barriers:
//
//   full    one arrival, of the CTA's own load role, and the bytes of the whole
//           slot, whichever CTAs load them
//   empty   the arrivals of the consumers of every CTA that this one loads for
//
// Multicast goes both ways, so these are also the CTAs whose parts a
// CTA gets.
//
// Where two CTAs multiply together, the first one, the leader, issues MMAs
// for both. Ranks of a pair differ in their last bit, so a pair is a dimension
// of the cluster of its own, the innermost one:
//
//   cluster [4, 2] in pairs   [2, 2, 2]: place in the pair, pair, column
//
//   full    in the leader: one arrival, of its own load role, with the bytes of
//           both CTAs, which both CTAs' copies bring there
//   empty   in each CTA: one arrival of each pair that this CTA loads for
//
// An accumulator's slot is full in both CTAs, and empty in the leader.

#ifndef DRAWLOOM_ANALYSIS_SLOTS_MULTICAST_H
#define DRAWLOOM_ANALYSIS_SLOTS_MULTICAST_H

#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"

namespace drawloom::plan {

/// Whether CTAs that take items of their own multiply in pairs.
bool hasPairs(agent::SwitchOp roles);

/// The CTAs of the cluster along each dimension, ranks counting the first one
/// first; in pairs, that of the pair is one.
llvm::SmallVector<int64_t> getPeerCluster(agent::SwitchOp roles);

/// Which of these dimensions is that of the pair.
int64_t getPairDim(agent::SwitchOp roles);

/// Of these dimensions, those along which CTAs share a tile of a slot, for each
/// tile; none for a tile that each CTA loads for itself.
llvm::SmallVector<llvm::SmallVector<int64_t>> getMulticasts(agent::PipeOp pipe);

/// The operation whose parts CTAs hand to each other through this pipe; null if
/// there is none.
tile::AllGatherOp getGather(agent::PipeOp pipe);

/// The tiles of a slot as each CTA holds them: those that a pair halves are
/// half as large. What is no tile stays as it is.
llvm::SmallVector<mlir::Type> getHeldTypes(agent::PipeOp pipe);

/// Whether CTAs share a tile of its slots.
bool isMulticast(agent::PipeOp pipe);

/// The CTAs along these dimensions.
int64_t countAlong(llvm::ArrayRef<int64_t> cluster,
                   llvm::ArrayRef<int64_t> dims);

/// The CTAs, or pairs, that one CTA loads for, its own among them.
int64_t countReceivers(agent::PipeOp pipe);

} // namespace drawloom::plan

#endif // DRAWLOOM_ANALYSIS_SLOTS_MULTICAST_H
