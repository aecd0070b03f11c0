//===- PlanSharedMemory.cpp - Slots that fit into shared memory -----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SchedulePlanner.h"
#include "drawloom/Analysis/RoleTiles/Fragments.h"
#include "drawloom/Analysis/Slots/Footprint.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace drawloom;
using namespace drawloom::tile;
using llvm::formatv;
using plan::formatBytes;
using plan::multiply;

/// Barriers, messages and the address of tensor memory: a few hundred bytes.
static constexpr int64_t barrierRoom = 1024;
/// Loads in flight that hide the latency of memory behind MMAs.
static constexpr int64_t wantedSlots = 4;
/// More have never been seen to help.
static constexpr int64_t mostSlots = 8;
/// One is filled while the other is read.
static constexpr int64_t fewestSlots = 2;

std::optional<int64_t> Planner::getGiven(const Problem::Pipe &pipe) const {
  if (std::optional<int64_t> slots = given.getSlots(pipe.name))
    return slots;
  // An output has its slots by the name of the pipe alone: the view may be
  // loaded as well.
  if (pipe.kind == Problem::Pipe::Output)
    return std::nullopt;
  for (const std::string &view : pipe.views)
    if (std::optional<int64_t> slots = given.getSlots(view))
      return slots;
  return std::nullopt;
}

int64_t Planner::getSlotBytes(const Problem::Pipe &pipe,
                              int64_t columns) const {
  constexpr int64_t alignment = 128;
  int64_t bytes = 0;
  for (const Problem::Tile &tile : pipe.tiles) {
    int64_t width = tile.columns;
    // What the parts leave over has slots of its own.
    if (isSliced(pipe) && columns && columns < width)
      width = columns + width % columns;
    int64_t bits = multiply(multiply(tile.rows, width), tile.bits);
    if (bits >= plan::saturated)
      return plan::saturated;
    if (tile.isB && choice.schedule.hasPairs())
      bits /= 2;
    bytes += plan::alignUp(llvm::divideCeil(bits, 8), alignment);
  }
  return std::min(bytes, plan::saturated);
}

/// The largest tile that changes threads, in subtiles if an output is.
int64_t Planner::getExchangeBytes(int64_t columns) const {
  int64_t most = 0;
  bool sliced = llvm::any_of(
      problem.pipes, [&](const Problem::Pipe &pipe) { return isSliced(pipe); });
  for (const Problem::Tile &tile : problem.exchanged) {
    int64_t width =
        sliced && columns ? std::min(columns, tile.columns) : tile.columns;
    int64_t bits = multiply(multiply(tile.rows, width), tile.bits);
    most = std::max(most, std::min(bits / 8, plan::saturated));
  }
  return most;
}

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

/// Widths of subtiles, the widest first: rows of 128, 64 and 32 bytes, which
/// are what the swizzles of shared memory work on, or several such rows.
llvm::SmallVector<int64_t> Planner::getWidths() const {
  int64_t columns = 0, bits = 0;
  for (const Problem::Pipe &pipe : problem.pipes)
    if (isSliced(pipe))
      for (const Problem::Tile &tile : pipe.tiles) {
        columns = std::gcd(columns, tile.columns);
        bits = bits ? std::min(bits, tile.bits) : tile.bits;
      }
  if (columns == 0)
    return {0};
  if (given.epilogueTile)
    return {*given.epilogueTile};
  llvm::SmallVector<int64_t> widths;
  int64_t granule = std::max<int64_t>(1, 8 * arch.tma.granuleBytes / bits);
  if (holdsAccumulators())
    granule = std::lcm(granule, target::wgmmaColumns);
  granule = std::lcm(granule, getTurn());
  for (int64_t rowBytes : {128, 64, 32}) {
    int64_t width = std::min(std::max(rowBytes * 8 / bits, getTurn()), columns);
    while (width > 0 && (columns % width != 0 || width % granule != 0))
      --width;
    if (width > 0 && !llvm::is_contained(widths, width))
      widths.push_back(width);
  }
  if (widths.empty())
    widths.push_back(columns);
  return widths;
}

Rooms Planner::fill(int64_t columns, int64_t itemSlots, int64_t fewest) const {
  Rooms rooms;
  rooms.columns = columns;
  rooms.total =
      std::min(barrierRoom + getExchangeBytes(columns), plan::saturated);
  int64_t open = 0;
  auto take = [&](const Problem::Pipe &pipe, int64_t slots) {
    rooms.total =
        std::min(rooms.total + multiply(slots, getSlotBytes(pipe, columns)),
                 plan::saturated);
  };
  for (const Problem::Pipe &pipe : problem.pipes) {
    int64_t slots = 0;
    if (std::optional<int64_t> asked = getGiven(pipe))
      slots = *asked;
    else if (isStream(pipe))
      open += getSlotBytes(pipe, columns);
    else if (pipe.kind == Problem::Pipe::Exchange)
      // Parts of accumulators are large, and there are none until the next item
      // is multiplied.
      slots = addsUpParts() ? 1 : fewest;
    else
      slots = pipe.kind == Problem::Pipe::Output ? fewest : itemSlots;
    take(pipe, slots);
    rooms.slots.push_back(slots);
  }
  if (open == 0)
    return rooms;
  int64_t left = arch.maxSharedMemoryPerCta - rooms.total;
  rooms.shared = std::clamp(left / open, fewest, mostSlots);
  for (auto [pipe, slots] : llvm::zip_equal(problem.pipes, rooms.slots))
    if (slots == 0) {
      slots = rooms.shared;
      take(pipe, slots);
    }
  return rooms;
}

/// "operands: 4 slots × 48 KiB + bias: 2 slots × 8 KiB + 1 KiB for barriers =
/// 209 KiB".
std::string Planner::spell(const Rooms &rooms) const {
  std::string text;
  for (auto [pipe, slots] : llvm::zip_equal(problem.pipes, rooms.slots))
    text += formatv("{0}: {1} × {2} + ", pipe.name, countSlots(slots),
                    formatBytes(getSlotBytes(pipe, rooms.columns)));
  if (int64_t exchange = getExchangeBytes(rooms.columns))
    text += formatBytes(exchange) + " for transposes + ";
  return text + formatBytes(barrierRoom) +
         " for barriers = " + formatBytes(rooms.total);
}

/// What would make it fit: fewer slots of the largest pipe, narrower
/// subtiles, or a smaller tile.
std::string Planner::suggest(const Rooms &rooms) const {
  int64_t limit = arch.maxSharedMemoryPerCta, over = rooms.total - limit;
  std::string text;
  const Problem::Pipe *largest = nullptr;
  int64_t largestBytes = 0, largestSlots = 0;
  for (auto [pipe, slots] : llvm::zip_equal(problem.pipes, rooms.slots))
    if (int64_t bytes = multiply(slots, getSlotBytes(pipe, rooms.columns));
        getGiven(pipe) && bytes > largestBytes) {
      largest = &pipe;
      largestBytes = bytes;
      largestSlots = slots;
    }
  if (largest) {
    int64_t slot = getSlotBytes(*largest, rooms.columns);
    int64_t fitting = largestSlots - llvm::divideCeil(over, slot);
    if (fitting > 0)
      text = formatv("; {0} of {1} {2}", countSlots(fitting), largest->name,
                     fitting == 1 ? "fits" : "fit");
  }
  if (given.epilogueTile && *given.epilogueTile % 2 == 0 &&
      fill(*given.epilogueTile / 2, 1, fewestSlots).total <= limit)
    text += formatv("{0} epilogue_tile = {1} {2}", text.empty() ? ";" : ", or",
                    *given.epilogueTile / 2, text.empty() ? "fits" : "does");
  return text.empty() ? "; use a smaller tile" : text;
}

/// Without roles there are no slots to fill, but what waits in tensor memory is
/// read in parts.
void Planner::chooseSubtileOfThreads() {
  int64_t columns = getWidths().front();
  if (columns == 0 || given.epilogueTile || holdsAccumulators())
    return;
  choice.schedule.epilogueTile = columns;
  reason(formatv(
      "epilogue_tile: the epilogue reads subtiles of {0} columns, so that "
      "a thread holds less at once",
      columns));
}

/// The slots and subtiles that fit best, or, if none fit, those to report.
Rooms Planner::findRooms(llvm::ArrayRef<int64_t> widths) const {
  // Two slots of the widest subtile, unless the loops then get too few.
  int64_t limit = arch.maxSharedMemoryPerCta;
  std::optional<Rooms> best;
  auto isBetter = [&](const Rooms &rooms) {
    if (!best || best->total > limit)
      return true;
    return rooms.total <= limit && best->shared < wantedSlots &&
           rooms.shared > best->shared;
  };
  for (int64_t itemSlots : {2, 1})
    for (int64_t width : widths)
      if (Rooms rooms = fill(width, itemSlots, fewestSlots); isBetter(rooms))
        best = rooms;
  // One slot, which is filled and read in turn, is better than no plan. A
  // schedule with slots or columns gets an error with what to change.
  if (best->total > limit && given.slots.empty() && !given.epilogueTile)
    for (int64_t width : widths)
      if (Rooms rooms = fill(width, 1, 1);
          rooms.total <= limit && isBetter(rooms))
        best = rooms;
  return *best;
}

void Planner::chooseSharedMemory() {
  if (choice.schedule.roles == Roles::None)
    return chooseSubtileOfThreads();
  if (given.epilogueTile && holdsAccumulators() && !problem.mmas.empty() &&
      *given.epilogueTile % target::wgmmaColumns != 0)
    return fail(
        "epilogue_tile: " + Twine(*given.epilogueTile) +
        " is no multiple of the " + Twine(target::wgmmaColumns) +
        " columns of an accumulator that four threads share on " + arch.name +
        ": " + Twine(*given.epilogueTile) + " % " +
        Twine(target::wgmmaColumns) + " = " +
        Twine(*given.epilogueTile % target::wgmmaColumns) + "; use " +
        Twine(llvm::alignTo(*given.epilogueTile, target::wgmmaColumns)) +
        " [epilogue-tile]");

  int64_t limit = arch.maxSharedMemoryPerCta;
  llvm::SmallVector<int64_t> widths = getWidths();
  Rooms best = findRooms(widths);
  if (best.total > limit)
    return failTooLarge("shared memory: " + spell(best) + " > " +
                        formatBytes(limit) + " on " + arch.name +
                        suggest(best) + " [shared-memory-limit]");

  for (auto [pipe, slots] : llvm::zip_equal(problem.pipes, best.slots))
    if (!getGiven(pipe) && !choice.schedule.getSlots(pipe.name))
      choice.schedule.slots.emplace_back(pipe.name, slots);
  if (!problem.pipes.empty())
    reason("slots: " + spell(best) + " of " + formatBytes(limit) + " on " +
           arch.name);
  if (best.columns == 0 || given.epilogueTile)
    return;
  choice.schedule.epilogueTile = best.columns;
  std::string text =
      formatv("epilogue_tile: the epilogue moves in subtiles of {0} columns",
              best.columns);
  if (best.columns != widths.front()) {
    Rooms wide = fill(widths.front(), 2, fewestSlots);
    text +=
        formatv(", because {0} columns leave room for {1} in the loop ({2})",
                widths.front(), countSlots(wide.shared), spell(wide));
  }
  reason(text);
}
