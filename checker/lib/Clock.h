//===- Clock.h - What a thread knows of others ------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp has a time, which ticks whenever lanes of it hand something over. A
// Clock says of each lane of each warp of a cluster up to which time its
// accesses are known, that is, ordered before what comes now. Lanes of a warp
// are mostly known up to the same time; only where they aren't, there is a
// number for each.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CHECKER_CLOCK_H
#define DRAWLOOM_CHECKER_CLOCK_H

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace drawloom::checker {

class Clock {
public:
  /// Up to which time lane `lane` of warp number `warp` is known; 0 if nothing
  /// of it is.
  uint32_t of(unsigned warp, unsigned lane) const {
    if (warp >= warps.size())
      return 0;
    const Entry &entry = warps[warp];
    return entry.lanes ? (*entry.lanes)[lane] : entry.all;
  }
  void join(const Clock &other);
  /// Lanes of a warp become known up to `time`, unless they are already.
  void raise(unsigned warp, uint32_t lanes, uint32_t time);

private:
  using Lanes = std::array<uint32_t, 32>;
  struct Entry {
    uint32_t all = 0;
    std::shared_ptr<const Lanes> lanes; ///< Null if all are the same.
  };
  static Lanes spread(const Entry &entry);
  static void set(Entry &entry, const Lanes &lanes);

  std::vector<Entry> warps;
};

} // namespace drawloom::checker

#endif // DRAWLOOM_CHECKER_CLOCK_H
