//===- Verb.h - What a verb of the command is ----------------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The command `drawloom` is a list of verbs. A verb has a file of its own,
// which holds its help, its options and its work; drawloom.cpp holds the list.

#ifndef DRAWLOOM_TOOLS_DRAWLOOM_VERB_H
#define DRAWLOOM_TOOLS_DRAWLOOM_VERB_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace drawloom {

/// What the command returns to the shell.
enum ExitCode : int {
  Done = 0,
  /// The input is at fault, or a tool that is needed is missing.
  Failed = 1,
  /// The command line is at fault.
  BadUsage = 2,
};

struct Verb {
  llvm::StringLiteral name;
  /// What it does, in a line of the command's help.
  llvm::StringLiteral summary;
  ExitCode (*run)(llvm::ArrayRef<llvm::StringRef> arguments);
};

ExitCode runCache(llvm::ArrayRef<llvm::StringRef> arguments);
ExitCode runCheck(llvm::ArrayRef<llvm::StringRef> arguments);
ExitCode runCompile(llvm::ArrayRef<llvm::StringRef> arguments);
ExitCode runCompletion(llvm::ArrayRef<llvm::StringRef> arguments);
ExitCode runDoctor(llvm::ArrayRef<llvm::StringRef> arguments);
ExitCode runExplain(llvm::ArrayRef<llvm::StringRef> arguments);
ExitCode runLsp(llvm::ArrayRef<llvm::StringRef> arguments);
/// Of PTX; it needs no compiler.
ExitCode runRun(llvm::ArrayRef<llvm::StringRef> arguments);
void printRunHelp();
ExitCode runRunProgram(llvm::ArrayRef<llvm::StringRef> arguments);
void printRunProgramHelp();
ExitCode runSelftest(llvm::ArrayRef<llvm::StringRef> arguments);
ExitCode runSweep(llvm::ArrayRef<llvm::StringRef> arguments);
ExitCode runTrace(llvm::ArrayRef<llvm::StringRef> arguments);

/// The version of Drawloom and of the LLVM under it, in a line.
std::string versionLine();

} // namespace drawloom

#endif // DRAWLOOM_TOOLS_DRAWLOOM_VERB_H
