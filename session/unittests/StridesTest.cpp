//===- StridesTest.cpp - Tensors in memory --------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Run/Strides.h"
#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "gtest/gtest.h"

using namespace drawloom::run;
using Numbers = llvm::SmallVector<int64_t>;

static constexpr int64_t open = mlir::ShapedType::kDynamic;

static Numbers choose(Numbers declared, Numbers shape) {
  auto strides = chooseStrides(declared, shape);
  EXPECT_TRUE(bool(strides)) << llvm::toString(strides.takeError());
  return strides ? *strides : Numbers();
}

TEST(Strides, AreChosenAsTheTypeAllows) {
  EXPECT_EQ(choose({}, {3, 4, 5}), (Numbers{20, 5, 1}));
  EXPECT_EQ(choose({open, 1}, {3, 4}), (Numbers{4, 1}));
  EXPECT_EQ(choose({9, 1}, {3, 4}), (Numbers{9, 1}));
  EXPECT_EQ(choose({9, open}, {3, 4}), (Numbers{9, 1}));
  EXPECT_EQ(choose({open, 9, 1}, {3, 4, 5}), (Numbers{32, 9, 1}));
  // Columns next to each other: rows are further apart than these reach.
  EXPECT_EQ(choose({1, open}, {3, 4}), (Numbers{1, 3}));
  EXPECT_EQ(choose({open, 1, open}, {3, 4, 5}), (Numbers{20, 1, 4}));
  // One element, or none, has no neighbor.
  EXPECT_EQ(choose({1, 1}, {1, 4}), (Numbers{1, 1}));
  EXPECT_EQ(choose({0, 0}, {3, 0}), (Numbers{0, 0}));
}

TEST(Strides, TwoElementsInOnePlace) {
  auto strides = chooseStrides({2, open, 1}, {3, 4, 5});
  EXPECT_EQ(strides ? "" : llvm::toString(strides.takeError()),
            "strides [2, ?, 1] put two elements of 3x4x5 into one place "
            "[argument-strides]");
}

TEST(Strides, ElementsComeBack) {
  std::vector<char> packed = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  // Two columns of three elements of two bytes, with a gap after each column.
  Numbers shape = {3, 2}, strides = {1, 4};
  std::vector<char> memory = scatter(packed, shape, strides, 2);
  EXPECT_EQ(memory,
            (std::vector<char>{1, 2, 5, 6, 9, 10, -1, -1, 3, 4, 7, 8, 11, 12}));
  std::vector<char> back(packed.size());
  gather(memory, shape, strides, 2, back);
  EXPECT_EQ(back, packed);
  EXPECT_EQ(countPlaces({3, 0}, {1, 4}), 0);
  EXPECT_EQ(countPlaces({3, 2}, {int64_t(1) << 62, 1}), int64_t(1) << 40);
}
