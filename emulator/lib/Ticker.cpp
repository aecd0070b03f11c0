//===- Ticker.cpp - For what takes longer than two seconds ----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Emulator/Ticker.h"
#include "llvm/Support/Process.h"
#include <chrono>

using namespace drawloom::emu;

Ticker::Ticker(std::function<void(int seconds)> tick, std::function<void()> end)
    : tick(std::move(tick)), end(std::move(end)) {
  if (llvm::sys::Process::StandardErrIsDisplayed())
    thread = std::thread([this] { run(); });
}

Ticker::~Ticker() {
  if (!thread.joinable())
    return;
  {
    std::lock_guard lock(mutex);
    hasEnded = true;
  }
  ending.notify_one();
  thread.join();
}

void Ticker::run() {
  auto begin = std::chrono::steady_clock::now();
  constexpr int first = 2;
  std::unique_lock lock(mutex);
  for (int seconds = first;; ++seconds) {
    if (ending.wait_until(lock, begin + std::chrono::seconds(seconds),
                          [this] { return hasEnded; })) {
      if (seconds > first)
        end();
      return;
    }
    tick(seconds);
  }
}
