//===- Remarks.cpp - What accesses of warps cost --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Remarks.h"
#include "Describe.h"
#include "drawloom/Emulator/AddressMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

using namespace drawloom;
using namespace drawloom::checker;
using llvm::utostr;

namespace {
struct Piece {
  unsigned lane;
  uint64_t address;
  uint32_t bytes;
};
using Pieces = llvm::SmallVector<Piece, 32>;
} // namespace

static constexpr uint32_t bankBytes = 4, bankCount = 32, sectorBytes = 32;

/// Wavefronts for lanes that are served together.
static uint32_t wavefrontsOf(llvm::ArrayRef<Piece> pieces) {
  llvm::SmallVector<uint64_t, 64> words;
  for (const Piece &piece : pieces)
    for (uint64_t word = piece.address / bankBytes,
                  last = (piece.address + piece.bytes - 1) / bankBytes;
         word <= last; ++word)
      words.push_back(word);
  llvm::sort(words);
  words.erase(llvm::unique(words), words.end());
  uint32_t ofBank[bankCount] = {};
  uint32_t most = 0;
  for (uint64_t word : words)
    most = std::max(most, ++ofBank[word % bankCount]);
  return most;
}

static void countWavefronts(llvm::ArrayRef<Piece> pieces, AccessCost &cost) {
  const unsigned together =
      32 / std::max<uint32_t>(1, pieces.front().bytes / bankBytes);
  while (!pieces.empty()) {
    unsigned group = pieces.front().lane / together;
    size_t count = llvm::find_if(pieces,
                                 [&](const Piece &piece) {
                                   return piece.lane / together != group;
                                 }) -
                   pieces.begin();
    ++cost.needed;
    cost.taken += wavefrontsOf(pieces.take_front(count));
    pieces = pieces.drop_front(count);
  }
}

static void countSectors(Pieces pieces, AccessCost &cost) {
  llvm::sort(pieces, [](const Piece &one, const Piece &other) {
    return one.address < other.address;
  });
  uint64_t bytes = 0, end = 0, nextSector = 0;
  for (const Piece &piece : pieces) {
    uint64_t last = piece.address + piece.bytes;
    if (last <= end)
      continue;
    uint64_t first = std::max(end, piece.address);
    bytes += last - first;
    end = last;
    uint64_t sector = std::max(nextSector, first / sectorBytes);
    nextSector = (last + sectorBytes - 1) / sectorBytes;
    cost.taken += nextSector - sector;
  }
  cost.needed = (bytes + sectorBytes - 1) / sectorBytes;
}

bool AccessCost::add(const AccessCost &more) {
  times += more.times;
  needed += more.needed;
  taken += more.taken;
  if (worstTaken &&
      more.worstTaken - more.worstNeeded <= worstTaken - worstNeeded)
    return false;
  worstNeeded = more.worstNeeded;
  worstTaken = more.worstTaken;
  return true;
}

void Costs::access(const emu::AccessEvent &event, const Access &access) {
  if (event.operation || event.proxy != emu::Proxy::Generic ||
      (event.kind != emu::AccessKind::Read &&
       event.kind != emu::AccessKind::Write) ||
      event.space == ptx::StateSpace::Const)
    return;
  const uint64_t own = emu::sharedWindow | uint64_t(event.origin.rank)
                                               << emu::sharedRankShift;
  Pieces pieces[2]; // Shared and global.
  for (const emu::MemoryRange &range : event.ranges) {
    uint32_t lanes = range.lanes;
    for (uint32_t piece = 0; lanes; ++piece, lanes &= lanes - 1) {
      uint64_t address = range.address + piece * range.pitch;
      bool isShared = emu::isShared(address);
      if (!isShared || (address & ~uint64_t(emu::sharedOffsetMask)) == own)
        pieces[!isShared].push_back(
            {unsigned(llvm::countr_zero(lanes)), address, range.bytes});
    }
  }
  for (bool isGlobal : {false, true}) {
    if (pieces[isGlobal].empty())
      continue;
    llvm::sort(pieces[isGlobal], [](const Piece &one, const Piece &other) {
      return one.lane < other.lane;
    });
    uint64_t address = pieces[isGlobal].front().address;
    AccessCost cost;
    cost.times = 1;
    if (isGlobal)
      countSectors(pieces[1], cost);
    else
      countWavefronts(pieces[0], cost);
    cost.worstNeeded = cost.needed;
    cost.worstTaken = cost.taken;
    Entry &entry = entries[{access.instruction, isGlobal}];
    if (!entry.cost.add(cost))
      continue;
    entry.worst = access;
    entry.address = address;
  }
}

void Remarks::add(const Costs &more, llvm::function_ref<void(Finding &)> name) {
  for (const auto &[key, cost] : more.entries) {
    auto [instruction, isGlobal] = key;
    Entry &entry = entries[{cost.worst.kernel->function->name.str(),
                            instruction, isGlobal}];
    if (!entry.cost.add(cost.cost))
      continue;
    Finding &finding = entry.finding;
    finding.rule = isGlobal ? Rule::Uncoalesced : Rule::BankConflict;
    finding.severity = Severity::Note;
    finding.space = isGlobal ? Finding::Global : Finding::Shared;
    finding.first = describeSite(cost.worst, -1);
    finding.firstInstruction = finding.secondInstruction = instruction;
    describeFinding(finding, cost.worst, cost.worst, cost.address);
    name(finding);
  }
}

std::vector<Finding> Remarks::findings() const {
  std::vector<Finding> list;
  for (const auto &[key, entry] : entries) {
    const AccessCost &cost = entry.cost;
    if (cost.taken <= cost.needed)
      continue;
    bool isGlobal = std::get<2>(key);
    Finding &finding = list.emplace_back(entry.finding);
    const std::string unit = isGlobal ? "sectors" : "wavefronts";
    const uint64_t wasted = cost.taken - cost.needed;
    finding.why = "at worst, a warp takes " + utostr(cost.worstTaken) + " " +
                  unit + " where " + utostr(cost.worstNeeded) +
                  " would do; of " + utostr(cost.taken) + " in all, " +
                  utostr(wasted) + " (" + utostr(100 * wasted / cost.taken) +
                  " %) are wasted";
    finding.advice =
        isGlobal ? "lanes next to each other on addresses next to each other, "
                   "the first at a multiple of 32"
                 : "rows that are padded or swizzled, so that lanes that are "
                   "served together fall into different banks";
    finding.count = cost.times;
  }
  return list;
}
