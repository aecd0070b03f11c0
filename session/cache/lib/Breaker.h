//===- Breaker.h - When a store is not asked --------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// After a failure a store is left alone, each time for longer, and for ten
// times as long as the failure took at least, so that one that is down costs no
// more than a tenth of the time. All processes that use a folder know about it:
// a compiler's process lives for one value.

#ifndef DRAWLOOM_LIB_CACHE_BREAKER_H
#define DRAWLOOM_LIB_CACHE_BREAKER_H

#include "llvm/ADT/StringRef.h"
#include <chrono>
#include <string>

namespace drawloom::cache {

class Breaker {
public:
  explicit Breaker(std::string path) : path(std::move(path)) {}

  /// Whether the store may be asked now.
  bool isClosed();
  void succeed();
  /// `took` is how long the store was waited for.
  void fail(std::chrono::milliseconds took);

private:
  void read();
  void write() const;

  std::string path;
  unsigned failures = 0;
  /// Since the epoch: other processes read it.
  std::chrono::milliseconds openUntil{0};
};

} // namespace drawloom::cache

#endif // DRAWLOOM_LIB_CACHE_BREAKER_H
