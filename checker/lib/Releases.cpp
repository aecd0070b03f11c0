//===- Releases.cpp - What is given until it is taken --------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Releases.h"
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
    barrier.given = Knowledge();
    // Lanes that came before the rest of their warp may be of the next round.
    llvm::erase_if(barrier.arrivals, [&](const Arrival &arrival) {
      bool takesPart = llvm::any_of(event.participants, [&](auto &part) {
        return part.warp == arrival.warp && (part.lanes & arrival.lanes);
      });
      if (takesPart)
        barrier.given.join(arrival.given);
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
    // All threads have waited for the round before this one.
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

Mbarriers::Mbarrier &Mbarriers::at(uint64_t address) {
  auto [it, isNew] = byAddress.try_emplace(address);
  if (isNew) {
    it->second.phases = actors.of(Actors::Phases, address);
  }
  return it->second;
}

std::pair<Actor, uint32_t> Mbarriers::phaseOf(uint64_t address, bool isFar) {
  Mbarrier &barrier = at(address);
  if (isFar && !barrier.farPhases)
    barrier.farPhases = actors.of(Actors::FarPhases, address);
  return {isFar ? *barrier.farPhases : barrier.phases,
          barrier.base + barrier.phase + 1};
}

void Mbarriers::arrive(uint64_t address, const ClockRef &done,
                       const Threads::Issue &issue) {
  Mbarrier &barrier = at(address);
  join(barrier.done, done);
  ClockRef executed = (*issue.known)[Executed];
  raise(executed, issue.actor, issue.lanes, issue.time);
  join(barrier.executed, executed);
  join(barrier.arrived, executed);
}

void Mbarriers::endPhase(Mbarrier &barrier, uint32_t phase) {
  auto missingOf = [&](const Waiter &waiter) {
    uint32_t missing = 0;
    for (uint32_t rest = waiter.origin.lanes; rest; rest &= rest - 1)
      if (valueOf(barrier.arrived, waiter.actor, llvm::countr_zero(rest)) <
          waiter.time)
        missing |= rest & -rest;
    return missing;
  };
  for (const Waiter &waiter : barrier.waiters) {
    uint32_t missing = missingOf(waiter);
    // Lanes of a warp go on together; by the letter, each for itself. Another
    // wait counts if it came later.
    bool isOneKnown =
        !isStrict && llvm::any_of(barrier.waiters, [&](const Waiter &other) {
          return other.actor == waiter.actor && other.time >= waiter.time &&
                 missingOf(other) != other.origin.lanes;
        });
    if (missing && !isOneKnown && !lastWrap) {
      lastWrap = {waiter.origin, int64_t(phase) - 1};
      lastWrap->waiter.lanes = missing;
    }
  }
  barrier.waiters.clear();
  Mbarrier::Ended &ended = barrier.ended[phase & 1];
  uint32_t over = barrier.base + phase + 1;
  ended.gift = barrier.pending;
  ended.done = Knowledge();
  ended.done[Causal] = barrier.done;
  raise(ended.done[Causal], barrier.phases, ~0u, over);
  if (barrier.farPhases)
    raise(ended.done[Causal], *barrier.farPhases, ~0u, over);
  ended.done[Executed] = ended.done[Causal];
  join(ended.done[Executed], barrier.executed);
  ended.done[TensorOut] = barrier.done;
  ended.nearDone = ended.gift.near;
  ended.nearDone.join(ended.done);
  barrier.phase = phase + 1;
}

void Mbarriers::take(const Mbarrier::Ended &given, const MbarrierEvent &event,
                     const Mbarrier &barrier, Threads &threads) const {
  const emu::Origin &origin = event.origin;
  if (given.gift.far[Executed])
    threads.take(origin, given.gift.far, true, event.order, event.scope);
  bool acquiring = acquires(event.order);
  if (acquiring && (!isStrict || isFarEnough(event.scope)))
    return threads.take(origin, given.nearDone, false, event.order,
                        event.scope);
  threads.take(origin, given.gift.near, false, event.order, event.scope);
  // The data of engines: a thread that waits for the phase sees it, whatever
  // the wait says; by the letter it has to acquire, itself or by a fence, and
  // at the scope of the cluster if the work is another CTA's.
  if (!isStrict)
    return threads.take(origin, given.done, false, Order::Acquire, Scope::Cta);
  Knowledge done = given.done;
  done[Causal] = barrier.done;
  raise(done[Causal], barrier.phases, ~0u, barrier.base + event.phase + 1);
  threads.take(origin, done, false, event.order, event.scope);
  threads.take(origin, given.done, true, event.order, event.scope);
}

void Mbarriers::event(const MbarrierEvent &event, Threads &threads) {
  Mbarrier &barrier = at(event.address);
  lastWrap.reset();
  switch (event.kind) {
  case MbarrierEvent::Init: {
    Mbarrier fresh;
    fresh.phases = barrier.phases;
    fresh.farPhases = barrier.farPhases;
    fresh.base = barrier.base + barrier.phase + 1;
    barrier = fresh;
    return;
  }
  case MbarrierEvent::Invalidate:
    return;
  case MbarrierEvent::Arrive: {
    Gift gift = threads.give(event.origin, event.order, event.scope);
    // Those who wait are in the barrier's CTA.
    bool isNear = event.origin.rank == emu::getRank(event.address);
    if (isNear)
      barrier.pending.near.join(gift.near);
    else
      barrier.pending.far.join(gift.far);
    join(barrier.arrived, (isNear ? gift.near : gift.far)[Executed]);
    return;
  }
  case MbarrierEvent::PhaseEnd:
    endPhase(barrier, event.phase);
    return;
  case MbarrierEvent::Wait:
    if (!event.success)
      return;
    if (event.phase >= 0)
      take(barrier.ended[event.phase & 1], event, barrier, threads);
    if (event.byParity)
      barrier.waiters.push_back({event.origin, threads.actorOf(event.origin),
                                 threads.tick(event.origin)});
    return;
  case MbarrierEvent::ExpectArrival:
  case MbarrierEvent::ExpectBytes:
  case MbarrierEvent::CompleteBytes:
    return;
  }
}

//===----------------------------------------------------------------------===//
// Flags
//===----------------------------------------------------------------------===//

bool LastTaken::isNew(const Origin &thread, uint64_t cluster, uint64_t address,
                      uint64_t version, emu::Order order, emu::Scope scope) {
  uint64_t lane = uint64_t(thread.rank) << 32 | uint64_t(thread.warp) << 8 |
                  llvm::countr_zero(thread.lanes);
  Read now{address, version, order, scope};
  return std::exchange(byLane[{cluster, lane}], now) != now;
}

void Flags::Word::add(uint16_t rank, const std::shared_ptr<const Gift> &gift) {
  auto own = llvm::find_if(
      writes, [&](const Write &write) { return write.rank == rank; });
  if (own == writes.end()) {
    writes.push_back({rank, gift});
  } else if (own->gift != gift) {
    auto both = std::make_shared<Gift>(*own->gift);
    both->join(*gift);
    own->gift = std::move(both);
  }
}

void Flags::access(const AccessEvent &event, unsigned lane, uint64_t address,
                   Threads &threads) {
  Origin thread = event.origin;
  thread.lanes = 1u << lane;
  const bool writes =
      event.kind != AccessKind::Read && !(event.failed >> lane & 1);
  // The thread of a `red` doesn't learn what was there.
  const bool reads =
      event.kind == AccessKind::Read || event.kind == AccessKind::Atomic;
  auto it = byAddress.find(address);
  if (reads && it != byAddress.end() &&
      taken.isNew(thread, 0, address, it->second.version, event.order,
                  event.scope))
    for (const Write &write : it->second.writes) {
      bool isFar = write.rank != thread.rank;
      threads.take(thread, isFar ? write.gift->far : write.gift->near, isFar,
                   event.order, event.scope);
    }
  if (!writes)
    return;
  Word &word = byAddress[address];
  word.version = ++versions;
  if (event.kind == AccessKind::Write) {
    word.writes.clear();
    word.isPublished = false;
  }
  word.isPublished |= releases(event.order) || threads.haveReleased(thread);
  word.add(thread.rank, std::make_shared<const Gift>(
                            threads.give(thread, event.order, event.scope)));
}

/// Calls f(address, lane) for the words that an access touches.
template <typename F>
static void forEachWord(const AccessEvent &event, F f) {
  for (const emu::MemoryRange &range : event.ranges) {
    uint32_t lanes = range.lanes;
    for (uint32_t piece = 0; lanes; ++piece, lanes &= lanes - 1)
      f(range.address + piece * range.pitch, llvm::countr_zero(lanes));
  }
}

bool Flags::accessTogether(const AccessEvent &event, Threads &threads) {
  if (event.order != Order::Relaxed || threads.haveReleased(event.origin))
    return false;
  Knowledge near, far;
  bool isPublished = false;
  uint64_t last = 0;
  forEachWord(event, [&](uint64_t address, unsigned) {
    auto it = std::exchange(last, address) == address ? byAddress.end()
                                                      : byAddress.find(address);
    if (it == byAddress.end())
      return;
    isPublished |= it->second.isPublished;
    for (const Write &write : it->second.writes)
      if (write.rank == event.origin.rank)
        join(near[Executed], write.gift->near[Executed]);
      else
        join(far[Executed], write.gift->far[Executed]);
  });
  if (isPublished)
    return false;
  if (event.kind != AccessKind::Write && event.kind != AccessKind::Reduce) {
    if (near[Executed])
      threads.take(event.origin, near, false, Order::Acquire, Scope::Cta);
    if (far[Executed])
      threads.take(event.origin, far, true, Order::Acquire, Scope::Cluster);
  }
  if (event.kind == AccessKind::Read)
    return true;
  auto gift = std::make_shared<const Gift>(
      threads.give(event.origin, event.order, event.scope));
  forEachWord(event, [&](uint64_t address, unsigned lane) {
    if (event.failed >> lane & 1)
      return;
    Word &word = byAddress[address];
    word.version = ++versions;
    if (event.kind == AccessKind::Write)
      word.writes.clear();
    word.add(event.origin.rank, gift);
  });
  return true;
}
