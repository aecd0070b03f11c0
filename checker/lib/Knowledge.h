//===- Knowledge.h - What a thread knows of others --------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Order has several kinds, and a thread has a clock for each: that an access
// has happened is one thing, that it is visible another, that the async proxy
// sees it a third. Synchronization passes all of them on, each under its own
// conditions.
//
// Other clusters have clocks of their own. What is known of them is in a World,
// which is empty unless clusters communicate through global memory.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CHECKER_KNOWLEDGE_H
#define DRAWLOOM_CHECKER_KNOWLEDGE_H

#include "Clock.h"
#include "drawloom/Emulator/Events.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <map>

namespace drawloom::checker {

enum Part : unsigned {
  Causal,       ///< Base causality: release and acquire patterns, barriers.
  FencedShared, ///< What of it has passed a fence of the async proxy, in
  FencedGlobal, ///< shared and in global memory.
  Executed,     ///< By any order and scope; all that is causal, too.
  TensorOwn,    ///< tcgen05's work: issued, done, and fenced on both sides.
  TensorOut,    ///< What of it tcgen05.fence::before_thread_sync has published.
  TensorIn,     ///< What others have; for tcgen05.fence::after_thread_sync.
  /// What of it has passed a fence.sc of the GPU in the thread that did it. Two
  /// such fences have an order, so a relaxed write after one passes it on to
  /// a thread that reads that and then has a fence.sc, whatever was between.
  ScFenced,
};
inline constexpr unsigned partCount = 8;

/// The causal clocks of other clusters, by their number in the run. Clusters on
/// several threads have the same ones.
using World = std::map<uint64_t, std::shared_ptr<const Clock>>;
using WorldRef = std::shared_ptr<const World>;
/// Stands for the clusters of earlier launches, once they are waited for. Its
/// clock has one actor, whose value says which is the oldest launch that the
/// wait is known to cover: the older it is, the greater the value.
inline constexpr uint64_t earlierLaunches = ~uint64_t(0);
inline uint32_t valueOfLaunch(uint32_t launch) { return ~launch; }
WorldRef joined(const WorldRef &x, const WorldRef &y);

struct Seen;
using SeenRef = std::shared_ptr<const Seen>;
SeenRef joined(const SeenRef &x, const SeenRef &y);

/// What is known of accesses of shared memory alone, by fences with
/// .sync_restrict: of base causality, and of that, what has passed a fence of
/// the async proxy.
struct SharedClocks {
  ClockRef causal, fenced;
  bool operator==(const SharedClocks &) const = default;
};
/// By the CTA whose memory it is, by rank.
using SharedByRank = std::map<uint32_t, SharedClocks>;
/// Stands for all CTAs of the cluster.
inline constexpr uint32_t anyRank = ~0u;
void join(SharedByRank &shared, const SharedByRank &other);

struct Knowledge {
  std::array<ClockRef, partCount> parts;
  SharedByRank shared;
  WorldRef world, worldFenced;
  /// What relaxed accesses have read that come before, and a fence may acquire.
  SeenRef seen;

  ClockRef &operator[](Part part) { return parts[part]; }
  const ClockRef &operator[](Part part) const { return parts[part]; }
  void join(const Knowledge &other);
  /// Of what is visible, not of what was executed, or done in tensor memory.
  void joinMemory(const Knowledge &other);
  /// Calls f(clock) with those that say what is known of the shared memory of a
  /// CTA alone, until it answers true.
  bool anyOfShared(Part part, uint32_t rank,
                   llvm::function_ref<bool(const ClockRef &)> f) const;
  bool operator==(const Knowledge &) const = default;
};

/// From the same CTA, from others of the cluster, from others of the GPU; of
/// these last, what a fence.sc acquires, too.
struct Seen {
  Knowledge near, far;
  WorldRef world, scWorld;
  bool operator==(const Seen &) const = default;
};

/// What is given, apart by who may take it: threads of the giver's CTA, those
/// of other CTAs of the cluster, and the rest of the GPU.
struct Gift {
  Knowledge near, far;
  bool reachesGpu = false;

  void join(const Gift &other) {
    near.join(other.near);
    far.join(other.far);
  }
};

/// Numbers the actors of a cluster.
class Actors {
public:
  enum Kind : uint8_t {
    WarpTime,     ///< A warp's own accesses, by lane.
    Copies,       ///< cp.async of a warp, by lane.
    BulkReads,    ///< Sources of bulk copies in groups, by lane.
    BulkWrites,   ///< The copies themselves.
    Wgmmas,       ///< Groups of a warpgroup; `place` is its first warp.
    TensorLoads,  ///< tcgen05.ld of a warp.
    TensorStores, ///< tcgen05.st of a warp.
    MmasDone,     ///< tcgen05.mma, cp and shift of a thread, complete.
    Phases,       ///< Of an mbarrier; `place` is its address.
    FarPhases,    ///< The same, for work that another CTA has issued.
  };
  Actor of(Kind kind, uint64_t place) {
    auto [it, isNew] =
        numbers.try_emplace({uint64_t(kind), place}, numbers.size());
    return it->second;
  }
  static uint64_t placeOf(const emu::Origin &origin) {
    return uint64_t(origin.rank) << 16 | origin.warp;
  }

private:
  llvm::DenseMap<std::pair<uint64_t, uint64_t>, Actor> numbers;
};

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

} // namespace drawloom::checker

#endif // DRAWLOOM_CHECKER_KNOWLEDGE_H
