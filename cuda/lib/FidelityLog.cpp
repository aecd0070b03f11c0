//===- FidelityLog.cpp - Which forms a program has executed ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FidelityLog.h"
#include "Driver.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace drawloom;
using namespace drawloom::cuda;

FidelityLog::FidelityLog(llvm::StringRef path) : path(path) {
  if (path != "-")
    return;
  llvm::errs(); // To be there still when the program exits.
  std::atexit([] { Driver::get().fidelity->report.print(llvm::errs()); });
}

void FidelityLog::tell(llvm::ArrayRef<emu::Launch> launches) {
  for (const emu::Launch &launch : launches)
    report.add(*launch.kernel);
  if (path == "-")
    return;
  std::string problem = report.write(perProcess(path));
  if (!problem.empty())
    complain("DRAWLOOM_FIDELITY: " + llvm::Twine(problem));
}
