//===- ThreadsTest.cpp - The number of host threads ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What clusters do to each other (Decode/Communication.h), on 1, 2, 4 and 7
// host threads: memory, counters and reports must be the same.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

using namespace drawloom;
using namespace drawloom::emu;

namespace {
struct Outcome {
  std::vector<uint32_t> memory;
  RunStatistics statistics;
  std::string report;
};
} // namespace

/// A kernel around `body`, which has %cta, %thread, %r<8>, %rd<8>, %f<4> and
/// %p<4>, the memory at %out, and a long loop in front of it: other threads
/// start when a run has lasted for some time. The loop leaves a number in %r7,
/// which each CTA stores in the end.
static std::string kernel(const std::string &body) {
  std::string loop = R"(
  mov.u32 %i, 0;
spin:
  mad.lo.u32 %r7, %r7, 1664525, 1013904223;
  add.u32 %i, %i, 1;
  add.u32 %n, %cta, 300;
  setp.lt.u32 %again, %i, %n;
  @%again bra spin;
)";
  return R"(
.visible .entry k(.param .u64 out) {
  .reg .pred %p<4>, %again;
  .reg .b32 %cta, %thread, %i, %n, %r<8>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<8>, %out, %own;
  mov.u32 %cta, %ctaid.x;
  mov.u32 %thread, %tid.x;
  ld.param.u64 %out, [out];
  mad.wide.u32 %own, %cta, 4, %out;
  mov.u32 %r7, %cta;
)" + loop +
         body +
         R"(
  st.global.u32 [%own+256], %r7;
  ret;
})";
}

static constexpr unsigned ctas = 64, words = 64 + 64;

static Outcome run(const std::string &text, unsigned threads,
                   uint64_t stepLimit = 1 << 24) {
  Harness h("h100", text);
  h.options.threads = threads;
  h.options.stepLimit = stepLimit;
  uint64_t out = h.allocate<uint32_t>(words);
  RunResult result = h.launch("k", {ctas}, {128}, {out});
  return {h.read<uint32_t>(out, words), result.statistics,
          result.report ? result.report->str() : ""};
}

/// What a kernel does on one thread, after a look at what it does on others.
static Outcome compare(const std::string &text, uint64_t stepLimit = 1 << 24) {
  Outcome one = run(text, 1, stepLimit);
  EXPECT_GT(one.statistics.warpInstructions, 1u << 16);
  for (unsigned threads : {2u, 4u, 7u}) {
    Outcome other = run(text, threads, stepLimit);
    EXPECT_EQ(other.memory, one.memory) << threads << " threads";
    EXPECT_EQ(other.statistics.warpInstructions,
              one.statistics.warpInstructions);
    EXPECT_EQ(other.statistics.ctas, one.statistics.ctas);
    EXPECT_EQ(other.statistics.asyncOperations, one.statistics.asyncOperations);
    EXPECT_EQ(other.report, one.report);
  }
  return one;
}

TEST(Threads, OfClustersThatKeepToThemselves) {
  Outcome outcome = compare(kernel(""));
  EXPECT_EQ(outcome.report, "");
  EXPECT_EQ(outcome.statistics.ctas, ctas);
}

// A sum of floats depends on the order of its terms.
TEST(Threads, OfSumsInGlobalMemory) {
  Outcome outcome = compare(kernel(R"(
  cvt.rn.f32.u32 %f1, %r7;
  mul.f32 %f1, %f1, 0f2F800000;
  red.global.add.f32 [%out], %f1;
  atom.global.exch.b32 %r1, [%out+4], %cta;
  xor.b32 %r7, %r7, %r1;)"));
  EXPECT_EQ(outcome.report, "");
  EXPECT_NE(outcome.memory[0], 0u);
}

// Every CTA waits for the one in front of it, and adds to what that has left.
TEST(Threads, OfAChain) {
  Outcome outcome = compare(kernel(R"(
  setp.ne.u32 %p1, %thread, 0;
  @%p1 bra behind;
  setp.eq.u32 %p1, %cta, 0;
  @%p1 bra mine;
wait:
  ld.acquire.gpu.global.u32 %r1, [%out];
  setp.ne.u32 %p2, %r1, %cta;
  @%p2 bra wait;
mine:
  ld.global.u32 %r2, [%out+8];
  mad.lo.u32 %r2, %r2, 3, %cta;
  st.global.u32 [%out+8], %r2;
  add.u32 %r3, %cta, 1;
  st.release.gpu.global.u32 [%out], %r3;
behind:
  bar.sync 0;)"));
  EXPECT_EQ(outcome.report, "");
  uint32_t expected = 0;
  for (uint32_t cta = 0; cta != ctas; ++cta)
    expected = expected * 3 + cta;
  EXPECT_EQ(outcome.memory[0], ctas);
  EXPECT_EQ(outcome.memory[2], expected);
}

// Two CTAs of a round fail: the report is that of the first, whichever ran
// first.
TEST(Threads, OfReports) {
  Outcome outcome = compare(kernel(R"(
  setp.ge.u32 %p1, %cta, 40;
  @%p1 trap;)"));
  EXPECT_NE(outcome.report.find("CTA (40, 0, 0)"), std::string::npos)
      << outcome.report;
}

TEST(Threads, OfADeadlock) {
  Outcome outcome = compare(kernel(R"(
  setp.ge.u32 %p1, %cta, 40;
  @%p1 bar.sync 1, 256;)"));
  EXPECT_NE(outcome.report.find("deadlock"), std::string::npos)
      << outcome.report;
}

TEST(Threads, OfALoopWithoutEnd) {
  Outcome outcome = compare(kernel(R"(
again:
  ld.volatile.global.u32 %r1, [%out];
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra again;)"),
                            1 << 18);
  EXPECT_NE(outcome.report.find("step limit"), std::string::npos)
      << outcome.report;
}
