//===- Clock.cpp - How far each actor is known ----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Clock.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace drawloom::checker;

uint32_t Clock::of(Actor actor, unsigned lane) const {
  if (actor >= all.size())
    return 0;
  for (const Odd &entry : odd)
    if (entry.actor == actor && entry.lanes >> lane & 1)
      return entry.value;
  return all[actor];
}

uint32_t Clock::ofAny(Actor actor) const {
  if (actor >= all.size())
    return 0;
  uint32_t most = all[actor];
  for (const Odd &entry : odd)
    if (entry.actor == actor)
      most = std::max(most, entry.value);
  return most;
}

void Clock::addOdd(llvm::MutableArrayRef<Odd> entries, OddList &result) {
  const Actor actor = entries.front().actor;
  if (entries.size() > 1)
    llvm::sort(entries,
               [](const Odd &x, const Odd &y) { return x.value > y.value; });
  // The highest value of each lane counts.
  uint32_t left = ~0u;
  size_t first = result.size();
  for (const Odd &entry : entries) {
    uint32_t lanes = entry.lanes & left;
    if (!lanes || entry.value <= all[actor])
      continue;
    left &= ~lanes;
    if (result.size() > first && result.back().value == entry.value)
      result.back().lanes |= lanes;
    else
      result.push_back({actor, lanes, entry.value});
  }
  if (left)
    return;
  all[actor] = result.back().value; // Each is known up to that.
  result.pop_back();
}

void Clock::joinOdd(llvm::ArrayRef<Odd> more) {
  if (llvm::ArrayRef<Odd>(odd) == more)
    more = {};
  if (more.empty()) {
    llvm::erase_if(
        odd, [&](const Odd &entry) { return entry.value <= all[entry.actor]; });
    return;
  }
  OddList result;
  auto own = odd.begin();
  auto other = more.begin();
  llvm::SmallVector<Odd, 8> entries; // Of one actor.
  while (own != odd.end() || other != more.end()) {
    Actor actor = own == odd.end()      ? other->actor
                  : other == more.end() ? own->actor
                                        : std::min(own->actor, other->actor);
    entries.clear();
    for (; own != odd.end() && own->actor == actor; ++own)
      entries.push_back(*own);
    for (; other != more.end() && other->actor == actor; ++other)
      entries.push_back(*other);
    addOdd(entries, result);
  }
  odd = std::move(result);
}

void Clock::join(const Clock &other) {
  if (all.size() < other.all.size())
    all.resize(other.all.size());
  for (size_t actor = 0, end = other.all.size(); actor != end; ++actor)
    all[actor] = std::max(all[actor], other.all[actor]);
  if (!odd.empty() || !other.odd.empty())
    joinOdd(other.odd);
}

bool Clock::covers(const Clock &other) const {
  size_t both = std::min(all.size(), other.all.size());
  // Without a branch in it, the loop takes several at a time.
  uint32_t lacks = 0;
  for (size_t actor = 0; actor != both; ++actor)
    lacks |= all[actor] < other.all[actor];
  for (size_t actor = both; actor < other.all.size(); ++actor)
    lacks |= other.all[actor] != 0;
  if (!other.odd.empty() && other.odd.back().actor >= all.size())
    return false;
  if (lacks)
    return false;
  auto own = odd.begin();
  for (const Odd &entry : other.odd) {
    uint32_t left = all[entry.actor] >= entry.value ? 0 : entry.lanes;
    while (own != odd.end() && own->actor < entry.actor)
      ++own;
    for (auto it = own; it != odd.end() && it->actor == entry.actor; ++it)
      if (it->value >= entry.value)
        left &= ~it->lanes;
    if (left)
      return false;
  }
  return true;
}

void Clock::raise(Actor actor, uint32_t lanes, uint32_t value) {
  if (actor >= all.size())
    all.resize(actor + 1);
  if (value <= all[actor])
    return;
  if (lanes == ~0u) {
    all[actor] = value;
    if (!odd.empty())
      joinOdd({});
    return;
  }
  joinOdd(Odd{actor, lanes, value});
}

/// The clock itself if it isn't shared, or a copy that is `clock` then.
static Clock &own(ClockRef &clock) {
  if (clock.useCount() == 1)
    return const_cast<Clock &>(*clock); // Made as one that may change.
  auto *copy = clock ? new Clock(*clock) : new Clock;
  clock = copy;
  return *copy;
}

void drawloom::checker::join(ClockRef &clock, const ClockRef &other) {
  if (clock == other || !other)
    return;
  // What both know is `other` then, so that lanes that synchronize share it.
  if (!clock || other->covers(*clock))
    clock = other;
  else if (!clock->covers(*other))
    own(clock).join(*other);
}

void drawloom::checker::raise(ClockRef &clock, Actor actor, uint32_t lanes,
                              uint32_t value) {
  if (!clock || !clock->knows(actor, value))
    own(clock).raise(actor, lanes, value);
}
