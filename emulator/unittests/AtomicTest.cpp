//===- AtomicTest.cpp - atom and red -------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include <bit>
#include <cmath>

using namespace drawloom::emu;

/// What 32 lanes leave at an address, one after the other, and what each of
/// them saw there.
template <typename T>
struct Outcome {
  std::vector<T> before;
  T after;
  bool operator==(const Outcome &) const = default;
};

/// `value` computes the operand of the operation in %r1 or %rd1.
template <typename T>
static Outcome<T> run(const std::string &op, const std::string &value, T start,
                      const std::string &space = "global") {
  bool wide = sizeof(T) == 8;
  std::string bits = wide ? ".b64 " : ".b32 ";
  std::string place = space == "global" ? "cell" : "smem";
  std::string result = wide ? "%od" : "%o";
  std::string reg = wide ? "%rd2" : "%r2";
  Harness h(
      "b200",
      perLaneKernel(value + "setp.eq.u32 %p1, %lane, 0;" + "@%p1 st." + space +
                        bits + "[" + place + "], " + std::to_string(start) +
                        ";" + "bar.warp.sync -1;" + "atom." + space + "." + op +
                        " " + result + ", [" + place + "], " +
                        (wide ? "%rd1" : "%r1") + ";" + "bar.warp.sync -1;" +
                        "ld." + space + bits + reg + ", [" + place +
                        "]; st.global" + bits + "[final], " + reg + ";",
                    ".global .u64 cell; .global .u64 final;"));
  uint64_t out = h.allocate<uint32_t>(32), outWide = h.allocate<uint64_t>(32);
  EXPECT_TRUE(h.run("k", {1}, {32}, {out, outWide}));
  return {h.read<T>(wide ? outWide : out, 32),
          h.read<T>(h.module->variable("final")->first, 1)[0]};
}

/// The same by a loop.
template <typename T, typename Value, typename Op>
static Outcome<T> expect(T start, Value value, Op op) {
  Outcome<T> outcome = {{}, start};
  for (unsigned lane = 0; lane != 32; ++lane) {
    outcome.before.push_back(outcome.after);
    outcome.after = op(outcome.after, static_cast<T>(value(lane)));
  }
  return outcome;
}

static const std::string square = "mul.lo.u32 %r1, %lane, %lane;";
static const std::string wideSquare = "mul.wide.u32 %rd1, %lane, %lane;"
                                      "mul.lo.u64 %rd1, %rd1, 10000000000;";
static uint32_t squareOf(unsigned lane) { return lane * lane; }
static uint64_t wideSquareOf(unsigned lane) {
  return uint64_t(lane) * lane * 10000000000;
}

TEST(Atomic, Integers) {
  for (const char *space : {"global", "shared"}) {
    EXPECT_EQ(run<uint32_t>("add.u32", square, 5, space),
              expect<uint32_t>(5, squareOf, std::plus<>()));
    EXPECT_EQ(run<uint64_t>("add.u64", wideSquare, 5, space),
              expect<uint64_t>(5, wideSquareOf, std::plus<>()));
  }
  EXPECT_EQ(
      run<uint32_t>("min.s32", "sub.u32 %r1, 10, %lane;", 5),
      expect<uint32_t>(
          5, [](unsigned l) { return 10 - l; },
          [](uint32_t a, uint32_t b) { return std::min<int32_t>(a, b); }));
  EXPECT_EQ(run<uint32_t>("min.u32", "sub.u32 %r1, 10, %lane;", 5),
            expect<uint32_t>(
                5, [](unsigned l) { return 10 - l; },
                [](uint32_t a, uint32_t b) { return std::min(a, b); }));
  EXPECT_EQ(run<uint32_t>("max.u32", "sub.u32 %r1, 10, %lane;", 5),
            expect<uint32_t>(
                5, [](unsigned l) { return 10 - l; },
                [](uint32_t a, uint32_t b) { return std::max(a, b); }));
  EXPECT_EQ(
      run<uint64_t>("max.s64",
                    "mul.wide.s32 %rd1, %lane, 1;"
                    "sub.s64 %rd1, 3, %rd1;",
                    1),
      expect<uint64_t>(
          1, [](unsigned l) { return 3 - int64_t(l); },
          [](uint64_t a, uint64_t b) { return std::max<int64_t>(a, b); }));
  EXPECT_EQ(run<uint32_t>("inc.u32", "mov.u32 %r1, 9;", 5),
            expect<uint32_t>(
                5, [](unsigned) { return 9; },
                [](uint32_t a, uint32_t b) { return a >= b ? 0 : a + 1; }));
  EXPECT_EQ(
      run<uint32_t>("dec.u32", "mov.u32 %r1, 9;", 50),
      expect<uint32_t>(
          50, [](unsigned) { return 9; },
          [](uint32_t a, uint32_t b) { return a == 0 || a > b ? b : a - 1; }));
}

TEST(Atomic, Bits) {
  EXPECT_EQ(run<uint32_t>("or.b32", square, 64),
            expect<uint32_t>(64, squareOf, std::bit_or<>()));
  EXPECT_EQ(run<uint32_t>("and.b32", "or.b32 %r1, %lane, 0xf00;", 0xfff),
            expect<uint32_t>(
                0xfff, [](unsigned l) { return l | 0xf00; }, std::bit_and<>()));
  EXPECT_EQ(run<uint64_t>("xor.b64", wideSquare, 77),
            expect<uint64_t>(77, wideSquareOf, std::bit_xor<>()));
  EXPECT_EQ(
      run<uint32_t>("exch.b32", square, 3),
      expect<uint32_t>(3, squareOf, [](uint32_t, uint32_t b) { return b; }));
}

TEST(Atomic, CompareAndSwap) {
  // Each lane that finds its own number leaves the next one: a chain.
  std::vector<uint32_t> before =
      perLane<uint32_t>("st.shared.u32 [smem], 0; bar.warp.sync -1;"
                        "add.u32 %r1, %lane, 1;"
                        "atom.shared.cas.b32 %o, [smem], %lane, %r1;");
  EXPECT_EQ(before, lanes<uint32_t>([](unsigned l) { return l; }));
  EXPECT_EQ(
      perLane<uint32_t>("st.shared.u32 [smem], 0x50003;"
                        "bar.warp.sync -1; mov.b16 %h1, 3; mov.b16 %h2, 4;"
                        "atom.shared.cas.b16 %h3, [smem], %h1, %h2;"
                        "ld.shared.u32 %o, [smem];"),
      lanes<uint32_t>([](unsigned) { return 0x50004; }));
  EXPECT_EQ(
      perLane<uint64_t>(
          "st.shared.v2.b64 [smem], {1, 2};"
          "ld.shared.b128 %q1, [smem];"
          "st.shared.v2.b64 [smem+16], {33, 33};"
          "ld.shared.b128 %q2, [smem+16]; bar.warp.sync -1;"
          "atom.shared.cas.b128 %q0, [smem], %q1, %q2;"
          "mov.u32 %r1, smem; mad.lo.u32 %r1, %lane, 16, %r1;"
          "st.shared.b128 [%r1+32], %q0;"
          "ld.shared.b64 %rd5, [%r1+40]; ld.shared.b64 %rd6, [smem+8];"
          "mad.lo.u64 %od, %rd5, 100, %rd6;"),
      lanes<uint64_t>([](unsigned l) { return (l ? 33 : 2) * 100 + 33; }));
}

TEST(Atomic, Floats) {
  EXPECT_EQ(
      perLane<uint32_t>("st.shared.b32 [smem], 0f3F000000;"
                        "bar.warp.sync -1; mov.f32 %f1, 0f40400000;"
                        "red.shared.add.f32 [smem], %f1;"
                        "bar.warp.sync -1; ld.shared.b32 %o, [smem];"),
      lanes<uint32_t>([](unsigned) { return std::bit_cast<uint32_t>(96.5f); }));
  EXPECT_EQ(
      perLane<uint64_t>("st.shared.b64 [smem], 0; bar.warp.sync -1;"
                        "mov.f64 %d1, 0d4008000000000000;"
                        "red.shared.add.f64 [smem], %d1;"
                        "bar.warp.sync -1; ld.shared.b64 %od, [smem];"),
      lanes<uint64_t>([](unsigned) { return std::bit_cast<uint64_t>(96.0); }));
}

TEST(Atomic, FloatsOnGlobalMemoryFlushSubnormals) {
  // 2^-127 + 2^-127: shared memory adds them, global memory sees zeros.
  auto sum = [](const std::string &space, const std::string &place) {
    return perLane<uint32_t>("mov.b32 %r1, 0x00400000; st." + space + ".b32 [" +
                                 place + "], %r1; mov.b32 %f1, %r1;" +
                                 "bar.warp.sync -1; setp.eq.u32 %p1, %lane, 0;"
                                 "@%p1 red." +
                                 space + ".add.f32 [" + place + "], %f1;" +
                                 "bar.warp.sync -1; ld." + space +
                                 ".b32 %o, [" + place + "];",
                             ".global .u32 cell;")[0];
  };
  EXPECT_EQ(sum("shared", "smem"), 0x00800000u);
  EXPECT_EQ(sum("global", "cell"), 0u);
}

TEST(Atomic, HalfPrecision) {
  // f16: 1 + 31 * 0.5; bf16x2: both halves on their own.
  EXPECT_EQ(perLane<uint32_t>("st.shared.b32 [smem], 0x3c00; bar.warp.sync -1;"
                              "mov.b16 %h1, 0x3800;"
                              "red.shared.add.noftz.f16 [smem], %h1;"
                              "bar.warp.sync -1; ld.shared.b32 %o, [smem];"),
            lanes<uint32_t>([](unsigned) { return 0x4c40; })); // 17
  EXPECT_EQ(perLane<uint32_t>("st.shared.b32 [smem], 0x3f803f80;"
                              "bar.warp.sync -1; mov.b32 %r1, 0x40003f00;"
                              "red.shared.add.noftz.bf16x2 [smem], %r1;"
                              "bar.warp.sync -1; ld.shared.b32 %o, [smem];"),
            lanes<uint32_t>([](unsigned) { return 0x42824188; })); // 65, 17
  // Vectors: each element on its own, in order of the lanes.
  EXPECT_EQ(
      perLane<uint32_t>("st.global.v2.b32 [cell], {0x3c003c00, 0xbc00c000};"
                        "bar.warp.sync -1; mov.b32 %r1, 0x3c003e00;"
                        "mov.b32 %r2, 0xc200c200;"
                        "red.global.max.noftz.v2.f16x2 [cell], {%r1, %r2};"
                        "bar.warp.sync -1; ld.global.v2.b32 {%r3, %r4}, [cell];"
                        "xor.b32 %o, %r3, %r4;",
                        ".global .align 8 .b8 cell[8];"),
      lanes<uint32_t>([](unsigned) { return 0x3c003e00 ^ 0xbc00c000; }));
  EXPECT_EQ(
      perLane<uint32_t>("st.global.v2.b32 [cell], {0f3F800000, 0f40000000};"
                        "bar.warp.sync -1; mov.f32 %f1, 0f3F800000;"
                        "mov.f32 %f2, 0f40000000;"
                        "atom.global.add.v2.f32 {%f3, %f4}, [cell], {%f1, %f2};"
                        "mov.b32 %o, %f4;",
                        ".global .align 8 .b8 cell[8];"),
      lanes<uint32_t>(
          [](unsigned l) { return std::bit_cast<uint32_t>(2.0f + 2.0f * l); }));
}

TEST(AtomicMustFail, Addresses) {
  EXPECT_CONTAINS(
      perLaneFailure("mov.u64 %rd1, 4;"
                     "atom.global.add.u32 %o, [%rd1], 1;"),
      "'atom.global.add.u32' of 4 bytes at 0x4: no memory is there");
  EXPECT_CONTAINS(perLaneFailure("red.shared.add.u64 [smem+4], 1;"),
                  "the address must be a multiple of 8");
}
