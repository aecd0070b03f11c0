//===- Threads.cpp - What each lane of a cluster knows --------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom;
using namespace drawloom::checker;
using emu::FenceEvent;
using emu::Order;
using emu::Origin;
using emu::Scope;

Threads::Warp &Threads::warp(const Origin &origin) {
  size_t number = origin.rank * 32u + origin.warp;
  if (number >= warps.size())
    warps.resize(number + 1);
  if (!warps[number]) {
    warps[number] = std::make_unique<Warp>();
    warps[number]->actor = actors.of(Actors::WarpTime, Actors::placeOf(origin));
    warps[number]->copies = actors.of(Actors::Copies, Actors::placeOf(origin));
    warps[number]->groups.emplace_back();
    warps[number]->groups.front().lanes = ~0u;
  }
  return *warps[number];
}

uint32_t Threads::tick(const Origin &origin) {
  Warp &own = warp(origin);
  own.time += std::exchange(own.hasGiven, false);
  return own.time;
}

void Threads::view(const Origin &origin,
                   llvm::function_ref<void(const Viewer &)> f) {
  Warp &own = warp(origin);
  for (const LaneGroup &group : own.groups)
    if (uint32_t lanes = group.lanes & origin.lanes)
      f({&group.known, own.actor, lanes, own.time, group.fencedShared,
         group.fencedGlobal, own.copies, group.ownCopies});
}

Knowledge Threads::knownWithCopies(const Warp &own, const LaneGroup &group) {
  Knowledge known = group.known;
  if (group.ownCopies) {
    raise(known[Causal], own.copies, group.lanes, group.ownCopies);
    raise(known[Executed], own.copies, group.lanes, group.ownCopies);
  }
  return known;
}

void Threads::update(const Origin &origin,
                     llvm::function_ref<void(LaneGroup &)> f) {
  Warp &own = warp(origin);
  own.issued.known = nullptr;
  for (size_t index = 0, end = own.groups.size(); index != end; ++index) {
    uint32_t inside = own.groups[index].lanes & origin.lanes;
    if (!inside)
      continue;
    if (inside != own.groups[index].lanes) {
      LaneGroup rest = own.groups[index];
      rest.lanes &= ~inside;
      own.groups.push_back(std::move(rest));
      own.groups[index].lanes = inside;
    }
    f(own.groups[index]);
  }
  if (own.groups.size() == 1)
    return;
  // Lanes that synchronize at a barrier get the same clocks there, with the
  // fences of all of them. Lanes that have learned the same apart may have
  // fences of their own still; then they stay apart.
  auto hasOwnFences = [&](const LaneGroup &group) {
    for (uint32_t rest = group.lanes; rest; rest &= rest - 1) {
      unsigned lane = llvm::countr_zero(rest);
      if (valueOf(group.known[FencedShared], own.actor, lane) <
              group.fencedShared ||
          valueOf(group.known[FencedGlobal], own.actor, lane) <
              group.fencedGlobal ||
          valueOf(group.known[Causal], own.copies, lane) < group.ownCopies)
        return true;
    }
    return false;
  };
  for (size_t index = 0; index != own.groups.size(); ++index)
    for (size_t other = own.groups.size(); --other > index;) {
      LaneGroup &one = own.groups[index], &two = own.groups[other];
      bool hasSameFences = one.fencedShared == two.fencedShared &&
                           one.fencedGlobal == two.fencedGlobal &&
                           one.ownCopies == two.ownCopies;
      bool hasReleasedSame = one.released == two.released &&
                             one.releasedTime == two.releasedTime &&
                             one.releasedScope == two.releasedScope &&
                             one.releasedShared == two.releasedShared;
      if (!(one.known == two.known) || !hasReleasedSame ||
          (!hasSameFences && (hasOwnFences(one) || hasOwnFences(two))))
        continue;
      one.lanes |= two.lanes;
      one.fencedShared = std::min(one.fencedShared, two.fencedShared);
      one.fencedGlobal = std::min(one.fencedGlobal, two.fencedGlobal);
      one.ownCopies = std::min(one.ownCopies, two.ownCopies);
      own.groups.erase(own.groups.begin() + other);
    }
}

Threads::Issue Threads::issue(const Origin &origin) {
  Issue issue;
  Warp &own = warp(origin);
  issue.actor = own.actor;
  issue.lanes = origin.lanes;
  bool isSame = own.issued.known && own.issued.lanes == origin.lanes;
  Knowledge known;
  if (!isSame)
    for (const LaneGroup &group : own.groups)
      if (group.lanes & origin.lanes)
        known.join(knownWithCopies(own, group));
  bool isFirst = true;
  view(origin, [&](const Viewer &viewer) {
    issue.fencedShared =
        isFirst ? viewer.fencedShared
                : std::max(issue.fencedShared, viewer.fencedShared);
    issue.fencedGlobal =
        isFirst ? viewer.fencedGlobal
                : std::max(issue.fencedGlobal, viewer.fencedGlobal);
    isFirst = false;
  });
  if (!isSame)
    own.issued = {origin.lanes,
                  std::make_shared<const Knowledge>(std::move(known))};
  issue.known = own.issued.known;
  issue.time = tick(origin);
  own.hasGiven = true;
  return issue;
}

bool Threads::haveReleased(const Origin &origin) {
  return llvm::any_of(warp(origin).groups, [&](const LaneGroup &group) {
    return group.lanes & origin.lanes &&
           (group.releasedTime || group.known[ScFenced] ||
            !group.releasedShared.empty());
  });
}

Gift Threads::give(const Origin &origin, Order order, Scope scope) {
  Gift gift;
  Warp &own = warp(origin);
  auto isFar = isFarEnough(scope);
  for (const LaneGroup &group : own.groups) {
    uint32_t lanes = group.lanes & origin.lanes;
    if (!lanes)
      continue;
    const Knowledge known = knownWithCopies(own, group);
    Knowledge given = releases(order) ? known : group.released;
    uint32_t time = releases(order) ? own.time : group.releasedTime;
    if (time)
      raise(given[Causal], own.actor, lanes, time);
    if (uint32_t fenced = std::min(group.fencedShared, time))
      raise(given[FencedShared], own.actor, lanes, fenced);
    if (uint32_t fenced = std::min(group.fencedGlobal, time))
      raise(given[FencedGlobal], own.actor, lanes, fenced);
    given[Executed] = known[Executed];
    raise(given[Executed], own.actor, lanes, own.time);
    given[TensorOwn] = nullptr;
    given[TensorOut] = group.known[TensorOut];
    given[TensorIn] = nullptr;
    given[ScFenced] = group.known[ScFenced];
    if (!releases(order))
      join(given.shared, group.releasedShared);
    gift.near.join(given);
    gift.reachesGpu |= scope >= Scope::Gpu &&
                       (releases(order) || group.releasedScope >= Scope::Gpu ||
                        given[ScFenced]);
    if (!hasPeers && !isFar)
      continue; // No lane is far away.
    bool crosses =
        isFar && (releases(order) || isFarEnough(group.releasedScope));
    if (!crosses || isStrict) { // A fence counts in its own CTA.
      given[FencedShared] = given[FencedGlobal] = nullptr;
      given.worldFenced = nullptr;
    }
    if (!crosses) {
      given[Causal] = nullptr;
      given.world = nullptr;
      given.shared.clear();
    }
    if (isFar && !releases(order))
      join(given.shared, group.releasedShared);
    if (isStrict)
      for (auto &[rank, clocks] : given.shared)
        clocks.fenced = nullptr;
    gift.far.join(given);
  }
  own.hasGiven = true;
  return gift;
}

void Threads::takeWorldNow(LaneGroup &group, const WorldRef &given) {
  group.known.world = joined(group.known.world, given);
  if (!given)
    return;
  // It may have come back to where it started.
  auto own = given->find(cluster);
  if (own == given->end())
    return;
  ClockRef back = new Clock(*own->second);
  join(group.known[Causal], back);
  join(group.known[Executed], back);
}

void Threads::take(const Origin &origin, const Knowledge &given, bool isFar,
                   Order order, Scope scope) {
  bool reaches = !isFar || isFarEnough(scope);
  update(origin, [&](LaneGroup &group) {
    join(group.known[Executed], given[Executed]);
    join(group.known[TensorIn], given[TensorOut]);
    if (!reaches)
      return;
    if (acquires(order)) {
      group.known.joinMemory(given);
      return;
    }
    auto seen = std::make_shared<Seen>();
    Knowledge &memory = isFar ? seen->far : seen->near;
    memory.joinMemory(given);
    memory.seen = nullptr; // The giver's fence has acquired it.
    group.known.seen = joined(group.known.seen, seen);
  });
}

void Threads::takeWorld(const Origin &origin, const WorldRef &given,
                        const WorldRef &scGiven, Order order) {
  auto seen = std::make_shared<Seen>();
  seen->world = acquires(order) ? nullptr : given;
  seen->scWorld = scGiven;
  update(origin, [&](LaneGroup &group) {
    if (acquires(order))
      takeWorldNow(group, given);
    if (seen->world || seen->scWorld)
      group.known.seen = joined(group.known.seen, seen);
  });
}

void Threads::learnCopies(const Origin &origin, uint32_t value) {
  update(origin, [&](LaneGroup &group) {
    group.ownCopies = std::max(group.ownCopies, value);
  });
}

void Threads::learn(const Origin &origin, Actor actor, uint32_t lanes,
                    uint32_t value, llvm::ArrayRef<Part> parts) {
  update(origin, [&](LaneGroup &group) {
    for (Part part : parts)
      raise(group.known[part], actor, lanes, value);
  });
}

void Threads::acquireSeen(LaneGroup &group, Order order, Scope scope) {
  SeenRef seen = group.known.seen;
  if (!seen)
    return;
  bool isSc = order == Order::SequentiallyConsistent && scope >= Scope::Gpu;
  group.known.joinMemory(seen->near);
  if (isFarEnough(scope))
    group.known.joinMemory(seen->far);
  if (isSc)
    join(group.known[Causal], seen->far[ScFenced]);
  if (scope >= Scope::Gpu)
    takeWorldNow(group, seen->world);
  if (isSc)
    takeWorldNow(group, seen->scWorld);
  join(group.known[Executed], group.known[Causal]);
  // All of it, for good.
  if (scope >= Scope::Gpu && (isSc || !seen->scWorld))
    group.known.seen = nullptr;
}

void Threads::acquireSeenShared(LaneGroup &group) {
  if (SeenRef seen = group.known.seen)
    for (const Knowledge *given : {&seen->near, &seen->far}) {
      SharedClocks &all = group.known.shared[anyRank];
      join(all.causal, (*given)[Causal]);
      join(group.known[Executed], (*given)[Causal]);
      join(group.known[FencedShared], (*given)[FencedShared]);
      join(group.known.shared, given->shared);
    }
}

/// What is known of the memory of the CTA, and what the lanes did there.
void Threads::releaseShared(const Warp &own, LaneGroup &group, uint32_t rank) {
  const Knowledge known = knownWithCopies(own, group);
  SharedClocks &released = group.releasedShared[rank];
  for (auto [part, clock] : {std::pair(Causal, &released.causal),
                             std::pair(FencedShared, &released.fenced)}) {
    join(*clock, known[part]);
    known.anyOfShared(part, rank, [&, clock = clock](const ClockRef &shared) {
      join(*clock, shared);
      return false;
    });
  }
  raise(released.causal, own.actor, group.lanes, own.time);
  if (uint32_t fenced = std::min(group.fencedShared, own.time))
    raise(released.fenced, own.actor, group.lanes, fenced);
}

void Threads::memoryFence(const FenceEvent &event) {
  Warp &own = warp(event.origin);
  const bool isRestricted = event.space != ptx::StateSpace::Generic;
  update(event.origin, [&](LaneGroup &group) {
    if (isRestricted && acquires(event.order))
      return acquireSeenShared(group);
    if (isRestricted)
      return releaseShared(own, group, event.origin.rank);
    if (acquires(event.order))
      acquireSeen(group, event.order, event.scope);
    if (!releases(event.order))
      return;
    if (event.order == Order::SequentiallyConsistent &&
        event.scope >= Scope::Gpu) {
      join(group.known[ScFenced], knownWithCopies(own, group)[Causal]);
      raise(group.known[ScFenced], own.actor, group.lanes, own.time);
    }
    group.released = knownWithCopies(own, group);
    group.releasedTime = own.time;
    group.releasedScope = event.scope;
  });
  own.hasGiven = true;
}

bool Threads::knowsOfCta(const Knowledge &known, uint32_t rank) const {
  const ClockRef &clock = known[Executed];
  for (size_t number = rank * 32; clock && number != rank * 32 + 32; ++number)
    if (number < warps.size() && warps[number] &&
        clock->ofAny(warps[number]->actor))
      return true;
  return false;
}

void Threads::fence(const FenceEvent &event) {
  const Origin &origin = event.origin;
  Warp &own = warp(origin);
  switch (event.kind) {
  case FenceEvent::Memory:
    return memoryFence(event);
  case FenceEvent::ProxyAsync:
    update(origin, [&](LaneGroup &group) {
      if (event.space != ptx::StateSpace::Global) {
        join(group.known[FencedShared], knownWithCopies(own, group)[Causal]);
        for (auto &[rank, clocks] : group.known.shared)
          join(rank == anyRank ? group.known[FencedShared] : clocks.fenced,
               clocks.causal);
        group.fencedShared = own.time;
      }
      if (event.space == ptx::StateSpace::Global ||
          event.space == ptx::StateSpace::Generic) {
        join(group.known[FencedGlobal], knownWithCopies(own, group)[Causal]);
        group.fencedGlobal = own.time;
        group.known.worldFenced = group.known.world;
      }
    });
    own.hasGiven = true;
    return;
  case FenceEvent::TensorBefore:
    update(origin, [&](LaneGroup &group) {
      // What it has issued itself is in its time.
      join(group.known[TensorOut], group.known[TensorOwn]);
      raise(group.known[TensorOut], own.actor, group.lanes, own.time);
    });
    own.hasGiven = true;
    return;
  case FenceEvent::TensorAfter:
    update(origin, [&](LaneGroup &group) {
      join(group.known[TensorOwn], group.known[TensorIn]);
    });
    return;
  case FenceEvent::MbarrierInit:
  case FenceEvent::ProxyAlias:
  case FenceEvent::ProxyTensorMap:
  case FenceEvent::Wgmma:
    return;
  }
}
