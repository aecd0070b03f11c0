//===- Synchronization.h - Who knows what -----------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads has the clock of each lane of a cluster. A release gives away what
// the lane knows and what it has done itself; an acquire takes that over. What
// is relaxed gives only what a fence in front of it has released, and takes
// only for a fence behind it.
//
// The other classes keep what was given until somebody takes it: rounds of
// barriers, phases of mbarriers, and words that strong accesses touch.
//
// Scopes: what crosses CTAs is *far*. Both ends must say at least .cluster for
// it; inside a CTA any scope will do (PTX ISA, sections 8.7 and 8.9.4).
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CHECKER_SYNCHRONIZATION_H
#define DRAWLOOM_CHECKER_SYNCHRONIZATION_H

#include "Clock.h"
#include "drawloom/Emulator/Events.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace drawloom::checker {

inline bool isFarEnough(emu::Scope scope) {
  return scope >= emu::Scope::Cluster;
}
inline bool releases(emu::Order order) {
  return order == emu::Order::Release || order == emu::Order::AcquireRelease ||
         order == emu::Order::SequentiallyConsistent;
}
inline bool acquires(emu::Order order) {
  return order == emu::Order::Acquire || order == emu::Order::AcquireRelease ||
         order == emu::Order::SequentiallyConsistent;
}

/// What is given, apart by who may take it.
struct Gift {
  Clock near; ///< For threads of the giver's CTA.
  Clock far;  ///< For threads of other CTAs.

  void join(const Gift &other) {
    near.join(other.near);
    far.join(other.far);
  }
};

class Threads {
public:
  /// The number of a warp in clocks.
  static unsigned numberOf(const emu::Origin &origin) {
    return origin.rank * 32u + origin.warp;
  }
  uint32_t timeOf(const emu::Origin &origin) { return warp(origin).time; }
  const Clock &clockOf(const emu::Origin &origin, unsigned lane);

  /// What the lanes give by something of that order and scope.
  Gift give(const emu::Origin &origin, emu::Order order, emu::Scope scope);
  /// The lanes take what was given, `isFar` if by another CTA.
  void take(const emu::Origin &origin, const Clock &given, bool isFar,
            emu::Order order, emu::Scope scope);
  void fence(const emu::Origin &origin, emu::Order order, emu::Scope scope);

private:
  using Snapshot = std::shared_ptr<const Clock>;
  struct Lane {
    Snapshot clock;
    Snapshot released; ///< By its last fence.
    emu::Scope releasedScope = emu::Scope::None;
    /// What it has read by relaxed accesses and a fence may acquire.
    Snapshot seenNear, seenFar;
  };
  struct Warp {
    uint32_t time = 1;
    std::array<Lane, 32> lanes;
  };
  Warp &warp(const emu::Origin &origin);
  /// Adds to a clock of each lane; those that share one go on sharing.
  void add(const emu::Origin &origin, Snapshot Lane::*which, const Clock &more);

  std::vector<std::unique_ptr<Warp>> warps;
};

/// The barriers of the CTAs and of the cluster.
class Barriers {
public:
  void event(const emu::BarrierEvent &event, Threads &threads);

private:
  struct Arrival {
    uint16_t warp;
    uint32_t lanes;
    Clock clock;
  };
  struct Named {
    llvm::SmallVector<Arrival, 8> arrivals;
    Clock given; ///< In the round that was complete last.
  };
  void named(const emu::BarrierEvent &event, Threads &threads);
  void cluster(const emu::BarrierEvent &event, Threads &threads);

  llvm::DenseMap<uint32_t, Named> byNumber; ///< With the rank.
  llvm::DenseMap<uint64_t, Clock> rounds;   ///< Of the cluster.
};

class Mbarriers {
public:
  void event(const emu::MbarrierEvent &event, Threads &threads);

private:
  struct Mbarrier {
    Gift pending;  ///< In this phase and all before it.
    Gift ended[2]; ///< Up to the last phases, by parity.
  };
  llvm::DenseMap<uint64_t, Mbarrier> byAddress;
};

/// Words that strong accesses hand something over by.
class Flags {
public:
  /// A lane touches a word, which may be weakly.
  void access(const emu::AccessEvent &event, unsigned lane, uint64_t address,
              Threads &threads);

private:
  struct Write {
    uint16_t rank;
    Gift gift;
  };
  /// What was written last, and the atomics that have added to it since.
  llvm::DenseMap<uint64_t, llvm::SmallVector<Write, 1>> byAddress;
};

} // namespace drawloom::checker

#endif // DRAWLOOM_CHECKER_SYNCHRONIZATION_H
