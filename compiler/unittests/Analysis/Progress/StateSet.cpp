//===- StateSet.cpp - States that were seen -------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StateSet.h"
#include "llvm/Support/xxhash.h"
#include <cstring>

using namespace drawloom::progress;

uint64_t StateSet::slotFor(const uint8_t *state) const {
  uint64_t mask = table.size() - 1;
  uint64_t slot = llvm::xxh3_64bits({state, length}) & mask;
  while (table[slot] && std::memcmp(at(table[slot] - 1), state, length) != 0)
    slot = (slot + 1) & mask;
  return slot;
}

std::optional<uint32_t> StateSet::insert(const uint8_t *state) {
  uint64_t slot = slotFor(state);
  if (table[slot])
    return std::nullopt;
  bytes.insert(bytes.end(), state, state + length);
  table[slot] = ++count;
  if (count * 2 > table.size()) {
    table.assign(table.size() * 4, 0);
    for (uint32_t index = 0; index < count; ++index)
      table[slotFor(at(index))] = index + 1;
  }
  return count - 1;
}
