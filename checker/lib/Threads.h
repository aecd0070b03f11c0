//===- Threads.h - What each lane of a cluster knows ------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A release gives away what a lane knows and what it has done itself; an
// acquire takes that over. What is relaxed gives only what a fence in front of
// it has released, and takes only for a fence behind it, which may be another
// thread's that a barrier leads to.
//
// Scopes: what crosses CTAs is *far*. Both ends must say at least .cluster for
// it; inside a CTA any scope will do (PTX ISA, sections 8.7 and 8.9.4).
//
// Lanes of a warp that know the same are one group, and mostly all of them are.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CHECKER_THREADS_H
#define DRAWLOOM_CHECKER_THREADS_H

#include "Knowledge.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace drawloom::checker {

/// Lanes of a warp that know the same.
struct LaneGroup {
  uint32_t lanes = 0;
  Knowledge known;
  /// Up to which time their own accesses have passed a fence of the async
  /// proxy: in shared memory, in global memory.
  uint32_t fencedShared = 0, fencedGlobal = 0;
  /// Up to which value each has waited for its own copies by cp.async, and for
  /// no other lane's.
  uint32_t ownCopies = 0;
  /// By the last fence of each.
  Knowledge released;
  uint32_t releasedTime = 0;
  emu::Scope releasedScope = emu::Scope::None;
  /// By those with .sync_restrict, at the scope of the cluster.
  SharedByRank releasedShared;
};

/// Whose eyes an access is looked at with: of lanes at a time, or of an
/// operation that they issued then.
struct Viewer {
  const Knowledge *known;
  Actor actor;    ///< The warp.
  uint32_t lanes; ///< Of it.
  uint32_t time;  ///< Up to which their own accesses come before.
  uint32_t fencedShared, fencedGlobal;
  /// cp.async of the warp, and how far each of the lanes has waited for its
  /// own.
  Actor copies = 0;
  uint32_t ownCopies = 0;
};

class Threads {
public:
  /// `hasPeers`: the cluster has several CTAs.
  Threads(Actors &actors, uint64_t cluster, bool hasPeers, bool isStrict)
      : actors(actors), cluster(cluster), hasPeers(hasPeers),
        isStrict(isStrict) {}

  Actor actorOf(const emu::Origin &origin) { return warp(origin).actor; }
  /// The time of what the warp does now, after all that it has given.
  uint32_t tick(const emu::Origin &origin);
  /// Calls f(viewer) for the groups of the origin's lanes, as they are now.
  void view(const emu::Origin &origin,
            llvm::function_ref<void(const Viewer &)> f);
  /// What the lanes know when they issue an operation.
  struct Issue {
    std::shared_ptr<const Knowledge> known;
    Actor actor = 0;
    uint32_t lanes = 0, time = 0, fencedShared = 0, fencedGlobal = 0;
    Viewer viewer() const {
      return {known.get(), actor, lanes, time, fencedShared, fencedGlobal};
    }
  };
  Issue issue(const emu::Origin &origin);

  /// Whether a relaxed write of the lanes would publish what they did.
  bool haveReleased(const emu::Origin &origin);
  /// What the lanes give by something of that order and scope.
  Gift give(const emu::Origin &origin, emu::Order order, emu::Scope scope);
  /// The lanes take what was given, `isFar` if by another CTA.
  void take(const emu::Origin &origin, const Knowledge &given, bool isFar,
            emu::Order order, emu::Scope scope);
  /// They take what another cluster has given, and what of it only a fence.sc
  /// takes.
  void takeWorld(const emu::Origin &origin, const WorldRef &given,
                 const WorldRef &scGiven, emu::Order order);
  /// They learn that an actor has come to `value`: in `parts`.
  void learn(const emu::Origin &origin, Actor actor, uint32_t lanes,
             uint32_t value, llvm::ArrayRef<Part> parts);
  /// Each of them learns it of its own copies by cp.async.
  void learnCopies(const emu::Origin &origin, uint32_t value);
  void fence(const emu::FenceEvent &event);

  /// Whether something of another CTA is known to have been executed.
  bool knowsOfCta(const Knowledge &known, uint32_t rank) const;

private:
  struct Warp {
    Actor actor = 0;
    Actor copies = 0; ///< Its cp.async.
    uint32_t time = 1;
    bool hasGiven = false; ///< At this time.
    /// What lanes knew at the last issue, as long as it is what they know.
    struct {
      uint32_t lanes = 0;
      std::shared_ptr<const Knowledge> known;
    } issued;
    llvm::SmallVector<LaneGroup, 1> groups;
  };
  Warp &warp(const emu::Origin &origin);
  /// What lanes know, with what each knows of its own copies.
  static Knowledge knownWithCopies(const Warp &own, const LaneGroup &group);
  /// Calls f for the groups that the lanes are, and no other lanes; then joins
  /// groups that have come to know the same.
  void update(const emu::Origin &origin,
              llvm::function_ref<void(LaneGroup &)> f);
  void acquireSeen(LaneGroup &group, emu::Order order, emu::Scope scope);
  /// Of shared memory alone, at the scope of the cluster.
  static void acquireSeenShared(LaneGroup &group);
  static void releaseShared(const Warp &own, LaneGroup &group, uint32_t rank);
  void memoryFence(const emu::FenceEvent &event);
  void takeWorldNow(LaneGroup &group, const WorldRef &given);

  Actors &actors;
  const uint64_t cluster;
  const bool hasPeers, isStrict;
  std::vector<std::unique_ptr<Warp>> warps;
};

} // namespace drawloom::checker

#endif // DRAWLOOM_CHECKER_THREADS_H
