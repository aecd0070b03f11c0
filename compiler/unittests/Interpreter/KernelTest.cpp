//===- KernelTest.cpp - Kernels, work tiles, views and loops --------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestProgram.h"
#include <random>

using namespace drawloom::interp;
using namespace drawloom::interp::test;

namespace {

/// The only result of a kernel that must succeed: its last argument.
HostTensor runOk(llvm::StringRef text, std::vector<HostTensor> arguments,
                 const Options &options = {}) {
  HostTensor last = arguments.back();
  Outcome outcome = runKernel(text, std::move(arguments), options);
  EXPECT_TRUE(outcome.succeeded) << outcome.errors;
  return outcome.succeeded ? outcome.tensors.back() : last;
}

TEST(Load, PadsPastEveryEdge) {
  const char *text = R"(
    tile.kernel @k(%x: !tile.view<?x?xi8>, %i: index, %j: index, %y: !tile.view<2x2xi8>) {
      %0 = tile.load %x[%i, %j] pad(9 : i8) : !tile.view<?x?xi8> -> tensor<2x2xi8>
      tile.store %0, %y[0, 0] : tensor<2x2xi8>, !tile.view<2x2xi8>
    })";
  struct Row {
    int64_t i, j;
    std::vector<int64_t> expected;
  } rows[] = {
      {0, 0, {1, 2, 4, 5}},
      {0, 2, {3, 9, 6, 9}},
      {1, 1, {5, 6, 9, 9}},
      {1, 2, {6, 9, 9, 9}},
      {-1, -1, {9, 9, 9, 1}},
      {-1, 2, {9, 9, 3, 9}},
      {2, 0, {9, 9, 9, 9}},
      {0, 3, {9, 9, 9, 9}},
      {0, -2, {9, 9, 9, 9}},
      // The sum of offset and extent leaves the range of int64_t.
      {std::numeric_limits<int64_t>::max(), 0, {9, 9, 9, 9}},
      {std::numeric_limits<int64_t>::min(), 0, {9, 9, 9, 9}},
  };
  for (const Row &row : rows)
    EXPECT_TRUE(isEqual(
        runOk(text, {ints("2x3xi8", {1, 2, 3, 4, 5, 6}), ints("index", {row.i}),
                     ints("index", {row.j}), zeros("2x2xi8")}),
        ints("2x2xi8", row.expected)))
        << row.i << " " << row.j;
}

TEST(Load, PadsWithZeroByDefault) {
  EXPECT_TRUE(isEqual(runOk(R"(
    tile.kernel @k(%x: !tile.view<?xf32>, %y: !tile.view<3xf32>) {
      %0 = tile.load %x[1] : !tile.view<?xf32> -> tensor<3xf32>
      tile.store %0, %y[0] : tensor<3xf32>, !tile.view<3xf32>
    })",
                            {floats("2xf32", {1, 2}), zeros("3xf32")}),
                      floats("3xf32", {2, 0, 0})));
}

TEST(Load, PadsWithInfinity) {
  EXPECT_TRUE(isEqual(runOk(R"(
    tile.kernel @k(%x: !tile.view<?xbf16>, %y: !tile.view<2xbf16>) {
      %0 = tile.load %x[1] pad(0xFF80 : bf16) : !tile.view<?xbf16> -> tensor<2xbf16>
      tile.store %0, %y[0] : tensor<2xbf16>, !tile.view<2xbf16>
    })",
                            {floats("2xbf16", {1, 2}), zeros("2xbf16")}),
                      floats("2xbf16", {2, -inf})));
}

TEST(Load, LastDimensionsOrNamedOnes) {
  HostTensor x = zeros("2x2x2x3xi8");
  for (int64_t i = 0; i < x.getNumElements(); ++i)
    x.setInt(i, i);
  // x[1, 0, :, :], whose first element is 12.
  EXPECT_TRUE(isEqual(runOk(R"(
    tile.kernel @k(%x: !tile.view<?x?x?x?xi8>, %y: !tile.view<2x3xi8>) {
      %0 = tile.load %x[1, 0, 0, 0] : !tile.view<?x?x?x?xi8> -> tensor<2x3xi8>
      tile.store %0, %y[0, 0] : tensor<2x3xi8>, !tile.view<2x3xi8>
    })",
                            {x, zeros("2x3xi8")}),
                      ints("2x3xi8", {12, 13, 14, 15, 16, 17})));
  // x[1, :, 1, :]
  EXPECT_TRUE(isEqual(runOk(R"(
    tile.kernel @k(%x: !tile.view<?x?x?x?xi8>, %y: !tile.view<2x3xi8>) {
      %0 = tile.load %x[1, 0, 1, 0] dims [1, 3] : !tile.view<?x?x?x?xi8> -> tensor<2x3xi8>
      tile.store %0, %y[0, 0] : tensor<2x3xi8>, !tile.view<2x3xi8>
    })",
                            {x, zeros("2x3xi8")}),
                      ints("2x3xi8", {15, 16, 17, 21, 22, 23})));
  // Outside in a dimension in which the tile is one element thick.
  EXPECT_TRUE(isEqual(runOk(R"(
    tile.kernel @k(%x: !tile.view<?x?x?x?xi8>, %y: !tile.view<2x3xi8>) {
      %0 = tile.load %x[2, 0, 1, 0] dims [1, 3] pad(7 : i8) : !tile.view<?x?x?x?xi8> -> tensor<2x3xi8>
      tile.store %0, %y[0, 0] : tensor<2x3xi8>, !tile.view<2x3xi8>
    })",
                            {x, zeros("2x3xi8")}),
                      ints("2x3xi8", {7, 7, 7, 7, 7, 7})));
}

TEST(Load, Scalars) {
  const char *text = R"(
    tile.kernel @k(%x: !tile.view<?x?xi32>, %i: index, %y: !tile.view<1xi32>) {
      %0 = tile.load %x[%i, 1] pad(-1 : i32) : !tile.view<?x?xi32> -> i32
      tile.store %0, %y[0] : i32, !tile.view<1xi32>
    })";
  HostTensor x = ints("2x2xi32", {1, 2, 3, 4});
  EXPECT_TRUE(isEqual(runOk(text, {x, ints("index", {1}), zeros("1xi32")}),
                      ints("1xi32", {4})));
  EXPECT_TRUE(isEqual(runOk(text, {x, ints("index", {2}), zeros("1xi32")}),
                      ints("1xi32", {-1})));
}

TEST(Store, DropsWhatIsOutside) {
  const char *text = R"(
    tile.kernel @k(%i: index, %j: index, %y: !tile.view<?x?xi8>) {
      %0 = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
      tile.store %0, %y[%i, %j] : tensor<2x2xi8>, !tile.view<?x?xi8>
    })";
  struct Row {
    int64_t i, j;
    std::vector<int64_t> expected;
  } rows[] = {
      {0, 0, {1, 2, 0, 3, 4, 0}}, {0, 2, {0, 0, 1, 0, 0, 3}},
      {1, 1, {0, 0, 0, 0, 1, 2}}, {-1, -1, {4, 0, 0, 0, 0, 0}},
      {2, 0, {0, 0, 0, 0, 0, 0}}, {0, 3, {0, 0, 0, 0, 0, 0}},
  };
  for (const Row &row : rows)
    EXPECT_TRUE(isEqual(runOk(text, {ints("index", {row.i}),
                                     ints("index", {row.j}), zeros("2x3xi8")}),
                        ints("2x3xi8", row.expected)));
}

TEST(Store, DimsAndScalars) {
  EXPECT_TRUE(isEqual(runOk(R"(
    tile.kernel @k(%y: !tile.view<?x?x?xi8>) {
      %0 = arith.constant dense<[1, 2]> : tensor<2xi8>
      %1 = arith.constant 3 : i8
      tile.store %0, %y[0, 0, 1] dims [1] : tensor<2xi8>, !tile.view<?x?x?xi8>
      tile.store %1, %y[0, 0, 0] : i8, !tile.view<?x?x?xi8>
      tile.store %1, %y[1, 0, 0] : i8, !tile.view<?x?x?xi8>
    })",
                            {zeros("1x2x2xi8")}),
                      ints("1x2x2xi8", {3, 1, 0, 2})));
}

TEST(Subview, HasEdgesOfItsOwn) {
  // Elements 1 to 3 of 5; a load of 4 from the second of them.
  HostTensor x = ints("5xi8", {10, 11, 12, 13, 14});
  EXPECT_TRUE(isEqual(runOk(R"(
    tile.kernel @k(%x: !tile.view<?xi8>, %n: index, %y: !tile.view<4xi8>) {
      %s = tile.subview %x[1] [%n] : !tile.view<?xi8> -> !tile.view<?xi8>
      %0 = tile.load %s[1] : !tile.view<?xi8> -> tensor<4xi8>
      tile.store %0, %y[0] : tensor<4xi8>, !tile.view<4xi8>
    })",
                            {x, ints("index", {3}), zeros("4xi8")}),
                      ints("4xi8", {12, 13, 0, 0})));
  // A box that reaches past the view, and one cut from it that begins before
  // it.
  EXPECT_TRUE(isEqual(runOk(R"(
    tile.kernel @k(%x: !tile.view<?xi8>, %y: !tile.view<8xi8>) {
      %s = tile.subview %x[3] [4] : !tile.view<?xi8> -> !tile.view<4xi8>
      %t = tile.subview %s[-1] [4] : !tile.view<4xi8> -> !tile.view<4xi8>
      %0 = tile.load %t[0] : !tile.view<4xi8> -> tensor<4xi8>
      tile.store %0, %y[0] : tensor<4xi8>, !tile.view<8xi8>
      %d = tile.dim %t, 0 : !tile.view<4xi8>
      %e = arith.index_cast %d : index to i8
      tile.store %e, %y[7] : i8, !tile.view<8xi8>
    })",
                            {x, zeros("8xi8")}),
                      ints("8xi8", {0, 13, 14, 0, 0, 0, 0, 4})));
}

TEST(Subview, ClipsStores) {
  EXPECT_TRUE(isEqual(runOk(R"(
    tile.kernel @k(%y: !tile.view<?xi8>) {
      %0 = arith.constant dense<1> : tensor<4xi8>
      %s = tile.subview %y[1] [2] : !tile.view<?xi8> -> !tile.view<2xi8>
      tile.store %0, %s[0] : tensor<4xi8>, !tile.view<2xi8>
    })",
                            {zeros("5xi8")}),
                      ints("5xi8", {0, 1, 1, 0, 0})));
}

TEST(Dim, OfEveryDimension) {
  EXPECT_TRUE(isEqual(runOk(R"(
    tile.kernel @k(%x: !tile.view<?x?xf32>, %y: !tile.view<2xi64>) {
      %0 = tile.dim %x, 0 : !tile.view<?x?xf32>
      %1 = tile.dim %x, 1 : !tile.view<?x?xf32>
      %2 = arith.index_cast %0 : index to i64
      %3 = arith.index_cast %1 : index to i64
      tile.store %2, %y[0] : i64, !tile.view<2xi64>
      tile.store %3, %y[1] : i64, !tile.view<2xi64>
    })",
                            {zeros("3x0xf32"), zeros("2xi64")}),
                      ints("2xi64", {3, 0})));
}

const char *const offsetsOfItems = R"(
  tile.kernel @k(%y: !tile.view<?x?xi32>) {
    %c10 = arith.constant 10 : index
    tile.for_each (%i, %j) tiles [2, 3] of %y : !tile.view<?x?xi32> {
      %0 = arith.muli %i, %c10 : index
      %1 = arith.addi %0, %j : index
      %2 = arith.index_cast %1 : index to i32
      %3 = tensor.splat %2 : tensor<2x3xi32>
      tile.store %3, %y[%i, %j] : tensor<2x3xi32>, !tile.view<?x?xi32>
    }
  })";

TEST(ForEach, CoversTheViewAndClipsTheLastItems) {
  EXPECT_TRUE(
      isEqual(runOk(offsetsOfItems, {zeros("3x4xi32")}),
              ints("3x4xi32", {0, 0, 0, 3, 0, 0, 0, 3, 20, 20, 20, 23})));
  EXPECT_TRUE(
      isEqual(runOk(offsetsOfItems, {zeros("3x0xi32")}), zeros("3x0xi32")));
  // No items, however large the other extents.
  EXPECT_TRUE(isEqual(runOk(R"(
    tile.kernel @k(%n: index, %zero: index, %y: !tile.view<1xi8>) {
      %0 = arith.constant 1 : i8
      tile.for_each (%i, %j, %k) tiles [1, 1, 1] of [%n, %n, %zero] {
        tile.store %0, %y[0] : i8, !tile.view<1xi8>
      }
    })",
                            {ints("index", {int64_t(1) << 62}),
                             ints("index", {0}), zeros("1xi8")}),
                      zeros("1xi8")));
}

TEST(ForEach, OrderOfItemsDoesNotMatter) {
  HostTensor expected = runOk(offsetsOfItems, {zeros("9x10xi32")});
  for (uint64_t seed : {1, 2, 3}) {
    Options options;
    options.shuffle = seed;
    EXPECT_TRUE(
        isEqual(runOk(offsetsOfItems, {zeros("9x10xi32")}, options), expected));
  }
}

TEST(ForEach, NestedWithExtentsOfEachGroup) {
  // Rows of group g are offsets[g] to offsets[g + 1]; each row gets 10 * g plus
  // its number within the group.
  const char *text = R"(
    tile.kernel @k(%offsets: !tile.view<?xi32>, %y: !tile.view<?xi32>) {
      %c1 = arith.constant 1 : index
      %c10 = arith.constant 10 : index
      %n = tile.dim %offsets, 0 : !tile.view<?xi32>
      %groups = arith.subi %n, %c1 : index
      tile.for_each (%g) tiles [1] of [%groups] {
        %g1 = arith.addi %g, %c1 : index
        %first32 = tile.load %offsets[%g] : !tile.view<?xi32> -> i32
        %last32 = tile.load %offsets[%g1] : !tile.view<?xi32> -> i32
        %first = arith.index_cast %first32 : i32 to index
        %last = arith.index_cast %last32 : i32 to index
        %rows = arith.subi %last, %first : index
        tile.for_each (%i) tiles [2] of [%rows] {
          %s = tile.subview %y[%first] [%rows] : !tile.view<?xi32> -> !tile.view<?xi32>
          %iota = tile.iota : tensor<2xi32>
          %0 = arith.muli %g, %c10 : index
          %1 = arith.addi %0, %i : index
          %2 = arith.index_cast %1 : index to i32
          %3 = tensor.splat %2 : tensor<2xi32>
          %4 = arith.addi %3, %iota : tensor<2xi32>
          tile.store %4, %s[%i] : tensor<2xi32>, !tile.view<?xi32>
        }
      }
    })";
  HostTensor expected = ints("7xi32", {0, 1, 2, 20, 21, 22, 23});
  for (std::optional<uint64_t> seed : {std::optional<uint64_t>(), {7}}) {
    Options options;
    options.shuffle = seed;
    EXPECT_TRUE(isEqual(
        runOk(text, {ints("4xi32", {0, 3, 3, 7}), zeros("7xi32")}, options),
        expected));
  }
}

TEST(For, CarriesValues) {
  // The sum of the squares of 3, 5, 7, 9.
  const char *text = R"(
    tile.kernel @k(%low: i32, %high: i32, %step: i32, %y: !tile.view<1xi32>) {
      %c0 = arith.constant 0 : i32
      %sum = scf.for %i = %low to %high step %step iter_args(%s = %c0) -> i32 : i32 {
        %0 = arith.muli %i, %i : i32
        %1 = arith.addi %s, %0 : i32
        scf.yield %1 : i32
      }
      tile.store %sum, %y[0] : i32, !tile.view<1xi32>
    })";
  auto run = [&](int64_t low, int64_t high, int64_t step) {
    return runOk(text, {ints("i32", {low}), ints("i32", {high}),
                        ints("i32", {step}), zeros("1xi32")})
        .getInt(0);
  };
  EXPECT_EQ(run(3, 10, 2), 9 + 25 + 49 + 81);
  EXPECT_EQ(run(3, 9, 2), 9 + 25 + 49);
  EXPECT_EQ(run(3, 3, 1), 0);
  EXPECT_EQ(run(4, 3, 1), 0);
  EXPECT_EQ(run(-2, 1, 1), 4 + 1);
  // The next value would not fit the type.
  EXPECT_EQ(run(1, 2147483647, 2147483647), 1);
  EXPECT_EQ(run(2147483646, 2147483647, 2), 4);
}

TEST(For, UnsignedComparison) {
  // -1 is the largest number: from 1 by 2^31 there are two.
  EXPECT_TRUE(isEqual(runOk(R"(
    tile.kernel @k(%low: i32, %high: i32, %step: i32, %y: !tile.view<1xi32>) {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %n = scf.for unsigned %i = %low to %high step %step iter_args(%s = %c0) -> i32 : i32 {
        %1 = arith.addi %s, %c1 : i32
        scf.yield %1 : i32
      }
      tile.store %n, %y[0] : i32, !tile.view<1xi32>
    })",
                            {ints("i32", {1}), ints("i32", {-1}),
                             ints("i32", {-2147483648}), zeros("1xi32")}),
                      ints("1xi32", {2})));
}

TEST(While, RunsUntilTheConditionFails) {
  // The number of steps of the 3n + 1 sequence from 27: 111.
  EXPECT_TRUE(isEqual(runOk(R"(
    tile.kernel @k(%n: i32, %y: !tile.view<1xi32>) {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c2 = arith.constant 2 : i32
      %c3 = arith.constant 3 : i32
      %r:2 = scf.while (%x = %n, %count = %c0) : (i32, i32) -> (i32, i32) {
        %more = arith.cmpi ne, %x, %c1 : i32
        scf.condition(%more) %x, %count : i32, i32
      } do {
      ^bb0(%x: i32, %count: i32):
        %odd = arith.remui %x, %c2 : i32
        %isOdd = arith.cmpi eq, %odd, %c1 : i32
        %next = scf.if %isOdd -> i32 {
          %0 = arith.muli %x, %c3 : i32
          %1 = arith.addi %0, %c1 : i32
          scf.yield %1 : i32
        } else {
          %0 = arith.divui %x, %c2 : i32
          scf.yield %0 : i32
        }
        %2 = arith.addi %count, %c1 : i32
        scf.yield %next, %2 : i32, i32
      }
      tile.store %r#1, %y[0] : i32, !tile.view<1xi32>
    })",
                            {ints("i32", {27}), zeros("1xi32")}),
                      ints("1xi32", {111})));
}

TEST(If, WithoutElse) {
  const char *text = R"(
    tile.kernel @k(%c: i1, %y: !tile.view<1xi32>) {
      %0 = arith.constant 5 : i32
      scf.if %c {
        tile.store %0, %y[0] : i32, !tile.view<1xi32>
      }
    })";
  EXPECT_TRUE(isEqual(runOk(text, {ints("i1", {1}), zeros("1xi32")}),
                      ints("1xi32", {5})));
  EXPECT_TRUE(isEqual(runOk(text, {ints("i1", {0}), zeros("1xi32")}),
                      ints("1xi32", {0})));
}

// Branches and loops carry views and buffers as they carry tensors.
TEST(If, YieldsViewsAndBuffers) {
  const char *text = R"(
    tile.kernel @k(%c: i1, %x: !tile.view<?xi8>, %y: !tile.view<?xi8>, %z: !tile.view<2xi8>) {
      %v = arith.select %c, %x, %y : !tile.view<?xi8>
      %0 = tile.load %v[0] : !tile.view<?xi8> -> tensor<2xi8>
      %b = scf.if %c -> !tile.buffer<2xi8, smem> {
        %1 = tile.alloc : !tile.buffer<2xi8, smem>
        tile.write %0, %1[0] : tensor<2xi8>, !tile.buffer<2xi8, smem>
        scf.yield %1 : !tile.buffer<2xi8, smem>
      } else {
        %1 = tile.alloc : !tile.buffer<2xi8, smem>
        scf.yield %1 : !tile.buffer<2xi8, smem>
      }
      %2 = tile.read %b[0] : !tile.buffer<2xi8, smem> -> tensor<2xi8>
      tile.store %2, %z[0] : tensor<2xi8>, !tile.view<2xi8>
    })";
  HostTensor x = ints("2xi8", {1, 2}), y = ints("2xi8", {3, 4});
  EXPECT_TRUE(isEqual(runOk(text, {ints("i1", {1}), x, y, zeros("2xi8")}), x));
  // Nothing was written to that buffer.
  EXPECT_TRUE(isEqual(runOk(text, {ints("i1", {0}), x, y, zeros("2xi8")}),
                      ints("2xi8", {-128, -128})));
}

// Sizes that are no multiple of the tile, against sums of integers, which are
// exact in f32.
TEST(Kernel, MatrixProduct) {
  const char *text = R"(
    tile.kernel @gemm(%a: !tile.view<?x?xbf16>, %b: !tile.view<?x?xbf16>, %d: !tile.view<?x?xf32>) {
      %c0 = arith.constant 0 : index
      %c8 = arith.constant 8 : index
      %zero = arith.constant dense<0.0> : tensor<16x32xf32>
      %K = tile.dim %a, 1 : !tile.view<?x?xbf16>
      tile.for_each (%m, %n) tiles [16, 32] of %d : !tile.view<?x?xf32> {
        %acc = scf.for %k = %c0 to %K step %c8 iter_args(%s = %zero) -> tensor<16x32xf32> {
          %x = tile.load %a[%m, %k] : !tile.view<?x?xbf16> -> tensor<16x8xbf16>
          %y = tile.load %b[%n, %k] : !tile.view<?x?xbf16> -> tensor<32x8xbf16>
          %t = tile.mma %x, %y, %s : tensor<16x8xbf16>, tensor<32x8xbf16> -> tensor<16x32xf32>
          scf.yield %t : tensor<16x32xf32>
        }
        tile.store %acc, %d[%m, %n] : tensor<16x32xf32>, !tile.view<?x?xf32>
      }
    })";
  constexpr int64_t m = 37, n = 45, k = 29;
  std::mt19937 random(5);
  HostTensor a(Format::BF16, {m, k}), b(Format::BF16, {n, k});
  for (int64_t i = 0; i < m * k; ++i)
    a.setFloat(i, static_cast<int>(random() % 17) - 8);
  for (int64_t i = 0; i < n * k; ++i)
    b.setFloat(i, static_cast<int>(random() % 17) - 8);
  HostTensor expected(Format::F32, {m, n});
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      int64_t sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum += static_cast<int64_t>(a.getFloat(i * k + l)) *
               static_cast<int64_t>(b.getFloat(j * k + l));
      expected.setFloat(i * n + j, static_cast<double>(sum));
    }
  EXPECT_TRUE(
      isEqual(runOk(text, {a, b, HostTensor(Format::F32, {m, n})}), expected));
}

/// Neighbors of a row of six items give each other their own element, two at a
/// time, in any order of the pairs.
TEST(Gather, TakesTurnsWithNeighbors) {
  const char *text = R"(
    tile.kernel @k(%x: !tile.view<?xi32>, %y: !tile.view<?x?xi32>) {
      %c1 = arith.constant 1 : index
      %n = tile.dim %x, 0 : !tile.view<?xi32>
      tile.for_each (%i, %j) tiles [1, 1] of [%c1, %n] {
        %own = tile.load %x[%j] : !tile.view<?xi32> -> tensor<1xi32>
        %twice = arith.addi %own, %own : tensor<1xi32>
        %all:2 = tile.all_gather %twice along 1 : tensor<1xi32> -> 2
        %difference = arith.subi %all#0, %all#1 : tensor<1xi32>
        %mine = arith.addi %difference, %own : tensor<1xi32>
        %row = tile.expand_dims %mine axis 0 : tensor<1xi32> -> tensor<1x1xi32>
        tile.store %row, %y[%i, %j] : tensor<1x1xi32>, !tile.view<?x?xi32>
      }
    })";
  Options shuffled;
  shuffled.shuffle = 7;
  for (const Options &options : {Options(), shuffled})
    EXPECT_TRUE(isEqual(
        runOk(text, {ints("6xi32", {1, 5, 2, 3, 9, 4}), zeros("1x6xi32")},
              options),
        ints("1x6xi32", {1 - 8, 5 - 8, 2 - 2, 3 - 2, 9 + 10, 4 + 10})));
}

/// The first of two gets the own elements of both, the second one their twice.
TEST(Gather, GivesToEachItsOwn) {
  const char *text = R"(
    tile.kernel @k(%x: !tile.view<?xi32>, %y: !tile.view<?xi32>) {
      %n = tile.dim %x, 0 : !tile.view<?xi32>
      tile.for_each (%j) tiles [1] of [%n] {
        %own = tile.load %x[%j] : !tile.view<?xi32> -> tensor<1xi32>
        %twice = arith.addi %own, %own : tensor<1xi32>
        %all:2 = tile.all_gather %own, %twice along 0 : tensor<1xi32> -> 2
        %difference = arith.subi %all#0, %all#1 : tensor<1xi32>
        tile.store %difference, %y[%j] : tensor<1xi32>, !tile.view<?xi32>
      }
    })";
  EXPECT_TRUE(
      isEqual(runOk(text, {ints("4xi32", {1, 5, 2, 9}), zeros("4xi32")}),
              ints("4xi32", {1 - 5, 2 - 10, 2 - 9, 4 - 18})));
}

} // namespace
