//===- Check.h - Kernels of a program under the checker ---------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With DRAWLOOM_CHECK, every run is watched (docs/Checker.md). Findings are
// reported on standard error after the run that has them, each once; the last
// line, which counts them, when the program exits. DRAWLOOM_CHECK_REPORT names
// a file for them in JSON; %p in it is the number of the process.
// DRAWLOOM_CHECK_SUPPRESSIONS names a file with those that aren't reported.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CUDA_CHECK_H
#define DRAWLOOM_CUDA_CHECK_H

#include "drawloom/Checker/Tell.h"

namespace drawloom::cuda {

class Check {
public:
  explicit Check(checker::CheckOptions options);

  checker::RaceChecker &listener() { return checker; }
  /// Tells what is new.
  void tell();
  /// The same, if anything is.
  void tellNew() {
    if (checker.findings().size() != reported)
      tell();
  }
  /// Tells remarks, if there are any, and how many there were of all.
  void tellCounts();

private:
  checker::RaceChecker checker;
  size_t reported = 0;
  checker::Teller teller;
};

} // namespace drawloom::cuda

#endif // DRAWLOOM_CUDA_CHECK_H
