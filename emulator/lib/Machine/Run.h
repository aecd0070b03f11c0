//===- Run.h - Launches under way -------------------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Run has the launches of one call of `run`, and the SMs that their clusters
// are placed on. Under the deterministic policy each cluster has a machine of
// its own, and the run goes in rounds:
//
//   1. every machine runs for a number of instructions, or as far as it comes.
//      They touch nothing of each other's, so this is done by all host threads;
//   2. then, one cluster after the other, what reaches other clusters
//      (Communication.h) and was parked in step 1;
//   3. clusters end, and others start in their place.
//
//   machine 0  ────────┐       ┌──────┐
//   machine 1  ──┤park │  0 1  │ ...  │  0
//   machine 2  ────────┘       └──────┘
//              all threads  one  all   one
//
// The number of threads decides who runs a machine and nothing else: bits,
// counters and reports are the same for any. If several machines report
// something in one round, the first one's report counts.
//
// In a timed run, too, each cluster has a machine, and one thread runs them:
// the one that is earliest, until it is a little later than another.
//
// Under the other policies one machine has all clusters, and one thread runs
// it.
//
// If no machine can move, each tells one suspended try_wait "false"; if that
// doesn't help, nothing can ever move again, and the run reports a deadlock.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_RUN_H
#define DRAWLOOM_EMULATOR_RUN_H

#include "Machine/Machine.h"
#include "Machine/WorkerPool.h"

namespace drawloom::emu {

class Run {
public:
  Run(Device &device, const RunOptions &options);
  ~Run();

  RunResult run(llvm::ArrayRef<Launch> launches);

  Device &device() { return deviceField; }
  const RunOptions &options() const { return optionsField; }
  /// The one of all clusters; null if each has its own.
  Machine *sharedMachine() { return shared.get(); }
  /// Null unless the run is timed.
  Clock *clock() const { return clockField.get(); }
  /// Whether it never has more than one cluster, which is then always alone.
  bool hasOneCluster() const { return oneCluster; }
  /// A machine for one cluster, and back when that has ended.
  std::unique_ptr<Machine> takeMachine(Cluster &cluster);
  void giveMachine(std::unique_ptr<Machine> machine) {
    idle.push_back(std::move(machine));
  }
  Worker &firstWorker() { return workers.first(); }
  /// Whether the launches in front of the one with that index have ended.
  bool endedBefore(uint32_t index) const;

private:
  bool startClusters();
  void endClusters();
  /// Does something; false if nothing can move.
  bool advance();
  bool advanceShared();
  bool advanceRound();
  bool advanceTimed();
  /// Lets the listener look at what all clusters have done.
  void endRound();
  /// Tells suspended fragments "false"; false if that would change nothing.
  bool answerFalse();
  /// Takes what a machine has counted and reported.
  void collect(Machine &machine);
  /// The machines of all clusters, in the order in which those started.
  void listMachines();
  void fail(Report report);
  void reportDeadlock();
  /// Of a run that is ended from outside; `why` comes behind "warp
  /// instructions".
  void reportEnded(ReportKind kind, const std::string &why);
  bool isStopped() const {
    return optionsField.isStopped && optionsField.isStopped();
  }

  Device &deviceField;
  const RunOptions &optionsField;
  std::unique_ptr<Clock> clockField;
  std::unique_ptr<Machine> shared;
  std::vector<std::unique_ptr<Machine>> idle; ///< Of clusters that have ended.
  std::vector<std::unique_ptr<Grid>> grids;
  std::vector<Sm> sms;
  std::vector<Machine *> machines; ///< Of the current round.
  WorkerPool workers;
  uint64_t steps = 0;
  uint64_t answersSinceProgress = 0;
  uint64_t nextProgressCall;
  uint64_t nextRound = 0; ///< Of one machine for all clusters.
  size_t launchesStarted = 0;
  bool clustersChange = false;
  bool oneCluster = false;
  RunStatistics statistics;
  std::optional<Report> report;
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_RUN_H
