//===- ExampleCases.cpp - The programs of examples/ -----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "suite/ExampleCases.h"
#include "llvm/ADT/ArrayRef.h"

using namespace drawloom::suite;

namespace {
struct Example {
  const char *name;
  const char *program;
};
} // namespace

// Made by the build from the files.
static constexpr Example examples[] = {
#include "Examples.inc"
};
static constexpr Example graphs[] = {
#include "Graphs.inc"
};

static std::vector<Case> makeCases(llvm::StringRef arch,
                                   llvm::ArrayRef<Example> programs) {
  std::vector<Case> cases;
  for (const Example &program : programs) {
    Case made;
    made.name = arch.str() + "-" + program.name;
    made.arch = arch.str();
    made.program = program.program;
    made.ctas = 0;
    // Two CTAs multiply together on Blackwell only.
    if (made.name == "sm_90a-paired_gemm")
      made.rejection = "needs tcgen05, which sm_90a does not have";
    cases.push_back(std::move(made));
  }
  return cases;
}

std::vector<Case> drawloom::suite::makeExampleCases(llvm::StringRef arch) {
  return makeCases(arch, examples);
}

std::vector<Case> drawloom::suite::makeGraphCases(llvm::StringRef arch) {
  return makeCases(arch, graphs);
}
