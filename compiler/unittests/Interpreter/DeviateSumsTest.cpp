//===- DeviateSumsTest.cpp - Bounds of sums and products of many ----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the tensor core does with the bits of a sum, and any order of a product:
// both must be within the deviation, which is no more than a few times of it.
//
//===----------------------------------------------------------------------===//

#include "TestProgram.h"
#include <cmath>
#include <numeric>
#include <random>

using namespace drawloom::interp;
using namespace drawloom::interp::test;

/// The number cut towards zero to a multiple of 2^(exponent - 13).
static double cut(double x, int exponent) {
  double grid = std::ldexp(1.0, exponent - 13);
  return std::trunc(x / grid) * grid;
}

/// What one wgmma of e4m3 makes of the accumulator and 32 products: aligned to
/// the largest exponent, or only stored with 13 bits.
static double addProducts(double accumulator, const HostTensor &a,
                          int64_t rowOfA, const HostTensor &b, int64_t rowOfB,
                          int64_t first, int64_t k, bool aligns) {
  auto exponentOf = [](double x) {
    return x == 0 ? -100 : std::max(std::ilogb(x), -6);
  };
  int largest = accumulator == 0 ? -200 : std::ilogb(accumulator);
  for (int64_t i = first; i != first + 32; ++i)
    largest = std::max(largest, exponentOf(a.getFloat(rowOfA * k + i)) +
                                    exponentOf(b.getFloat(rowOfB * k + i)));
  double sum = aligns ? cut(accumulator, largest) : accumulator;
  for (int64_t i = first; i != first + 32; ++i) {
    double p = a.getFloat(rowOfA * k + i) * b.getFloat(rowOfB * k + i);
    sum += aligns ? cut(p, largest) : p;
  }
  return sum == 0 ? 0 : cut(sum, std::ilogb(sum));
}

TEST(Deviation, SumsOfFp8OnHopper) {
  // Two K tiles of 128, each with an accumulator of its own.
  static constexpr int64_t m = 48, n = 64, k = 256;
  llvm::StringLiteral text = R"mlir(
tile.kernel @k(%A: !tile.view<48x256xf8E4M3FN>, %B: !tile.view<64x256xf8E4M3FN>, %D: !tile.view<48x64xf32>) {
  %zero = arith.constant dense<0.0> : tensor<48x64xf32>
  %a0 = tile.load %A[0, 0] : !tile.view<48x256xf8E4M3FN> -> tensor<48x128xf8E4M3FN>
  %b0 = tile.load %B[0, 0] : !tile.view<64x256xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
  %s0 = tile.mma %a0, %b0, %zero : tensor<48x128xf8E4M3FN>, tensor<64x128xf8E4M3FN> -> tensor<48x64xf32>
  %a1 = tile.load %A[0, 128] : !tile.view<48x256xf8E4M3FN> -> tensor<48x128xf8E4M3FN>
  %b1 = tile.load %B[0, 128] : !tile.view<64x256xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
  %s1 = tile.mma %a1, %b1, %s0 : tensor<48x128xf8E4M3FN>, tensor<64x128xf8E4M3FN> -> tensor<48x64xf32>
  tile.store %s1, %D[0, 0] : tensor<48x64xf32>, !tile.view<48x64xf32>
}
)mlir";
  HostTensor a = randomTensor(Format::F8E4M3FN, {m, k}, 1);
  HostTensor b = randomTensor(Format::F8E4M3FN, {n, k}, 2);
  Arithmetic hopper = getArithmetic("sm_90a");
  Outcome outcome = runKernel(text, {a, b, HostTensor(Format::F32, {m, n})},
                              withArithmetic(hopper));
  ASSERT_TRUE(outcome.succeeded) << outcome.errors;
  const HostTensor &d = outcome.tensors[2], &off = *outcome.deviations[2];
  for (bool aligns : {true, false}) {
    double largest = 0, boundThere = 0;
    for (int64_t i = 0; i != m * n; ++i) {
      float total = 0;
      for (int64_t block = 0; block != k; block += 128) {
        double sum = 0;
        for (int64_t first = block; first != block + 128; first += 32)
          sum = addProducts(sum, a, i / n, b, i % n, first, k, aligns);
        total += static_cast<float>(sum);
      }
      EXPECT_TRUE(isWithin(total, d.getFloat(i), off.getFloat(i))) << i;
      double error = std::abs(total - d.getFloat(i));
      if (error > largest) {
        largest = error;
        boundThere = off.getFloat(i);
      }
    }
    EXPECT_LE(boundThere, 10 * largest);
  }
  // What is a little larger is noticed.
  int64_t beyond = 0;
  for (int64_t i = 0; i != m * n; ++i)
    beyond += !isWithin(d.getFloat(i) + 0x1p-6, d.getFloat(i), off.getFloat(i));
  EXPECT_GT(beyond, m * n * 9 / 10);
}

TEST(Deviation, ProductsOfManyElements) {
  // Any order of f32 multiplications is within the bound; so are products that
  // leave the range of normal numbers. The bound is no more than twice the
  // worst that one rounding after the other can do.
  for (double scale : {1.0, 4.0, 0x1p-20}) {
    HostTensor x = randomTensor(Format::F32, {4, 64}, 5);
    for (int64_t i = 0; i < x.getNumElements(); ++i)
      x.setFloat(i, float(x.getFloat(i) * scale));
    Outcome outcome = runKernel(R"mlir(
tile.kernel @k(%X: !tile.view<4x64xf32>, %R: !tile.view<4xf32>) {
  %x = tile.load %X[0, 0] : !tile.view<4x64xf32> -> tensor<4x64xf32>
  %r = tile.reduce mulf %x axis 1 : tensor<4x64xf32> -> tensor<4xf32>
  tile.store %r, %R[0] : tensor<4xf32>, !tile.view<4xf32>
}
)mlir",
                                {x, zeros("4xf32")}, withArithmetic());
    ASSERT_TRUE(outcome.succeeded) << outcome.errors;
    for (int64_t row = 0; row < 4; ++row) {
      double bound = outcome.deviations[1]->getFloat(row);
      double reference = outcome.tensors[1].getFloat(row);
      std::mt19937 random(row);
      for (int order = 0; order < 20; ++order) {
        std::vector<int64_t> columns(64);
        std::iota(columns.begin(), columns.end(), 0);
        std::shuffle(columns.begin(), columns.end(), random);
        float product = 1;
        for (int64_t column : columns)
          product *= float(x.getFloat(row * 64 + column));
        EXPECT_LE(std::abs(double(product) - reference), bound);
      }
      // Elements below one enlarge nothing.
      if (scale == 1.0)
        EXPECT_LE(bound,
                  2 * (66 * 0x1p-24 * std::abs(reference) + 64 * 0x1p-149));
    }
  }
}
