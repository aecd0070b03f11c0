//===- ChooseSubtile.cpp - In how wide parts an epilogue moves ------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SchedulePlanner.h"
#include "drawloom/Analysis/RoleTiles/Fragments.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace drawloom;
using namespace drawloom::tile;
using llvm::formatv;

/// The columns that warp groups take in turn where several share those of
/// tensor memory: a narrower subtile would be in one group only.
int64_t Planner::getTurn() const {
  if (holdsAccumulators() || problem.mmas.empty() || !choice.schedule.warps)
    return 1;
  int64_t blocks = 0;
  for (const Problem::Mma &mma : problem.mmas)
    blocks = std::gcd(
        blocks, llvm::divideCeil(mma.m, int64_t(arch.tensorMemory.lanes)));
  int64_t sharing =
      plan::Fragments::countSharing(*choice.schedule.warps, blocks);
  return sharing > 1 ? sharing * plan::columnsPerLoad : 1;
}

/// Where a thread reads rows of tensor memory, it has a register for each
/// column of a subtile, and as many for a row of any operand beside it.
static constexpr int64_t mostColumnsOfThread = 64;

/// Widths of subtiles, the widest first: rows of 128, 64 and 32 bytes, which
/// are what the swizzles of shared memory work on, or several such rows.
llvm::SmallVector<int64_t> Planner::getWidths() const {
  int64_t columns = 0, bits = 0;
  for (const Problem::Tile &tile : problem.epilogue) {
    columns = std::gcd(columns, tile.columns);
    bits = bits ? std::min(bits, tile.bits) : tile.bits;
  }
  if (columns == 0)
    return {};
  llvm::SmallVector<int64_t> widths;
  int64_t granule = std::max<int64_t>(1, 8 * arch.tma.granuleBytes / bits);
  if (holdsAccumulators())
    granule = std::lcm(granule, target::wgmmaColumns);
  granule = std::lcm(granule, getTurn());
  int64_t most = holdsAccumulators() ? columns : mostColumnsOfThread;
  for (int64_t rowBytes : {128, 64, 32}) {
    int64_t width = std::min(rowBytes * 8 / bits, most);
    width = std::min(std::max(width, getTurn()), columns);
    while (width > 0 && (columns % width != 0 || width % granule != 0))
      --width;
    if (width > 0 && !llvm::is_contained(widths, width))
      widths.push_back(width);
  }
  if (widths.empty())
    widths.push_back(columns);
  return widths;
}

void Planner::chooseSubtile() {
  bool isAlone = choice.schedule.roles == Roles::None;
  if (given.epilogueTile) {
    int64_t columns = *given.epilogueTile, unit = target::wgmmaColumns;
    if (!isAlone && holdsAccumulators() && !problem.mmas.empty() &&
        columns % unit != 0)
      fail(formatv("epilogue_tile: {0} is no multiple of the {1} columns of an "
                   "accumulator that four threads share on {2}: {0} % {1} = "
                   "{3}; use {4} [epilogue-tile]",
                   columns, unit, arch.name, columns % unit,
                   llvm::alignTo(columns, unit)));
    return;
  }
  // Without roles there are no slots to fill, but what waits in tensor memory
  // is read in parts.
  if (problem.mmas.empty() || (isAlone && holdsAccumulators()))
    return;
  llvm::SmallVector<int64_t> widths = getWidths();
  if (narrower != 0 && narrower >= widths.size()) {
    choice.error = "no narrower subtile is left";
    return;
  }
  if (widths.empty())
    return;
  choice.schedule.epilogueTile = widths[narrower];
  reason(formatv(isAlone ? "epilogue_tile: the epilogue reads subtiles of {0} "
                           "columns, so that a thread holds less at once"
                         : "epilogue_tile: the epilogue moves in subtiles of "
                           "{0} columns",
                 widths[narrower]));
}
