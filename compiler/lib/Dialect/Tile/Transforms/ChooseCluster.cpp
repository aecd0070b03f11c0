//===- ChooseCluster.cpp - How many CTAs share operands -------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// CTAs with neighboring work tiles read the same operands: those along the
// rows of an MMA the same B, those along its columns the same A. Two of them
// load such a tile once, each a half of it:
//
//   128 x 256 x 64, bf16     A 16 KiB + B 32 KiB     = 48 KiB
//   two along the rows       A 16 KiB + B 32 KiB / 2 = 32 KiB
//
// By multicast both get the whole tile. A pair issues 2-CTA MMAs, so each CTA
// holds the half only, and has room for more slots. Two CTAs have to start and
// to wait together, so this is worth it only where it saves a good part; and
// since the cost has not been measured, it is done where a schedule
// asks for it. Others get a sentence about what they leave out.

#include "SchedulePlanner.h"
#include "drawloom/Analysis/Slots/Footprint.h"
#include "drawloom/Dialect/Tile/IR/DescribeMma.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::tile;
using llvm::formatv;
using plan::formatBytes;

/// Less than this part of what a CTA loads is not worth a cluster.
static constexpr int64_t leastPart = 4;

/// Dimensions of a cluster.
static constexpr size_t mostDims = 3;

static int64_t countBytes(const Problem::Tile &tile) {
  return plan::multiply(plan::multiply(tile.rows, tile.columns), tile.bits) / 8;
}

/// What all MMAs take their operands from, loaded in a loop; null if there is
/// no such thing.
const Problem::Operands *Planner::findOperands() const {
  bool isOne = problem.operands.size() == 1 && problem.operands.front().inLoop;
  return isOne && !problem.gathers ? &problem.operands.front() : nullptr;
}

/// Whether two CTAs along a dimension have the same B, and there is code for
/// MMAs of both.
bool Planner::canPair(unsigned dim) const {
  if (given.ctaGroup == 1 || arch.mma != target::MmaInstruction::Tcgen05)
    return false;
  for (const Problem::Tile &tile : findOperands()->tiles)
    if (tile.isB && (tile.dims & (1u << dim)))
      return false;
  return llvm::all_of(problem.mmas, [&](const Problem::Mma &mma) {
    return mma.op && target::whyNoCode(
                         target::ofPair(describeMma(cast<MmaOp>(mma.op))), arch)
                         .empty();
  });
}

/// Why no two CTAs can share these operands, whatever their tiles are;
/// empty if they can.
std::string Planner::whyNoSharing(const Problem::Operands *operands) const {
  if (problem.mmas.empty() || !operands)
    return "there is no loop whose MMAs take all their operands from one pipe";
  if (problem.items.empty())
    return "the kernel is one work tile";
  if (problem.counts.empty())
    return "the work tiles are in groups, of which two CTAs may have different "
           "ones";
  if (countInterleaved() > 1 ||
      given.roles.value_or(Roles::Multi) != Roles::Multi)
    return "CTAs share what a role of its own loads, for one tile at a time";
  return "";
}

/// What two CTAs along a dimension load of these operands, besides the bytes
/// that each loads for itself.
Sharing Planner::shareAlong(unsigned dim, const Problem::Operands &operands,
                            int64_t own) const {
  Sharing here;
  here.dim = dim;
  here.inPairs = canPair(dim);
  here.shared = own;
  for (auto [tile, view] : llvm::zip_equal(operands.tiles, operands.views)) {
    bool isShared = !(tile.dims & (1u << dim));
    // By multicast, a part is whole rows of the pattern of the swizzle.
    constexpr int64_t patternRows = 8;
    if (!here.inPairs && isShared && tile.rows % (2 * patternRows) != 0)
      isShared = false;
    here.shared += countBytes(tile) / (isShared ? 2 : 1);
    if (isShared)
      here.views += (here.views.empty() ? "'" : " and '") + view + "'";
  }
  return here;
}

/// The dimension along which two CTAs load least, and what they load.
Sharing Planner::findSharing() const {
  Sharing best;
  const Problem::Operands *operands = findOperands();
  best.why = whyNoSharing(operands);
  if (!best.why.empty())
    return best;
  // What threads make operands of, each CTA loads for itself.
  int64_t own = 0;
  for (const Problem::Tile &tile : problem.converted)
    own += countBytes(tile);
  int64_t alone = own;
  for (const Problem::Tile &tile : operands->tiles)
    alone += countBytes(tile);
  best.alone = best.shared = alone;
  std::string odd;
  for (auto [dim, count] :
       llvm::enumerate(ArrayRef(problem.counts).take_front(mostDims))) {
    Sharing here = shareAlong(dim, *operands, own);
    here.alone = alone;
    if (here.shared >= best.shared)
      continue;
    if (!ShapedType::isDynamic(count) && count % 2 != 0) {
      odd = formatv("the number of work tiles along dimension {0} is {1}, "
                    "which two CTAs can't share evenly",
                    dim, count);
      continue;
    }
    best = std::move(here);
  }
  if (best.shared == best.alone)
    best.why = odd.empty() ? "two CTAs would have no operand in common" : odd;
  else if (leastPart * (best.alone - best.shared) < best.alone)
    best.why =
        formatv("two CTAs along dimension {0} would each load {1} "
                "instead of {2} for a K tile, and less than a "
                "quarter is not worth a cluster",
                best.dim, formatBytes(best.shared), formatBytes(best.alone));
  return best;
}

void Planner::chooseCluster() {
  Schedule &schedule = choice.schedule;
  schedule.clusterIsOpen = false;
  // Pairs that are given are a cluster already.
  if (given.hasPairs() ||
      !(given.clusterIsOpen || (given.cluster.empty() && !given.ctaGroup)))
    return;
  Sharing found = findSharing();
  if (!found.why.empty()) {
    if (given.clusterIsOpen) {
      // There is nothing smaller then.
      schedule.fallbackCluster.clear();
      reason("cluster: 1 x 1 x 1, because " + found.why);
    }
    return;
  }
  SmallVector<int64_t, 3> cluster(
      std::min<size_t>(problem.counts.size(), mostDims), 1);
  cluster[found.dim] = 2;
  std::string sizes;
  for (int64_t size : cluster)
    sizes += (sizes.empty() ? "" : " x ") + std::to_string(size);
  std::string bytes =
      formatv("each loads {0} instead of {1} for a K tile",
              formatBytes(found.shared), formatBytes(found.alone));
  if (!given.clusterIsOpen) {
    reason(formatv("cluster: 1 x 1 x 1, because none is given; with cluster = "
                   "auto it would be {0}{1}, and of two CTAs {2}",
                   sizes, found.inPairs ? " and cta_group = 2" : "", bytes));
    return;
  }
  schedule.cluster = cluster;
  if (found.inPairs)
    schedule.ctaGroup = 2;
  std::string text = formatv(
      "cluster: {0}{1}, because two CTAs along dimension {2} take the "
      "same tiles of {3}, and {4}: {5}",
      sizes, found.inPairs ? " and cta_group = 2" : "", found.dim, found.views,
      found.inPairs ? "a 2-CTA MMA takes half of them from each"
                    : "share them by TMA multicast",
      bytes);
  if (ShapedType::isDynamic(problem.counts[found.dim]))
    text += "; a launch with an odd number of work tiles there leaves CTAs "
            "without work";
  reason(text);
}
