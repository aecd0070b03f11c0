//===- Scheduler.h - What runs next -----------------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Scheduler chooses between the warps that are ready and the asynchronous
// operations that could be done. It sees nothing else, so any sequence of its
// choices is one that the hardware might make.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_SCHEDULER_H
#define DRAWLOOM_EMULATOR_SCHEDULER_H

#include "Machine/AsyncOp.h"
#include <deque>
#include <memory>

namespace drawloom::emu {

class Warp;

struct ReadySet {
  /// In the order in which they became ready or had their last turn.
  std::deque<Warp *> warps;
  /// In the order of issue.
  std::deque<std::unique_ptr<AsyncOp>> operations;

  void add(std::unique_ptr<AsyncOp> operation);
  std::unique_ptr<AsyncOp> take(size_t index);
  bool empty() const { return warps.empty() && operations.empty(); }
};

struct Choice {
  bool isWarp;
  size_t index; ///< Into ReadySet::warps or ReadySet::operations.
  /// Instructions that a warp may execute; in a timed run, the cycle of the
  /// next choice.
  uint64_t turn;
};

class Scheduler {
public:
  /// Instructions that a warp executes before another gets its turn. Long
  /// enough to keep a warp's registers in the cache, short enough that a warp
  /// that spins on memory costs little.
  static constexpr uint64_t turnLength = 512;

  static std::unique_ptr<Scheduler> create(const RunOptions &options);
  virtual ~Scheduler();
  /// `ready` is not empty. The order of its warps may be changed.
  virtual Choice choose(ReadySet &ready) = 0;
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_SCHEDULER_H
