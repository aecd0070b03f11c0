//===- Answers.h - Waits whose answer counts --------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mbarrier.test_wait doesn't wait, and try_wait may give up after a time limit
// of the system: both say by a predicate whether the phase is over. Where
// nothing depends on it, the thread goes on in either case, and what this run
// answered tells nothing about the next one.
//
// A predicate counts if it guards something, or reaches an instruction that
// does more than to compute a register from registers.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CHECKER_ANSWERS_H
#define DRAWLOOM_CHECKER_ANSWERS_H

#include "drawloom/PTX/Module.h"
#include "llvm/ADT/DenseSet.h"

namespace drawloom::checker {

class Answers {
public:
  explicit Answers(const ptx::Function &kernel);

  /// Whether the kernel looks at what a wait answers. Functions that it calls
  /// are taken to.
  bool count(const ptx::Instruction *wait) const {
    return !ignored.contains(wait);
  }

private:
  llvm::DenseSet<const ptx::Instruction *> ignored;
};

} // namespace drawloom::checker

#endif // DRAWLOOM_CHECKER_ANSWERS_H
