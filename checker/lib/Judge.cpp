//===- Judge.cpp - Whether an access comes before another -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Judge.h"
#include "Describe.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom;
using namespace drawloom::checker;
using emu::Proxy;
using emu::Scope;
using ptx::Opcode;

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

/// Calls f(lane, begin, end) for the pieces of a range that touch bytes.
template <typename F>
static bool forEachPiece(const emu::MemoryRange &range, uint64_t begin,
                         uint64_t end, F f) {
  if (!range.lanes)
    return f(-1, begin, end);
  uint32_t lanes = range.lanes;
  for (uint32_t piece = 0; lanes; ++piece, lanes &= lanes - 1) {
    uint64_t from = std::max(begin, range.address + piece * range.pitch);
    uint64_t to =
        std::min(end, range.address + piece * range.pitch + range.bytes);
    if (from < to && !f(llvm::countr_zero(lanes), from, to))
      return false;
  }
  return true;
}

bool Judge::forEachPair(const Access &before, const Access &now,
                        llvm::ArrayRef<Overlap> overlaps,
                        llvm::function_ref<bool(const Pair &)> f) {
  for (const Overlap &overlap : overlaps)
    if (!forEachPiece(
            before.range, overlap.address, overlap.address + overlap.bytes,
            [&](int first, uint64_t begin, uint64_t end) {
              return forEachPiece(now.range, begin, end,
                                  [&](int second, uint64_t address, uint64_t) {
                                    return f({first, second, address});
                                  });
            }))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

static Opcode opcodeOf(const Access &access) {
  return access.kernel->parsed(access.instruction)->opcode();
}

/// Whether it is work that tcgen05.commit covers.
static bool isPipelined(const Access &access) {
  switch (opcodeOf(access)) {
  case Opcode::Tcgen05Ld:
  case Opcode::Tcgen05LdRed:
  case Opcode::Tcgen05St:
  case Opcode::Tcgen05Dealloc:
    return false;
  default:
    return true;
  }
}

Part Judge::needed(const Access &before, const Access &now) const {
  const Part fenced = space == Finding::Global ? FencedGlobal : FencedShared;
  const bool isSameCta =
      before.rank == now.rank && before.cluster == now.cluster;
  // Memory that an engine is known to have left may be overwritten, whatever
  // the scope of the synchronization; by the letter, that isn't so.
  if (!isStrict && before.isEngine && before.proxy != Proxy::Generic &&
      now.writes)
    return Executed;
  if (now.isAsync()) {
    if (before.proxy == Proxy::Generic)
      return fenced;
    return isSameCta || (space == Finding::Shared && !isStrict) ? Causal
                                                                : fenced;
  }
  bool isOperand = before.isAsync() && before.issued && !before.writes;
  return isStrict && isOperand ? fenced : Causal;
}

bool Judge::isKnown(Part part, const Viewer &viewer, const Access &before,
                    const Access &now, int beforeLane, int nowLane) const {
  const unsigned lane = beforeLane < 0 ? before.lane : beforeLane;
  if (before.cluster != now.cluster) {
    const Knowledge &known = *viewer.known;
    // A wait for earlier launches is for proxies, too.
    if (before.launch != now.launch) {
      if (!known.world)
        return false;
      auto ended = known.world->find(earlierLaunches);
      return ended != known.world->end() &&
             ended->second->of(0, 0) >= valueOfLaunch(before.launch);
    }
    const WorldRef &world =
        part == FencedGlobal ? known.worldFenced : known.world;
    if (!world)
      return false;
    auto clock = world->find(before.cluster);
    return clock != world->end() &&
           clock->second->of(before.actor, lane) >= before.value;
  }
  if (!before.isEngine && before.actor == viewer.actor) {
    // A thread's own past.
    bool isOwn = nowLane >= 0 && beforeLane >= 0 && !now.isEngine
                     ? nowLane == beforeLane
                     : beforeLane < 0 || (viewer.lanes >> lane & 1);
    uint32_t until = part == FencedShared   ? viewer.fencedShared
                     : part == FencedGlobal ? viewer.fencedGlobal
                                            : viewer.time;
    if (isOwn && before.value <= until)
      return true;
  }
  // Its own copies, if it has waited for them.
  if (before.isEngine && before.actor == viewer.copies &&
      before.value <= viewer.ownCopies &&
      (part == Causal || part == Executed) &&
      (nowLane >= 0 && beforeLane >= 0 && !now.isEngine
           ? nowLane == beforeLane
           : viewer.lanes >> lane & 1))
    return true;
  auto isIn = [&](const ClockRef &clock) {
    if (!clock)
      return false;
    if (before.proxy == Proxy::TensorMap &&
        clock->of(before.issuer, lane) >= before.issued)
      return true;
    // Of all lanes together, one that is known will do.
    if (beforeLane < 0 && !before.isEngine)
      return clock->ofAny(before.actor) >= before.value;
    return clock->of(before.actor, lane) >= before.value;
  };
  if (isIn((*viewer.known)[part]))
    return true;
  return space == Finding::Shared && (part == Causal || part == FencedShared) &&
         viewer.known->anyOfShared(part, emu::getRank(now.range.address), isIn);
}

bool Judge::isKnown(Part part, const Access &before, const Access &now,
                    const Pair &pair) const {
  return llvm::any_of(viewers, [&](const Viewer &viewer) {
    bool isOne = pair.now < 0 || now.isEngine || viewer.lanes >> pair.now & 1;
    return isOne && isKnown(part, viewer, before, now, pair.before, pair.now);
  });
}

bool Judge::areMorallyStrong(const Access &x, const Access &y) const {
  if (x.scope == Scope::None || y.scope == Scope::None)
    return false;
  if (isStrict && x.proxy != y.proxy)
    return false;
  bool isSameBytes = x.range.bytes == y.range.bytes &&
                     (x.range.address - y.range.address) % x.range.bytes == 0;
  if (!x.isEngine && !y.isEngine && !isSameBytes)
    return false;
  Scope least = std::min(x.scope, y.scope);
  if (x.cluster != y.cluster)
    return least >= Scope::Gpu;
  return x.rank == y.rank || isFarEnough(least);
}

/// Whether no two pieces of a range overlap.
static bool areApart(const emu::MemoryRange &range) {
  return range.count == 1 || uint64_t(std::abs(range.pitch)) >= range.bytes;
}

/// Whether a non-coherent load may miss a write, however they are ordered: its
/// cache is for memory that no thread writes to as long as the kernel runs.
static bool isUnseen(const Access &before, const Access &now) {
  return now.isNonCoherent && before.writes && before.launch == now.launch;
}

/// Whether memory is written that the same launch has read by a non-coherent
/// load. A thread that updates what it has read itself loses nothing by it.
static bool isReadOnlyBroken(const Access &before, const Access &now) {
  return before.isNonCoherent && now.writes && before.launch == now.launch;
}
static bool isSameThread(const Access &before, const Access &now,
                         int beforeLane, int nowLane) {
  return before.cluster == now.cluster && before.rank == now.rank &&
         before.warp == now.warp && beforeLane >= 0 && beforeLane == nowLane;
}

/// Whether a copy uses a tensor map that another cluster has changed, and its
/// own hasn't acquired the change. The emulator reports the same of one
/// cluster.
static bool lacksMapFence(const Access &before, const Access &now) {
  return now.proxy == Proxy::TensorMap && before.writes &&
         before.launch == now.launch && before.cluster != now.cluster &&
         !now.isMapAcquired;
}

Judge::Answer Judge::order(const Access &before, const Access &now,
                           llvm::ArrayRef<Overlap> overlaps) {
  if (space == Finding::TensorMemory)
    return orderTensor(before, now);
  if (lacksMapFence(before, now))
    return Answer::Unordered;
  // Lanes of one instruction don't race; nor do the parts of an operation.
  if ((before.serial == now.serial && before.cluster == now.cluster) ||
      areMorallyStrong(before, now) || now.proxy == Proxy::TensorMap)
    return Answer::WhollyBefore;
  if (isUnseen(before, now))
    return Answer::Unordered;
  if (isReadOnlyBroken(before, now) &&
      !forEachPair(before, now, overlaps, [&](const Pair &pair) {
        return isSameThread(before, now, pair.before, pair.now);
      }))
    return Answer::Unordered;
  const Part part = needed(before, now);
  auto knowsAll = [&](const Viewer &viewer) {
    const ClockRef &clock = (*viewer.known)[part];
    return clock && clock->knows(before.actor, before.value);
  };
  if (before.cluster == now.cluster &&
      (now.isEngine ? llvm::any_of(viewers, knowsAll)
                    : llvm::all_of(viewers, knowsAll)))
    return Answer::WhollyBefore;
  // The same lanes at the same places, each at its own.
  if (!before.isEngine && !now.isEngine && before.range.lanes &&
      before.range == now.range && areApart(now.range) &&
      before.rank == now.rank && before.warp == now.warp &&
      before.cluster == now.cluster)
    return Answer::Ordered;
  return forEachPair(
             before, now, overlaps,
             [&](const Pair &pair) { return isKnown(part, before, now, pair); })
             ? Answer::Ordered
             : Answer::Unordered;
}

void Judge::found(const Access &before, const Access &now,
                  llvm::ArrayRef<Overlap> overlaps) {
  if (space == Finding::TensorMemory) {
    bool isIssued = isIssueKnown(before, now);
    bool isLoad = opcodeOf(before) == Opcode::Tcgen05Ld ||
                  opcodeOf(before) == Opcode::Tcgen05LdRed;
    bool isCopy = opcodeOf(now) == Opcode::Tcgen05Cp && isPipelined(before);
    // Stores of the warp that has used what it loaded; others don't know that.
    bool isOwn = before.rank == now.rank && before.warp == now.warp &&
                 opcodeOf(now) == Opcode::Tcgen05St;
    report(isIssued && isLoad && isOwn ? Rule::TensorLoadReuse
           : isIssued && isCopy        ? Rule::TensorCopyReuse
                                       : Rule::InFlight,
           before, now, {-1, -1, overlaps.front().address});
    return;
  }
  Part part = needed(before, now);
  forEachPair(before, now, overlaps, [&](const Pair &pair) {
    if (lacksMapFence(before, now)) {
      report(Rule::TensorMapFence, before, now, pair);
      return false;
    }
    if (isUnseen(before, now)) {
      report(Rule::NonCoherentLoad, before, now, pair);
      return false;
    }
    if (isReadOnlyBroken(before, now) &&
        !isSameThread(before, now, pair.before, pair.now)) {
      report(Rule::NonCoherentLoad, before, now, pair);
      return false;
    }
    if (isKnown(part, before, now, pair))
      return true;
    // Another lane may break another rule.
    report(ruleFor(before, now, pair), before, now, pair);
    return true;
  });
}

/// Release and acquire may be there, and what leads to the one or from the
/// other is not.
Missing Judge::missingFor(const Access &before, const Access &now,
                          const Pair &pair) const {
  const unsigned lane = pair.before < 0 ? before.lane : pair.before;
  if (before.cluster == now.cluster)
    return Missing::Synchronization;
  for (const Viewer &viewer : viewers) {
    if (pair.now >= 0 && !now.isEngine && !(viewer.lanes >> pair.now & 1))
      continue;
    const WorldRef &world = viewer.known->world;
    if (before.launch != now.launch)
      return world && world->count(earlierLaunches) ? Missing::WaitBetween
                                                    : Missing::Wait;
    if (!world || !world->count(before.cluster))
      continue;
    const Clock &clock = *world->find(before.cluster)->second;
    return clock.ofAny(before.actor) >= before.value
               ? Missing::WarpBeforeRelease
           : clock.of(before.actor, lane) ? Missing::ReleaseAfter
                                          : Missing::BarrierBeforeRelease;
  }
  return acquired && acquired->contains({now.cluster, before.cluster})
             ? Missing::BarrierAfterAcquire
             : Missing::Synchronization;
}

/// Fills in where each lane stores, and answers which do.
static uint32_t addressesOf(llvm::ArrayRef<emu::MemoryRange> ranges,
                            uint64_t (&addresses)[32]) {
  uint32_t lanes = 0;
  for (const emu::MemoryRange &range : ranges) {
    uint32_t rest = range.lanes;
    for (uint32_t piece = 0; rest; ++piece, rest &= rest - 1)
      addresses[llvm::countr_zero(rest)] = range.address + piece * range.pitch;
    lanes |= range.lanes;
  }
  return lanes;
}

uint32_t Judge::lanesOfOnePlace(llvm::ArrayRef<emu::MemoryRange> ranges) {
  uint64_t addresses[32] = {};
  uint32_t lanes = addressesOf(ranges, addresses), result = 0;
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    for (uint32_t later = rest & (rest - 1); later; later &= later - 1)
      if (addresses[lane] == addresses[llvm::countr_zero(later)])
        result |= 1u << lane;
  }
  return result;
}

void Judge::lostStores(const Access &store,
                       llvm::ArrayRef<emu::MemoryRange> ranges, uint32_t lost) {
  uint64_t addresses[32] = {};
  const uint32_t lanes = addressesOf(ranges, addresses);
  const uint32_t bytes = ranges.front().bytes;
  unsigned gone = llvm::countr_zero(lost);
  for (uint32_t rest = lanes & ~(1u << gone); rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    uint64_t first = std::min(addresses[lane], addresses[gone]);
    uint64_t second = std::max(addresses[lane], addresses[gone]);
    if (second - first < bytes)
      return report(Rule::Unordered, store, store,
                    {int(gone), int(lane), second});
  }
}

Rule Judge::ruleFor(const Access &before, const Access &now,
                    const Pair &pair) const {
  // Whichever comes last, the value is the same. But of two updates, one is
  // lost.
  bool isSameValue = before.writes && now.writes &&
                     !(before.isUpdate && now.isUpdate) &&
                     now.unchanged >> (pair.now < 0 ? now.lane : pair.now) & 1;
  if (isSameValue)
    return Rule::SameStore;
  if (isKnown(Causal, before, now, pair)) {
    if (!now.isAsync())
      return Rule::ProxyFenceAfterMma;
    if (before.isAsync())
      return Rule::ProxyFenceBetweenCtas;
    return now.writes ? Rule::ProxyFenceBeforeRefill : Rule::ProxyFence;
  }
  if (before.cluster == now.cluster && isKnown(Executed, before, now, pair))
    return before.writes ? Rule::InsufficientScope
                         : Rule::InsufficientScopeOnRelease;
  bool isOtherLaneKnown =
      before.cluster == now.cluster && pair.before >= 0 && !before.isEngine &&
      llvm::any_of(viewers, [&](const Viewer &viewer) {
        const ClockRef &clock = (*viewer.known)[Causal];
        return clock && clock->ofAny(before.actor) >= before.value;
      });
  if (isOtherLaneKnown)
    return Rule::MissingSyncwarp;
  // Which of the two comes first depends on when the work is done.
  return before.isEngine || now.isEngine ? Rule::InFlight : Rule::Unordered;
}

//===----------------------------------------------------------------------===//
// Tensor memory
//===----------------------------------------------------------------------===//

/// Work of one thread that is done in order of issue (9.7.16.6.2); that of two
/// threads is, if the later one knows that the earlier one was issued.
bool Judge::arePipelined(const Access &before, const Access &now) const {
  if (!isPipelined(before) || !isPipelined(now))
    return false;
  // MMAs on one accumulator are, if their shape is the same.
  if (before.rows && now.rows &&
      (before.rows != now.rows || before.columns != now.columns))
    return false;
  Opcode first = opcodeOf(before), second = opcodeOf(now);
  if (first == Opcode::Tcgen05Cp)
    return second != Opcode::Tcgen05Cp && second != Opcode::Tcgen05Shift;
  return second != Opcode::Tcgen05Cp || first == Opcode::Tcgen05Shift;
}

bool Judge::knows(Part part, Actor actor, unsigned lane, uint32_t value) const {
  return llvm::any_of(viewers, [&](const Viewer &viewer) {
    return valueOf((*viewer.known)[part], actor, lane) >= value;
  });
}

bool Judge::isIssueKnown(const Access &before, const Access &now) const {
  return (before.issuer == now.issuer && before.lane == now.lane) ||
         knows(isStrict ? TensorOwn : Executed, before.issuer, before.lane,
               before.issued);
}

Judge::Answer Judge::orderTensor(const Access &before, const Access &now) {
  if (before.serial == now.serial ||
      (arePipelined(before, now) && isIssueKnown(before, now)))
    return Answer::WhollyBefore;
  // Stores of a warp are in order, by the way they are used.
  bool isSameWarp = before.rank == now.rank && before.warp == now.warp;
  if (!isStrict && isSameWarp && opcodeOf(before) == Opcode::Tcgen05St &&
      before.actor == now.actor)
    return Answer::WhollyBefore;
  if (!knows(Executed, before.actor, 0, before.value))
    return Answer::Unordered;
  if (!knows(TensorOwn, before.actor, 0, before.value) &&
      (before.writes || now.writes))
    report(Rule::TensorFence, before, now, {-1, -1, now.range.address});
  return Answer::WhollyBefore;
}

void Judge::report(Rule rule, const Access &before, const Access &now,
                   const Pair &pair) {
  if (std::exchange(reportedOf, {now.cluster, now.serial}) !=
      std::pair(now.cluster, now.serial))
    reported.clear();
  std::pair broken(rule, before.instruction);
  if (llvm::is_contained(reported, broken))
    return;
  reported.push_back(broken);
  Finding::Distance distance = before.launch != now.launch ? Finding::Launches
                               : before.cluster != now.cluster
                                   ? Finding::SameLaunch
                               : before.rank != now.rank ? Finding::SameCluster
                               : before.warp != now.warp ? Finding::SameCta
                                                         : Finding::SameWarp;
  if (!findings.isFirst(rule, now.kernel, before.instruction, now.instruction,
                        distance))
    return;
  // Where neither comes first, they are reported in the order of the text.
  Missing missing = missingFor(before, now, pair);
  bool areEngines = before.isEngine && now.isEngine && before.warp == now.warp;
  bool isTurned =
      ((rule == Rule::Unordered && missing == Missing::Synchronization) ||
       (rule == Rule::InFlight && areEngines)) &&
      before.kernel == now.kernel && now.instruction < before.instruction;
  const Access &first = isTurned ? now : before;
  const Access &second = isTurned ? before : now;
  Finding finding;
  finding.rule = rule;
  finding.space = space;
  finding.first = describeSite(first, isTurned ? pair.now : pair.before);
  finding.second = describeSite(second, isTurned ? pair.before : pair.now);
  finding.firstInstruction = first.instruction;
  finding.secondInstruction = second.instruction;
  finding.distance = distance;
  describeFinding(finding, first, second, pair.address, missing);
  findings.add(std::move(finding));
}
