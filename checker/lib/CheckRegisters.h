//===- CheckRegisters.h - Registers that ptxas does not divide --*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CHECKER_CHECKREGISTERS_H
#define DRAWLOOM_CHECKER_CHECKREGISTERS_H

#include "Findings.h"

namespace drawloom::checker {

/// Reports that ptxas ignores a kernel's setmaxnreg, if it does.
void checkRegisters(const emu::Kernel &kernel, Findings &findings);

} // namespace drawloom::checker

#endif // DRAWLOOM_CHECKER_CHECKREGISTERS_H
