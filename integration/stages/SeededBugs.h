//===- SeededBugs.h - SeededBugs between passes ---------------------------*-
// C++ -*-=//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A table of bugs: a program, a pass, and what is changed in the kernel after
// it. The stage that has the bug must not run as the stage before did: the
// interpreter reports it, or what is stored differs.

#ifndef DRAWLOOM_INTEGRATION_STAGES_SEEDED_BUGS_H
#define DRAWLOOM_INTEGRATION_STAGES_SEEDED_BUGS_H

#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace drawloom::stages {

/// Returns 0 if all bugs, or those with one of these in their name, are
/// caught.
int runSeededBugs(llvm::ArrayRef<std::string> filters);

} // namespace drawloom::stages

#endif // DRAWLOOM_INTEGRATION_STAGES_SEEDED_BUGS_H
