//===- ErrorBoundTest.cpp - The bound holds, and is not vacuous -----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Interpreter/ErrorBound.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>

using namespace drawloom::interp;

namespace {

TEST(ErrorBound, Factor) {
  EXPECT_EQ(getSumErrorFactor(0, 0x1p-24), 0);
  EXPECT_EQ(getSumErrorFactor(1 << 23, 0x1p-24), 1);
  EXPECT_EQ(getSumErrorFactor(1 << 24, 0x1p-24), HUGE_VAL);
}

TEST(ErrorBound, OfAProduct) {
  // |acc| + sum of |a| |b| = 1 + 3 + 8 = 12, and 3 roundings on each side.
  HostTensor a = HostTensor::fromFloats(Format::F16, {1, 2}, {1, -2});
  HostTensor b = HostTensor::fromFloats(Format::F16, {1, 2}, {3, 4});
  HostTensor acc = HostTensor::fromFloats(Format::F32, {1, 1}, {-1});
  double u = 0x1p-24;
  EXPECT_DOUBLE_EQ(boundProductError(a, b, &acc, u).getFloat(0),
                   2 * (3 * u / (1 - 3 * u)) * 12);
  EXPECT_DOUBLE_EQ(boundProductError(a, b, nullptr, u).getFloat(0),
                   2 * (3 * u / (1 - 3 * u)) * 11);
}

// Sums in f32 in random orders stay within the bound of the sum in f64, and the
// bound with a unit roundoff of 2^-53 does not hold for them.
TEST(ErrorBound, HoldsForEveryOrder) {
  constexpr int64_t k = 256;
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  int64_t beyondTinyBound = 0;
  for (int trial = 0; trial < 200; ++trial) {
    HostTensor a(Format::BF16, {1, k}), b(Format::BF16, {1, k});
    double exact = 0;
    for (int64_t i = 0; i < k; ++i) {
      a.setFloat(i, normal(random));
      b.setFloat(i, normal(random));
      exact += a.getFloat(i) * b.getFloat(i);
    }
    std::vector<int64_t> order(k);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    float sum = 0;
    for (int64_t i : order)
      sum += static_cast<float>(a.getFloat(i) * b.getFloat(i));
    double error = std::fabs(sum - exact);
    EXPECT_LE(error, boundProductError(a, b, nullptr, 0x1p-24).getFloat(0));
    beyondTinyBound +=
        error > boundProductError(a, b, nullptr, 0x1p-53).getFloat(0);
  }
  EXPECT_GT(beyondTinyBound, 100);
}

} // namespace
