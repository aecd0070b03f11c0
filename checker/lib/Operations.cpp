//===- Operations.cpp - Asynchronous work in flight -----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operations.h"
#include "drawloom/Emulator/AddressMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace drawloom;
using namespace drawloom::checker;
using emu::AccessEvent;
using emu::AccessKind;
using emu::EngineKind;
using emu::GroupEvent;
using emu::MemoryRange;
using emu::OperationEvent;
using emu::Origin;
using ptx::Opcode;

/// A copy of cp.async is over at a value that grows with its group, and in the
/// group with the arrivals (cp.async.mbarrier.arrive) before it.
static constexpr uint32_t valuesOfGroup = 16;

uint32_t Operations::CopyStream::valueOf(unsigned lane) const {
  return (group[lane] + 1) * valuesOfGroup +
         std::min(arrivals[lane], valuesOfGroup - 2) + 1;
}

Operations::CopyStream &Operations::copiesOf(const Origin &origin) {
  std::unique_ptr<CopyStream> &stream = copies[Actors::placeOf(origin)];
  if (!stream) {
    stream = std::make_unique<CopyStream>();
    stream->actor = actors.of(Actors::Copies, Actors::placeOf(origin));
  }
  return *stream;
}

Operations::MmaStream &Operations::mmasOf(const Origin &origin) {
  uint64_t thread =
      Actors::placeOf(origin) << 8 | llvm::countr_zero(origin.lanes);
  std::unique_ptr<MmaStream> &stream = mmas[thread];
  if (!stream) {
    stream = std::make_unique<MmaStream>();
    stream->warp = threads.actorOf(origin);
    stream->lane = llvm::countr_zero(origin.lanes);
    stream->done = actors.of(Actors::MmasDone, thread);
  }
  return *stream;
}

const Operation *Operations::find(uint64_t number) const {
  auto it = inFlight.find(number);
  return it == inFlight.end() ? nullptr : it->second.get();
}

void Operations::event(const OperationEvent &event, const emu::Kernel &kernel) {
  switch (event.kind) {
  case OperationEvent::Issue:
    return issue(event, kernel.parsed(event.origin.instruction)->opcode());
  case OperationEvent::SourceRead:
    return;
  case OperationEvent::Complete:
    if (auto it = inFlight.find(event.operation); it != inFlight.end()) {
      done.push_back(std::move(it->second));
      inFlight.erase(it);
    }
    return;
  }
}

void Operations::issue(const OperationEvent &event, Opcode opcode) {
  std::unique_ptr<Operation> &slot = inFlight[event.operation];
  Threads::Issue issue = threads.issue(event.origin);
  if (event.engine == EngineKind::MatrixMultiply && !event.groups.empty()) {
    auto &groups = wgmmaIssues[Actors::placeOf(event.origin) & ~uint64_t(3)];
    uint32_t group = event.groups[llvm::countr_zero(event.origin.lanes)];
    auto it = groups.try_emplace(group).first;
    if (!it->second && it != groups.begin())
      it->second = std::prev(it)->second;
    for (; it != groups.end(); ++it)
      raise(it->second, issue.actor, ~0u, issue.time);
    if (groups.size() > keptGroups)
      groups.erase(groups.begin());
  }
  if (slot) {
    slot->others.push_back(std::move(issue));
    return;
  }
  if (done.empty()) {
    slot = std::make_unique<Operation>();
  } else {
    slot = std::move(done.back());
    done.pop_back();
    *slot = Operation();
  }
  Operation &operation = *slot;
  operation.issue = std::move(issue);
  operation.engine = event.engine;
  operation.mapGroup =
      copiesOf(event.origin).bulkGroup[llvm::countr_zero(event.origin.lanes)];
  operation.barriers.assign(event.barriers.begin(), event.barriers.end());
  operation.groups.assign(event.groups.begin(), event.groups.end());
  if (event.engine == EngineKind::Copy) {
    CopyStream &stream = copiesOf(event.origin);
    unsigned first = llvm::countr_zero(event.origin.lanes);
    for (unsigned lane = 0; lane != 32; ++lane)
      operation.groups[lane] =
          stream.valueOf(event.origin.lanes >> lane & 1 ? lane : first);
  }
  if (event.engine == EngineKind::MatrixMultiply && event.groups.empty()) {
    MmaStream &stream = mmasOf(event.origin);
    stream.behind = (*operation.issue.known)[Executed];
    operation.issuer = stream.warp;
    operation.done = stream.done;
    operation.issued = stream.last = operation.issue.time;
  } else if (opcode == Opcode::CpAsyncMbarrierArrive) {
    CopyStream &stream = copiesOf(event.origin);
    Clock covers;
    for (uint32_t rest = event.origin.lanes; rest; rest &= rest - 1) {
      unsigned lane = llvm::countr_zero(rest);
      covers.raise(stream.actor, 1u << lane, stream.valueOf(lane));
      ++stream.arrivals[lane];
    }
    operation.covers = new Clock(std::move(covers));
  } else if (event.engine == EngineKind::Commit) {
    // It covers what its thread has issued, and what that was ordered behind.
    MmaStream &own = mmasOf(event.origin);
    Clock covers;
    covers.raise(own.done, ~0u, own.last);
    for (auto &[thread, stream] : mmas)
      if (uint32_t behind = valueOf(own.behind, stream->warp, stream->lane))
        covers.raise(stream->done, ~0u, behind);
    operation.covers = new Clock(std::move(covers));
  }
}

void Operations::arrive(const emu::MbarrierEvent &event) {
  if (const Operation *operation = find(event.operation))
    mbarriers.arrive(event.address, operation->covers, operation->issue);
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

void Operations::group(const GroupEvent &event) {
  const Origin &origin = event.origin;
  uint64_t place = Actors::placeOf(origin);
  if (event.kind == GroupEvent::Commit) {
    if (event.family == GroupEvent::Wgmma)
      return;
    CopyStream &stream = copiesOf(origin);
    for (uint32_t rest = origin.lanes; rest; rest &= rest - 1) {
      unsigned lane = llvm::countr_zero(rest);
      if (event.family == GroupEvent::Bulk) {
        stream.bulkGroup[lane] = event.groups[lane] + 1;
        continue;
      }
      stream.group[lane] = event.groups[lane] + 1;
      stream.arrivals[lane] = 0;
    }
    return;
  }
  const unsigned first = llvm::countr_zero(origin.lanes);
  switch (event.family) {
  case GroupEvent::Copies:
  case GroupEvent::Bulk: {
    bool isBulk = event.family == GroupEvent::Bulk;
    llvm::SmallVector<Actor, 2> over = {actors.of(Actors::BulkReads, place)};
    if (!event.onlyRead)
      over.push_back(actors.of(Actors::BulkWrites, place));
    // Lanes that are as far learn it together.
    for (uint32_t rest = origin.lanes; rest;) {
      uint32_t value = event.groups[llvm::countr_zero(rest)];
      Origin same = origin;
      same.lanes = 0;
      for (uint32_t lanes = rest; lanes; lanes &= lanes - 1)
        if (event.groups[llvm::countr_zero(lanes)] == value)
          same.lanes |= lanes & -lanes;
      rest &= ~same.lanes;
      if (value == 0)
        continue;
      if (!isBulk)
        threads.learnCopies(same, value * valuesOfGroup + valuesOfGroup - 1);
      else
        for (Actor actor : over)
          threads.learn(same, actor, same.lanes, value, {Causal, Executed});
    }
    return;
  }
  case GroupEvent::Wgmma: {
    const uint64_t group = place & ~uint64_t(3);
    threads.learn(origin, actors.of(Actors::Wgmmas, group), ~0u,
                  event.groups[first], {Causal, Executed});
    // All four warps have issued what is over.
    auto &groups = wgmmaIssues[group];
    auto end = groups.lower_bound(event.groups[first]);
    if (end == groups.begin())
      return;
    Knowledge issued;
    issued[Executed] = std::prev(end)->second;
    threads.take(origin, issued, false, emu::Order::Relaxed, emu::Scope::Cta);
    return;
  }
  case GroupEvent::TensorLoads:
    threads.learn(origin, actors.of(Actors::TensorLoads, place), ~0u,
                  tensorAccesses[place].first, {Executed, TensorOwn});
    return;
  case GroupEvent::TensorStores:
    threads.learn(origin, actors.of(Actors::TensorStores, place), ~0u,
                  tensorAccesses[place].second, {Executed, TensorOwn});
    return;
  }
}

//===----------------------------------------------------------------------===//
// When accesses are over
//===----------------------------------------------------------------------===//

void Operations::startTensorAccess(const AccessEvent &event, Access &access) {
  uint64_t place = Actors::placeOf(event.origin);
  auto &[loads, stores] = tensorAccesses[place];
  bool isLoad = event.kind == AccessKind::Read;
  access.actor =
      actors.of(isLoad ? Actors::TensorLoads : Actors::TensorStores, place);
  access.value = isLoad ? ++loads : ++stores;
  access.issuer = threads.actorOf(event.origin);
  access.issued = threads.tick(event.origin);
}

/// The barrier where the bytes at an address count.
static uint64_t barrierFor(const Operation &operation, uint64_t address) {
  for (uint64_t barrier : operation.barriers)
    if (emu::isShared(address) &&
        emu::getRank(barrier) == emu::getRank(address))
      return barrier;
  for (uint64_t barrier : operation.barriers)
    if (emu::isShared(address) &&
        emu::getRank(barrier) == (emu::getRank(address) ^ 1))
      return barrier;
  return operation.barriers.front();
}

/// One piece of a range.
static MemoryRange pieceOf(const MemoryRange &range, uint32_t piece,
                           unsigned lane) {
  MemoryRange result;
  result.address = range.address + piece * range.pitch;
  result.bytes = range.bytes;
  result.lanes = 1u << lane;
  return result;
}

void Operations::forEachPart(const AccessEvent &event,
                             const Operation &operation,
                             const MemoryRange &range, Access access,
                             llvm::function_ref<void(const Access &)> f) {
  const Origin &origin = event.origin;
  const uint64_t place = Actors::placeOf(origin);
  const unsigned first = llvm::countr_zero(origin.lanes);
  access.range = range;
  access.isEngine = true;
  access.lane = first;
  access.issuer = operation.issuer;
  access.issued = operation.issued;
  if (event.proxy == emu::Proxy::TensorMap) {
    access.issuer = actors.of(Actors::BulkReads, place);
    access.issued = operation.mapGroup + 1;
  }
  auto eachLane = [&](auto f) {
    uint32_t lanes = range.lanes;
    for (uint32_t piece = 0; lanes; ++piece, lanes &= lanes - 1)
      f(piece, llvm::countr_zero(lanes));
  };
  if (operation.issued) {
    access.actor = operation.done;
    access.value = operation.issued;
    return f(access);
  }
  if (operation.engine == EngineKind::MatrixMultiply) {
    access.actor = actors.of(Actors::Wgmmas, place & ~uint64_t(3));
    access.value = operation.groups[first] + 1;
    return f(access);
  }
  if (operation.engine == EngineKind::Copy) {
    // What the groups and arrivals were when it was issued.
    access.actor = copiesOf(origin).actor;
    access.value = operation.groups[first];
    if (llvm::all_equal(operation.groups))
      return f(access);
    eachLane([&](uint32_t piece, unsigned lane) {
      access.range = pieceOf(range, piece, lane);
      access.value = operation.groups[lane];
      f(access);
    });
    return;
  }
  if (!operation.groups.empty()) {
    bool isSource = event.kind == AccessKind::Read;
    access.actor =
        actors.of(isSource ? Actors::BulkReads : Actors::BulkWrites, place);
    access.value = operation.groups[first] + 1;
    return f(access);
  }
  if (operation.barriers.empty()) { // Over when the CTA is.
    access.value = ~0u;
    return f(access);
  }
  auto overAt = [&](uint64_t barrier) {
    bool isFar = emu::getRank(barrier) != origin.rank;
    std::tie(access.actor, access.value) = mbarriers.phaseOf(barrier, isFar);
  };
  if (operation.engine == EngineKind::RemoteStore && range.lanes) {
    // Each lane has a barrier of its own.
    eachLane([&](uint32_t piece, unsigned lane) {
      access.range = pieceOf(range, piece, lane);
      unsigned index =
          llvm::popcount(origin.lanes & ((uint64_t(1) << lane) - 1));
      overAt(operation.barriers[std::min<size_t>(
          index, operation.barriers.size() - 1)]);
      f(access);
    });
    return;
  }
  overAt(barrierFor(operation, range.address));
  f(access);
}
