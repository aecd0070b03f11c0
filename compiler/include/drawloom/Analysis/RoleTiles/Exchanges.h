//===- Exchanges.h - Elements that change threads ------------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The tiles of a role have layouts of one family, between which nothing moves.
// Some operations need an element in another thread all the same:
//
//   a reduction    whose elements are in several warps
//   a transpose    of a tile in registers
//   a slice        whose first element is in another thread
//   a vector       that runs along the rows for one use and along the columns
//                  for another
//   an accumulator of 64 rows in tensor memory, read beside others of 128
//
// What stays in its warp goes by shuffles. The rest goes through memory that
// the role has for it, one exchange at a time, and its warps synchronize before
// and after.

#ifndef DRAWLOOM_ANALYSIS_ROLETILES_EXCHANGES_H
#define DRAWLOOM_ANALYSIS_ROLETILES_EXCHANGES_H

#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/Dialect/Tile/IR/Layout.h"

namespace drawloom::target {
struct Architecture;
} // namespace drawloom::target

namespace drawloom::plan {

/// The layout of a transposed tile whose elements stay where they are.
tile::Layout permute(const tile::Layout &layout,
                     llvm::ArrayRef<int64_t> permutation);

/// Bytes of shared memory through which a tile goes from one layout to another:
/// none if it stays in its warps, nothing if there is no way.
std::optional<int64_t> getExchangeBytes(const tile::Layout &from,
                                        const tile::Layout &to,
                                        mlir::Type element);

/// The same for a part of a tile.
std::optional<int64_t> getSliceBytes(mlir::RankedTensorType whole);

/// What a role, whose tiles have layouts, needs for the largest of its
/// exchanges.
int64_t getExchangeBytes(agent::RoleOp role);

/// Whether the warps of a role need a named barrier: to exchange elements, when
/// they have written an operand, or zeros for an accumulator of no MMAs, or
/// stage what TMA stores. `access-memory` numbers them.
bool needsBarrier(agent::RoleOp role, const target::Architecture &arch);

} // namespace drawloom::plan

#endif // DRAWLOOM_ANALYSIS_ROLETILES_EXCHANGES_H
