//===- Code.h - The programs of the roles as instructions -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A role's nested steps, flattened: scopes become the events at their ends, and
// a loop becomes a test at its begin and at its end. What a lag holds back is
// flushed where the innermost loop around the scope is left. Loops without
// events are gone, so a role never asks for a trip count that does not matter.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_LIB_ANALYSIS_PROGRESS_CODE_H
#define DRAWLOOM_LIB_ANALYSIS_PROGRESS_CODE_H

#include "drawloom/Analysis/Progress/Network.h"
#include "llvm/ADT/SmallBitVector.h"

namespace drawloom::progress {

enum class Op : uint8_t {
  loopBegin, // object: loop; enters the body or goes on after the loop
  loopEnd,   // object: loop; goes back into the body or falls through
  guard,     // value, value2: every, from; jumps to target for other items
  ownEmpty,  // object: pipe; broken if its bytes don't add up
  fill,      // object: pipe; value: lag
  ownFull,   // object: pipe; consumer
  release,   // object: pipe; value: lag; consumer
  arrive,    // object: barrier
  wait,      // object: barrier
  take,      // object: pool; value: amount
  give,      // object: pool; value: amount
  end
};

struct Instruction {
  Op op;
  unsigned object = 0;
  int64_t value = 0;
  int64_t value2 = 0;
  unsigned target = 0;
  /// For events of a consumer: its place in the pipe's list.
  unsigned consumer = 0;
  /// For an ownEmpty: the bytes announced and delivered differ.
  bool broken = false;
  /// For an ownEmpty: the slot becomes full some time after the role let go.
  bool asynchronous = false;
  /// The step it comes from, for its location.
  const Step *step = nullptr;
};

/// A loop in the code of a role.
struct LoopSite {
  RoleId role;
  /// The trip count; for an item loop, the length of the stream.
  Count trips;
  bool overItems;
  /// The loopBegin and loopEnd instructions. The body is between them, and
  /// after them stands what lets go of what lags, up to `after`. A loop that
  /// does not run has nothing to let go.
  unsigned begin = 0, end = 0, after = 0;
  /// The loops around it, outermost first.
  llvm::SmallVector<unsigned, 4> outer;
  /// The pipes, then the barriers, that its body touches.
  llvm::SmallBitVector touches;

  bool bodyContains(unsigned pc) const { return begin < pc && pc <= end; }
};

struct Code {
  explicit Code(const Network &network);

  const Network &network;
  std::vector<std::vector<Instruction>> roles;
  std::vector<LoopSite> loops;
  /// The roles that arrive at each barrier.
  std::vector<llvm::SmallVector<RoleId, 4>> members;
  /// Whether consumers of a pipe divide the work tiles.
  std::vector<bool> divided;
  /// The period after which the division of items repeats.
  int64_t period = 1;
  /// Barriers where some role arrives and does not always wait.
  std::vector<bool> loose;
  /// Whether a role can be a phase early, at a divided pipe or a loose barrier.
  bool canBeEarly = false;
  /// Whether a size is a number of slots.
  bool isSlots(SizeId size) const { return slotSizes[size]; }
  std::vector<bool> slotSizes;
  /// The largest lag and the largest constant number of slots.
  int64_t maxLag = 0, maxSlots = 1;
};

} // namespace drawloom::progress

#endif // DRAWLOOM_LIB_ANALYSIS_PROGRESS_CODE_H
