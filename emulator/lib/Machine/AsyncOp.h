//===- AsyncOp.h - Asynchronous work ---------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy, a matrix multiplication or a commit that an instruction starts is an
// AsyncOp. It is posted (Machine::post) and done later, when the
// scheduler chooses it; `complete` then does all of it at once. What must not
// happen at once (the reading and the writing of a copy) is two operations, the
// second posted by the first.
//
// Operations have no order among each other, unless they are posted to one
// AsyncQueue: then each is done before the next may be chosen.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_ASYNCOP_H
#define DRAWLOOM_EMULATOR_ASYNCOP_H

#include "drawloom/Emulator/Launch.h"
#include <deque>
#include <memory>

namespace drawloom::emu {

class AsyncQueue;
class CTA;
class Machine;
struct Inst;

/// Where an operation was issued, for reports and listeners. The CTA may have
/// exited in the meantime; its cluster lives as long as it has work in flight.
struct IssuePoint {
  CTA *cta = nullptr;
  const Inst *inst = nullptr;
  uint32_t warp = 0;
  uint32_t lanes = 0;
  /// What listeners know the work by; 0 for what the warp does itself.
  uint64_t operation = 0;
  /// Of work: how much memory had been freed (GlobalMemory::frees).
  size_t frees = 0;
};

class AsyncOp {
public:
  AsyncOp(EngineKind kind, IssuePoint issue) : kind(kind), issue(issue) {}
  virtual ~AsyncOp();

  /// Does the work. May post further operations, wake fragments, and fail.
  virtual void complete(Machine &machine) = 0;

  const EngineKind kind;
  const IssuePoint issue;
  uint64_t id = 0; ///< The order of issue; given by Machine::post.
  AsyncQueue *queue = nullptr;
  uint64_t due = 0; ///< In a timed run: the cycle in which it is done.
};

/// Operations that are done in the order in which they were posted.
class AsyncQueue {
public:
  /// Operations that were posted and haven't been done.
  size_t size() const { return sizeField; }
  bool empty() const { return sizeField == 0; }

private:
  friend class Machine;
  size_t sizeField = 0;
  /// All but the first, which is among the candidates.
  std::deque<std::unique_ptr<AsyncOp>> waiting;
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_ASYNCOP_H
