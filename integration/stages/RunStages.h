//===- RunStages.h - A program after each pass --------------------*- C++ -*-=//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Takes a program along the path, up to the pass before code is made, and runs
// the interpreter on its kernels after each pass that has changed them. What a
// kernel stores must have the same bits as after the pass before. A pass that
// adds in another order is held to the bound that the interpreter derives for
// the program as it was written, and what comes after that pass to its bits.

#ifndef DRAWLOOM_INTEGRATION_STAGES_RUNSTAGES_H
#define DRAWLOOM_INTEGRATION_STAGES_RUNSTAGES_H

#include "drawloom/Run/Execute.h"
#include "suite/Case.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <vector>

namespace drawloom::stages {

struct Counts {
  unsigned programs = 0, rejected = 0, compared = 0;
  /// Of `compared`: not the same bits, and within the bound.
  unsigned withinBound = 0;
  unsigned differ = 0;
};

struct Options {
  /// Orders of the roles: forward, backward, and drawn ones.
  unsigned orders = 2;
  /// Changes a kernel after the pass of that name; returns whether it did.
  llvm::function_ref<bool(llvm::StringRef pass, tile::KernelOp)> change =
      nullptr;
};

/// What went wrong, in which stage and how, is in `words`.
struct Failure {
  std::string pass, words;
};

/// A program that the compiler rejects has no stages, and is counted.
std::vector<Failure> runStages(const suite::Case &program,
                               const Options &options, Counts &counts);

} // namespace drawloom::stages

#endif // DRAWLOOM_INTEGRATION_STAGES_RUNSTAGES_H
