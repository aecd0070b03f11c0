//===- TensorMemoryTest.cpp - How warps read tensor memory ----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A fragment is held against the instruction: thread t of warp w reads lane
// 32 * (w % 4) + t.

#include "drawloom/Analysis/Layouts/TensorMemory.h"
#include "drawloom/Analysis/Layouts/Conversion.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace drawloom;
using namespace drawloom::layouts;
using tile::Layout;

namespace {

using Digits = std::vector<Layout::Digit>;

Layout::Digit digit(llvm::ArrayRef<int64_t> basis, int64_t count = 2) {
  return {llvm::SmallVector<int64_t, 2>(basis), count};
}

Layout inTensorMemory(Digits lanes, Digits columns, int64_t rows,
                      int64_t width) {
  return llvm::cantFail(
      Layout::get({{"lane", std::move(lanes)}, {"column", std::move(columns)}},
                  {{"dim0", rows}, {"dim1", width}}));
}

/// Some layout of a tile in the registers of some warps.
Layout wanted(Digits warps, int64_t rows, int64_t width) {
  return llvm::cantFail(Layout::get({{"register", {digit({0, 1}, width)}},
                                     {"lane", {digit({1, 0}, 32)}},
                                     {"warp", std::move(warps)}},
                                    {{"dim0", rows}, {"dim1", width}}));
}

/// An accumulator of 256 rows: 128 beside the first 128.
Layout accumulator(int64_t width) {
  return inTensorMemory({digit({1, 0}, 128)},
                        {digit({0, 1}, width), digit({128, 0})}, 256, width);
}

std::string error(const Layout &buffer, llvm::ArrayRef<int64_t> offsets,
                  const Layout &wanted, int64_t bits = 32) {
  llvm::Expected<TensorFragment> fragment =
      getTensorFragment(buffer, offsets, wanted, bits);
  return fragment ? "no error" : llvm::toString(fragment.takeError());
}

void expectWhatLanesHave(const TensorFragment &fragment, const Layout &buffer,
                         llvm::ArrayRef<int64_t> offsets) {
  const Layout &layout = fragment.layout;
  ASSERT_EQ(int64_t(fragment.elements.size()), layout.getInputSize(inRegister));
  for (int64_t warp = 0; warp < layout.getInputSize(inWarp); ++warp)
    for (int64_t lane = 0; lane < 32; ++lane)
      for (auto [number, element] : llvm::enumerate(fragment.elements)) {
        int64_t column = element;
        for (const TensorFragment::Step &step : fragment.ofWarp)
          column += warp / step.divisor % step.count * step.elements;
        auto there = buffer.apply({32 * (warp % 4) + lane, column});
        auto here = layout.apply({int64_t(number), lane, warp});
        for (auto [a, b, offset] : llvm::zip_equal(there, here, offsets))
          ASSERT_EQ(a, b + offset);
      }
}

TEST(TensorMemoryTest, OneGroupReadsAllColumns) {
  for (int64_t width : {64, 96}) {
    Layout want =
        wanted({digit({32, 0}, 4), digit({0, 0}), digit({128, 0})}, 256, width);
    // One group of warps would have the other half as copies.
    TensorFragment fragment =
        llvm::cantFail(getTensorFragment(accumulator(width), {0, 0}, want, 32));
    expectWhatLanesHave(fragment, accumulator(width), {0, 0});
    EXPECT_EQ(fragment.ofWarp.size(), 1u);
    EXPECT_EQ(fragment.layout.getInputSize(inRegister), width);
  }
}

TEST(TensorMemoryTest, APartOfTheColumns) {
  Layout want = wanted({digit({32, 0}, 4), digit({128, 0})}, 256, 16);
  TensorFragment fragment =
      llvm::cantFail(getTensorFragment(accumulator(64), {0, 48}, want, 32));
  EXPECT_EQ(fragment.elements.front(), 48);
  EXPECT_EQ(fragment.elements.size(), 16u);
  expectWhatLanesHave(fragment, accumulator(64), {0, 48});
}

TEST(TensorMemoryTest, APartThatCutsADigit) {
  // 12 columns are 2 times 2 times 3 in normal form; a half of them is not.
  Layout buffer =
      inTensorMemory({digit({1, 0}, 128)}, {digit({0, 1}, 12)}, 128, 12);
  Layout want = wanted({digit({32, 0}, 4)}, 128, 6);
  TensorFragment fragment =
      llvm::cantFail(getTensorFragment(buffer, {0, 6}, want, 32));
  EXPECT_EQ(fragment.elements,
            (llvm::SmallVector<int64_t>{6, 7, 8, 9, 10, 11}));
  expectWhatLanesHave(fragment, buffer, {0, 6});
  EXPECT_EQ(error(buffer, {0, 0}, wanted({digit({32, 0}, 4)}, 128, 5)),
            "the part of the buffer is not whole lanes with some of their "
            "columns: its sizes and offsets must be multiples of what a digit "
            "of the layout steps over");
}

TEST(TensorMemoryTest, HalvesOfColumns) {
  // Two elements of 16 bits are in a column. Warps don't share it.
  Layout buffer =
      inTensorMemory({digit({1, 0}, 128)}, {digit({0, 1}, 4)}, 128, 4);
  Layout want = wanted({digit({32, 0}, 4), digit({0, 1})}, 128, 4);
  TensorFragment fragment =
      llvm::cantFail(getTensorFragment(buffer, {0, 0}, want, 16));
  EXPECT_TRUE(fragment.ofWarp.empty());
  EXPECT_EQ(fragment.elements, (llvm::SmallVector<int64_t>{0, 1, 2, 3}));
  Layout whole = wanted({digit({32, 0}, 4), digit({0, 2})}, 128, 4);
  fragment = llvm::cantFail(getTensorFragment(buffer, {0, 0}, whole, 16));
  EXPECT_EQ(fragment.elements, (llvm::SmallVector<int64_t>{0, 1}));
  expectWhatLanesHave(fragment, buffer, {0, 0});
}

TEST(TensorMemoryTest, Errors) {
  Layout want = wanted({digit({32, 0}, 4), digit({128, 0})}, 256, 64);
  EXPECT_EQ(error(want, {0, 0}, want),
            "a layout of tensor memory has the inputs lane and column, in this "
            "order");
  Layout few = inTensorMemory({digit({1, 0}, 64)},
                              {digit({0, 1}, 64), digit({64, 0}, 4)}, 256, 64);
  EXPECT_EQ(error(few, {0, 0}, want),
            "the layout has 64 lanes: tensor memory has 128");
  Layout twice = inTensorMemory(
      {digit({1, 0}, 128)}, {digit({0, 1}, 64), digit({128, 0}), digit({0, 0})},
      256, 64);
  EXPECT_EQ(error(twice, {0, 0}, want),
            "the layout has an element twice: in memory each has one place");
  Layout two = wanted({digit({32, 0})}, 64, 64);
  EXPECT_EQ(error(accumulator(64), {0, 0}, two),
            "2 warps reach the lanes of tensor memory: it takes groups of 4, "
            "and a warp's place in its group is the two lowest bits of its "
            "number");
  Layout half = wanted({digit({32, 0}), digit({0, 0})}, 64, 64);
  EXPECT_EQ(error(accumulator(64), {0, 0}, half),
            "the part of the buffer is not whole lanes with some of their "
            "columns: its sizes and offsets must be multiples of what a digit "
            "of the layout steps over");
  Layout three = wanted({digit({32, 0}, 4), digit({128, 0}, 3)}, 384, 64);
  EXPECT_EQ(
      error(inTensorMemory({digit({1, 0}, 128)},
                           {digit({0, 1}, 64), digit({128, 0}, 3)}, 384, 64),
            {0, 0}, three),
      "no error");
  EXPECT_EQ(
      error(inTensorMemory({digit({3, 0}, 128)},
                           {digit({0, 1}, 64), digit({1, 0}, 3)}, 384, 64),
            {0, 0}, three),
      "12 warps share the columns of tensor memory by 3: the layout of "
      "the buffer has no such digit of its columns");
  // Eight warps could share the columns; by these layouts they don't.
  int64_t many = 1 << 13;
  Layout wide =
      llvm::cantFail(Layout::get({{"register", {digit({0, 2}, many)}},
                                  {"lane", {digit({1, 0}, 32)}},
                                  {"warp", {digit({32, 0}, 4), digit({0, 1})}}},
                                 {{"dim0", 128}, {"dim1", 2 * many}}));
  EXPECT_EQ(error(inTensorMemory({digit({1, 0}, 128)},
                                 {digit({0, 1}, 2 * many)}, 128, 2 * many),
                  {0, 0}, wide, 16),
            "a thread would read 16384 elements of tensor memory: more than "
            "8192 fit into no thread's registers");
  EXPECT_EQ(error(inTensorMemory({digit({1, 0}, 128)}, {digit({0, 1})}, 128, 2),
                  {0, 0}, wanted({digit({32, 0}, 4)}, 128, 2), 8),
            "elements of 8 bits share a column of 32: a thread must have 4 "
            "that are next to each other along its lane");
}

} // namespace
