//===- BarrierTest.cpp - Barriers of a CTA -------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

using namespace drawloom::emu;

static std::string kernel(const std::string &body) {
  return R"(
.visible .entry k(.param .u64 out) {
  .reg .pred %p<8>;
  .reg .b32 %r<16>, %thread, %warp, %o;
  .reg .b64 %rd<4>;
  .shared .align 4 .b8 cells[64];
  mov.u32 %thread, %tid.x;
  shr.u32 %warp, %thread, 5;
  mov.u32 %o, 0;
)" + body +
         R"(
  ld.param.u64 %rd1, [out];
  mad.wide.u32 %rd1, %thread, 4, %rd1;
  st.global.u32 [%rd1], %o;
  ret;
})";
}

static std::vector<uint32_t> values(const std::string &body, unsigned threads,
                                    Policy policy = Policy::Deterministic,
                                    uint64_t seed = 0) {
  Harness h("h100", kernel(body));
  h.options.policy = policy;
  h.options.seed = seed;
  uint64_t out = h.allocate<uint32_t>(threads);
  EXPECT_TRUE(h.run("k", {1}, {threads}, {out}));
  return h.read<uint32_t>(out, threads);
}

static std::string failure(const std::string &body, unsigned threads) {
  Harness h("h100", kernel(body));
  uint64_t out = h.allocate<uint32_t>(threads);
  return h.fail("k", {1}, {threads}, {out});
}

TEST(Barrier, Reductions) {
  for (std::string name : {"bar", "bar.cta", "barrier", "barrier.cta"}) {
    std::string aligned = name[3] == 'r' ? ".aligned" : "";
    // 40 of the 96 threads are below 40.
    EXPECT_EQ(values("setp.lt.u32 %p1, %thread, 40;" + name + ".red.popc" +
                         aligned + ".u32 %o, 1, %p1;",
                     96),
              std::vector<uint32_t>(96, 40));
    EXPECT_EQ(values("setp.lt.u32 %p1, %thread, 40;" + name + ".red.or" +
                         aligned + ".pred %p2, 1, 96, %p1;" + name +
                         ".red.and" + aligned + ".pred %p3, 1, 96, %p1;" +
                         name + ".red.and" + aligned + ".pred %p4, 2, !%p5;" +
                         "selp.u32 %r1, 1, 0, %p2; selp.u32 %r2, 2, 0, %p3;"
                         "selp.u32 %r3, 4, 0, %p4; add.u32 %o, %r1, %r2;"
                         "add.u32 %o, %o, %r3;",
                     96),
              std::vector<uint32_t>(96, 1 + 4));
  }
}

// A producer warp and a consumer warp take turns with one cell, by two
// barriers of 64 threads: what arrives doesn't wait.
static const std::string takingTurns = R"(
  mov.u32 %r1, 0;
  setp.ne.u32 %p1, %warp, 0;
  @%p1 bra consumer;
produce:
  add.u32 %r2, %r1, 10;
  st.shared.u32 [cells], %r2;
  bar.arrive 1, 64;
  bar.sync 2, 64;
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p2, %r1, 5;
  @%p2 bra produce;
  bra end;
consumer:
  bar.sync 1, 64;
  ld.shared.u32 %r3, [cells];
  mad.lo.u32 %o, %o, 100, %r3;
  bar.arrive 2, 64;
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p2, %r1, 5;
  @%p2 bra consumer;
end:
)";

TEST(Barrier, ArriveDoesNotWait) {
  uint32_t taken = 0;
  for (uint32_t i = 0; i != 5; ++i)
    taken = taken * 100 + 10 + i;
  std::vector<uint32_t> expected(64, 0);
  std::fill(expected.begin() + 32, expected.end(), taken);
  EXPECT_EQ(values(takingTurns, 64), expected);
  for (uint64_t seed = 0; seed != 20; ++seed)
    EXPECT_EQ(values(takingTurns, 64, Policy::Random, seed), expected);
}

// Not aligned: the halves of a warp come to different instructions.
TEST(Barrier, HalvesOfAWarpAtDifferentInstructions) {
  EXPECT_EQ(values("and.b32 %r1, %thread, 1; setp.eq.u32 %p1, %r1, 0;"
                   "@%p1 bra even; st.shared.u32 [cells], 5; barrier.sync 3;"
                   "bra end; even: barrier.sync 3; ld.shared.u32 %o, [cells];"
                   "end:",
                   64),
            [] {
              std::vector<uint32_t> expected(64, 0);
              for (unsigned i = 0; i < 64; i += 2)
                expected[i] = 5;
              return expected;
            }());
}

TEST(Barrier, NumbersInRegistersMayDiffer) {
  // Each warp has a barrier of its own, and 32 threads are all it waits for.
  EXPECT_EQ(values("add.u32 %r1, %warp, 1; bar.sync %r1, 32; mov.u32 %o, %r1;"
                   "barrier.sync %warp, 32; barrier.sync 9;",
                   96),
            [] {
              std::vector<uint32_t> expected;
              for (unsigned i = 0; i != 96; ++i)
                expected.push_back(i / 32 + 1);
              return expected;
            }());
}

TEST(Barrier, ExitedThreadsNeedNotCome) {
  EXPECT_EQ(values("setp.ge.u32 %p1, %thread, 40; @%p1 exit; bar.sync 0;"
                   "mov.u32 %o, 1;",
                   96),
            [] {
              std::vector<uint32_t> expected(96, 0);
              std::fill_n(expected.begin(), 40, 1);
              return expected;
            }());
  // Also if they exit while the others wait.
  EXPECT_EQ(values("setp.ge.u32 %p1, %thread, 32; @%p1 bra slow; bar.sync 0;"
                   "mov.u32 %o, 1; bra end; slow: nanosleep.u32 10; exit; end:",
                   64),
            [] {
              std::vector<uint32_t> expected(64, 0);
              std::fill_n(expected.begin(), 32, 1);
              return expected;
            }());
}

TEST(BarrierMustFail, Operands) {
  EXPECT_CONTAINS(failure("mov.u32 %r1, 16; bar.sync %r1;", 32),
                  "barrier 16; a CTA has barriers 0 to 15");
  EXPECT_CONTAINS(failure("mov.u32 %r1, 33; bar.sync 1, %r1;", 32),
                  "barrier 1 for 33 threads; the number must be a multiple of "
                  "32, at most 1024");
  EXPECT_CONTAINS(failure("and.b32 %r1, %thread, 1; bar.sync %r1;", 32),
                  "an aligned barrier whose number differs between the lanes "
                  "of a warp");
}

TEST(BarrierMustFail, DifferentCountsInOneRound) {
  EXPECT_CONTAINS(failure("setp.eq.u32 %p1, %warp, 0; @%p1 bra a;"
                          "bar.sync 1, 96; bra end; a: bar.sync 1, 64; end:",
                          96),
                  "barrier 1 is used for 96 threads while others wait at it "
                  "for 64 threads");
  EXPECT_CONTAINS(failure("setp.eq.u32 %p1, %warp, 0; @%p1 bra a;"
                          "bar.sync 1; bra end; a: bar.sync 1, 96; end:",
                          96),
                  "barrier 1 is used for all threads of the CTA while others "
                  "wait at it for 96 threads");
}

TEST(BarrierMustFail, ReductionMixedWithSync) {
  EXPECT_CONTAINS(failure("setp.eq.u32 %p1, %warp, 0; @%p1 bra a;"
                          "bar.sync 1; bra end;"
                          "a: bar.red.popc.u32 %o, 1, %p1; end:",
                          64),
                  "barrier 1 is used with and without .red in one round");
}

TEST(BarrierMustFail, AlignedInDivergedCode) {
  std::string report = failure("setp.lt.u32 %p1, %thread, 7; @%p1 bra a;\n"
                               "bar.sync 1; bra end;\n"
                               "a: bar.sync 2;\n"
                               "end:",
                               32);
  EXPECT_CONTAINS(report, "line 11, CTA (0, 0, 0), warp 0, lanes 7-31: ");
  EXPECT_CONTAINS(report, "waits for the other lanes of its warp at "
                          "'bar.sync'; lanes 0-6 are at line 12");
}

TEST(BarrierMustFail, OneArrivalTooFew) {
  EXPECT_CONTAINS(failure("bar.sync 4, 96;", 64),
                  "barrier 4: 2 of 3 warps have arrived");
}
