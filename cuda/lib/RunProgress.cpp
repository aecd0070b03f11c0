//===- RunProgress.cpp - How far a run is ---------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunProgress.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace drawloom::cuda;

RunProgress::RunProgress(llvm::StringRef kernel) : kernel(kernel) {
  if (llvm::sys::Process::StandardErrIsDisplayed())
    thread = std::thread([this] { show(); });
}

RunProgress::~RunProgress() {
  if (!thread.joinable())
    return;
  {
    std::lock_guard lock(mutex);
    hasEnded = true;
  }
  ending.notify_one();
  thread.join();
}

void RunProgress::show() {
  auto begin = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex);
  for (int seconds = 2;; ++seconds) {
    if (ending.wait_until(lock, begin + std::chrono::seconds(seconds),
                          [this] { return hasEnded; })) {
      if (seconds > 2)
        llvm::errs() << '\n';
      return;
    }
    llvm::errs() << "\rdrawloom: " << kernel << ": ";
    if (steps)
      llvm::errs() << llvm::formatv(
          "{0} CTAs done, {1:f1} M warp instructions, ", ctas.load(),
          steps.load() / 1e6);
    llvm::errs() << seconds << " s  ";
  }
}
