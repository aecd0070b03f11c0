//===- RunProgress.cpp - How far a run is ---------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunProgress.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom::cuda;

RunProgress::RunProgress(llvm::StringRef kernel)
    : kernel(kernel), ticker([this](int seconds) { show(seconds); },
                             [] { llvm::errs() << '\n'; }) {}

void RunProgress::show(int seconds) const {
  llvm::errs() << "\rdrawloom: " << kernel << ": ";
  if (steps)
    llvm::errs() << llvm::formatv("{0} CTAs done, {1:f1} M warp instructions, ",
                                  ctas.load(), steps.load() / 1e6);
  llvm::errs() << seconds << " s  ";
}
