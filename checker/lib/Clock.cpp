//===- Clock.cpp - What a thread knows of others -------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Clock.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom::checker;

Clock::Lanes Clock::spread(const Entry &entry) {
  if (entry.lanes)
    return *entry.lanes;
  Lanes lanes;
  lanes.fill(entry.all);
  return lanes;
}

void Clock::set(Entry &entry, const Lanes &lanes) {
  if (llvm::all_equal(lanes))
    entry = {lanes[0], nullptr};
  else
    entry = {0, std::make_shared<Lanes>(lanes)};
}

void Clock::join(const Clock &other) {
  if (warps.size() < other.warps.size())
    warps.resize(other.warps.size());
  for (auto [own, known] : llvm::zip(warps, other.warps)) {
    if (own.lanes == known.lanes) {
      own.all = std::max(own.all, known.all);
      continue;
    }
    Lanes lanes = spread(own), more = spread(known);
    for (unsigned lane = 0; lane != 32; ++lane)
      lanes[lane] = std::max(lanes[lane], more[lane]);
    set(own, lanes);
  }
}

void Clock::raise(unsigned warp, uint32_t mask, uint32_t time) {
  if (warp >= warps.size())
    warps.resize(warp + 1);
  Lanes lanes = spread(warps[warp]);
  for (unsigned lane = 0; lane != 32; ++lane)
    if (mask >> lane & 1)
      lanes[lane] = std::max(lanes[lane], time);
  set(warps[warp], lanes);
}
