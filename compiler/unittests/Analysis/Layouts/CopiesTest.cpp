//===- CopiesTest.cpp - Elements that a layout has more than once ---------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Analysis/Layouts/Copies.h"
#include "drawloom/Analysis/Layouts/Conversion.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <set>

using namespace drawloom;
using namespace drawloom::layouts;
using tile::Layout;

namespace {

Layout::Digit digit(int64_t basis, int64_t count = 2) {
  return {{basis}, count};
}

TEST(CopiesTest, EveryElementOnce) {
  // Register bits 1 and 3 repeat, one of them as a sum of others; lane bit 1
  // and warp bit 0 have what registers have. The digit of 3 is among them.
  Layout layout = llvm::cantFail(Layout::get(
      {{"register",
        {digit(1), digit(0), digit(4), digit(5), digit(16, 3), digit(2)}},
       {"lane", {digit(8), digit(3), digit(0), digit(0), digit(0)}},
       {"warp", {digit(12), digit(0)}}},
      {{"dim0", 48}}));
  ASSERT_TRUE(layout.isOnto());
  Copies copies = findCopies(layout);
  EXPECT_EQ(copies.once.getInputSize(inRegister), 2 * 2 * 3 * 2);
  EXPECT_EQ(copies.laneBits, (llvm::SmallVector<int64_t>{2, 4, 8, 16}));
  EXPECT_EQ(copies.warpBits, (llvm::SmallVector<int64_t>{1, 2}));

  std::set<int64_t> written;
  auto isZero = [](int64_t number, llvm::ArrayRef<int64_t> weights) {
    return llvm::all_of(
        weights, [&](int64_t weight) { return number / weight % 2 == 0; });
  };
  for (int64_t warp = 0; warp < 4; ++warp)
    for (int64_t lane = 0; lane < 32; ++lane) {
      for (auto [number, once] : llvm::enumerate(copies.registerOf))
        ASSERT_EQ(layout.apply({int64_t(number), lane, warp}),
                  copies.once.apply({once, lane, warp}));
      if (!isZero(lane, copies.laneBits) || !isZero(warp, copies.warpBits))
        continue;
      for (int64_t r = 0; r < copies.once.getInputSize(inRegister); ++r)
        EXPECT_TRUE(
            written.insert(copies.once.apply({r, lane, warp})[0]).second);
    }
  EXPECT_EQ(written.size(), 48u);
}

} // namespace
