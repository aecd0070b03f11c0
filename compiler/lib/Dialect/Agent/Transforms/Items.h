//===- Items.h - The stream of a kernel's work tiles ------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Loops over items become one numbered stream. With one loop the number is
// taken apart into the tile's coordinates. With nested loops, whose extents may
// differ from group to group, the tiles of the outer loop are walked until the
// one is found that holds the number: the stream is (group, m, n), in the order
// of the program.
//
// CTAs take neighboring numbers at the same time, so what they load meets in
// the L2 cache if their tiles form a block and not a row. The last two
// dimensions are therefore walked in bands of 16 rows of tiles, down each
// column of the band first.
//
// In a cluster of C CTAs, C numbers that follow each other are neighboring
// tiles: a band is one of clusters then, and the place of a CTA in its cluster
// is its number modulo C, the first dimension first. A grid is whole clusters,
// so a CTA keeps its place. The count is rounded up to whole clusters, and
// tiles beyond an edge read as padding and store nothing.

#ifndef DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_ITEMS_H
#define DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_ITEMS_H

#include "Owners.h"
#include "drawloom/Dialect/Agent/IR/AgentOps.h"

namespace drawloom::agent {

/// Makes the stream of the item's loops, whose items are the offsets of all
/// loops, outermost first. The cluster is along those of the innermost one.
ItemsOp makeItems(Item &item, Stream stream, llvm::ArrayRef<int64_t> cluster,
                  mlir::OpBuilder &builder);

} // namespace drawloom::agent

#endif // DRAWLOOM_LIB_DIALECT_AGENT_TRANSFORMS_ITEMS_H
