//===- Counters.h - What happened to a cache --------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Numbers in a file that all processes add to. They are for people: one that is
// lost when the host goes down does no harm.

#ifndef DRAWLOOM_CACHE_COUNTERS_H
#define DRAWLOOM_CACHE_COUNTERS_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace drawloom::cache {

enum class Event : unsigned {
  DiskHit,      ///< The disk had it.
  StoreHit,     ///< The shared store had it.
  Made,         ///< It was nowhere, so it was made.
  Rejected,     ///< An entry that was there did not open.
  NotKept,      ///< The disk did not take it.
  StoreFailure, ///< The store did not answer, or not in time.
  Evicted,      ///< Removed for room.
};
constexpr unsigned numEvents = unsigned(Event::Evicted) + 1;

/// "disk hits" and so on.
llvm::StringRef describe(Event event);

class Counters {
public:
  /// Without a file that can be written they count nothing.
  explicit Counters(llvm::StringRef path);
  Counters(const Counters &) = delete;
  Counters &operator=(const Counters &) = delete;
  ~Counters();

  void add(Event event, uint64_t count = 1);
  uint64_t get(Event event) const;
  void reset();

private:
  uint64_t *numbers = nullptr;
};

} // namespace drawloom::cache

#endif // DRAWLOOM_CACHE_COUNTERS_H
