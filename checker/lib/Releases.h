//===- Releases.h - What is given until it is taken ------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rounds of barriers, phases of mbarriers and words that strong accesses touch
// keep what was given until a thread takes it.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CHECKER_RELEASES_H
#define DRAWLOOM_CHECKER_RELEASES_H

#include "Threads.h"

namespace drawloom::checker {

/// The barriers of warps, of the CTAs and of the cluster.
class Barriers {
public:
  void event(const emu::BarrierEvent &event, Threads &threads);

private:
  struct Arrival {
    uint16_t warp;
    uint32_t lanes;
    Knowledge given;
  };
  struct Named {
    llvm::SmallVector<Arrival, 8> arrivals;
    Knowledge given; ///< In the round that was complete last.
  };
  void named(const emu::BarrierEvent &event, Threads &threads);
  void cluster(const emu::BarrierEvent &event, Threads &threads);

  llvm::DenseMap<uint32_t, Named> byNumber;   ///< With the rank.
  llvm::DenseMap<uint64_t, Knowledge> rounds; ///< Of the cluster.
};

class Mbarriers {
public:
  Mbarriers(Actors &actors, bool isStrict)
      : actors(actors), isStrict(isStrict) {}

  /// Something that is done by threads.
  void event(const emu::MbarrierEvent &event, Threads &threads);
  /// An engine arrives, or completes bytes: it gives what it covers, and says
  /// that what came before its issue was executed.
  void arrive(uint64_t address, const ClockRef &done,
              const Threads::Issue &issue);
  /// When work that completes bytes there now will be over: an actor and a
  /// value. `isFar` if another CTA has issued it.
  std::pair<Actor, uint32_t> phaseOf(uint64_t address, bool isFar);

  /// A wait for a phase, after which the next one has ended without knowing
  /// that it was over.
  struct Wrap {
    emu::Origin waiter;
    int64_t phase;
  };
  /// What `event` found last; none if all is well.
  std::optional<Wrap> wrapped() const { return lastWrap; }

private:
  struct Waiter {
    emu::Origin origin;
    Actor actor;
    uint32_t time;
  };
  struct Mbarrier {
    Actor phases = 0;
    std::optional<Actor> farPhases; ///< If another CTA has issued some.
    uint32_t base = 0;              ///< Phases of earlier initializations.
    uint32_t phase = 0;             ///< Under way.
    Gift pending;                   ///< In this phase and all before it.
    /// By engines: what is over, and what came before it.
    ClockRef done, executed;
    /// Who has seen the end of the phase before this one, and what those knew
    /// who have arrived: no thread may still wait when this one ends.
    llvm::SmallVector<Waiter, 4> waiters;
    ClockRef arrived;
    /// What the last phases gave, by parity.
    struct Ended {
      Gift gift;
      Knowledge done;     ///< By engines.
      Knowledge nearDone; ///< Both, for who acquires.
    } ended[2];
  };
  Mbarrier &at(uint64_t address);
  void endPhase(Mbarrier &barrier, uint32_t phase);
  void take(const Mbarrier::Ended &given, const emu::MbarrierEvent &event,
            const Mbarrier &barrier, Threads &threads) const;

  Actors &actors;
  const bool isStrict;
  llvm::DenseMap<uint64_t, Mbarrier> byAddress;
  std::optional<Wrap> lastWrap;
};

/// What each lane has taken from a word last. A spinning lane reads the same a
/// thousand times, and learns nothing but the first time.
class LastTaken {
public:
  /// Whether a lane reads something that it didn't the last time: another word,
  /// another `version` of it, or by another access.
  bool isNew(const emu::Origin &thread, uint64_t cluster, uint64_t address,
             uint64_t version, emu::Order order, emu::Scope scope);

private:
  using Read = std::tuple<uint64_t, uint64_t, emu::Order, emu::Scope>;
  llvm::DenseMap<std::pair<uint64_t, uint64_t>, Read> byLane;
};

/// Words that strong accesses hand something over by, inside a cluster.
class Flags {
public:
  /// A lane touches a word by a strong access.
  void access(const emu::AccessEvent &event, unsigned lane, uint64_t address,
              Threads &threads);
  /// Lanes touch words by a relaxed access, and have nothing to publish: what
  /// is passed on is that it was executed, which a warp knows as a whole. False
  /// if there is more to take, and each lane has to do it for itself.
  bool accessTogether(const emu::AccessEvent &event, Threads &threads);

private:
  /// Words that one instruction has written share what it gave.
  struct Write {
    uint16_t rank;
    std::shared_ptr<const Gift> gift;
  };
  /// What was written last, and the atomics that have added to it since.
  struct Word {
    llvm::SmallVector<Write, 1> writes;
    uint64_t version = 0;
    bool isPublished = false; ///< One of them gives more than its execution.

    void add(uint16_t rank, const std::shared_ptr<const Gift> &gift);
  };
  llvm::DenseMap<uint64_t, Word> byAddress;
  uint64_t versions = 0;
  LastTaken taken;
};

} // namespace drawloom::checker

#endif // DRAWLOOM_CHECKER_RELEASES_H
