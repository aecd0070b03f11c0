//===- RunCommand.h - Commands on the emulator ---------------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// `drawloom run -- ./program` starts a program so that the loader finds the
// emulator's libcuda.so.1 and libcudart.so.13 first. Before that it looks into
// the program, so that one that couldn't work is rejected with what to do: the
// runtime may be linked statically, or be another version's.

#ifndef DRAWLOOM_TOOLS_DRAWLOOM_RUNCOMMAND_H
#define DRAWLOOM_TOOLS_DRAWLOOM_RUNCOMMAND_H

#include "Verb.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <vector>

namespace drawloom {

/// What an executable file says about its use of CUDA.
struct ProgramFacts {
  /// The CUDA runtime that it is linked against, such as "libcudart.so.13";
  /// empty if there is none.
  std::string runtime;
  /// Whether it has kernels of its own.
  bool hasKernels = false;
  /// The first device that has PTX in each of its fat binaries.
  std::optional<std::string> device;
};

/// Looks into a file. What isn't an executable for x86-64, such as a script,
/// has no facts. An error if it is one and damaged.
llvm::Expected<ProgramFacts> inspectProgram(llvm::StringRef path);

/// The folder with the emulator's libraries, which is installed beside the one
/// of this command.
llvm::Expected<std::string> emulatorFolder();

/// Runs `command`, with the options that stand before the `--`. It returns only
/// if the program can't be started.
ExitStatus runCommand(llvm::ArrayRef<llvm::StringRef> options,
                      llvm::ArrayRef<llvm::StringRef> command,
                      llvm::StringRef verb);

} // namespace drawloom

#endif // DRAWLOOM_TOOLS_DRAWLOOM_RUNCOMMAND_H
