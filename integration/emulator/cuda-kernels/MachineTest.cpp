//===- MachineTest.cpp - Threads together in kernels that nvcc compiled ---===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaKernels.h"
#include "llvm/ADT/bit.h"
#include <functional>
#include <numeric>

using namespace drawloom::emu;

/// Every policy, and the random one with some seeds.
static std::vector<RunOptions> schedules() {
  std::vector<RunOptions> list(2);
  list[1].policy = Policy::Adversarial;
  for (uint64_t seed = 1; seed != 4; ++seed) {
    list.emplace_back();
    list.back().policy = Policy::Random;
    list.back().seed = seed;
  }
  return list;
}

TEST_P(CudaKernels, Shuffles) {
  load("Warp");
  std::vector<uint32_t> in = randomWords(256);
  uint64_t out = allocate<uint32_t>(8 * in.size());
  run("shuffles", {2}, {128}, upload(in), out);
  std::vector<uint32_t> got = read<uint32_t>(out, 8 * in.size());
  for (unsigned i = 0; i != in.size(); ++i) {
    const uint32_t *warp = in.data() + i / 32 * 32;
    unsigned lane = i % 32;
    uint32_t expected[] = {
        warp[warp[lane] % 32],
        warp[lane >= 3 ? lane - 3 : lane],
        warp[lane % 8 + 5 < 8 ? lane + 5 : lane],
        warp[lane ^ 17],
        warp[lane / 16 * 16 + 6],
        uint32_t(uint64_t(warp[lane ^ 1]) << 20 | (i ^ 1)),
        uint32_t(uint64_t(warp[lane ^ 1]) << 20 >> 32),
        warp[lane % 4 >= 2 ? lane - 2 : lane],
    };
    for (unsigned k = 0; k != 8; ++k)
      EXPECT_EQ(got[8 * i + k], expected[k]) << "thread " << i << ", " << k;
  }
}

TEST_P(CudaKernels, Votes) {
  load("Warp");
  std::vector<uint32_t> in = randomWords(256);
  // One warp in which all agree.
  for (unsigned i = 32; i != 64; ++i)
    in[i] = in[32];
  uint64_t out = allocate<uint32_t>(12 * in.size());
  run("votes", {2}, {128}, upload(in), out);
  std::vector<uint32_t> got = read<uint32_t>(out, 12 * in.size());
  for (unsigned i = 0; i != in.size(); ++i) {
    const uint32_t *warp = in.data() + i / 32 * 32;
    uint32_t a = in[i];
    auto ballot = [&](auto condition) {
      uint32_t mask = 0;
      for (unsigned lane = 0; lane != 32; ++lane)
        mask |= uint32_t(bool(condition(warp[lane]))) << lane;
      return mask;
    };
    bool same = ballot([&](uint32_t x) { return x >> 31 == a >> 31; }) == ~0u;
    int32_t least = INT32_MAX;
    for (unsigned lane = 0; lane != 32; ++lane)
      least = std::min(least, int32_t(warp[lane]));
    uint32_t threes = ballot([](uint32_t x) { return x % 3 == 0; });
    uint32_t expected[] = {
        ballot([](uint32_t x) { return x & 1; }),
        ballot([](uint32_t x) { return x % 64 == 0; }) != 0,
        ballot([](uint32_t x) { return x % 64 != 5; }) == ~0u,
        ballot([&](uint32_t x) { return x % 5 == a % 5; }),
        same ? ~0u : 0,
        same,
        std::accumulate(warp, warp + 32, 0u),
        *std::max_element(warp, warp + 32),
        uint32_t(least),
        std::accumulate(warp, warp + 32, 0u, std::bit_xor<uint32_t>()),
        a % 3 == 0 ? uint32_t(llvm::popcount(threes))
                   : ballot([](uint32_t x) { return x % 3 == 2; }),
        std::accumulate(warp, warp + i % 32, 0u),
    };
    for (unsigned k = 0; k != 12; ++k)
      EXPECT_EQ(got[12 * i + k], expected[k]) << "thread " << i << ", " << k;
  }
}

/// As in Atomic.cu.
struct Totals {
  uint32_t sum, smallest, largest, ones, zeros, odd, ring, exchanged, maximum;
  uint32_t down;
  uint64_t wide;
  float floats;
  double doubles;
};

TEST_P(CudaKernels, Totals) {
  load("Atomic");
  std::vector<uint32_t> in = randomWords(2048);
  for (const RunOptions &schedule : schedules()) {
    options = schedule;
    Totals expected = {0, ~0u, 0, 0, ~0u, 0, 0, 0, 0, 0, 0, 0, 0};
    uint64_t out = upload(std::vector<Totals>{expected});
    uint64_t tickets = allocate<uint32_t>(in.size());
    run("totals", {16}, {128}, upload(in), out, tickets);
    for (uint32_t a : in) {
      ++expected.sum;
      expected.smallest = std::min(expected.smallest, a);
      expected.largest = std::max(expected.largest, a);
      expected.ones |= 1u << a % 32;
      expected.zeros &= ~(1u << a % 29);
      expected.odd ^= a;
      expected.ring = expected.ring >= 99 ? 0 : expected.ring + 1;
      expected.down =
          expected.down == 0 || expected.down > 1000 ? 1000 : expected.down - 1;
      expected.exchanged = 7;
      expected.maximum = std::max(int32_t(expected.maximum), int32_t(a));
      expected.wide += a;
      expected.floats += float(a % 16);
      expected.doubles += a;
    }
    Totals got = read<Totals>(out, 1)[0];
    EXPECT_EQ(got.sum, expected.sum);
    EXPECT_EQ(got.smallest, expected.smallest);
    EXPECT_EQ(got.largest, expected.largest);
    EXPECT_EQ(got.ones, expected.ones);
    EXPECT_EQ(got.zeros, expected.zeros);
    EXPECT_EQ(got.odd, expected.odd);
    EXPECT_EQ(got.ring, expected.ring);
    EXPECT_EQ(got.down, expected.down);
    EXPECT_EQ(got.exchanged, expected.exchanged);
    EXPECT_EQ(got.maximum, expected.maximum);
    EXPECT_EQ(got.wide, expected.wide);
    EXPECT_EQ(got.floats, expected.floats);
    EXPECT_EQ(got.doubles, expected.doubles);
    // Each thread got its own ticket.
    std::vector<uint32_t> seen = read<uint32_t>(tickets, in.size());
    std::sort(seen.begin(), seen.end());
    for (unsigned i = 0; i != seen.size(); ++i)
      EXPECT_EQ(seen[i], i);
  }
}

TEST_P(CudaKernels, Histogram) {
  load("Atomic");
  std::vector<uint32_t> in = randomWords(4096), expected(64);
  for (uint32_t a : in)
    ++expected[a % 64];
  for (const RunOptions &schedule : schedules()) {
    options = schedule;
    uint64_t out = allocate<uint32_t>(64);
    run("histogram", {16}, {256}, upload(in), out);
    EXPECT_EQ(read<uint32_t>(out, 64), expected);
  }
}

TEST_P(CudaKernels, Locks) {
  load("Atomic");
  for (const RunOptions &schedule : schedules()) {
    options = schedule;
    options.stepLimit = 100'000'000;
    uint64_t lock = allocate<uint32_t>(1), count = allocate<uint32_t>(1);
    // A lane that gets the lock waits for turns of all that spin.
    run("locked", {2}, {48}, lock, count);
    EXPECT_EQ(read<uint32_t>(count, 1)[0], 96u);
  }
}

static uint32_t ackermann(uint32_t m, uint32_t n) {
  if (m == 0)
    return n + 1;
  return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

TEST_P(CudaKernels, Calls) {
  load("Control");
  std::vector<uint32_t> in = randomWords(256);
  uint64_t out = allocate<uint32_t>(6 * in.size());
  run("calls", {2}, {128}, upload(in), out);
  std::vector<uint32_t> got = read<uint32_t>(out, 6 * in.size());
  for (unsigned i = 0; i != in.size(); ++i) {
    uint32_t a = in[i], x = a % 1000, steps = 0;
    for (uint32_t y = x | 1; y != 1; ++steps)
      y = y % 2 ? 3 * y + 1 : y / 2;
    uint32_t chosen[] = {a + 1, a * 3,  a ^ 0x1234, a >> 3,
                         ~a,    a - 77, a << 5,     8};
    uint32_t count = 0, digits[10] = {};
    bool left = false;
    for (uint32_t k = 0; k != a % 13 && !left; ++k) {
      for (uint32_t j = k; j < 10 && (k + j + a) % 11 != 0; ++j)
        count += j != 7;
      left = count > 40;
    }
    count += left ? 0 : 100;
    for (uint32_t y = a; y; y /= 10)
      ++digits[y % 10];
    uint32_t expected[] = {
        ackermann(a % 3, a % 5),
        a % 3 == 0   ? 2 * x
        : a % 3 == 1 ? x * x
                     : steps,
        a % 2 ? (a % 10) * (a % 7) : (a % 9) * (a % 9) + 1,
        chosen[a % 8],
        count,
        digits[a % 10] * 16 + digits[(a >> 8) % 10],
    };
    for (unsigned k = 0; k != 6; ++k)
      EXPECT_EQ(got[6 * i + k], expected[k]) << "input " << a << ", " << k;
  }
}

TEST_P(CudaKernels, Prints) {
  load("Control");
  std::string text;
  llvm::raw_string_ostream stream(text);
  options.output = &stream;
  run("prints", {1}, {32}, -12, 2.5);
  EXPECT_EQ(text, "thread 0: -12 words 2.500 x -103079215104%\n"
                  "thread 1: -12 words 2.500 x -103079215104%\n");
}

TEST_P(CudaKernels, Asserts) {
  load("Control");
  run("asserts", {1}, {32}, 32u);
  RunResult result = launch("asserts", {1}, {33}, 32u);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.report->str().find("too many threads"), std::string::npos)
      << result.report->str();
  EXPECT_NE(result.report->str().find("warp 1, lane 0"), std::string::npos)
      << result.report->str();
}

TEST_P(CudaKernels, Transpose) {
  load("Shared");
  unsigned rows = 70, columns = 45;
  std::vector<uint32_t> in = randomWords(rows * columns), expected(in.size());
  for (unsigned row = 0; row != rows; ++row)
    for (unsigned column = 0; column != columns; ++column)
      expected[column * rows + row] = in[row * columns + column];
  for (const RunOptions &schedule : schedules()) {
    options = schedule;
    uint64_t out = allocate<uint32_t>(in.size());
    run("transpose", {2, 3}, {32, 8}, upload(in), out, rows, columns);
    EXPECT_EQ(read<uint32_t>(out, in.size()), expected);
  }
}

TEST_P(CudaKernels, Scan) {
  load("Shared");
  std::vector<uint32_t> in = randomWords(1024), expected(in.size());
  for (unsigned block = 0; block != 2; ++block)
    std::exclusive_scan(in.begin() + 512 * block,
                        in.begin() + 512 * block + 512,
                        expected.begin() + 512 * block, 0u);
  for (const RunOptions &schedule : schedules()) {
    options = schedule;
    dynamicShared = 512 * 4;
    uint64_t out = allocate<uint32_t>(in.size());
    run("scan", {2}, {256}, upload(in), out);
    EXPECT_EQ(read<uint32_t>(out, in.size()), expected);
  }
}

TEST_P(CudaKernels, Neighbors) {
  load("Shared");
  std::vector<uint32_t> in = randomWords(8 * 128), expected(in.size());
  for (unsigned block = 0; block != 8; ++block) {
    const uint32_t *theirs =
        in.data() + (block / 4 * 4 + (block + 1) % 4) * 128;
    uint32_t odd = 0;
    for (unsigned thread = 0; thread != 128; ++thread)
      odd += theirs[thread] & 1;
    for (unsigned thread = 0; thread != 128; ++thread)
      expected[block * 128 + thread] = theirs[127 - thread] + odd;
  }
  cluster = {4};
  for (const RunOptions &schedule : schedules()) {
    options = schedule;
    uint64_t out = allocate<uint32_t>(in.size());
    run("neighbors", {8}, {128}, upload(in), out);
    EXPECT_EQ(read<uint32_t>(out, in.size()), expected);
  }
}

TEST_P(CudaKernels, Vectors) {
  load("Vector");
  struct {
    uint32_t scale[5] = {3, 1, 4, 1, 5};
    uint64_t offset = 0x1234567890abcdef;
    uint8_t shift = 13;
  } parameters;
  const uint32_t primes[] = {2,  3,  5,  7,  11, 13, 17, 19,
                             23, 29, 31, 37, 41, 43, 47, 53};
  std::vector<uint32_t> in = randomWords(4 * 256), expected(in.size());
  for (unsigned i = 0; i != 256; ++i) {
    const uint32_t *a = in.data() + 4 * i;
    uint64_t low = uint64_t(a[1]) << 32 | a[0],
             high = uint64_t(a[3]) << 32 | a[2];
    uint32_t *b = expected.data() + 4 * i;
    b[0] =
        a[0] * parameters.scale[a[1] % 5] + (a[1] & 255) + 256 * (a[1] >> 24);
    b[1] = uint32_t(low >> 13) + (a[2] & 0xffff) * (a[2] >> 16);
    b[2] = uint32_t((low >> 60 | high << 4) + parameters.offset) +
           primes[a[2] % 16];
    b[3] = uint32_t(high >> 32) ^ (a[3] % 9 + 1);
  }
  uint64_t out = allocate<uint32_t>(in.size());
  run("vectors", {2}, {128}, upload(in), out, parameters);
  EXPECT_EQ(read<uint32_t>(out, in.size()), expected);
  auto visits = module->variable("visits");
  ASSERT_TRUE(visits);
  EXPECT_EQ(read<uint64_t>(visits->first, 1)[0], 7u);
}
