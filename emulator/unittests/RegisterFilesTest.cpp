//===- RegisterFilesTest.cpp - Register files that are used again ---------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/AlignedMemory.h"
#include "gtest/gtest.h"
#include <algorithm>

using namespace drawloom::emu;

static bool holds(const AlignedMemory &file, const std::vector<char> &image) {
  return std::equal(image.begin(), image.end(), file.get());
}

TEST(RegisterFiles, AreUsedAgainWithTheImage) {
  RegisterFiles files;
  std::vector<char> image(4096, 1);
  AlignedMemory first = files.take(image);
  char *place = first.get();
  first.get()[7] = 2;
  files.give(std::move(first), image.size());
  AlignedMemory second = files.take(image);
  EXPECT_EQ(second.get(), place);
  EXPECT_TRUE(holds(second, image));
}

TEST(RegisterFiles, ThoseOfAnotherKernelAreNotKept) {
  RegisterFiles files;
  std::vector<char> small(1024, 1), large(64 * 1024, 2);
  // A warp that another host thread has started comes back here.
  AlignedMemory foreign = allocateAligned(small.size());
  char *place = foreign.get();
  AlignedMemory own = files.take(large);
  files.give(std::move(foreign), small.size());
  AlignedMemory next = files.take(large);
  EXPECT_NE(next.get(), place);
  EXPECT_TRUE(holds(own, large));
  EXPECT_TRUE(holds(next, large));
  // A kernel of another size drops what is left of the one before.
  files.give(std::move(next), large.size());
  EXPECT_TRUE(holds(files.take(small), small));
}
