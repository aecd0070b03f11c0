//===- Faults.h - Faults between passes ---------------------------*- C++ -*-=//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A table of faults: a program, a pass, and what is changed in the kernel after
// it. The stage that has the fault must not run as the stage before did: the
// interpreter reports it, or what is stored differs.

#ifndef DRAWLOOM_INTEGRATION_STAGES_FAULTS_H
#define DRAWLOOM_INTEGRATION_STAGES_FAULTS_H

#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace drawloom::stages {

/// Returns 0 if all faults, or those with one of these in their name, are
/// caught.
int runFaults(llvm::ArrayRef<std::string> filters);

} // namespace drawloom::stages

#endif // DRAWLOOM_INTEGRATION_STAGES_FAULTS_H
