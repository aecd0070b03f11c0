//===- LoopDepths.h - How deep in loops instructions stand ---- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Basic blocks and natural loops of a list of instructions, of which no more is
// known than where control goes: that of PTX and of SASS is looked at in the
// same way.

#ifndef DRAWLOOM_TOOLS_DRAWLOOM_LOOPDEPTHS_H
#define DRAWLOOM_TOOLS_DRAWLOOM_LOOPDEPTHS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace drawloom {

/// Where control goes from an instruction.
struct FlowStep {
  llvm::SmallVector<unsigned, 1> targets;
  bool goesOn = true; ///< To the next instruction.
};

/// Where an instruction stands.
struct FlowPlace {
  unsigned block = 0;
  unsigned depth = 0; ///< Loops around it.
  bool isReached = false;
};

/// Of each instruction. The first one is the entry.
std::vector<FlowPlace> findLoopDepths(llvm::ArrayRef<FlowStep> steps);

} // namespace drawloom

#endif // DRAWLOOM_TOOLS_DRAWLOOM_LOOPDEPTHS_H
