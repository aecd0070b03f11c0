//===- FidelityLog.h - Which forms a program has executed -------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With DRAWLOOM_FIDELITY, every run counts which instruction variants it
// executes (Emulator/Fidelity.h). The variable names a file, which is written
// after each run, or '-' for standard error, when the program exits; %p in it
// is the number of the process.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CUDA_FIDELITYLOG_H
#define DRAWLOOM_CUDA_FIDELITYLOG_H

#include "drawloom/Emulator/Fidelity.h"
#include "drawloom/Emulator/Launch.h"

namespace drawloom::cuda {

class FidelityLog {
public:
  explicit FidelityLog(llvm::StringRef path);

  /// Adds what a run has executed.
  void tell(llvm::ArrayRef<emu::Launch> launches);

private:
  std::string path;
  emu::FidelityReport report;
};

} // namespace drawloom::cuda

#endif // DRAWLOOM_CUDA_FIDELITYLOG_H
