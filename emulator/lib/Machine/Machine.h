//===- Machine.h - What runs clusters ---------------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Machine executes the warps and the asynchronous work of one cluster, or of
// all clusters of a run (Run.h says which). At any time there are warps that
// are ready and operations that could be done; a Scheduler chooses one of them,
// Machine does it, and so on until there are none.
//
// A machine is used by one host thread at a time, and touches nothing that
// belongs to another cluster while it is not alone. What must (Communication.h)
// is parked until it is.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_MACHINE_H
#define DRAWLOOM_EMULATOR_MACHINE_H

#include "Machine/AsyncOp.h"
#include "Machine/Extension.h"
#include "Machine/Fragment.h"
#include "Machine/Grid.h"
#include "Machine/Scheduler.h"
#include "drawloom/Emulator/Launch.h"

namespace drawloom::emu {

class Clock;
class Run;

/// What a host thread has of its own: scratch memory of families.
struct Worker {
  ExtensionSet extensions;
  AlignedPool registers, shared;
  /// Memory of copies that are done, for the next ones: it is in a cache.
  std::vector<std::vector<char>> buffers;
};

class Machine {
public:
  /// For all clusters, unless `serve` names one.
  explicit Machine(Run &run);
  ~Machine();

  Run &run() { return runField; }
  Device &device();
  GlobalMemory &memory() { return device().memory(); }
  DeviceHeap &heap() {
    return options().heap ? *options().heap : device().heap();
  }
  const RunOptions &options() const;
  /// Warp instructions so far, in this machine and in all others up to the last
  /// time that they met: the clock.
  uint64_t steps() const { return stepsBefore + stepsField; }
  /// Of the host thread that runs it.
  Worker &worker() { return *workerField; }
  /// Of a timed run; null in others.
  Clock *clock() const { return clockField; }
  /// In a timed run: the cycle of what is done, and of the next thing that
  /// could be, here or in another machine; who does it, if it is a CTA.
  uint64_t now = 0, horizon = 0;
  const CTA *actor = nullptr;
  /// Whether no other cluster runs.
  bool isAlone() const { return alone; }

  /// Ends the run with this report, unless there is one already.
  void fail(Report report);
  /// The same for something that `issue` did.
  void fail(const IssuePoint &issue, ReportKind kind,
            const llvm::Twine &message);
  bool failed() const { return report.has_value(); }

  /// Posts work to be done later. In a queue: after what was posted to it
  /// before.
  void post(std::unique_ptr<AsyncOp> operation);
  void post(AsyncQueue &queue, std::unique_ptr<AsyncOp> operation);

  /// Something happened that may let others move.
  void progressed() { hasProgressed = true; }
  /// Puts a warp among those that are ready.
  void makeReady(Warp &warp);
  void addSuspended(Fragment &fragment) { suspended.push_back(fragment); }
  void removeSuspended(Fragment &fragment) { suspended.remove(fragment); }
  void ctaEnded() {
    ++statistics.ctas;
    clustersChange = true;
  }
  void clustersMayStart() { clustersChange = true; }

  //===--------------------------------------------------------------------===//
  // For the run
  //===--------------------------------------------------------------------===//

  bool hasReady() const {
    return !ready.empty() || (only && !only->hasStarted() && !only->done());
  }
  bool hasParked() const {
    return !parkedWarps.empty() || !parkedOperations.empty();
  }
  /// It runs this cluster and no other, until the next call.
  void serve(Cluster &cluster);
  /// Does one thing; false if there was nothing to do.
  bool step(Worker &worker);
  /// Runs for `budget` instructions, or until there is nothing to do.
  void runFor(uint64_t budget, Worker &worker);
  /// Runs by the clock until the next thing would happen after `limit`.
  void runUntil(uint64_t limit, Worker &worker);
  /// When the next thing happens; the highest number if nothing can.
  uint64_t nextTime() const;
  /// Does what was parked, and lets each parked warp have a turn.
  void runParked(Worker &worker);
  size_t suspendedCount() const { return suspended.size(); }
  /// Tells the fragment that has been suspended for longest "false".
  void answerFalse();
  /// The operations go before what they refer to.
  void dropOperations();

  /// Read and reset by the run.
  uint64_t stepsField = 0;
  uint64_t stepsBefore = 0; ///< Steps of the whole run before stepsField.
  bool hasProgressed = false;
  bool clustersChange = false; ///< Some may end, or others start.
  RunStatistics statistics;
  std::optional<Report> report;

private:
  /// Frees what its only cluster has, if that is done.
  void finishIfDone();
  void runOperation(std::unique_ptr<AsyncOp> operation);
  bool communicates(const AsyncOp &operation) const;

  Run &runField;
  Clock *clockField;
  Cluster *only = nullptr;
  Worker *workerField = nullptr;
  bool alone = true; ///< Always, if there is no other machine.
  std::unique_ptr<Scheduler> scheduler;
  ReadySet ready;
  llvm::SmallVector<Warp *, 8> parkedWarps;
  std::vector<std::unique_ptr<AsyncOp>> parkedOperations;
  llvm::simple_ilist<Fragment, llvm::ilist_tag<SuspendedList>> suspended;
  uint64_t nextOperation = 0;
  uint64_t timeLimit = 0; ///< Of runUntil.
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_MACHINE_H
