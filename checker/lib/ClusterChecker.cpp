//===- ClusterChecker.cpp - Races in one cluster -------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClusterChecker.h"
#include "drawloom/Emulator/AddressMap.h"
#include "llvm/ADT/bit.h"

using namespace drawloom;
using namespace drawloom::checker;

void ClusterChecker::access(const emu::AccessEvent &event) {
  if (event.operation || event.proxy != emu::Proxy::Generic)
    return;
  ++serial;
  for (const emu::MemoryRange &range : event.ranges) {
    uint32_t lanes = range.lanes;
    for (uint32_t piece = 0; lanes; ++piece, lanes &= lanes - 1) {
      uint64_t address = range.address + piece * range.pitch;
      if (emu::isShared(address))
        touch(event, llvm::countr_zero(lanes), address, range.bytes);
    }
  }
}

void ClusterChecker::touch(const emu::AccessEvent &event, unsigned lane,
                           uint64_t address, uint32_t bytes) {
  SharedAccess now;
  now.address = address;
  now.bytes = bytes;
  now.instruction = event.origin.instruction;
  now.warp = Threads::numberOf(event.origin);
  now.time = threads.timeOf(event.origin);
  now.serial = serial;
  now.lane = lane;
  now.writes =
      event.kind != emu::AccessKind::Read && !(event.failed >> lane & 1);
  now.scope = event.scope;
  shadow.touch(now, threads.clockOf(event.origin, lane),
               [&](const SharedAccess &before, const SharedAccess &now,
                   uint64_t at) { add(before, now, at); });
  flags.access(event, lane, address, threads);
}

static RaceSite siteOf(const SharedAccess &access) {
  RaceSite site;
  site.instruction = access.instruction;
  site.rank = access.warp / 32;
  site.warp = access.warp % 32;
  site.lane = access.lane;
  site.writes = access.writes;
  return site;
}

void ClusterChecker::add(const SharedAccess &before, const SharedAccess &now,
                         uint64_t address) {
  Race race;
  race.kernel = kernel;
  race.cluster = cluster;
  race.rank = (address - emu::sharedWindow) >> emu::sharedRankShift;
  race.byte = address & emu::sharedOffsetMask;
  race.first = siteOf(before);
  race.second = siteOf(now);
  addRace(races, race);
}
