//===- Updates.h - Loads and stores that change a word ----------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads that store the same value without an order do no harm, unless each of
// them has computed it from what was there: `bin[i] = bin[i] + 1` of two
// threads counts once. Such a pair of a load and a store is an *update*: both
// have the same address, of a register that is written once, and arithmetic
// leads from the one to the other. What gives the same result when it is done
// twice (and, or, min, max) is none.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CHECKER_UPDATES_H
#define DRAWLOOM_CHECKER_UPDATES_H

#include "drawloom/PTX/Module.h"
#include "llvm/ADT/DenseSet.h"

namespace drawloom::checker {

class Updates {
public:
  explicit Updates(const ptx::Function &kernel);

  /// Whether it is the load or the store of an update.
  bool contain(const ptx::Instruction *instruction) const {
    return parts.contains(instruction);
  }
  bool empty() const { return parts.empty(); }

private:
  llvm::DenseSet<const ptx::Instruction *> parts;
};

} // namespace drawloom::checker

#endif // DRAWLOOM_CHECKER_UPDATES_H
