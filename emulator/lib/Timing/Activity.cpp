//===- Activity.cpp - What tensor cores and memories do, by time ----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Timing/Clock.h"

using namespace drawloom::emu;

Activity::Window &Activity::at(uint64_t time) {
  while (time / windowCycles >= mostWindows) {
    std::vector<Window> merged((windows.size() + 1) / 2);
    for (size_t index = 0; index != windows.size(); ++index) {
      Window &both = merged[index / 2];
      both.tensorCycles += windows[index].tensorCycles;
      both.l2Bytes += windows[index].l2Bytes;
      both.dramBytes += windows[index].dramBytes;
    }
    windows = std::move(merged);
    windowCycles *= 2;
  }
  const size_t index = time / windowCycles;
  if (index >= windows.size())
    windows.resize(index + 1);
  return windows[index];
}

void Activity::addTensor(uint64_t begin, uint64_t cycles) {
  const uint64_t end = begin + cycles;
  while (begin < end) {
    Window &window = at(begin);
    // The window may have become longer.
    const uint64_t next = (begin / windowCycles + 1) * windowCycles;
    const uint64_t until = std::min(end, next);
    window.tensorCycles += until - begin;
    begin = until;
  }
}

void Activity::addMemory(uint64_t time, uint64_t l2Bytes, uint64_t dramBytes) {
  Window &window = at(time);
  window.l2Bytes += l2Bytes;
  window.dramBytes += dramBytes;
}

void Activity::report(TimingReport &report) const {
  report.windows = windows;
  report.windowCycles = windowCycles;
}
