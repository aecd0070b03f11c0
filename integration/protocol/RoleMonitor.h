//===- RoleMonitor.h - What a warp does, against the plan ----- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_INTEGRATION_PROTOCOL_ROLEMONITOR_H
#define DRAWLOOM_INTEGRATION_PROTOCOL_ROLEMONITOR_H

#include "Protocol.h"
#include "drawloom/Analysis/Slots/Placement.h"
#include "drawloom/Protocol/Walk.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>

namespace drawloom::protocol::planned {

using plan::Engine;

inline constexpr int64_t barrierBytes = 8;

enum Side : unsigned { Full, Empty };

/// A barrier of the plan.
struct Barrier {
  unsigned pipe;
  Side side;
  int64_t slot;
};

/// One end of a pipe, as a role has it.
struct End {
  unsigned pipe;
  /// Full for the role that fills.
  Side tells;
  Engine engine;
  int64_t lag;
};

/// A warp of a cluster: the rank of its CTA, and its number there.
using WarpId = std::pair<unsigned, unsigned>;

/// What all warps together did to a barrier's side of a pipe.
struct Tally {
  /// Lanes of each warp that arrive in the CTA of a rank, and those that pass
  /// without.
  std::map<unsigned, std::map<WarpId, uint32_t>> arriving;
  std::map<WarpId, uint32_t> passing;
};

/// How roles leave the kernel, for a pipe.
struct Leaving {
  /// The last commit of a role releases a slot.
  bool isLastReturn = false;
  /// The producer waits for its last slot to be released, or doesn't.
  bool waits = false, goes = false;
};

/// The plan, looked at from the barriers, and what the walk found.
struct Comparison {
  Comparison(const plan::Plan &plan, llvm::ArrayRef<int64_t> boxBytes)
      : plan(plan), boxBytes(boxBytes), tallies(plan.pipes.size() * 2),
        leavings(plan.pipes.size()) {
    for (auto [index, pipe] : llvm::enumerate(plan.pipes))
      for (int64_t slot = 0; pipe.hasBarriers() && slot != pipe.slots; ++slot) {
        unsigned number = index;
        barriers[pipe.place->full + slot * barrierBytes] = {number, Full, slot};
        if (pipe.hasEmptyBarriers())
          barriers[pipe.place->empty + slot * barrierBytes] = {number, Empty,
                                                               slot};
      }
    for (const plan::MemoryRange &range : plan.memory)
      if (range.name == "next tile") {
        answered = range.offset + plan::nextTileBytes;
        if (plan.clusterSize() > 1)
          ready = *answered + barrierBytes;
        isBroadcast = !plan.arch->clusterLaunchControl;
      }
  }

  const plan::Role *findRole(unsigned warp) const {
    for (const plan::Role &role : plan.roles)
      if (warp >= *role.at && warp < *role.at + role.warps)
        return &role;
    return nullptr;
  }
  std::vector<End> findEnds(const plan::Role *role) const;
  std::string describe(const Barrier &barrier) const {
    return llvm::formatv("the {0} barrier of slot {1} of '{2}'",
                         barrier.side == Full ? "full" : "empty", barrier.slot,
                         plan.pipes[barrier.pipe].name);
  }
  /// The CTAs that share a tile of a slot with this one, itself among them, and
  /// those that share any: a bit for each rank.
  uint32_t getPeers(const plan::Tensor &tensor, unsigned rank) const;
  uint32_t getReceivers(const plan::Pipe &pipe, unsigned rank) const;
  /// Whether one CTA of a pair, the leader, fills or empties its slots for
  /// both.
  bool fillsForPair(const plan::Pipe &pipe) const {
    return pipe.scope != plan::Scope::cta &&
           plan.roles[pipe.producer].scope == plan::Scope::pair;
  }
  bool emptiesForPair(const plan::Pipe &pipe) const {
    auto isOfPair = [&](const plan::Consumer &consumer) {
      return plan.roles[consumer.role].scope == plan::Scope::pair;
    };
    return pipe.scope != plan::Scope::cta &&
           llvm::any_of(pipe.consumers, isOfPair);
  }
  /// The CTAs where a role of the CTA `rank` arrives at one side of a pipe.
  uint32_t getSignaled(const plan::Pipe &pipe, Side side, unsigned rank) const;
  /// Whether its producer stays until all of its slots are released.
  bool isShared(const plan::Pipe &pipe) const {
    return !fillsForPair(pipe) && getReceivers(pipe, 0) != 1;
  }
  llvm::Error checkArrivals(const plan::Pipe &pipe, Side side,
                            const Tally &tally, unsigned rank) const;
  llvm::Error checkTotals() const;

  const plan::Plan &plan;
  llvm::ArrayRef<int64_t> boxBytes;
  std::map<int64_t, Barrier> barriers;
  /// The barrier that is completed by the answer of cluster launch control
  /// about the next work tile, if a role asks.
  std::optional<int64_t> answered;
  /// In a cluster, the barrier of the first CTA at which all say that they are
  /// ready for the answer.
  std::optional<int64_t> ready;
  /// The first CTA draws the numbers and broadcasts them, in place of cluster
  /// launch control; and the CTAs that it sends them to: a bit for each rank.
  bool isBroadcast = false;
  uint32_t broadcastTo = 0;
  /// By pipe and side.
  std::vector<Tally> tallies;
  /// By pipe.
  std::vector<Leaving> leavings;
  /// By the rank of its CTA, and the barrier: the count that it is set up with,
  /// and where.
  std::map<std::pair<unsigned, int64_t>,
           std::map<std::pair<uint32_t, unsigned>, int64_t>>
      inits;
};

/// What a path has done at one end.
struct Progress {
  enum Arrives : uint8_t { Unknown, Yes, No };
  Arrives arrives = Unknown;
  int64_t slot = 0, parity = 0;
  /// The slot that is signaled next, and how many are to be.
  int64_t oldest = 0, held = 0;
  /// Of the slot that is filled by copies: what is expected, and what has been
  /// copied.
  int64_t filling = -1, expected = 0, bytes = 0;
  /// Copies of these lanes hold the phase of the slot that is filled open.
  bool isTracked = false;
  /// Where CTAs share the slot: by rank, what was copied there, and what should
  /// have been.
  std::map<unsigned, int64_t> sent = {}, due = {};
  /// Of the slot that was released last: the CTAs that have been signaled, and
  /// by which line.
  uint32_t signaled = 0, signaledBy = 0;
  /// Waits since it has signaled a slot, as far as they matter.
  int64_t waits = 0;
  /// It has waited for the slot that it filled last to be empty.
  bool awaitedLast = false;

  void advance(const plan::Pipe &pipe) {
    if (++slot != pipe.slots)
      return;
    slot = 0;
    parity ^= 1;
  }
  /// Whether a wait is for that slot. If there is only one, it looks like the
  /// next wait, and `end` finds that nothing has followed.
  bool isForLast(const plan::Pipe &pipe, int64_t of, int64_t with) const {
    return pipe.slots > 1 && of == (slot ? slot : pipe.slots) - 1 &&
           with == (slot ? parity ^ 1 : parity);
  }
};

/// What a path has done to get the next work tile.
struct Asking {
  Progress::Arrives arrives = Progress::Unknown;
  int64_t parity = 0;
  /// The barrier expects an answer; launch control has been asked for it.
  bool isAsked = false, isOnItsWay = false;
  /// In a cluster, all CTAs are ready for it.
  bool isAwaited = false;
  /// The CTAs that have received a number, where the first one broadcasts.
  uint32_t receivers = 0;
};

class RoleMonitor : public Monitor {
public:
  RoleMonitor(Comparison &comparison, unsigned rank, unsigned warp)
      : comparison(comparison), rank(rank), warp(warp),
        role(comparison.findRole(warp)), ends(comparison.findEnds(role)),
        progress(ends.size()) {
    for (auto [end, state] : llvm::zip_equal(ends, progress))
      state.parity = end.tells == Full ? 1 : 0;
  }
  std::unique_ptr<Monitor> clone() const override {
    return std::make_unique<RoleMonitor>(*this);
  }
  void appendKey(std::string &key) const override;
  llvm::Error see(const Event &event) override;
  llvm::Error end(uint32_t mask) override;

private:
  template <typename... Arguments>
  llvm::Error fail(uint32_t line, const char *format,
                   Arguments &&...arguments) const {
    std::string who = llvm::formatv("@{0}, ", comparison.plan.kernel);
    who += role ? llvm::formatv("@{0} (warp {1})", role->name, warp).str()
                : llvm::formatv("warp {0}, which has no role", warp).str();
    if (rank)
      who += llvm::formatv(" of CTA {0}", rank);
    if (line)
      who += llvm::formatv(", line {0}", line);
    return llvm::createStringError(
        who + ": " +
        llvm::formatv(format, std::forward<Arguments>(arguments)...).str());
  }
  llvm::Expected<Barrier> find(const Event &event) const;
  llvm::Error setUp(const Event &event);
  llvm::Error wait(const Event &event);
  llvm::Error arrive(const Event &event);
  llvm::Error track(const Event &event);
  llvm::Error copy(const Event &event);
  llvm::Error read(const Event &event);
  llvm::Error ask(const Event &event);
  llvm::Error broadcast(const Event &event);
  llvm::Error beReady(const Event &event);
  llvm::Error finishCopies(const End &end, Progress &state, uint32_t line);
  llvm::Error leave(const End &end, Progress &state);

  Comparison &comparison;
  unsigned rank, warp;
  const plan::Role *role;
  std::vector<End> ends;
  std::vector<Progress> progress;
  Asking asking;
  unsigned syncs = 0;
  /// The pipe whose slot the last commit released, if it did.
  std::optional<unsigned> returned;
};

} // namespace drawloom::protocol::planned

#endif // DRAWLOOM_INTEGRATION_PROTOCOL_ROLEMONITOR_H
