//===- PtxasFixture.h - Tests that ask the real assembler ----- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A test that needs ptxas is skipped, with the reason, on a machine without
// one.

#ifndef DRAWLOOM_UNITTESTS_TARGET_PTXASFIXTURE_H
#define DRAWLOOM_UNITTESTS_TARGET_PTXASFIXTURE_H

#include "drawloom/Target/Architecture.h"
#include "drawloom/Target/Ptxas.h"
#include "llvm/Support/FormatVariadic.h"
#include <gtest/gtest.h>
#include <set>

namespace drawloom::target {

class PtxasFixture : public testing::Test {
protected:
  /// The architecture that asks most of ptxas decides which one is used.
  void SetUp() override {
    llvm::Expected<Ptxas> found =
        findPtxas(ToolSearch::fromEnvironment(), architectures().back());
    if (!found)
      GTEST_SKIP() << llvm::toString(found.takeError());
    ptxas = *found;
  }

  /// A kernel `k` around `body`, which starts on line `bodyLine`.
  static std::string kernel(const Architecture &arch, llvm::StringRef body,
                            llvm::StringRef directives = "",
                            llvm::StringRef globals = "") {
    return llvm::formatv(".version {0}\n.target {1}\n.address_size 64\n"
                         "{2}\n.visible .entry k(.param .u64 p) {3}\n"
                         "{{ .reg .b32 %r<200>; .reg .b64 %d<9>; "
                         ".reg .f32 %f<200>; .reg .pred %p;\n"
                         "{4}\nret;\n}\n",
                         Version{9, 0}, arch.name, globals, directives, body);
  }
  static constexpr unsigned bodyLine = 7;

  llvm::Expected<AssembledModule> run(const Architecture &arch,
                                      llvm::StringRef ptx) const {
    return assemble(ptx, arch, ptxas);
  }

  /// True if ptxas takes the text.
  bool accepts(const Architecture &arch, llvm::StringRef ptx) const {
    llvm::Expected<AssembledModule> result = run(arch, ptx);
    if (result)
      return true;
    llvm::consumeError(result.takeError());
    return false;
  }

  /// The lines of `ptx` that ptxas objects to.
  std::set<unsigned> rejectedLines(const Architecture &arch,
                                   llvm::StringRef ptx) const {
    std::set<unsigned> lines;
    llvm::Expected<AssembledModule> result = run(arch, ptx);
    if (!result)
      llvm::handleAllErrors(result.takeError(), [&](const AssemblyError &e) {
        for (const PtxasMessage &message : e.getReport().messages)
          if (message.severity == Severity::Error && message.line != 0)
            lines.insert(message.line);
      });
    return lines;
  }

  Ptxas ptxas;
};

} // namespace drawloom::target

#endif // DRAWLOOM_UNITTESTS_TARGET_PTXASFIXTURE_H
