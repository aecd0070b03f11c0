//===- Listener.h - Watching a run ------------------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checkers, timing and traces watch a run. There is one Listener for the run
// and a ClusterListener, made by it, for each cluster:
//
//   Listener           launches, clusters, rounds       the thread of `run`
//   ClusterListener    what happens in a cluster        any host thread
//
// Clusters run side by side on host threads, with a listener as without one.
// The calls of one ClusterListener come one after the other, and their order
// doesn't depend on the number of threads; calls of two of them may come at the
// same time. So what a cluster needs is kept in its listener, without locks.
// What concerns several (accesses to global memory) is kept there as well, as a
// log, and looked at in `roundEnded`, when no cluster runs.
//
// Only what may synchronize clusters has an order between them: atomics and
// strong accesses at the scope of the GPU or the system. They are reported
// while their cluster is alone (ClusterListener::alone), one cluster after
// another.
//
// The emulator calls nothing if there is no listener.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_LISTENER_H
#define DRAWLOOM_EMULATOR_LISTENER_H

#include "drawloom/Emulator/Events.h"
#include <functional>
#include <memory>

namespace drawloom::emu {

/// A cluster that starts.
struct ClusterStart {
  uint32_t launch = 0;  ///< Index into the launches of the run.
  uint64_t cluster = 0; ///< Linear index in the grid.
  /// The linear indices in the grid of its CTAs, by rank.
  llvm::ArrayRef<uint64_t> ctas;
  /// Of a CTA, with what the system takes at the start.
  uint32_t sharedBytes = 0;
  /// The clock, as %clock has it: warp instructions before the turn at hand.
  /// For as long as the cluster runs, and for its thread.
  std::function<uint64_t()> clock;
};

/// How a listener ends the run: with a report of the kind Stopped, at the event
/// that it got last. The instruction or operation at hand is still done,
/// so more events of it may come. If several clusters end a run in one round,
/// the first cluster's report counts.
class RunEnder {
public:
  void endRun(std::string message) {
    if (!endingField)
      endingField = std::move(message);
  }
  const std::optional<std::string> &ending() const { return endingField; }

private:
  std::optional<std::string> endingField;
};

class ClusterListener : public RunEnder {
public:
  virtual ~ClusterListener();

  /// From now on no other cluster's listener is called, or it may be again.
  /// False at first.
  virtual void alone(bool isAlone) {}

  virtual void access(const AccessEvent &) {}
  virtual void operation(const OperationEvent &) {}
  virtual void group(const GroupEvent &) {}
  virtual void mbarrier(const MbarrierEvent &) {}
  virtual void suspend(const SuspendEvent &) {}
  virtual void barrier(const BarrierEvent &) {}
  virtual void fence(const FenceEvent &) {}
  virtual void allocation(const AllocationEvent &) {}
  virtual void heap(const HeapEvent &) {}
  virtual void dependency(const DependencyEvent &) {}
  virtual void local(const LocalEvent &) {}
  virtual void undefined(const UndefinedEvent &) {}
  virtual void tensorMap(const TensorMapEvent &) {}
  virtual void answer(const AnswerEvent &) {}
  /// The lanes of the origin have exited; those of a whole CTA, too, one by one
  /// or together, before ctaExited.
  virtual void lanesExited(const Origin &) {}
  virtual void ctaExited(uint32_t rank) {}
};

class Listener : public RunEnder {
public:
  virtual ~Listener();

  /// The launch has come to its turn: those before it have ended, unless it is
  /// `programmatic`.
  virtual void launchStarted(uint32_t index, const Launch &) {}
  virtual void launchEnded(uint32_t index) {}
  /// A cluster starts, with all its CTAs. Null if the listener doesn't want its
  /// events.
  virtual std::unique_ptr<ClusterListener> startCluster(const ClusterStart &) {
    return nullptr;
  }
  /// It has ended, or the run has; not called for null.
  virtual void endCluster(std::unique_ptr<ClusterListener>) {}
  /// Every cluster has run for a while, and none runs now. Called between
  /// rounds, before clusters end and others start; and before the run ends.
  virtual void roundEnded() {}
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_LISTENER_H
