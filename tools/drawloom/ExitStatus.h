//===- ExitStatus.h - What the command returns to the shell -----*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The same for every verb, so that a CI can tell a bug in a kernel from a job
// that is broken. A command that is run keeps its own exit status.

#ifndef DRAWLOOM_TOOLS_DRAWLOOM_EXITSTATUS_H
#define DRAWLOOM_TOOLS_DRAWLOOM_EXITSTATUS_H

#include "llvm/ADT/StringRef.h"

namespace drawloom {

enum ExitStatus : int {
  Clean = 0,
  /// What was checked, run or compared has an error.
  Findings = 1,
  /// The command line is wrong.
  BadUsage = 2,
  /// An input can't be read or is rejected, or a tool is missing or fails.
  Failed = 3,
};

/// Of the help of every verb; what is special to one follows it.
inline constexpr llvm::StringLiteral exitStatusHelp =
    "Exit status: 0 clean, 1 findings or mismatch, 2 usage, 3 input or tool "
    "error.\n";

} // namespace drawloom

#endif // DRAWLOOM_TOOLS_DRAWLOOM_EXITSTATUS_H
