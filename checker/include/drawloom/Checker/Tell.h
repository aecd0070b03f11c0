//===- Tell.h - Findings for people who look --------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Findings on standard error: plain for files and programs, and with a word in
// color where a terminal looks and NO_COLOR isn't set.

#ifndef DRAWLOOM_CHECKER_TELL_H
#define DRAWLOOM_CHECKER_TELL_H

#include "drawloom/Checker/RaceChecker.h"

namespace drawloom::checker {

/// Prints a finding and the end of its last line.
void tell(const Finding &finding, llvm::raw_ostream &os);

/// Prints the findings of a run or a program as they come: the first errors and
/// the first warnings in full, and how many more there were.
class Teller {
public:
  /// Of errors and of warnings; remarks were asked for, so all of them.
  static constexpr unsigned most = 20;

  /// Nothing for a finding that isn't reported.
  void tell(const Finding &finding, llvm::raw_ostream &os);
  /// "check: 17 more errors and 2 more warnings; --report FILE has all of them"
  void tellRest(llvm::raw_ostream &os) const;

private:
  unsigned errors = 0, warnings = 0;
};

} // namespace drawloom::checker

#endif // DRAWLOOM_CHECKER_TELL_H
