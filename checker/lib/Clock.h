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

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace drawloom::checker {

/// Actors are numbered from 0 in the order in which they turn up.
using Actor = uint32_t;

class Clock : public llvm::RefCountedBase<Clock> {
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
    bool operator==(const Odd &) const = default;
  };
  using OddList = llvm::SmallVector<Odd, 8>; ///< By actor, lanes only once.
  /// Adds what counts of one actor's entries.
  void addOdd(llvm::MutableArrayRef<Odd> entries, OddList &result);
  void joinOdd(llvm::ArrayRef<Odd> more);

  llvm::SmallVector<uint32_t, 64> all;
  OddList odd;
};

/// Clocks that are handed around don't change. Null knows nothing. They stay in
/// their cluster, so one thread at a time counts who has them.
using ClockRef = llvm::IntrusiveRefCntPtr<const Clock>;

/// `clock` comes to know what `other` does. It becomes another one, unless
/// it isn't shared.
void join(ClockRef &clock, const ClockRef &other);
/// It comes to know the lanes of an actor up to `value`.
void raise(ClockRef &clock, Actor actor, uint32_t lanes, uint32_t value);

inline uint32_t valueOf(const ClockRef &clock, Actor actor, unsigned lane) {
  return clock ? clock->of(actor, lane) : 0;
}

} // namespace drawloom::checker

#endif // DRAWLOOM_CHECKER_CLOCK_H
