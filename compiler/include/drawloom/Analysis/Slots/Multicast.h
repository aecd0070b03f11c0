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
//           slot, whoever has loaded them
//   empty   the arrivals of the consumers of every CTA that this one loads for
//
// Who loads for whom goes both ways, so these are also the CTAs whose parts a
// CTA gets.

#ifndef DRAWLOOM_ANALYSIS_SLOTS_MULTICAST_H
#define DRAWLOOM_ANALYSIS_SLOTS_MULTICAST_H

#include "drawloom/Dialect/Agent/IR/AgentOps.h"

namespace drawloom::plan {

/// The dimensions of the cluster along which CTAs share a tile of a slot, for
/// each tile; empty for a tile that each CTA loads for itself.
llvm::SmallVector<llvm::ArrayRef<int64_t>> getMulticasts(agent::PipeOp pipe);

/// Whether CTAs share a tile of its slots.
bool isMulticast(agent::PipeOp pipe);

/// The CTAs along these dimensions.
int64_t countAlong(llvm::ArrayRef<int64_t> cluster,
                   llvm::ArrayRef<int64_t> dims);

/// The CTAs that one CTA loads for, itself among them.
int64_t countReceivers(agent::PipeOp pipe);

} // namespace drawloom::plan

#endif // DRAWLOOM_ANALYSIS_SLOTS_MULTICAST_H
