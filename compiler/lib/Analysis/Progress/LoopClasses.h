//===- LoopClasses.h - Which loops share a trip count ---------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A search over all sizes decides a trip count when a role asks for it, and
// must then remember it for every other loop over the same size. The fewer
// loops share a number, the sooner it can be forgotten. So loops are put into
// classes, each class has a number of its own, and this number may change with
// each iteration of the loops that all of the class have around them.
//
// Invariant: sizes that exist are among those that the classes allow. What is
// proved for the classes is proved for the sizes; what fails for the classes
// must be read back as sizes, and may turn out not to exist.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_LIB_ANALYSIS_PROGRESS_LOOPCLASSES_H
#define DRAWLOOM_LIB_ANALYSIS_PROGRESS_LOOPCLASSES_H

#include "Code.h"
#include "drawloom/Analysis/Progress/Sizes.h"
#include "llvm/ADT/SmallBitVector.h"

namespace drawloom::progress {

/// From free to exact.
enum class Grain {
  /// Loops over the same size that touch common pipes and are equally deep in
  /// loops over that size, paired in the order in which the roles have them.
  paired,
  /// Loops over the same size that touch common pipes.
  linked,
  /// All loops over the same size, and one value where there is one.
  exact
};

struct LoopClass {
  /// The size, or the constant that is the trip count.
  std::optional<SizeId> size;
  int64_t constant = 0;
  bool overItems = false;
  llvm::SmallVector<unsigned, 4> loops;
  /// The roles that have them.
  llvm::SmallBitVector roles;
  /// The classes of the loops around that the number depends on.
  llvm::SmallVector<unsigned, 4> scope;
  /// All loops of the class have exactly the loops of `scope` around them.
  bool uniform = false;
};

/// To count further would take a search too long.
constexpr int64_t largestKnown = 64;

struct LoopClasses {
  std::vector<unsigned> classOf;
  std::vector<LoopClass> classes;
  /// A trip count that is known to be more than this is treated as any number
  /// from this on.
  int64_t mostKnown = largestKnown;

  /// The classes of a grain, or nothing if the network has no such: a size that
  /// differs between items would get one value for several of them.
  static std::optional<LoopClasses> make(const Code &code, Grain grain);
};

} // namespace drawloom::progress

#endif // DRAWLOOM_LIB_ANALYSIS_PROGRESS_LOOPCLASSES_H
