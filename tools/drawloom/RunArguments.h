//===- RunArguments.h - What a run of PTX is asked ------------ -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The options of `drawloom run FILE.ptx`, and the help for everything that the
// verb runs without a compiler.

#ifndef DRAWLOOM_TOOLS_DRAWLOOM_RUNARGUMENTS_H
#define DRAWLOOM_TOOLS_DRAWLOOM_RUNARGUMENTS_H

#include "CheckOptions.h"
#include "CommandLine.h"
#include <optional>
#include <string>

namespace drawloom {

struct RunArguments {
  std::string ptx, launch;
  std::optional<std::string> output;
  std::optional<std::string> order;
  std::optional<uint64_t> stepLimit;
  unsigned seeds = 0; ///< 0: one run.
  bool progress = false;
  bool triesFixes = false;
  bool time = false;    ///< By the clock.
  std::string fidelity; ///< A file for the report, or empty.
  CheckOptions check;

  /// The command line, with the options that a run of PTX has.
  static llvm::Expected<CommandLine>
  parse(llvm::ArrayRef<llvm::StringRef> words);
  static llvm::Expected<RunArguments> read(const CommandLine &line,
                                           llvm::StringRef verb);
};

} // namespace drawloom

#endif // DRAWLOOM_TOOLS_DRAWLOOM_RUNARGUMENTS_H
