//===- ItemCount.h - How many work tiles a launch has -----------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A launch can count the work tiles if their number is a product of sizes of
// arguments, each rounded up to tiles. Where it can't, because a kernel reads
// the number from memory, the grid is as large as the GPU, and CTAs take items
// until there are no more, whatever the schedule says.

#ifndef DRAWLOOM_ANALYSIS_SLOTS_ITEMCOUNT_H
#define DRAWLOOM_ANALYSIS_SLOTS_ITEMCOUNT_H

#include "drawloom/Dialect/Agent/IR/AgentOps.h"

namespace drawloom::plan {

/// How many tiles a size of an argument is cut into; without an argument, a
/// constant.
struct CountFactor {
  std::optional<unsigned> argument;
  unsigned dimension;
  int64_t tile;
};

/// The factors of a number of work tiles; nothing if a launch can't count them.
std::optional<llvm::SmallVector<CountFactor>> findFactors(mlir::Value count);

/// Whether every CTA takes one work tile: the schedule says so, and the launch
/// can count them; or there is no stream of items.
bool takesOneItem(agent::SwitchOp roles);

} // namespace drawloom::plan

#endif // DRAWLOOM_ANALYSIS_SLOTS_ITEMCOUNT_H
