//===- DeviationTest.cpp - The bound holds, and is not vacuous ------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Machines here compute in f32 in orders of their own. Their results must be
// within the deviation, and a result that is off by a little more must not.
//
//===----------------------------------------------------------------------===//

#include "TestProgram.h"
#include <cmath>
#include <random>

using namespace drawloom::interp;
using namespace drawloom::interp::test;

static const Machine machine{0x1p-23, 0x1p-23};

static Options withMachine() {
  Options options;
  options.machine = &machine;
  return options;
}

static HostTensor randomTensor(Format format, llvm::ArrayRef<int64_t> shape,
                               unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  HostTensor tensor(format, shape);
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    tensor.setFloat(i, uniform(random));
  return tensor;
}

/// D = bf16(silu(A B^T) + C), A 16x64, B 8x64.
static constexpr llvm::StringLiteral layer = R"mlir(
tile.kernel @layer(%A: !tile.view<16x64xbf16>, %B: !tile.view<8x64xbf16>,
                   %C: !tile.view<16x8xbf16>, %D: !tile.view<16x8xbf16>) {
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %one = arith.constant dense<1.0> : tensor<16x8xf32>
  %a = tile.load %A[0, 0] : !tile.view<16x64xbf16> -> tensor<16x64xbf16>
  %b = tile.load %B[0, 0] : !tile.view<8x64xbf16> -> tensor<8x64xbf16>
  %x = tile.mma %a, %b, %zero : tensor<16x64xbf16>, tensor<8x64xbf16> -> tensor<16x8xf32>
  %minus = arith.negf %x : tensor<16x8xf32>
  %e = math.exp %minus : tensor<16x8xf32>
  %n = arith.addf %e, %one : tensor<16x8xf32>
  %y = arith.divf %x, %n : tensor<16x8xf32>
  %c = tile.load %C[0, 0] : !tile.view<16x8xbf16> -> tensor<16x8xbf16>
  %c32 = arith.extf %c : tensor<16x8xbf16> to tensor<16x8xf32>
  %z = arith.addf %y, %c32 : tensor<16x8xf32>
  %d = arith.truncf %z : tensor<16x8xf32> to tensor<16x8xbf16>
  tile.store %d, %D[0, 0] : tensor<16x8xbf16>, !tile.view<16x8xbf16>
}
)mlir";

TEST(Deviation, HoldsForOtherOrdersAndApproximations) {
  HostTensor a = randomTensor(Format::BF16, {16, 64}, 1);
  HostTensor b = randomTensor(Format::BF16, {8, 64}, 2);
  HostTensor c = randomTensor(Format::BF16, {16, 8}, 3);
  Outcome outcome = runKernel(
      layer, {a, b, c, HostTensor(Format::BF16, {16, 8})}, withMachine());
  ASSERT_TRUE(outcome.succeeded) << outcome.errors;
  ASSERT_FALSE(outcome.deviations[0]);
  ASSERT_TRUE(outcome.deviations[3]);
  const HostTensor &d = outcome.tensors[3], &off = *outcome.deviations[3];
  int64_t beyond = 0;
  for (int64_t row = 0; row != 16; ++row)
    for (int64_t column = 0; column != 8; ++column) {
      int64_t at = row * 8 + column;
      // Downwards instead of upwards, and with an error in exp.
      float sum = 0;
      for (int64_t k = 64; k-- != 0;)
        sum += float(a.getFloat(row * 64 + k) * b.getFloat(column * 64 + k));
      float e = std::exp2(-sum * 1.4426950408889634f) * (1 + 0x1p-23f);
      float z = sum / (1.0f + e) + float(c.getFloat(at));
      HostTensor rounded = HostTensor::scalar(Format::BF16, double(z));
      EXPECT_TRUE(
          isWithin(rounded.getFloat(0), d.getFloat(at), off.getFloat(at)))
          << row << ", " << column;
      // At most a unit in the last place of bf16, and most often nothing.
      EXPECT_LE(off.getFloat(at), 0x1p-7 * 2);
      beyond +=
          !isWithin(d.getFloat(at) + 0x1p-5, d.getFloat(at), off.getFloat(at));
    }
  EXPECT_EQ(beyond, 16 * 8);
}

/// How far %r may be off, in a kernel of f32 with x and y of one element each.
static double deviationOf(llvm::StringRef body, double x, double y) {
  std::string text = R"mlir(
tile.kernel @k(%X: !tile.view<1xf32>, %Y: !tile.view<1xf32>, %R: !tile.view<1xf32>) {
  %x = tile.load %X[0] : !tile.view<1xf32> -> tensor<1xf32>
  %y = tile.load %Y[0] : !tile.view<1xf32> -> tensor<1xf32>
  )mlir" + body.str() +
                     R"mlir(
  tile.store %r, %R[0] : tensor<1xf32>, !tile.view<1xf32>
}
)mlir";
  Outcome outcome = runKernel(
      text, {floats("1xf32", {x}), floats("1xf32", {y}), zeros("1xf32")},
      withMachine());
  EXPECT_TRUE(outcome.succeeded) << outcome.errors;
  if (!outcome.succeeded || !outcome.deviations[2])
    return 0;
  return outcome.deviations[2]->getFloat(0);
}

TEST(Deviation, OfSingleOperations) {
  // A sum is rounded here and there: 2 * 2^-24 * 3.
  EXPECT_NEAR(deviationOf("%r = arith.addf %x, %y : tensor<1xf32>", 1, 2),
              3 * 0x1p-23, 0x1p-40);
  // What is chosen is not rounded, nor what is only negated.
  EXPECT_EQ(deviationOf("%r = arith.maximumf %x, %y : tensor<1xf32>", 1, 2), 0);
  EXPECT_EQ(deviationOf("%r = arith.negf %x : tensor<1xf32>", 1, 2), 0);
  // Cancellation: the rounding of the product stays, the difference is small.
  EXPECT_GT(deviationOf("%p = arith.mulf %x, %x : tensor<1xf32>\n"
                        "%r = arith.subf %p, %y : tensor<1xf32>",
                        3, 9),
            9 * 0x1p-24);
  // A divisor that may be zero has no bound.
  EXPECT_EQ(deviationOf("%p = arith.mulf %x, %x : tensor<1xf32>\n"
                        "%q = arith.subf %p, %y : tensor<1xf32>\n"
                        "%r = arith.divf %x, %q : tensor<1xf32>",
                        3, 9 + 0x1p-20),
            inf);
}

TEST(Deviation, AnOpenConditionMayGoEitherWay) {
  llvm::StringLiteral body =
      "%p = arith.mulf %x, %x : tensor<1xf32>\n"
      "%c = arith.cmpf ogt, %p, %y : tensor<1xf32>\n"
      "%r = arith.select %c, %x, %y : tensor<1xi1>, tensor<1xf32>";
  EXPECT_EQ(deviationOf(body, 3, 8), 0);
  EXPECT_EQ(deviationOf(body, 3, 9), 6);
}

TEST(Deviation, InfinitiesThatWereThereStay) {
  EXPECT_EQ(deviationOf("%r = arith.addf %x, %y : tensor<1xf32>", -inf, 2), 0);
  // exp2(-inf) is 0, up to what a machine may flush.
  EXPECT_LE(deviationOf("%r = math.exp2 %x : tensor<1xf32>", -inf, 2),
            0x1p-125);
  EXPECT_TRUE(isWithin(-inf, -inf, 0));
  EXPECT_FALSE(isWithin(1, -inf, 5));
  EXPECT_TRUE(isWithin(qnan, qnan, 0));
  EXPECT_FALSE(isWithin(qnan, 1, 5));
}

TEST(Deviation, WhatHasNoRuleIsRefused) {
  Outcome outcome = runKernel(R"mlir(
tile.kernel @k(%X: !tile.view<1xf32>, %R: !tile.view<1xf32>) {
  %x = tile.load %X[0] : !tile.view<1xf32> -> tensor<1xf32>
  %r = math.sin %x : tensor<1xf32>
  tile.store %r, %R[0] : tensor<1xf32>, !tile.view<1xf32>
}
)mlir",
                              {zeros("1xf32"), zeros("1xf32")}, withMachine());
  EXPECT_FALSE(outcome.succeeded);
  EXPECT_THAT(outcome.errors,
              testing::HasSubstr(
                  "there is no rule for how rounding goes through 'math.sin'"));
}
