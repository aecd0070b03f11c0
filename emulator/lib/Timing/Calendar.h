//===- Calendar.h - What a unit has promised to do --------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A unit of an SM, or L2, serves so much in a cycle. Warps run ahead of each
// other between events, so requests don't come in the order of their times: a
// calendar counts what is taken in each window of cycles, and a request gets
// what is left in its window and in those after it.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_CALENDAR_H
#define DRAWLOOM_EMULATOR_CALENDAR_H

#include <algorithm>
#include <array>
#include <cstdint>

namespace drawloom::emu {

class Calendar {
public:
  explicit Calendar(uint64_t perCycle = 1) : perCycle(perCycle) {}

  /// When `amount` has been served that is asked for at `time`; `time` itself
  /// if the window has room for it.
  uint64_t reserve(uint64_t time, uint64_t amount) {
    const uint64_t first = time / windowCycles;
    const uint64_t capacity = perCycle * windowCycles;
    for (uint64_t at = first;; ++at) {
      if (at >= fullBegin && at < fullEnd)
        at = fullEnd;
      // Nothing is known of what was long before the last request; one
      // that comes so late has to wait.
      if (at + windows.size() <= latest)
        at = latest - windows.size() + 1;
      latest = std::max(latest, at);
      Window &window = windows[at % windows.size()];
      if (window.number != at)
        window = {at, 0};
      uint64_t left = capacity - window.taken;
      if (amount > left) {
        amount -= left;
        window.taken = capacity;
        if (at == fullEnd)
          ++fullEnd;
        else
          fullBegin = at, fullEnd = at + 1;
        continue;
      }
      window.taken += amount;
      return at == first ? time : at * windowCycles + window.taken / perCycle;
    }
  }

private:
  static constexpr uint64_t windowCycles = 32;
  struct Window {
    uint64_t number = 0;
    uint64_t taken = 0;
  };
  uint64_t perCycle;
  uint64_t fullBegin = 0, fullEnd = 0; ///< Windows that have no room left.
  uint64_t latest = 0;                 ///< Of all that were asked for.
  std::array<Window, 256> windows;
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_CALENDAR_H
