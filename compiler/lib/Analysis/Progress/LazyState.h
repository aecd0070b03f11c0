//===- LazyState.h - A machine whose trip counts are not all known --------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A machine together with what is known of the trip counts. The key of a state
// is what its futures depend on, and no more:
//
//   - a trip count that no role will use again is not in it;
//   - iterations of a loop that every role of its class has entered are counted
//     from the role that is furthest behind, and so is what is known of the
//     trip count;
//   - the number of an item counts modulo the period of the division of items.
//
// States with the same key have the same futures. This is what the proof for
// all sizes rests on.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_LIB_ANALYSIS_PROGRESS_LAZYSTATE_H
#define DRAWLOOM_LIB_ANALYSIS_PROGRESS_LAZYSTATE_H

#include "LoopClasses.h"
#include "Machine.h"

namespace drawloom::progress {

using Path = llvm::SmallVector<int64_t, 4>;

/// What is known of a trip count: the number of a class in one iteration of the
/// loops of its scope.
struct Number {
  unsigned cls;
  /// The iterations of the loops of the scope.
  Path path;
  int64_t lower;
  /// It is `lower`; otherwise it is `lower` or more.
  bool known;
};

/// A role that can't go on without knowing more about a number.
struct Question {
  RoleId role;
  unsigned number;
};

class LazyState {
public:
  LazyState(const Code &code, const LoopClasses &classes, const Box &box);

  /// Moves roles as long as one can, within the limit of steps; false if one
  /// was early.
  bool runOn();
  /// The question to decide next: that of the role that is furthest behind.
  std::optional<Question> nextQuestion();
  /// Forgets what no role will use again, and makes the key.
  std::string makeKey();
  /// The number that is furthest from what the slowest role has done.
  std::pair<const Number *, int64_t> widest() const;

  Interval boundsOf(unsigned cls) const;

  Machine machine;
  std::vector<Number> numbers;

private:
  friend class KeyWriter;
  enum class Place { here, behind, done };

  std::optional<bool> another(const RoleState &role, unsigned loop,
                              int64_t iteration);
  Number &numberFor(unsigned cls, const RoleState &role);
  bool hasLoop(RoleId role, unsigned cls) const;
  bool willEnter(RoleId role, size_t level, unsigned cls,
                 std::optional<int64_t> lower = std::nullopt) const;
  Place placeOf(RoleId role, llvm::ArrayRef<unsigned> scope,
                llvm::ArrayRef<int64_t> path) const;
  bool mayUse(RoleId role, const Number &number) const;

  const Code &code;
  const LoopClasses &classes;
  const Box &box;
  /// The number that the last unanswered question was about.
  unsigned asked = 0;
};

} // namespace drawloom::progress

#endif // DRAWLOOM_LIB_ANALYSIS_PROGRESS_LAZYSTATE_H
