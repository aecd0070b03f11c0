//===- ClusterCases.h - Products whose CTAs share operands ---- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The cases of the clusters label. Half of them are a table; the other half is
// drawn from the columns of GemmCases.h, each with a cluster.
//
//   clusters   2 x 1, 1 x 2, 2 x 2, 4 x 1, 4 x 2, 8 x 1 CTAs along M and N
//   products   of one CTA, and on Blackwell of pairs
//   types      bf16, f16, tf32, e4m3
//   items      one for a CTA, several at a fixed stride, or dynamic for the
//              cluster at run time
//   sizes      whole clusters of tiles, clusters that reach beyond an edge, and
//              fewer tiles than a cluster has CTAs
//   K trips    0, 1, as many as there are slots, and more
//   epilogues  all of them, in turn
//
// Some clusters have a third dimension, whose 2 or 4 CTAs divide the K tiles
// (split-K). Cluster-wide rows are in RowCases.h and RowProductCases.h.

#ifndef DRAWLOOM_TOOLS_SUITE_CLUSTERCASES_H
#define DRAWLOOM_TOOLS_SUITE_CLUSTERCASES_H

#include "Case.h"
#include "llvm/ADT/StringRef.h"

namespace drawloom::suite {

std::vector<Case> makeClusterCases(llvm::StringRef arch, uint64_t seed);

} // namespace drawloom::suite

#endif // DRAWLOOM_TOOLS_SUITE_CLUSTERCASES_H
