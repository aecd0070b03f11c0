//===- MachineTest.cpp - Warps, fragments and barriers -------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/Engine.h"
#include "Execute/Copy/AsyncGroups.h"
#include "Harness.h"

using namespace drawloom::emu;

static const char *vectorAdd = R"(
.visible .entry vector_add(.param .u64 a, .param .u64 b, .param .u64 c,
                           .param .u32 n) {
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<10>;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  ld.param.u64 %rd3, [c];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.s32 %p1, %r5, %r1;
  @%p1 bra done;
  mul.wide.s32 %rd4, %r5, 4;
  add.s64 %rd5, %rd1, %rd4;
  add.s64 %rd6, %rd2, %rd4;
  add.s64 %rd7, %rd3, %rd4;
  ld.global.u32 %r6, [%rd5];
  ld.global.u32 %r7, [%rd6];
  add.s32 %r6, %r6, %r7;
  st.global.u32 [%rd7], %r6;
done:
  ret;
})";

TEST(Machine, VectorAdd) {
  Harness h("h100", vectorAdd);
  const unsigned n = 1000;
  std::vector<uint32_t> a(n), b(n), sum(n);
  for (unsigned i = 0; i != n; ++i) {
    a[i] = i * 7 + 1;
    b[i] = ~0u - i * 3;
    sum[i] = a[i] + b[i];
  }
  uint64_t c = h.allocate<uint32_t>(n);
  ASSERT_TRUE(
      h.run("vector_add", {8}, {128}, {h.upload(a), h.upload(b), c, n}));
  EXPECT_EQ(h.read<uint32_t>(c, n), sum);
  EXPECT_EQ(h.statistics.ctas, 8u);
}

TEST(MachineMustFail, OutOfBounds) {
  Harness h("h100", vectorAdd);
  uint64_t a = h.allocate<uint32_t>(64), c = h.allocate<uint32_t>(50);
  std::string report = h.fail("vector_add", {2}, {32}, {a, a, c, 64});
  EXPECT_CONTAINS(report, "line 24, CTA (1, 0, 0), warp 0, lane 18: "
                          "'st.global.u32' of 4 bytes at 0x7000000010c8: right "
                          "behind the end of the allocation");
}

// Lane i goes round the loop i times: lanes leave it one by one, and meet again
// behind it.
TEST(Machine, DivergentLoop) {
  Harness h("h100", R"(
.visible .entry loop(.param .u64 out) {
  .reg .pred %p<3>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, 0;
  mov.u32 %r3, 0;
head:
  setp.ge.u32 %p1, %r2, %r1;
  @%p1 bra tail;
  add.u32 %r3, %r3, %r2;
  add.u32 %r2, %r2, 1;
  bra head;
tail:
  mul.lo.u32 %r3, %r3, 3;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r3;
  ret;
})");
  uint64_t out = h.allocate<uint32_t>(64);
  ASSERT_TRUE(h.run("loop", {1}, {64}, {out}));
  std::vector<uint32_t> expected;
  for (uint32_t i = 0; i != 64; ++i)
    expected.push_back(i ? 3 * (i * (i - 1) / 2) : 0);
  EXPECT_EQ(h.read<uint32_t>(out, 64), expected);
  // The code behind the loop is run once by each warp, not once by each lane:
  // 4 instructions in front, 5 for each of the 31 or 63 rounds, 2 for the last
  // test of each, 5 behind.
  EXPECT_EQ(h.statistics.warpInstructions,
            (4u + 31 * 5 + 2 + 5) + (4u + 63 * 5 + 2 + 5));
}

// Lane 0 spins until lane 1 has stored: both must move, whatever order the
// emulator prefers. The spin is in front of the store, and behind it.
TEST(Machine, LanesOfOneWarpMakeProgress) {
  for (const char *compare : {"eq", "ne"}) {
    Harness h("h100", std::string(R"(
.visible .entry spin(.param .u64 flag, .param .u64 out) {
  .reg .pred %p<3>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [flag];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %tid.x;
  setp.)") + compare + R"(.u32 %p1, %r1, 0;
  @%p1 bra second;
wait0:
  ld.volatile.global.u32 %r2, [%rd1];
  setp.eq.u32 %p2, %r2, 0;
  @%p2 bra wait0;
  st.global.u32 [%rd2], %r2;
  bra done;
second:
  mov.u32 %r3, 77;
  st.volatile.global.u32 [%rd1], %r3;
done:
  ret;
})");
    uint64_t flag = h.allocate<uint32_t>(1), out = h.allocate<uint32_t>(1);
    h.options.stepLimit = 100000;
    ASSERT_TRUE(h.run("spin", {1}, {2}, {flag, out}));
    EXPECT_EQ(h.read<uint32_t>(out, 1)[0], 77u);
  }
}

static const char *reduction = R"(
.visible .entry sum(.param .u64 in, .param .u64 out) {
  .reg .pred %p<3>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<6>;
  .shared .align 4 .b8 buffer[1024];
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd3, %rd1, %rd3;
  ld.global.u32 %r2, [%rd3];
  mov.u32 %r3, buffer;
  shl.b32 %r4, %r1, 2;
  add.s32 %r4, %r3, %r4;
  st.shared.u32 [%r4], %r2;
  mov.u32 %r5, 128;
head:
  bar.sync 0;
  setp.ge.u32 %p1, %r1, %r5;
  @%p1 bra skip;
  shl.b32 %r6, %r5, 2;
  add.s32 %r7, %r4, %r6;
  ld.shared.u32 %r8, [%r7];
  ld.shared.u32 %r9, [%r4];
  add.u32 %r9, %r9, %r8;
  st.shared.u32 [%r4], %r9;
skip:
  shr.u32 %r5, %r5, 1;
  setp.ne.u32 %p2, %r5, 0;
  @%p2 bra head;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra done;
  ld.shared.u32 %r10, [buffer];
  st.global.u32 [%rd2], %r10;
done:
  ret;
})";

TEST(Machine, ReductionInSharedMemory) {
  std::vector<uint32_t> in(256);
  uint32_t sum = 0;
  for (unsigned i = 0; i != 256; ++i)
    sum += in[i] = i * i + 5;
  for (Policy policy :
       {Policy::Deterministic, Policy::Random, Policy::Adversarial}) {
    Harness h("b200", reduction);
    h.options.policy = policy;
    h.options.seed = 42;
    uint64_t out = h.allocate<uint32_t>(1);
    ASSERT_TRUE(h.run("sum", {1}, {256}, {h.upload(in), out}));
    EXPECT_EQ(h.read<uint32_t>(out, 1)[0], sum);
  }
}

TEST(MachineMustFail, BarrierThatNoOtherWarpReaches) {
  Harness h("h100", R"(
.visible .entry stuck() {
  .reg .pred %p<2>;
  .reg .b32 %r<2>;
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p1, %r1, 32;
  @%p1 bra first;
  bar.sync 2, 96;
  bra done;
first:
  bar.sync 1, 96;
done:
  ret;
})");
  std::string report = h.fail("stuck", {1}, {96}, {});
  EXPECT_CONTAINS(
      report,
      "line 11, CTA (0, 0, 0), warp 0, lanes 0-31: deadlock: no warp can "
      "move and no asynchronous work is in flight\n"
      "  CTA (0, 0, 0), warp 0, line 11: barrier 1: 1 of 3 warps have "
      "arrived\n"
      "  CTA (0, 0, 0), warps 1, 2, line 8: barrier 2: 2 of 3 warps "
      "have arrived");
}

TEST(MachineMustFail, Livelock) {
  Harness h("h100", R"(
.visible .entry forever() {
again:
  bra again;
})");
  h.options.stepLimit = 10000;
  std::string report = h.fail("forever", {1}, {32}, {});
  EXPECT_CONTAINS(report, "the step limit is 10000");
  EXPECT_CONTAINS(report, "line 4, CTA (0, 0, 0), warp 0");
}

TEST(MachineMustFail, AFormWithoutADecoder) {
  Harness h("h100", R"(
.visible .entry later(.param .u64 where) {
  .reg .b64 %rd<2>;
  .reg .b32 %r<2>;
  ld.param.u64 %rd1, [where];
  multimem.st.weak.global.b32 [%rd1], %r1;
  ret;
})");
  EXPECT_CONTAINS(
      h.fail("later", {1}, {32}, {0}),
      "line 6, CTA (0, 0, 0), warp 0, lanes 0-31: "
      "'multimem.st.weak.global.b32' is valid PTX that the emulator "
      "doesn't execute yet");
}

// A set of extensions has one entry for each slot, whatever class asks for it.
TEST(Machine, ExtensionsHaveSlotsOfTheirOwn) {
  EXPECT_NE(WarpCopies::slot, SharedUses::slot);
}
