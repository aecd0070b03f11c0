//===- RunCase.h - A case of the suite, compiled, run, compared -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// One case from its text to a verdict. The reference is the interpreter on the
// same text, and the bound follows from it (run/Execute.h), so a case can't
// pass by being like another kernel of ours.

#ifndef DRAWLOOM_TOOLS_SUITE_RUNCASE_H
#define DRAWLOOM_TOOLS_SUITE_RUNCASE_H

#include "Case.h"
#include "drawloom/Run/Execute.h"

namespace drawloom::suite {

struct CaseResult {
  bool matches = false;
  /// The program was rejected, rightly or not.
  bool wasRejected = false;
  /// Why it does not match; or the words of the rejection.
  std::string words;
  /// The largest error in units of its bound.
  double largestShare = 0;
  /// Elements of outputs, and those that differ between two devices.
  int64_t elements = 0, differing = 0;
};

struct RunCaseOptions {
  /// Run under so many random orders and every adversarial one, too, each
  /// with 1, 2 and 4 threads; the results must have the same bits. For emulated
  /// devices.
  unsigned orders = 0;
  /// Where to write NAME.ptx and NAME.json, the plan; empty for nowhere.
  std::string dumpFolder = "";
};

/// Compiles, runs on every device and compares each with the reference. Without
/// devices, a case matches if it compiles.
CaseResult runCase(const Case &input, llvm::ArrayRef<runtime::Device *> devices,
                   const RunCaseOptions &options);

} // namespace drawloom::suite

#endif // DRAWLOOM_TOOLS_SUITE_RUNCASE_H
