//===- Ticker.h - For what takes longer than two seconds --------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// While one of these lives and standard error is a terminal, a thread calls a
// function after two seconds and then each second, with their number. Where
// no terminal is there, there is no thread.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_TICKER_H
#define DRAWLOOM_EMULATOR_TICKER_H

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace drawloom::emu {

class Ticker {
public:
  /// `end` is called when the ticker ends, if `tick` was called before.
  Ticker(std::function<void(int seconds)> tick, std::function<void()> end);
  ~Ticker();
  Ticker(const Ticker &) = delete;
  Ticker &operator=(const Ticker &) = delete;

private:
  void run();

  std::function<void(int seconds)> tick;
  std::function<void()> end;
  std::mutex mutex;
  std::condition_variable ending;
  bool hasEnded = false;
  std::thread thread;
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_TICKER_H
