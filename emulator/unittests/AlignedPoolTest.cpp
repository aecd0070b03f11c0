//===- AlignedPoolTest.cpp - Memory that is used again --------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/AlignedMemory.h"
#include "gtest/gtest.h"
#include <cstring>

using namespace drawloom::emu;

TEST(AlignedPool, MemoryIsUsedAgain) {
  AlignedPool pool;
  AlignedMemory first = pool.take(4096);
  char *place = first.get();
  pool.give(std::move(first), 4096);
  EXPECT_EQ(pool.take(4096).get(), place);
}

TEST(AlignedPool, MemoryOfAnotherSizeIsNotKept) {
  constexpr size_t small = 1024, large = 64 * 1024;
  AlignedPool pool;
  // A warp that another host thread has started comes back here.
  AlignedMemory foreign = allocateAligned(small);
  char *place = foreign.get();
  AlignedMemory own = pool.take(large);
  pool.give(std::move(foreign), small);
  AlignedMemory next = pool.take(large);
  EXPECT_NE(next.get(), place);
  // All of it is there, which the sanitizer sees.
  memset(next.get(), 1, large);
  // Another size drops what is left of the one before.
  pool.give(std::move(next), large);
  AlignedMemory other = pool.take(small);
  memset(other.get(), 1, small);
}
