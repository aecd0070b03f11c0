//===- Machine.h - One run --------------------------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Machine executes the launches of one call of `run`, in one thread. At any
// time there are warps that are ready and asynchronous operations that could be
// done; a Scheduler chooses one of them, the machine runs it, and so on. If
// there are none, a suspended try_wait is told "false"; if that doesn't help,
// nothing can ever move again, and the machine reports a deadlock.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_MACHINE_H
#define DRAWLOOM_EMULATOR_MACHINE_H

#include "Machine/AsyncOp.h"
#include "Machine/Fragment.h"
#include "Machine/Grid.h"
#include "Machine/Scheduler.h"
#include "drawloom/Emulator/Launch.h"
#include "drawloom/Emulator/Listener.h"
#include <deque>
#include <map>

namespace drawloom::emu {

class Machine {
public:
  Machine(Device &device, const RunOptions &options);
  ~Machine();

  RunResult run(llvm::ArrayRef<Launch> launches);

  Device &device() { return deviceField; }
  GlobalMemory &memory() { return deviceField.memory(); }
  const RunOptions &options() const { return optionsField; }
  Listener *listener() const { return optionsField.listener; }
  /// Warp instructions so far: the machine's clock.
  uint64_t steps() const { return stepsField; }

  /// Ends the run with this report, unless it has ended already.
  void fail(Report report);
  /// The same for something that `issue` did.
  void fail(const IssuePoint &issue, ReportKind kind,
            const llvm::Twine &message);
  bool failed() const { return reportField.has_value(); }

  /// Hands over work to be done later. In a queue: after what was posted to it
  /// before.
  void post(std::unique_ptr<AsyncOp> operation);
  void post(AsyncQueue &queue, std::unique_ptr<AsyncOp> operation);

  /// Something happened that may let others move: answers of "false" start to
  /// be counted anew.
  void progressed() { answersSinceProgress = 0; }
  /// Puts a warp among those that are ready.
  void makeReady(Warp &warp);
  void addSuspended(Fragment &fragment) { suspended.push_back(fragment); }
  void removeSuspended(Fragment &fragment) { suspended.remove(fragment); }
  void ctaEnded() {
    ++statistics.ctas;
    clustersChange = true;
  }
  void clustersMayStart() { clustersChange = true; }
  /// Whether the launches in front of the one with that index have ended.
  bool endedBefore(uint32_t index) const;

private:
  bool startClusters();
  bool step();
  void runOperation(uint64_t id);
  void endClusters();
  /// Tells one suspended fragment "false"; false if that would change nothing.
  bool answerFalse();
  void reportDeadlock();
  void reportStepLimit();
  static AsyncEvent asyncEvent(const AsyncOp &operation, AsyncEvent::Kind kind);

  Device &deviceField;
  const RunOptions &optionsField;
  std::unique_ptr<Scheduler> scheduler;
  ReadySet ready;
  std::vector<std::unique_ptr<Grid>> grids;
  std::vector<Sm> sms;
  llvm::simple_ilist<Fragment, llvm::ilist_tag<SuspendedList>> suspended;
  uint64_t stepsField = 0;
  uint64_t nextOperation = 0;
  uint64_t answersSinceProgress = 0;
  uint64_t nextProgressCall = 0;
  bool clustersChange = false; ///< Some may end, or others start.
  RunStatistics statistics;
  std::optional<Report> reportField;
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_MACHINE_H
