//===- Decisions.h - What branches and loops depend on -------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The walk (Walk.h) takes a branch on something unknown both ways. Where the
// condition is a function of what a launch fixes (parameters, the CTA's place
// in the grid) and of how often a loop has run, two warps that branch on the
// same function decide alike. This finds these conditions and writes them down
// as texts, so that equal texts are equal decisions:
//
//   setp.ge.s32 %p, %k, %n        while lt.s32 {0,+,64} param[16]
//
// {0,+,64} is a counter of the innermost loop around the branch: 0 in its first
// iteration, and 64 more in each that follows. A loop's condition is evaluated
// once in each iteration and is the only way out of the loop, so the sequence
// of its values is the same wherever the text is.
//
// Invariant: in one CTA, the n-th value of a condition is a function of its
// text and n. A loop that isn't among `endless` ends, or leaves when a wait
// succeeds.

#ifndef DRAWLOOM_PROTOCOL_DECISIONS_H
#define DRAWLOOM_PROTOCOL_DECISIONS_H

#include "drawloom/PTX/Module.h"
#include "llvm/ADT/DenseMap.h"
#include <set>
#include <string>

namespace drawloom::protocol {

struct Decision {
  std::string text;
  /// Whether the guard is the opposite of the text.
  bool isNegated = false;
  /// Whether the value is the same every time. Otherwise a loop goes on with 1
  /// and ends with 0, and that as often each time.
  bool isInvariant = false;
};

struct Decisions {
  /// By the number of the branch.
  llvm::DenseMap<uint32_t, Decision> branches;
  /// The lines at which loops begin that aren't known to end.
  std::set<uint32_t> endless;
};

Decisions findDecisions(const ptx::Function &kernel);

} // namespace drawloom::protocol

#endif // DRAWLOOM_PROTOCOL_DECISIONS_H
