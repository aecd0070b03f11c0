//===- Fix.h - Instructions that would give an order ------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A finding may come with fixes: instructions to insert into the PTX, and
// where. They are guesses. A caller with the launch inserts one and runs the
// kernel again under the checker, and so knows whether it helps. An insertion
// adds no line, so that lines mean the same before and after.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CHECKER_FIX_H
#define DRAWLOOM_CHECKER_FIX_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace drawloom::checker {

struct Insertion {
  std::string text;        ///< "fence.proxy.async.global;"
  bool isAfter = false;    ///< After the instruction, or before it.
  uint32_t line = 0;       ///< Of the PTX.
  std::string instruction; ///< As it is written there, without operands.
};

/// What has to be inserted together.
using Fix = std::vector<Insertion>;

/// "bar.sync 0; before line 28"
std::string describe(const Fix &fix);

/// The PTX with the fix; nothing if an instruction isn't where it should be.
std::optional<std::string> insert(const Fix &fix, llvm::StringRef ptx);

struct Finding;

/// Runs a kernel's PTX under the checker; an error if the run ends early.
using RunPtx =
    llvm::function_ref<llvm::Expected<std::vector<Finding>>(llvm::StringRef)>;

/// Tries the fixes of a finding, one of `all` that there are in `ptx`: the
/// first with which the finding is gone, no other has come, and the run still
/// ends.
std::optional<Fix> tryFixes(const Finding &finding, llvm::ArrayRef<Finding> all,
                            llvm::StringRef ptx, RunPtx run);

} // namespace drawloom::checker

#endif // DRAWLOOM_CHECKER_FIX_H
