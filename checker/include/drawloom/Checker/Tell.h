//===- Tell.h - Findings for people who look --------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Findings on standard error: plain for files and programs, and with a word in
// colour where a terminal looks and NO_COLOR isn't set.

#ifndef DRAWLOOM_CHECKER_TELL_H
#define DRAWLOOM_CHECKER_TELL_H

#include "drawloom/Checker/RaceChecker.h"

namespace drawloom::checker {

/// Prints a finding and the end of its last line.
void tell(const Finding &finding, llvm::raw_ostream &os);

} // namespace drawloom::checker

#endif // DRAWLOOM_CHECKER_TELL_H
