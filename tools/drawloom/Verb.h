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

#include "ExitStatus.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace drawloom {

struct Verb {
  llvm::StringLiteral name;
  /// What it does, in a line of the command's help.
  llvm::StringLiteral summary;
  ExitStatus (*run)(llvm::ArrayRef<llvm::StringRef> arguments);
};

ExitStatus runCache(llvm::ArrayRef<llvm::StringRef> arguments);
ExitStatus runCheck(llvm::ArrayRef<llvm::StringRef> arguments);
ExitStatus runCompile(llvm::ArrayRef<llvm::StringRef> arguments);
ExitStatus runCompletion(llvm::ArrayRef<llvm::StringRef> arguments);
ExitStatus runDoctor(llvm::ArrayRef<llvm::StringRef> arguments);
ExitStatus runExplain(llvm::ArrayRef<llvm::StringRef> arguments);
ExitStatus runLsp(llvm::ArrayRef<llvm::StringRef> arguments);
/// Runs what the arguments name: a tile program, a kernel in PTX or a command.
/// `verb` is "run" or "check"; the latter runs all under the checker.
ExitStatus runAny(llvm::ArrayRef<llvm::StringRef> arguments,
                  llvm::StringRef verb);
/// Of PTX or a command; it needs no compiler.
ExitStatus runRun(llvm::ArrayRef<llvm::StringRef> arguments,
                  llvm::StringRef verb = "run");
ExitStatus runRunProgram(llvm::ArrayRef<llvm::StringRef> arguments,
                         llvm::StringRef verb);
void printRunHelp();
void printRunProgramHelp();
/// The options that each kind of run has, in help.
void printProgramOptions();
void printPtxOptions(llvm::StringRef verb);
void printCommandOptions();
void printCheckerOptions(llvm::StringRef verb);
ExitStatus runSelftest(llvm::ArrayRef<llvm::StringRef> arguments);
ExitStatus runSlots(llvm::ArrayRef<llvm::StringRef> arguments);
ExitStatus runSweep(llvm::ArrayRef<llvm::StringRef> arguments);
ExitStatus runTrace(llvm::ArrayRef<llvm::StringRef> arguments);

/// The version of Drawloom and of the LLVM under it, in a line.
std::string versionLine();

} // namespace drawloom

#endif // DRAWLOOM_TOOLS_DRAWLOOM_VERB_H
