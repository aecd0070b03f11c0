//===- BarrierExplorer.cpp - Every order of steps, at the level of barriers ==//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BarrierExplorer.h"
#include "BarrierProgram.h"
#include "StateSet.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

using namespace drawloom::progress;
using namespace drawloom::progress::barriers;
using Kind = WarpStep::Kind;

/// Copies to one slot, of all CTAs that fill it.
static constexpr unsigned mostCopies = 8;

namespace {
/// Where an mbarrier is in the bytes of a state. The phase is counted, where
/// the hardware keeps its parity; waits look at the parity only, and the count
/// shows whether they were right.
struct Mbarrier {
  /// One byte each: the phase, the arrivals that are pending, the arrivals that
  /// the tensor core will make, and the copies in flight as bits.
  unsigned phase, pending, promised, copies;
  /// Four bytes: the transactions outstanding. Only if the pipe has copies.
  unsigned bytes;
  uint8_t count;
  bool hasBytes;
  PipeId pipe;
  unsigned slot, cta;
  bool isFull;
};

/// The current state, byte by byte.
class StateBytes {
protected:
  template <typename T>
  T get(unsigned at) const {
    T value;
    std::memcpy(&value, &now[at], sizeof(T));
    return value;
  }
  template <typename T>
  void put(unsigned at, T value) {
    std::memcpy(&now[at], &value, sizeof(T));
  }
  /// Room for a number in every state.
  template <typename T>
  unsigned reserve(T initial) {
    unsigned at = now.size();
    now.resize(at + sizeof(T));
    put(at, initial);
    return at;
  }

  std::vector<uint8_t> now;
};

class Explorer : private StateBytes {
public:
  Explorer(const Network &network, const Sizes &sizes,
           const ExploreLimits &limits);

  Exploration explore();

private:
  struct Arc {
    uint32_t parent;
    uint32_t action;
  };

  void addMbarrier(PipeId pipe, unsigned slot, unsigned cta, bool isFull);

  /// Does one action to the current state; false if it is not possible. Actions
  /// are numbered: warps first, then what the engines do to each mbarrier.
  bool act(uint32_t action);
  bool step(unsigned warp);
  bool stepPipe(const Warp &warp, const WarpStep &step);
  const Mbarrier &barrierOf(const WarpStep &step, unsigned cta,
                            bool isFull) const;
  void fill(const Warp &warp, const WarpStep &step, unsigned home);
  bool hasLeft(unsigned cta) const;
  void checkHome(const Mbarrier &barrier, const char *what);
  bool advanceEngine(unsigned barrier, unsigned what);
  bool passesParity(const Mbarrier &barrier, int64_t phase);
  void arriveAt(const Mbarrier &barrier, bool asynchronous, int64_t use);
  void complete(const Mbarrier &barrier);
  void arriveNamed(const Warp &warp, const WarpStep &step);
  /// Named barriers and pools are in every CTA.
  unsigned namedOf(const Warp &warp, const WarpStep &step) const {
    return named[warp.cta * program.barrierCounts.size() + step.object];
  }
  unsigned poolOf(const Warp &warp, const WarpStep &step) const {
    return pools[warp.cta * program.pools.size() + step.object];
  }
  void visit(uint32_t index);
  void checkEnd();
  void error(Exploration::Kind kind, std::string message) {
    if (failed)
      return;
    failed = true;
    result.kind = kind;
    result.message = std::move(message);
  }
  std::string nameBarrier(const Mbarrier &barrier) const;
  std::string nameAction(uint32_t action) const;
  void traceTo(uint32_t index);

  const Network &network;
  BarrierProgram program;
  ExploreLimits limits;
  Exploration result;
  bool failed = false;
  bool tooLarge = false;

  /// Where things are in a state.
  std::vector<unsigned> counters;
  std::vector<Mbarrier> mbarriers;
  /// For each pipe, the first of its mbarriers: full and empty of each slot in
  /// each CTA.
  std::vector<unsigned> firstBarrier;
  /// Phase and pending arrivals, one byte each.
  std::vector<unsigned> named;
  std::vector<unsigned> pools;

  std::optional<StateSet> states;
  std::vector<uint32_t> open;
  std::vector<Arc> arcs;
};
} // namespace

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

void Explorer::addMbarrier(PipeId pipe, unsigned slot, unsigned cta,
                           bool isFull) {
  const PipeBarriers &of = program.pipes[pipe];
  int64_t count = (isFull ? of.fullCounts : of.emptyCounts)[cta];
  bool hasBytes = isFull && of.hasBytes;
  tooLarge |= count > 250;
  Mbarrier barrier{};
  barrier.phase = reserve<uint8_t>(0);
  barrier.pending = reserve<uint8_t>(count);
  barrier.promised = reserve<uint8_t>(0);
  if (hasBytes) {
    barrier.copies = reserve<uint8_t>(0);
    barrier.bytes = reserve<int32_t>(0);
  }
  barrier.hasBytes = hasBytes;
  barrier.count = count;
  barrier.pipe = pipe;
  barrier.slot = slot;
  barrier.cta = cta;
  barrier.isFull = isFull;
  mbarriers.push_back(barrier);
}

Explorer::Explorer(const Network &network, const Sizes &sizes,
                   const ExploreLimits &limits)
    : network(network), program(network, sizes), limits(limits) {
  for (const Warp &warp : program.warps) {
    tooLarge |= warp.steps.size() > UINT16_MAX;
    counters.push_back(reserve<uint16_t>(0));
  }
  for (auto [id, pipe] : llvm::enumerate(program.pipes)) {
    firstBarrier.push_back(mbarriers.size());
    int64_t uses = pipe.bytes.size() / pipe.slots + 1;
    tooLarge |= uses > 250;
    for (const Bytes *bytes : pipe.bytes)
      tooLarge |= bytes->copies.size() * pipe.fillers > mostCopies;
    if (tooLarge)
      return;
    // Slots that are never used need no barriers.
    int64_t used = std::min<int64_t>(pipe.slots, pipe.bytes.size());
    for (int64_t slot = 0; slot < used; ++slot)
      for (unsigned cta = 0; cta < network.ctas; ++cta) {
        addMbarrier(id, slot, cta, /*isFull=*/true);
        addMbarrier(id, slot, cta, /*isFull=*/false);
      }
  }
  for (unsigned cta = 0; cta < network.ctas; ++cta) {
    for (int64_t count : program.barrierCounts) {
      tooLarge |= count > 250;
      named.push_back(reserve<uint8_t>(0));
      reserve<uint8_t>(count);
    }
    for (int64_t available : program.pools)
      pools.push_back(reserve<int64_t>(available));
  }
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

std::string Explorer::nameBarrier(const Mbarrier &barrier) const {
  return std::string(barrier.isFull ? "full" : "empty") + " barrier of slot " +
         std::to_string(barrier.slot) + " of '" +
         network.pipes[barrier.pipe].name + "'" +
         (network.ctas > 1 ? " in CTA " + std::to_string(barrier.cta) : "");
}

bool Explorer::hasLeft(unsigned cta) const {
  return llvm::all_of(llvm::zip(counters, program.warps), [&](auto pair) {
    auto [counter, warp] = pair;
    return warp.cta != cta || get<uint16_t>(counter) == warp.steps.size();
  });
}

/// What comes from another CTA must find its barrier there.
void Explorer::checkHome(const Mbarrier &barrier, const char *what) {
  if (program.pipes[barrier.pipe].shared && hasLeft(barrier.cta))
    error(Exploration::Kind::hasLeft, std::string(what) + " comes to the " +
                                          nameBarrier(barrier) +
                                          ", which has left the cluster");
}

/// A wait for the completion of `phase`, by its parity.
bool Explorer::passesParity(const Mbarrier &barrier, int64_t phase) {
  int64_t current = now[barrier.phase];
  bool passes = (current & 1) != (phase & 1);
  bool complete = current > phase;
  if (passes != complete)
    error(Exploration::Kind::wrongPhase,
          "a wait for phase " + std::to_string(phase) + " of the " +
              nameBarrier(barrier) + " comes in phase " +
              std::to_string(current) + ", where its parity " +
              (passes ? "lets it pass" : "makes it wait"));
  return passes;
}

void Explorer::complete(const Mbarrier &barrier) {
  if (now[barrier.pending] != 0 ||
      (barrier.hasBytes && get<int32_t>(barrier.bytes) != 0))
    return;
  if (barrier.hasBytes && now[barrier.copies] != 0)
    error(Exploration::Kind::wrongPhase,
          "the " + nameBarrier(barrier) + " completes before its last copy");
  ++now[barrier.phase];
  now[barrier.pending] = barrier.count;
}

void Explorer::arriveAt(const Mbarrier &barrier, bool asynchronous,
                        int64_t use) {
  checkHome(barrier, "an arrival");
  if (now[barrier.phase] != use)
    error(Exploration::Kind::wrongPhase,
          "an arrival for phase " + std::to_string(use) + " of the " +
              nameBarrier(barrier) + " comes in phase " +
              std::to_string(now[barrier.phase]));
  if (asynchronous) {
    ++now[barrier.promised];
    return;
  }
  --now[barrier.pending];
  complete(barrier);
}

void Explorer::arriveNamed(const Warp &warp, const WarpStep &step) {
  uint8_t &phase = now[namedOf(warp, step)];
  uint8_t &pending = now[namedOf(warp, step) + 1];
  if (phase != step.number)
    error(Exploration::Kind::wrongPhase,
          "arrival " + std::to_string(step.number) +
              " at a barrier comes in its phase " + std::to_string(phase));
  if (--pending == 0) {
    ++phase;
    pending = program.barrierCounts[step.object];
  }
}

const Mbarrier &Explorer::barrierOf(const WarpStep &step, unsigned cta,
                                    bool isFull) const {
  unsigned slot = step.number % program.pipes[step.object].slots;
  unsigned pair = slot * network.ctas + cta;
  return mbarriers[firstBarrier[step.object] + 2 * pair + (isFull ? 0 : 1)];
}

/// Fills the warp's part of a slot in the CTA `home`. The role there announces
/// the bytes of all parts; the first CTA does where it has no such role.
void Explorer::fill(const Warp &warp, const WarpStep &step, unsigned home) {
  const PipeBarriers &pipe = program.pipes[step.object];
  const Mbarrier &full = barrierOf(step, home, /*isFull=*/true);
  int64_t use = step.number / pipe.slots;
  bool announces = home == warp.cta || pipe.fillers == 1;
  if (step.announces && full.hasBytes) {
    checkHome(full, "a copy");
    if (now[full.phase] != use)
      error(Exploration::Kind::wrongPhase,
            "a copy for phase " + std::to_string(use) + " of the " +
                nameBarrier(full) + " is sent in phase " +
                std::to_string(now[full.phase]));
    const Bytes &bytes = *pipe.bytes[step.number];
    if (announces)
      put<int32_t>(full.bytes, get<int32_t>(full.bytes) +
                                   int32_t(bytes.announced * pipe.fillers));
    unsigned first = pipe.fillers == 1 ? 0 : warp.cta * bytes.copies.size();
    now[full.copies] |= ((1u << bytes.copies.size()) - 1) << first;
  }
  if (announces || !full.hasBytes)
    arriveAt(full, step.asynchronous, use);
}

bool Explorer::stepPipe(const Warp &warp, const WarpStep &step) {
  // A content that no warp produces: its phase never completes.
  if (step.number < 0)
    return false;
  const PipeBarriers &pipe = program.pipes[step.object];
  int64_t use = step.number / pipe.slots;
  if (step.kind == Kind::waitEmpty)
    return passesParity(barrierOf(step, warp.cta, /*isFull=*/false), use - 1);
  if (step.kind == Kind::waitFull)
    return passesParity(barrierOf(step, warp.cta, /*isFull=*/true), use);
  bool fills = step.kind == Kind::arriveFull;
  for (unsigned home = 0; home < network.ctas; ++home) {
    const Mbarrier &barrier = barrierOf(step, home, fills);
    if (barrier.count == 0 || (!pipe.shared && home != warp.cta))
      continue;
    if (fills)
      fill(warp, step, home);
    else
      arriveAt(barrier, step.asynchronous, use);
  }
  return true;
}

bool Explorer::step(unsigned index) {
  const Warp &warp = program.warps[index];
  uint16_t counter = get<uint16_t>(counters[index]);
  if (counter == warp.steps.size())
    return false;
  const WarpStep &step = warp.steps[counter];
  bool moves = true;
  switch (step.kind) {
  case Kind::arrive:
    arriveNamed(warp, step);
    break;
  case Kind::wait:
    moves = now[namedOf(warp, step)] > step.number;
    break;
  case Kind::take:
  case Kind::give: {
    int64_t left = get<int64_t>(poolOf(warp, step)) +
                   (step.kind == Kind::take ? -step.amount : step.amount);
    moves = left >= 0;
    if (moves)
      put(poolOf(warp, step), left);
    break;
  }
  default:
    moves = stepPipe(warp, step);
    break;
  }
  if (moves)
    put<uint16_t>(counters[index], counter + 1);
  return moves;
}

/// The tensor core arrives (what = 0), or copy what - 1 delivers its bytes.
bool Explorer::advanceEngine(unsigned index, unsigned what) {
  const Mbarrier &barrier = mbarriers[index];
  if (what == 0) {
    if (now[barrier.promised] == 0)
      return false;
    checkHome(barrier, "an arrival");
    --now[barrier.promised];
    --now[barrier.pending];
    complete(barrier);
    return true;
  }
  if (!barrier.hasBytes || !(now[barrier.copies] >> (what - 1) & 1))
    return false;
  const PipeBarriers &pipe = program.pipes[barrier.pipe];
  int64_t number = now[barrier.phase] * pipe.slots + barrier.slot;
  checkHome(barrier, "a copy");
  now[barrier.copies] &= ~(1u << (what - 1));
  llvm::ArrayRef<int64_t> copies = pipe.bytes[number]->copies;
  put<int32_t>(barrier.bytes, get<int32_t>(barrier.bytes) -
                                  int32_t(copies[(what - 1) % copies.size()]));
  complete(barrier);
  return true;
}

/// Each mbarrier has an action for the tensor core and eight for copies.
constexpr unsigned engineActions = 1 + mostCopies;

bool Explorer::act(uint32_t action) {
  if (action < program.warps.size())
    return step(action);
  action -= program.warps.size();
  return advanceEngine(action / engineActions, action % engineActions);
}

std::string Explorer::nameAction(uint32_t action) const {
  if (action >= program.warps.size()) {
    action -= program.warps.size();
    return (action % engineActions == 0 ? "tensor core at the "
                                        : "copy for the ") +
           nameBarrier(mbarriers[action / engineActions]);
  }
  const Warp &warp = program.warps[action];
  return "@" + network.roles[warp.role].name + " warp " +
         std::to_string(warp.number) +
         (network.ctas > 1 ? " of CTA " + std::to_string(warp.cta) : "");
}

void Explorer::traceTo(uint32_t index) {
  for (; index != 0; index = arcs[index].parent)
    result.trace.push_back(nameAction(arcs[index].action));
  std::reverse(result.trace.begin(), result.trace.end());
}

/// Nothing can move: have all warps ended, and are all slots empty? A warp that
/// only stays for its slots waits for a content that no warp consumed.
void Explorer::checkEnd() {
  for (auto [counter, warp] : llvm::zip(counters, program.warps)) {
    if (get<uint16_t>(counter) == warp.steps.size())
      continue;
    const WarpStep &step = warp.steps[get<uint16_t>(counter)];
    if (step.leaving)
      continue;
    BlockedWarp blocked{warp.role,   warp.cta,
                        warp.number, BlockedWarp::Kind::pool,
                        step.object, step.index};
    if (step.kind == Kind::waitEmpty)
      blocked.kind = BlockedWarp::Kind::empty;
    else if (step.kind == Kind::waitFull)
      blocked.kind = BlockedWarp::Kind::full;
    else if (step.kind == Kind::wait)
      blocked.kind = BlockedWarp::Kind::barrier;
    result.blocked.push_back(blocked);
  }
  if (!result.blocked.empty())
    return error(Exploration::Kind::stuck, "no warp can move");
  // The first CTA has a full barrier for each slot, whichever CTAs fill it.
  const Mbarrier *first = nullptr;
  for (const Mbarrier &barrier : mbarriers) {
    if (barrier.cta == 0 && barrier.isFull)
      first = &barrier;
    if (barrier.count != 0 &&
        (now[barrier.phase] != now[first->phase] ||
         now[barrier.pending] != barrier.count ||
         (barrier.hasBytes && get<int32_t>(barrier.bytes) != 0)))
      return error(Exploration::Kind::unconsumed,
                   "the " + nameBarrier(*first) + " ends in phase " +
                       std::to_string(now[first->phase]) + ", the " +
                       nameBarrier(barrier) + " in phase " +
                       std::to_string(now[barrier.phase]));
  }
}

/// Takes every action that is possible in a state.
void Explorer::visit(uint32_t index) {
  auto load = [&] { std::memcpy(now.data(), states->at(index), now.size()); };
  load();
  bool moved = false;
  auto attempt = [&](uint32_t action) {
    if (failed || !act(action))
      return;
    moved = true;
    if (std::optional<uint32_t> added = states->insert(now.data())) {
      open.push_back(*added);
      if (limits.trace)
        arcs.push_back({index, action});
    }
    load();
  };
  uint32_t warps = program.warps.size();
  for (uint32_t warp = 0; warp < warps; ++warp)
    attempt(warp);
  for (auto [id, barrier] : llvm::enumerate(mbarriers)) {
    uint32_t first = warps + id * engineActions;
    if (now[barrier.promised])
      attempt(first);
    if (barrier.hasBytes && now[barrier.copies])
      for (unsigned copy = 1; copy < engineActions; ++copy)
        attempt(first + copy);
  }
  if (!moved && !failed)
    checkEnd();
  if (failed && limits.trace)
    traceTo(index);
}

Exploration Explorer::explore() {
  if (tooLarge) {
    result.kind = Exploration::Kind::tooLarge;
    result.message = "more uses of a slot, or warps, than it counts";
    return std::move(result);
  }
  states.emplace(now.size());
  states->insert(now.data());
  open.push_back(0);
  if (limits.trace)
    arcs.push_back({0, 0});
  while (!open.empty() && !failed) {
    uint32_t index = open.back();
    open.pop_back();
    visit(index);
    if (states->size() > limits.states)
      error(Exploration::Kind::tooLarge, "more states than allowed");
  }
  result.states = states->size();
  return std::move(result);
}

Exploration drawloom::progress::explore(const Network &network,
                                        const Sizes &sizes,
                                        const ExploreLimits &limits) {
  return Explorer(network, sizes, limits).explore();
}
