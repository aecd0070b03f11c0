//===- Synchronization.cpp - Who knows what ------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Synchronization.h"
#include "drawloom/Emulator/AddressMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom;
using namespace drawloom::checker;
using emu::AccessEvent;
using emu::AccessKind;
using emu::BarrierEvent;
using emu::MbarrierEvent;
using emu::Order;
using emu::Origin;
using emu::Scope;

/// Calls f(lane) for each lane of a mask.
template <typename F>
static void forEachLane(uint32_t lanes, F f) {
  for (unsigned lane = 0; lane != 32; ++lane)
    if (lanes >> lane & 1)
      f(lane);
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

Threads::Warp &Threads::warp(const Origin &origin) {
  unsigned number = numberOf(origin);
  if (number >= warps.size())
    warps.resize(number + 1);
  if (!warps[number])
    warps[number] = std::make_unique<Warp>();
  return *warps[number];
}

const Clock &Threads::clockOf(const Origin &origin, unsigned lane) {
  static const Clock nothing;
  const Snapshot &clock = warp(origin).lanes[lane].clock;
  return clock ? *clock : nothing;
}

void Threads::add(const Origin &origin, Snapshot Lane::*which,
                  const Clock &more) {
  llvm::SmallVector<std::pair<Snapshot, Snapshot>, 2> known;
  forEachLane(origin.lanes, [&](unsigned lane) {
    Snapshot &own = warp(origin).lanes[lane].*which;
    for (auto &[before, after] : known)
      if (before == own) {
        own = after;
        return;
      }
    auto joined =
        own ? std::make_shared<Clock>(*own) : std::make_shared<Clock>();
    joined->join(more);
    known.push_back({own, joined});
    own = joined;
  });
}

Gift Threads::give(const Origin &origin, Order order, Scope scope) {
  Gift gift;
  Warp &own = warp(origin);
  if (!releases(order)) {
    forEachLane(origin.lanes, [&](unsigned lane) {
      const Lane &state = own.lanes[lane];
      if (!state.released)
        return;
      gift.near.join(*state.released);
      if (isFarEnough(state.releasedScope) && isFarEnough(scope))
        gift.far.join(*state.released);
    });
    return gift;
  }
  const Clock *last = nullptr;
  forEachLane(origin.lanes, [&](unsigned lane) {
    const Clock *clock = own.lanes[lane].clock.get();
    if (clock && clock != last)
      gift.near.join(*clock);
    last = clock;
  });
  gift.near.raise(numberOf(origin), origin.lanes, own.time++);
  if (isFarEnough(scope))
    gift.far = gift.near;
  return gift;
}

void Threads::take(const Origin &origin, const Clock &given, bool isFar,
                   Order order, Scope scope) {
  if (isFar && !isFarEnough(scope))
    return;
  if (acquires(order))
    add(origin, &Lane::clock, given);
  else
    add(origin, isFar ? &Lane::seenFar : &Lane::seenNear, given);
}

void Threads::fence(const Origin &origin, Order order, Scope scope) {
  if (acquires(order))
    forEachLane(origin.lanes, [&](unsigned lane) {
      Origin one = origin;
      one.lanes = 1u << lane;
      const Lane state = warp(origin).lanes[lane];
      if (state.seenNear)
        add(one, &Lane::clock, *state.seenNear);
      if (state.seenFar && isFarEnough(scope))
        add(one, &Lane::clock, *state.seenFar);
    });
  if (!releases(order))
    return;
  // Each lane releases its own past.
  Warp &own = warp(origin);
  forEachLane(origin.lanes, [&](unsigned lane) {
    Lane &state = own.lanes[lane];
    auto released = state.clock ? std::make_shared<Clock>(*state.clock)
                                : std::make_shared<Clock>();
    released->raise(numberOf(origin), 1u << lane, own.time);
    state.released = released;
    state.releasedScope = scope;
  });
  ++own.time;
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

void Barriers::event(const BarrierEvent &event, Threads &threads) {
  switch (event.level) {
  case BarrierEvent::Warp:
    if (event.order == Order::AcquireRelease) {
      Gift gift = threads.give(event.origin, event.order, Scope::Cta);
      threads.take(event.origin, gift.near, false, event.order, Scope::Cta);
    }
    return;
  case BarrierEvent::Cta:
    return named(event, threads);
  case BarrierEvent::Cluster:
    return cluster(event, threads);
  }
}

void Barriers::named(const BarrierEvent &event, Threads &threads) {
  Named &barrier = byNumber[event.origin.rank << 8 | event.number];
  switch (event.kind) {
  case BarrierEvent::Arrive:
    barrier.arrivals.push_back(
        {event.origin.warp, event.origin.lanes,
         threads.give(event.origin, Order::Release, Scope::Cta).near});
    return;
  case BarrierEvent::Complete:
    barrier.given = Clock();
    // Lanes that came before the rest of their warp may be of the next round.
    llvm::erase_if(barrier.arrivals, [&](const Arrival &arrival) {
      bool takesPart = llvm::any_of(event.participants, [&](auto &part) {
        return part.warp == arrival.warp && (part.lanes & arrival.lanes);
      });
      if (takesPart)
        barrier.given.join(arrival.clock);
      return takesPart;
    });
    return;
  case BarrierEvent::Wait:
    threads.take(event.origin, barrier.given, false, Order::Acquire,
                 Scope::Cta);
    return;
  }
}

void Barriers::cluster(const BarrierEvent &event, Threads &threads) {
  switch (event.kind) {
  case BarrierEvent::Arrive:
    rounds[event.generation].join(
        threads.give(event.origin, event.order, Scope::Cluster).far);
    return;
  case BarrierEvent::Complete:
    // Everybody has waited for the round before this one.
    if (event.generation)
      rounds.erase(event.generation - 1);
    return;
  case BarrierEvent::Wait:
    threads.take(event.origin, rounds[event.generation], true, event.order,
                 Scope::Cluster);
    return;
  }
}

//===----------------------------------------------------------------------===//
// mbarriers
//===----------------------------------------------------------------------===//

static uint32_t rankOf(uint64_t address) {
  return (address - emu::sharedWindow) >> emu::sharedRankShift;
}

void Mbarriers::event(const MbarrierEvent &event, Threads &threads) {
  switch (event.kind) {
  case MbarrierEvent::Init:
    byAddress[event.address] = {};
    return;
  case MbarrierEvent::Invalidate:
    byAddress.erase(event.address);
    return;
  case MbarrierEvent::Arrive: {
    if (event.operation) // An engine's arrival follows its own work only.
      return;
    Gift gift = threads.give(event.origin, event.order, event.scope);
    Gift &pending = byAddress[event.address].pending;
    // Those who wait are in the barrier's CTA.
    if (event.origin.rank == rankOf(event.address))
      pending.near.join(gift.near);
    else
      pending.far.join(gift.far);
    return;
  }
  case MbarrierEvent::PhaseEnd: {
    Mbarrier &barrier = byAddress[event.address];
    barrier.ended[event.phase & 1] = barrier.pending;
    return;
  }
  case MbarrierEvent::Wait: {
    if (!event.success || event.phase < 0)
      return;
    const Gift given = byAddress[event.address].ended[event.phase & 1];
    threads.take(event.origin, given.near, false, event.order, event.scope);
    threads.take(event.origin, given.far, true, event.order, event.scope);
    return;
  }
  case MbarrierEvent::ExpectArrival:
  case MbarrierEvent::ExpectBytes:
  case MbarrierEvent::CompleteBytes:
    return;
  }
}

//===----------------------------------------------------------------------===//
// Flags
//===----------------------------------------------------------------------===//

void Flags::access(const AccessEvent &event, unsigned lane, uint64_t address,
                   Threads &threads) {
  Origin thread = event.origin;
  thread.lanes = 1u << lane;
  const bool isStrong = event.order != Order::Weak;
  const bool writes =
      event.kind != AccessKind::Read && !(event.failed >> lane & 1);
  auto it = byAddress.find(address);
  if (it == byAddress.end() && !(isStrong && writes))
    return;
  // The thread of a `red` doesn't learn what was there.
  const bool reads =
      event.kind == AccessKind::Read || event.kind == AccessKind::Atomic;
  if (isStrong && reads && it != byAddress.end())
    for (const Write &write : it->second) {
      bool isFar = write.rank != thread.rank;
      threads.take(thread, isFar ? write.gift.far : write.gift.near, isFar,
                   event.order, event.scope);
    }
  if (!writes)
    return;
  if (event.kind == AccessKind::Write)
    byAddress.erase(address);
  if (isStrong)
    byAddress[address].push_back(
        {thread.rank, threads.give(thread, event.order, event.scope)});
}
