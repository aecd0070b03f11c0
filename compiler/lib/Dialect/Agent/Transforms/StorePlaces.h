//===- StorePlaces.h - Whether stores meet ----------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// TMA stores in any order. So what it stores for a work tile must not meet: no
// two stores, and no two iterations of one. Subtiles of an epilogue don't:
//
//   scf.for %i = 0 to 96 step 48     columns n + 0 and n + 48, 48 wide
//   the rest                         column n + 96, 32 wide
//
// What isn't seen to be apart is taken to meet.
//
// Roles run side by side. Two of them must not store to one place, unless one
// hands something to the other in between.

#ifndef DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_STOREPLACES_H
#define DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_STOREPLACES_H

#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"

namespace drawloom::agent {

/// Whether the elements that a store writes may be written by another store of
/// the work tile, of the same role if there are roles, or by another iteration:
/// then the order matters.
bool needsOrder(tile::StoreOp store);

/// Whether two stores to one argument may write to the same element.
bool mayMeet(tile::StoreOp a, tile::StoreOp b);

/// An error if two roles certainly store to the same element, and nothing says
/// which of them is the last.
mlir::LogicalResult checkStores(SwitchOp roles);

} // namespace drawloom::agent

#endif // DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_STOREPLACES_H
