//===- ExampleCases.h - The programs of examples/ ---------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The examples as cases, and programs whose graphs of roles they don't have,
// with the sizes that `drawloom run` chooses.

#ifndef DRAWLOOM_TOOLS_SUITE_EXAMPLECASES_H
#define DRAWLOOM_TOOLS_SUITE_EXAMPLECASES_H

#include "suite/Case.h"
#include "llvm/ADT/StringRef.h"

namespace drawloom::suite {

std::vector<Case> makeExampleCases(llvm::StringRef arch);
std::vector<Case> makeGraphCases(llvm::StringRef arch);

} // namespace drawloom::suite

#endif // DRAWLOOM_TOOLS_SUITE_EXAMPLECASES_H
