//===- ExampleCases.cpp - The programs of examples/ -----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "suite/ExampleCases.h"

using namespace drawloom::suite;

namespace {
struct Example {
  const char *name;
  const char *program;
};
} // namespace

/// Made by the build from the files.
static constexpr Example examples[] = {
#include "Examples.inc"
};

std::vector<Case> drawloom::suite::makeExampleCases(llvm::StringRef arch) {
  std::vector<Case> cases;
  for (const Example &example : examples) {
    Case made;
    made.name = arch.str() + "-" + example.name;
    made.arch = arch.str();
    made.program = example.program;
    made.ctas = 0;
    cases.push_back(std::move(made));
  }
  return cases;
}
