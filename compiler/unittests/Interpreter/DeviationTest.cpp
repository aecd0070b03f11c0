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
      layer, {a, b, c, HostTensor(Format::BF16, {16, 8})}, withArithmetic());
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

/// How far %r, a tensor of one `type`, may be off in a kernel with x and y of
/// one f32 each.
static double deviationOf(llvm::StringRef body, double x, double y,
                          const std::string &type = "f32") {
  std::string text = R"mlir(
tile.kernel @k(%X: !tile.view<1xf32>, %Y: !tile.view<1xf32>, %R: !tile.view<1xTYPE>) {
  %x = tile.load %X[0] : !tile.view<1xf32> -> tensor<1xf32>
  %y = tile.load %Y[0] : !tile.view<1xf32> -> tensor<1xf32>
  )mlir" + body.str() +
                     R"mlir(
  tile.store %r, %R[0] : tensor<1xTYPE>, !tile.view<1xTYPE>
}
)mlir";
  for (size_t at; (at = text.find("TYPE")) != std::string::npos;)
    text.replace(at, 4, type);
  Outcome outcome = runKernel(
      text, {floats("1xf32", {x}), floats("1xf32", {y}), zeros("1x" + type)},
      withArithmetic());
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
  // The smaller one may be off, as long as it stays the smaller one.
  llvm::StringLiteral clamp = "%p = arith.mulf %x, %x : tensor<1xf32>\n"
                              "%r = arith.maximumf %p, %y : tensor<1xf32>";
  EXPECT_EQ(deviationOf(clamp, 3, 10), 0);
  EXPECT_GT(deviationOf(clamp, 3, 9), 0);
  EXPECT_GT(deviationOf(clamp, 3, 8), 9 * 0x1p-24);
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

TEST(Deviation, OfARootNextToZero) {
  // x^4 - y is 2^-17, and off by almost four times as much: the root may be
  // further above than there is room below.
  double off = deviationOf("%p = arith.mulf %x, %x : tensor<1xf32>\n"
                           "%q = arith.mulf %p, %p : tensor<1xf32>\n"
                           "%s = arith.subf %q, %y : tensor<1xf32>\n"
                           "%r = math.sqrt %s : tensor<1xf32>",
                           3, 81 - 0x1p-17);
  double root = std::sqrt(0x1p-17);
  EXPECT_GT(off, 1.1 * root);
  EXPECT_LT(off, 1.5 * root);
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

TEST(Deviation, NonFiniteResultsOfExactNumbers) {
  // Of exact numbers.
  EXPECT_EQ(deviationOf("%r = arith.divf %x, %y : tensor<1xf32>", 0, 0), 0);
  EXPECT_EQ(deviationOf("%r = arith.divf %x, %y : tensor<1xf32>", 1, 0), 0);
  EXPECT_EQ(deviationOf("%r = math.log %x : tensor<1xf32>", 0, 0), 0);
  EXPECT_EQ(deviationOf("%r = math.sqrt %x : tensor<1xf32>", -1, 0), 0);
  // Of a number that is off, but negative wherever it is.
  llvm::StringLiteral root = "%p = arith.mulf %x, %y : tensor<1xf32>\n"
                             "%q = arith.addf %p, %x : tensor<1xf32>\n"
                             "%r = math.sqrt %q : tensor<1xf32>";
  EXPECT_EQ(deviationOf(root, -1, 2), 0);
  EXPECT_EQ(deviationOf(root, -1, -0.99999994), inf);
  // An overflow may not be one.
  EXPECT_EQ(deviationOf("%r = math.exp %x : tensor<1xf32>", 89, 0), inf);
}

TEST(Deviation, APowerOfWhatIsFarBelowZeroHasABound) {
  for (const char *name : {"exp", "exp2"}) {
    std::string power =
        std::string("%r = math.") + name + " %d : tensor<1xf32>";
    // The difference is rounded; the power is 0 wherever it is.
    std::string body = "%d = arith.subf %x, %y : tensor<1xf32>\n" + power;
    for (double x : {-inf, -1e30, -1e4})
      EXPECT_LE(deviationOf(body, x, 0.7), 0x1p-125) << name << " of " << x;
    EXPECT_LE(deviationOf(body, -1, 0.7), 0x1p-20) << name;
    // 1e30 * 1e-30 may be off by 1e-7, and -1e30 + 1e30 by 1e23: from e^0,
    // which is 1, to an infinity.
    EXPECT_EQ(deviationOf("%p = arith.mulf %x, %y : tensor<1xf32>\n"
                          "%d = arith.subf %p, %p : tensor<1xf32>\n" +
                              power,
                          1e30, 1),
              inf)
        << name;
    // And what may be larger than the largest number.
    EXPECT_EQ(
        deviationOf(body, name == std::string("exp") ? 88.72283 : 127.99999, 0),
        inf)
        << name;
  }
}

/// O = softmax(S) V, over two blocks of columns, as a kernel without a score at
/// hand does it. S is 8x32 and computed; V is 4x32.
static constexpr llvm::StringLiteral attention = R"mlir(
tile.kernel @attention(%Q: !tile.view<8x16xbf16>, %K: !tile.view<32x16xbf16>,
                       %V: !tile.view<4x32xbf16>, %O: !tile.view<8x4xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %no_score = arith.constant dense<0.0> : tensor<8x16xf32>
  %max0 = arith.constant dense<START> : tensor<8xf32>
  %sum0 = arith.constant dense<0.0> : tensor<8xf32>
  %acc0 = arith.constant dense<0.0> : tensor<8x4xf32>
  %q = tile.load %Q[0, 0] : !tile.view<8x16xbf16> -> tensor<8x16xbf16>
  %max_end, %sum_end, %acc_end = scf.for %j = %c0 to %c32 step %c16
      iter_args(%max = %max0, %sum = %sum0, %acc = %acc0)
      -> (tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>) {
    %k = tile.load %K[%j, 0] : !tile.view<32x16xbf16> -> tensor<16x16xbf16>
    %s = tile.mma %q, %k, %no_score : tensor<8x16xbf16>, tensor<16x16xbf16> -> tensor<8x16xf32>
    %s_max = tile.reduce maximumf %s axis 1 : tensor<8x16xf32> -> tensor<8xf32>
    %new_max = arith.maximumf %max, %s_max : tensor<8xf32>
    %drop = arith.subf %max, %new_max : tensor<8xf32>
    %worth = math.exp %drop : tensor<8xf32>
    %column = tile.expand_dims %new_max axis 1 : tensor<8xf32> -> tensor<8x1xf32>
    %tile = tile.broadcast %column : tensor<8x1xf32> -> tensor<8x16xf32>
    %below = arith.subf %s, %tile : tensor<8x16xf32>
    %p = math.exp %below : tensor<8x16xf32>
    %p_sum = tile.reduce addf %p axis 1 : tensor<8x16xf32> -> tensor<8xf32>
    %old_sum = arith.mulf %sum, %worth : tensor<8xf32>
    %new_sum = arith.addf %old_sum, %p_sum : tensor<8xf32>
    %worth_column = tile.expand_dims %worth axis 1 : tensor<8xf32> -> tensor<8x1xf32>
    %worth_tile = tile.broadcast %worth_column : tensor<8x1xf32> -> tensor<8x4xf32>
    %old_acc = arith.mulf %acc, %worth_tile : tensor<8x4xf32>
    %p16 = arith.truncf %p : tensor<8x16xf32> to tensor<8x16xbf16>
    %v = tile.load %V[0, %j] : !tile.view<4x32xbf16> -> tensor<4x16xbf16>
    %new_acc = tile.mma %p16, %v, %old_acc : tensor<8x16xbf16>, tensor<4x16xbf16> -> tensor<8x4xf32>
    scf.yield %new_max, %new_sum, %new_acc : tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>
  }
  %sum_column = tile.expand_dims %sum_end axis 1 : tensor<8xf32> -> tensor<8x1xf32>
  %sum_tile = tile.broadcast %sum_column : tensor<8x1xf32> -> tensor<8x4xf32>
  %o = arith.divf %acc_end, %sum_tile : tensor<8x4xf32>
  tile.store %o, %O[0, 0] : tensor<8x4xf32>, !tile.view<8x4xf32>
}
)mlir";

TEST(Deviation, AttentionWithExpHasABound) {
  // -1.0e30, and minus infinity.
  for (const char *start : {"-1.0e30", "0xFF800000"}) {
    std::string text = attention.str();
    text.replace(text.find("START"), 5, start);
    HostTensor q = randomTensor(Format::BF16, {8, 16}, 1);
    HostTensor k = randomTensor(Format::BF16, {32, 16}, 2);
    HostTensor v = randomTensor(Format::BF16, {4, 32}, 3);
    Outcome outcome = runKernel(
        text, {q, k, v, HostTensor(Format::F32, {8, 4})}, withArithmetic());
    ASSERT_TRUE(outcome.succeeded) << outcome.errors;
    const HostTensor &o = outcome.tensors[3], &off = *outcome.deviations[3];
    for (int64_t row = 0; row != 8; ++row) {
      // In one block, downwards, without rounding but that of p.
      std::vector<double> s(32, 0.0);
      for (int64_t j = 0; j != 32; ++j)
        for (int64_t i = 16; i-- != 0;)
          s[j] += q.getFloat(row * 16 + i) * k.getFloat(j * 16 + i);
      for (int64_t column = 0; column != 4; ++column) {
        double sum = 0, acc = 0, exact = 0;
        for (int64_t j = 32; j-- != 0;) {
          double p = std::exp(s[j]);
          sum += p;
          acc += p * v.getFloat(column * 32 + j);
          exact += p * std::abs(v.getFloat(column * 32 + j));
        }
        int64_t at = row * 4 + column;
        // p is rounded to bf16 in the program: 2^-8 of each term here, which
        // the bound holds only where the hardware may round otherwise.
        EXPECT_LE(std::abs(acc / sum - o.getFloat(at)),
                  off.getFloat(at) + 0x1p-8 * exact / sum);
        // At most a unit in the last place of bf16 for each p.
        EXPECT_LE(off.getFloat(at), 0x1p-7) << start;
        EXPECT_FALSE(isWithin(o.getFloat(at) + 0x1p-5, o.getFloat(at),
                              off.getFloat(at)));
      }
    }
  }
}

TEST(Deviation, FunctionsMoveAsFarAsTheirOperandsLetThem) {
  auto of = [](const char *name, double x) {
    return deviationOf(std::string("%r = math.") + name + " %x : tensor<1xf32>",
                       x, 0);
  };
  // Of exact numbers it is two units of the hardware and one rounding.
  for (const char *name : {"sin", "expm1", "log1p"})
    for (double x : {0x1p-30, 0.25})
      EXPECT_LE(of(name, x), 2 * x * (0x1p-22 + 0x1p-24)) << name;
  EXPECT_LE(of("cos", 0.25), 0x1p-22 + 0x1p-23);
  // A product of 2^30 is off by 2^6: any sine is possible, and no more.
  std::string product = "%p = arith.mulf %x, %y : tensor<1xf32>\n";
  double sine = deviationOf(product + "%r = math.sin %p : tensor<1xf32>",
                            0x1.8p20, 0x1.8p10);
  EXPECT_GE(sine, 2);
  EXPECT_LE(sine, 2.001);
  // The slope of e^x - 1 at 8 is e^8, that of log(1 + x) at -0.5 is 2.
  double power =
      deviationOf(product + "%r = math.expm1 %p : tensor<1xf32>", 2, 4);
  EXPECT_GE(power, 8 * 0x1p-23 * 2980);
  EXPECT_LE(power, 2 * 8 * 0x1p-23 * 2980);
  double log =
      deviationOf(product + "%r = math.log1p %p : tensor<1xf32>", -0.5, 1);
  EXPECT_GE(log, 2 * 0.5 * 0x1p-23);
  EXPECT_LE(log, 2 * 0.5 * 0x1p-23 + 0.7 * (0x1p-22 + 0x1p-23));
  // Below -1 there is no logarithm. What may be above -1 may have one.
  EXPECT_EQ(deviationOf(product + "%r = math.log1p %p : tensor<1xf32>", -2, 1),
            0);
  EXPECT_EQ(deviationOf("%p = arith.mulf %x, %y : tensor<1xf32>\n"
                        "%q = arith.subf %p, %y : tensor<1xf32>\n"
                        "%r = math.log1p %q : tensor<1xf32>",
                        0x1.fffffcp-1, 0x1p24),
            inf);
}

TEST(Deviation, PowersMoveWithBaseAndExponent) {
  std::string power = "%r = math.powf %x, %y : tensor<1xf32>";
  EXPECT_LE(deviationOf(power, 3, 2), 9 * (0x1p-21 + 0x1p-23));
  EXPECT_LE(deviationOf(power, -3, 3), 27 * (0x1p-21 + 0x1p-23));
  EXPECT_EQ(deviationOf(power, -3, 0.5), 0);
  EXPECT_EQ(deviationOf(power, 0, -1), 0);
  EXPECT_EQ(deviationOf(power, 1e30, 2), inf);
  // (x^2)^3 has the error of x^2 three times, whatever the sign; so has y.
  std::string base = "%p = arith.mulf %x, %x : tensor<1xf32>\n"
                     "%q = arith.negf %p : tensor<1xf32>\n"
                     "%r = math.powf %q, %y : tensor<1xf32>";
  double cube = deviationOf(base, 2, 3);
  EXPECT_GE(cube, 3 * 64 * 0x1p-23);
  EXPECT_LE(cube, 3 * 64 * 0x1p-23 + 64 * (0x1p-21 + 0x1p-22));
  // An exponent that is off, and a base that may be less than zero.
  std::string exponent = "%p = arith.mulf %y, %y : tensor<1xf32>\n"
                         "%r = math.powf %x, %p : tensor<1xf32>";
  double moved = deviationOf(exponent, 2.718281828, 2);
  EXPECT_GE(moved, 4 * 0x1p-23 * 54.59);
  EXPECT_LE(moved, 4 * 0x1p-23 * 54.6 + 54.6 * (0x1p-21 + 0x1p-22));
  EXPECT_EQ(deviationOf(exponent, -2, 2), inf);
}

TEST(Deviation, RoundingToIntegers) {
  const char *functions[] = {"floor", "ceil", "round", "roundeven", "trunc"};
  for (const char *name : functions) {
    std::string step = std::string("%r = math.") + name + " ";
    // What is exact stays so, next to a step too.
    for (double x : {2.5, 3.0, -0.25})
      EXPECT_EQ(deviationOf(step + "%x : tensor<1xf32>", x, 0), 0) << name;
    // A product is off by 2^-24 of itself. Far from a step that is nothing.
    std::string product = "%p = arith.mulf %x, %y : tensor<1xf32>\n";
    EXPECT_EQ(deviationOf(product + step + "%p : tensor<1xf32>", 1.25, 3), 0)
        << name;
  }
  // 3 may be a little less, and a little more; 2.5 too.
  std::string product = "%p = arith.mulf %x, %y : tensor<1xf32>\n";
  auto of = [&](const char *name, double x) {
    return deviationOf(product + "%r = math." + name + " %p : tensor<1xf32>", x,
                       1);
  };
  EXPECT_EQ(of("floor", 3), 1);
  EXPECT_EQ(of("ceil", 3), 1);
  EXPECT_EQ(of("trunc", 3), 1);
  EXPECT_EQ(of("round", 3), 0);
  EXPECT_EQ(of("round", 2.5), 1);
  EXPECT_EQ(of("roundeven", 2.5), 1);
}

TEST(Deviation, CastsToIntegersAndBack) {
  std::string product = "%p = arith.mulf %x, %y : tensor<1xf32>\n";
  auto cast = [](const char *name, const char *from, const char *type) {
    return std::string("%r = arith.") + name + " " + from +
           " : tensor<1xf32> to tensor<1x" + type + ">";
  };
  for (const char *name : {"fptosi", "fptoui"}) {
    EXPECT_EQ(deviationOf(cast(name, "%x", "i8"), 3, 0, "i8"), 0);
    EXPECT_EQ(deviationOf(product + cast(name, "%p", "i8"), 3, 1.25, "i8"), 0);
    EXPECT_EQ(deviationOf(product + cast(name, "%p", "i8"), 3, 1, "i8"), 1);
  }
  // 127.99999 may be 128, which i8 hasn't; as unsigned it has the sign bit.
  EXPECT_EQ(
      deviationOf(product + cast("fptosi", "%p", "i8"), 127.99999, 1, "i8"),
      inf);
  EXPECT_EQ(deviationOf(product + cast("fptoui", "%p", "i8"), 128, 1, "i8"),
            inf);
  EXPECT_EQ(deviationOf(product + cast("fptoui", "%p", "i8"), 200, 1, "i8"), 1);
  // Integers that are off go on as numbers, and as bits they may be any.
  std::string integer = product + "%i = arith.fptosi %p : tensor<1xf32> to "
                                  "tensor<1xi32>\n";
  EXPECT_EQ(deviationOf(integer + "%r = arith.addi %i, %i : tensor<1xi32>", 3,
                        1, "i32"),
            2);
  EXPECT_EQ(deviationOf(integer + "%r = arith.muli %i, %i : tensor<1xi32>", 3,
                        1, "i32"),
            7);
  EXPECT_EQ(deviationOf(integer + "%r = arith.sitofp %i : tensor<1xi32> to "
                                  "tensor<1xf32>",
                        3, 1),
            1);
  EXPECT_EQ(deviationOf(integer + "%r = arith.andi %i, %i : tensor<1xi32>", 3,
                        1, "i32"),
            inf);
  EXPECT_EQ(deviationOf(integer + "%r = arith.andi %i, %i : tensor<1xi32>", 3,
                        1.25, "i32"),
            0);
  EXPECT_EQ(deviationOf(integer + "%r = arith.trunci %i : tensor<1xi32> to "
                                  "tensor<1xi8>",
                        127, 1, "i8"),
            inf);
  EXPECT_EQ(deviationOf(integer +
                            "%c = arith.cmpi sgt, %i, %i : tensor<1xi32>\n"
                            "%r = arith.select %c, %x, %y : tensor<1xi1>, "
                            "tensor<1xf32>",
                        3, 1),
            2);
}

TEST(Deviation, Bitcasts) {
  llvm::StringLiteral cast =
      "%r = arith.bitcast %x : tensor<1xf32> to tensor<1xi32>";
  EXPECT_EQ(deviationOf(cast, 3, 1, "i32"), 0);
  EXPECT_EQ(deviationOf("%p = arith.mulf %x, %y : tensor<1xf32>\n"
                        "%r = arith.bitcast %p : tensor<1xf32> to "
                        "tensor<1xi32>",
                        3, 1, "i32"),
            inf);
}

TEST(Deviation, Remainders) {
  llvm::StringLiteral body = "%r = arith.remf %x, %y : tensor<1xf32>";
  // The quotient is 3.5: no machine takes another integer. The product of 3 and
  // 2 may be rounded.
  EXPECT_LE(deviationOf(body, 7, 2), 7 * 0x1p-22);
  // It is 3, or a little less on the hardware: then 2 is left.
  EXPECT_GE(deviationOf(body, 6, 2), 2);
  EXPECT_LE(deviationOf(body, 6, 2), 2.1);
  // Below the divisor the remainder moves with the number.
  EXPECT_LE(deviationOf("%p = arith.mulf %x, %x : tensor<1xf32>\n"
                        "%r = arith.remf %p, %y : tensor<1xf32>",
                        0.5, 2),
            0x1p-22);
}

TEST(Deviation, WhereThingsAreMustNotDependOnRounding) {
  Outcome outcome =
      runKernel(R"mlir(
tile.kernel @k(%X: !tile.view<8xf32>, %R: !tile.view<1xf32>) {
  %x = tile.load %X[0] : !tile.view<8xf32> -> f32
  %p = arith.mulf %x, %x : f32
  %i = arith.fptosi %p : f32 to i32
  %at = arith.index_cast %i : i32 to index
  %r = tile.load %X[%at] : !tile.view<8xf32> -> tensor<1xf32>
  tile.store %r, %R[0] : tensor<1xf32>, !tile.view<1xf32>
}
)mlir",
                {floats("8xf32", {2, 0, 0, 0, 0, 0, 0, 0}), zeros("1xf32")},
                withArithmetic());
  EXPECT_FALSE(outcome.succeeded);
  EXPECT_THAT(outcome.errors,
              testing::HasSubstr(
                  "7:8: there is no bound for what happens at an index, or so "
                  "many times, that depends on how numbers are rounded"));
}

TEST(Deviation, WhatHasNoRuleIsRejected) {
  Outcome outcome =
      runKernel(R"mlir(
tile.kernel @k(%X: !tile.view<1xf32>, %R: !tile.view<1xf32>) {
  %x = tile.load %X[0] : !tile.view<1xf32> -> tensor<1xf32>
  %r = math.tan %x : tensor<1xf32>
  tile.store %r, %R[0] : tensor<1xf32>, !tile.view<1xf32>
}
)mlir",
                {zeros("1xf32"), zeros("1xf32")}, withArithmetic());
  EXPECT_FALSE(outcome.succeeded);
  EXPECT_THAT(outcome.errors,
              testing::HasSubstr("there is no rule for how rounding goes "
                                 "through 'math.tan' [interpreter]"));
}
