//===- GlobalChecker.cpp - Races in global memory -------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GlobalChecker.h"

using namespace drawloom;
using namespace drawloom::checker;
using emu::AccessKind;

void GlobalLog::add(const Access &access, llvm::ArrayRef<Viewer> viewers) {
  uint32_t count = viewers.size();
  auto isSame = [](const View &view, const Viewer &viewer) {
    return view.known == *viewer.known && view.viewer.actor == viewer.actor &&
           view.viewer.lanes == viewer.lanes &&
           view.viewer.time == viewer.time &&
           view.viewer.fencedGlobal == viewer.fencedGlobal &&
           view.viewer.ownCopies == viewer.ownCopies;
  };
  bool isLast = views.size() >= count;
  for (uint32_t index = 0; isLast && index != count; ++index)
    isLast = isSame(views[views.size() - count + index], viewers[index]);
  if (!isLast)
    for (const Viewer &viewer : viewers)
      views.push_back({*viewer.known, viewer});
  entries.push_back({access, uint32_t(views.size()) - count, count});
}

void GlobalChecker::check(GlobalLog &log) {
  for (const GlobalLog::Entry &entry : log.entries) {
    judge.viewers.clear();
    for (uint32_t index = 0; index != entry.viewCount; ++index) {
      const GlobalLog::View &view = log.views[entry.firstView + index];
      judge.viewers.push_back(view.viewer);
      judge.viewers.back().known = &view.known;
    }
    shadow.touch(entry.access, judge);
    written.touch(entry.access);
    if (entry.access.launch < touched.size())
      touched[entry.access.launch].add(entry.access);
  }
  log.entries.clear();
  log.views.clear();
}

void GlobalChecker::forget() {
  shadow.clear();
  flags.clear();
  acquired.clear();
  waited.clear();
}

bool GlobalChecker::mayLearn(const emu::AccessEvent &event) const {
  if (flags.empty())
    return false;
  for (const emu::MemoryRange &range : event.ranges)
    for (uint32_t piece = 0; piece != range.count; ++piece) {
      auto word = flags.find(range.address + piece * range.pitch);
      if (word != flags.end() && !word->second.writes.empty())
        return true;
    }
  return false;
}

void GlobalChecker::touchFlag(const emu::AccessEvent &event, unsigned lane,
                              uint64_t address, uint64_t cluster,
                              Threads &threads) {
  emu::Origin thread = event.origin;
  thread.lanes = 1u << lane;
  auto &[writes, version] = flags[address];
  if (!writes.empty() &&
      (event.kind == AccessKind::Read || event.kind == AccessKind::Atomic) &&
      taken.isNew(thread, cluster, address, version, event.order, event.scope))
    for (const Write &write : writes)
      if (write.cluster != cluster) {
        threads.takeWorld(thread, write.given, write.scGiven, event.order);
        acquired.insert({cluster, write.cluster});
      }
  if (event.kind == AccessKind::Read || event.failed >> lane & 1)
    return;
  version = ++versions;
  if (event.kind == AccessKind::Write)
    writes.clear();
  Gift gift = threads.give(thread, event.order, event.scope);
  if (!gift.reachesGpu)
    return;
  auto with = [&](const WorldRef &world, const ClockRef &clock) -> WorldRef {
    auto given =
        world ? std::make_shared<World>(*world) : std::make_shared<World>();
    if (clock)
      (*given)[cluster] = std::make_shared<Clock>(*clock);
    return given;
  };
  WorldRef given = with(gift.near.world, gift.near[Causal]), scGiven;
  if (gift.near[ScFenced])
    scGiven = with(nullptr, gift.near[ScFenced]);
  for (Write &write : writes)
    if (write.cluster == cluster) {
      write.given = joined(write.given, given);
      write.scGiven = joined(write.scGiven, scGiven);
      return;
    }
  writes.push_back({cluster, given, scGiven});
}
