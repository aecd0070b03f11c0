//===- Clock.h - How far each actor is known --------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What happens in a cluster is done by *actors*: the lanes of warps, and
// streams of asynchronous work (the phases of an mbarrier, the groups of a
// warpgroup, the MMAs of a thread). Each has a value that only rises. A Clock
// says of each actor up to which value it is known, that is, ordered before
// what comes now.
//
// Warps and streams of warps have lanes. They are mostly known up to the same
// value; those that are known up to more are apart.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CHECKER_CLOCK_H
#define DRAWLOOM_CHECKER_CLOCK_H

#include <cstdint>
#include <memory>
#include <vector>

namespace drawloom::checker {

/// Actors are numbered from 0 in the order in which they turn up.
using Actor = uint32_t;

class Clock {
public:
  /// Whether all lanes of an actor are known up to `value`.
  bool knows(Actor actor, uint32_t value) const {
    return actor < all.size() && all[actor] >= value;
  }
  /// Up to which value a lane is known; 0 if nothing of it is.
  uint32_t of(Actor actor, unsigned lane) const;
  /// The value up to which some lane is known.
  uint32_t ofAny(Actor actor) const;
  void join(const Clock &other);
  /// Whether it knows all that `other` does.
  bool covers(const Clock &other) const;
  /// Lanes of an actor become known up to `value`, unless they are already.
  void raise(Actor actor, uint32_t lanes, uint32_t value);

private:
  /// Lanes that are known up to more than all of their actor are.
  struct Odd {
    Actor actor;
    uint32_t lanes;
    uint32_t value;
  };
  using OddList = std::vector<Odd>; ///< By actor, lanes only once.
  void joinOdd(const OddList &more);

  std::vector<uint32_t> all;
  OddList odd;
};

/// Clocks that are handed around don't change. Null knows nothing.
using ClockRef = std::shared_ptr<const Clock>;

/// What both know together; one of the two, if it knows what the other does.
ClockRef joined(const ClockRef &x, const ClockRef &y);
/// `clock`, and the lanes of an actor up to `value`.
ClockRef raised(const ClockRef &clock, Actor actor, uint32_t lanes,
                uint32_t value);

inline uint32_t valueOf(const ClockRef &clock, Actor actor, unsigned lane) {
  return clock ? clock->of(actor, lane) : 0;
}

} // namespace drawloom::checker

#endif // DRAWLOOM_CHECKER_CLOCK_H
