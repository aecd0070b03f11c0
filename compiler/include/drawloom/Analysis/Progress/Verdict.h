//===- Verdict.h - What is known about a network's progress ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The answer of the engine, in the user's names. A failure carries the sizes at
// which it happens and, for each role that stands still, the event that it
// waits for: enough to find the place in the source and to replay it.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_ANALYSIS_PROGRESS_VERDICT_H
#define DRAWLOOM_ANALYSIS_PROGRESS_VERDICT_H

#include "drawloom/Analysis/Progress/Sizes.h"

namespace drawloom::progress {

/// The event that a role waits for.
struct WaitingEvent {
  enum class Kind { slotEmpty, slotFull, barrier, pool };

  Kind kind;
  RoleId role;
  /// The pipe, barrier or pool.
  unsigned object;
  /// How many contents went through the pipe for this role before this one.
  int64_t content = 0;
  /// For a pipe: the slot and its phase, or -1 where they depend on contents
  /// that were never produced. For a barrier: its phase.
  int64_t slot = 0;
  int64_t phase = 0;
  /// The work tile that the role is in, if it is in one.
  std::optional<int64_t> item = std::nullopt;
  std::string location = {};
  /// The roles that would have to act, and those of them that have ended.
  llvm::SmallVector<RoleId, 2> blockers = {};
  llvm::SmallVector<RoleId, 2> ended = {};
  /// Why the event does not come, beyond the roles: sums of bytes, counts.
  std::string reason = {};
};

/// A run that does not succeed.
struct Failure {
  enum class Kind {
    stuck,
    /// A wait that is more than one phase early.
    earlyWait,
    /// An arrival in a phase that the role has already arrived in.
    earlyArrive,
    /// A slot that is full when all roles have ended.
    unconsumed
  };

  Kind kind = Kind::stuck;
  Sizes sizes;
  /// stuck: every role that waits. Otherwise: the event that fails.
  std::vector<WaitingEvent> waiting;
  /// stuck: indices into `waiting`, from a role to the one that it waits for.
  /// The last one waits for the first, or for a role that has ended.
  std::vector<unsigned> slice;
};

struct Verdict {
  enum class Kind { proved, provedIf, deadlock, undecided };

  Kind kind = Kind::undecided;
  /// The sizes for which success is proved, those included at which the kernel
  /// has nothing to do.
  Condition condition;
  /// provedIf: the part of the condition that lets the kernel work, as text.
  std::string words;
  /// The condition also rejects nothing that succeeds, as far as the grid of
  /// sizes reaches.
  bool exact = false;
  /// Why the verdict is not better: the construct.
  std::string construct;
  std::optional<Failure> failure;
  /// What the proof relies on and does not check.
  std::vector<std::string> assumptions;
  /// How much work it was.
  uint64_t states = 0;
  uint64_t runs = 0;
};

/// "deadlock in @gemm with items = 1, k = 1"; without a kernel, nothing is said
/// about where.
std::string headlineOf(const Failure &failure, const Network &network,
                       llvm::StringRef kernel = "");
/// "@load waits for slot 0 of 'residual' to be empty (phase 0), work tile 0":
/// what happens at the place of an event of a failure.
std::string describe(const WaitingEvent &event, const Failure &failure,
                     const Network &network);
/// "@compute must release it": why it does not go on, or what to do about it.
std::vector<std::string> explain(const WaitingEvent &event,
                                 const Failure &failure,
                                 const Network &network);
/// The events that explain a failure: the slice, or the one that fails.
std::vector<const WaitingEvent *> causesOf(const Failure &failure);

void print(const Failure &failure, const Network &network,
           llvm::raw_ostream &os);
void print(const Verdict &verdict, const Network &network,
           llvm::raw_ostream &os);

} // namespace drawloom::progress

#endif // DRAWLOOM_ANALYSIS_PROGRESS_VERDICT_H
