//===- StateSet.h - States that were seen -----------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_ANALYSIS_PROGRESS_STATESET_H
#define DRAWLOOM_ANALYSIS_PROGRESS_STATESET_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace drawloom::progress {

/// The set of states, each a string of the same number of bytes.
class StateSet {
public:
  explicit StateSet(size_t length) : length(length), table(1024, 0) {}

  /// Adds a state; its index, or nothing if it is there already.
  std::optional<uint32_t> insert(const uint8_t *state);
  const uint8_t *at(uint32_t index) const { return &bytes[index * length]; }
  uint64_t size() const { return count; }

private:
  uint64_t slotFor(const uint8_t *state) const;

  size_t length;
  uint32_t count = 0;
  std::vector<uint8_t> bytes;
  /// Indices plus one; zero is free.
  std::vector<uint32_t> table;
};

} // namespace drawloom::progress

#endif // DRAWLOOM_ANALYSIS_PROGRESS_STATESET_H
