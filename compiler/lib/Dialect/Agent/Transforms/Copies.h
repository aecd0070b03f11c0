//===- Copies.h - Who can copy a tile ---------------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A tile travels between a view and shared memory by TMA if the view's strides,
// its rank and the tile's box are what a tensor map can say, and by the threads
// of a role if not. What the limits are is the architecture's table.

#ifndef DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_COPIES_H
#define DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_COPIES_H

#include "Rejection.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"

namespace drawloom::target {
struct TmaLimits;
} // namespace drawloom::target

namespace drawloom::agent {

/// Why TMA cannot copy the tile; empty if it can.
std::string whyNotTma(tile::LoadOp load, const target::TmaLimits &limits);
std::string whyNotTma(tile::StoreOp store, const target::TmaLimits &limits);

/// Why not even threads can copy it, if so.
MaybeRejection checkThreads(tile::LoadOp load, llvm::StringRef whyNotTma);

} // namespace drawloom::agent

#endif // DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_COPIES_H
