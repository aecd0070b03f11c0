//===- WmmaTest.cpp - nvcuda::wmma against loops --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements are small integers, so that sums are exact in every order.
//
//===----------------------------------------------------------------------===//

#include "CudaKernels.h"
#include "llvm/ADT/bit.h"

namespace {

/// bfloat16 and half, as their bits.
struct BFloat {
  uint16_t bits = 0;
  BFloat() = default;
  BFloat(int value) : bits(llvm::bit_cast<uint32_t>(float(value)) >> 16) {}
};
struct Half {
  uint16_t bits = 0;
  Half() = default;
  Half(int value)
      : bits(llvm::bit_cast<uint16_t>(static_cast<_Float16>(value))) {}
};

struct Problem {
  const char *kernel;
  unsigned m, n; ///< Of a tile.
  bool rowsA, rowsB;
};

} // namespace

TEST_P(CudaKernels, WmmaProducts) {
  load("Wmma");
  const int sizeM = 64, sizeN = 96, sizeK = 48;
  std::mt19937 engine(7);
  auto check = [&]<typename In, typename Sum>(const Problem &problem, In,
                                              Sum alpha, Sum beta) {
    std::vector<int> valuesA, valuesB;
    std::vector<In> a(sizeM * sizeK), b(sizeK * sizeN);
    std::vector<Sum> c, expected;
    auto at = [](bool rows, int row, int column, int rowCount,
                 int columnCount) {
      return rows ? row * columnCount + column : column * rowCount + row;
    };
    for (int i = 0; i != sizeM; ++i)
      for (int l = 0; l != sizeK; ++l) {
        valuesA.push_back(int(engine() % 15) - 7);
        a[at(problem.rowsA, i, l, sizeM, sizeK)] = In(valuesA.back());
      }
    for (int l = 0; l != sizeK; ++l)
      for (int j = 0; j != sizeN; ++j) {
        valuesB.push_back(int(engine() % 15) - 7);
        b[at(problem.rowsB, l, j, sizeK, sizeN)] = In(valuesB.back());
      }
    for (int i = 0; i != sizeM; ++i)
      for (int j = 0; j != sizeN; ++j) {
        c.push_back(Sum(int(engine() % 100) - 50));
        Sum sum = 0;
        for (int l = 0; l != sizeK; ++l)
          sum += valuesA[i * sizeK + l] * valuesB[l * sizeN + j];
        expected.push_back(alpha * sum + beta * c.back());
      }
    uint64_t out = allocate<Sum>(expected.size());
    run(problem.kernel, {sizeN / problem.n, sizeM / problem.m}, {32}, upload(a),
        upload(b), upload(c), out, sizeM, sizeN, sizeK, alpha, beta);
    EXPECT_EQ(read<Sum>(out, expected.size()), expected) << problem.kernel;
  };
  check({"halfRowCol", 16, 16, true, false}, Half(), 2.0f, -3.0f);
  check({"halfColRow", 16, 16, false, true}, Half(), 1.0f, 0.5f);
  check({"halfWide", 8, 32, true, true}, Half(), 1.0f, 1.0f);
  check({"halfTall", 32, 8, false, false}, Half(), -1.0f, 2.0f);
  check({"bfloat", 16, 16, true, true}, BFloat(), 0.5f, 1.0f);
  check({"tensorFloat", 16, 16, true, false}, float(), 3.0f, -1.0f);
  check({"bytes", 16, 16, true, false}, int8_t(), 5, -2);
  check({"doubles", 8, 8, true, false}, double(), 0.25, 4.0);
}

TEST_P(CudaKernels, WmmaBits) {
  load("Wmma");
  std::vector<uint32_t> a = randomWords(32), b = randomWords(32);
  uint64_t out = allocate<int>(64);
  run("bits", {1}, {32}, upload(a), upload(b), out);
  std::vector<int> got = read<int>(out, 64);
  for (unsigned i = 0; i != 8; ++i)
    for (unsigned j = 0; j != 8; ++j) {
      int count = 0;
      for (unsigned word = 0; word != 4; ++word)
        count += llvm::popcount(a[4 * i + word] ^ b[4 * j + word]);
      EXPECT_EQ(got[8 * i + j], count) << i << ", " << j;
    }
}
