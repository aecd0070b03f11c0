//===- WgmmaOrderTest.cpp - Errors and the order of wgmma's work ----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

using namespace drawloom::emu;

/// A kernel around `body`, with 16 KiB of shared memory filled with bf16 ones,
/// a descriptor of it in %rd1 (128-byte swizzle) and accumulators %d0 to %d3;
/// at its end %d0 is stored to out[tid].
static std::string around(const std::string &body) {
  return R"(
.visible .entry k(.param .u64 out) {
  .reg .pred %p<4>;
  .reg .b32 %r<16>, %d<8>;
  .reg .b64 %rd<8>;
  .shared .align 1024 .b8 smem[16384];
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 2;
  mov.u32 %r3, smem;
  mov.u32 %r5, 0x3f803f80;
fill:
  add.s32 %r4, %r3, %r2;
  st.shared.b32 [%r4], %r5;
  add.s32 %r2, %r2, 512;
  setp.lt.u32 %p1, %r2, 16384;
  @%p1 bra fill;
  fence.proxy.async;
  bar.sync 0;
  shr.u32 %r6, %r3, 4;
  mul.wide.u32 %rd1, %r6, 1;
  or.b64 %rd1, %rd1, 0x4000004000010000;
  mov.b32 %d0, 0;
  mov.b32 %d1, 0;
  mov.b32 %d2, 0;
  mov.b32 %d3, 0;
)" + body +
         R"(
done:
  ld.param.u64 %rd2, [out];
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd2, %rd2, %rd3;
  st.global.b32 [%rd2], %d0;
  ret;
})";
}

static const std::string multiply =
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%d0, %d1, %d2, %d3}, "
    "%rd1, %rd1, 1, 1, 1, 0, 0;\n";
static const std::string fence = "wgmma.fence.sync.aligned;\n";
static const std::string commit = "wgmma.commit_group.sync.aligned;\n";
static const std::string waitAll = "wgmma.wait_group.sync.aligned 0;\n";

static float firstOf(const std::string &body, const RunOptions &options) {
  Harness h("h100", around(body));
  h.options = options;
  uint64_t out = h.allocate<float>(128);
  EXPECT_TRUE(h.run("k", {1}, {128}, {out}));
  return h.read<float>(out, 1)[0];
}

// Three groups of one, two and three instructions: each adds 16.
TEST(WgmmaOrder, GroupsCompleteInOrder) {
  std::string body = fence;
  for (unsigned group = 1; group != 4; ++group) {
    for (unsigned i = 0; i != group; ++i)
      body += multiply;
    body += commit;
  }
  for (Policy policy :
       {Policy::Deterministic, Policy::Random, Policy::Adversarial})
    for (uint64_t seed = 0; seed != 4; ++seed) {
      RunOptions options;
      options.policy = policy;
      options.seed = seed;
      EXPECT_EQ(firstOf(body + waitAll, options), 96.0f);
    }
}

// With one group allowed to be pending, the accumulators of the others can be
// read.
TEST(WgmmaOrder, OneGroupMayBePending) {
  std::string other = "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 "
                      "{%d4, %d5, %d6, %d7}, %rd1, %rd1, 0, 1, 1, 0, 0;\n";
  RunOptions options;
  options.policy = Policy::Adversarial;
  EXPECT_EQ(firstOf(fence + multiply + commit + multiply + commit + other +
                        commit +
                        "wgmma.wait_group.sync.aligned 1;\n"
                        "mov.b32 %r7, %d0;\n" +
                        waitAll + "mov.b32 %d0, %r7;\n",
                    options),
            32.0f);
}

// An instruction that doesn't add to D forgets what came before it in its
// group.
TEST(WgmmaOrder, FreshSumsInAGroup) {
  std::string fresh = "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 "
                      "{%d0, %d1, %d2, %d3}, %rd1, %rd1, 0, 1, 1, 0, 0;\n";
  EXPECT_EQ(
      firstOf(fence + multiply + multiply + fresh + multiply + commit + waitAll,
              {}),
      32.0f);
}

// Each instruction has its own accumulator, also if they share registers.
TEST(WgmmaOrder, OverlappingAccumulators) {
  std::string shifted = "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 "
                        "{%d4, %d5, %d0, %d1}, %rd1, %rd1, 1, 1, 1, 0, 0;\n";
  std::string body = "mov.b32 %d4, 0;\nmov.b32 %d5, 0;\n" + fence + multiply +
                     multiply + shifted + multiply + commit + waitAll;
  EXPECT_EQ(firstOf(body, {}), 64.0f);
  EXPECT_EQ(firstOf(body + "mov.b32 %d0, %d4;\n", {}), 16.0f);
}

// The adversarial schedule shows a write to the matrix before the wait.
TEST(WgmmaOrder, WorkIsDoneLate) {
  RunOptions late;
  late.policy = Policy::Adversarial;
  EXPECT_EQ(firstOf(fence + multiply + commit +
                        "mov.u32 %r7, 0;\n"
                        "st.shared.b32 [%r3], %r7;\n" +
                        waitAll,
                    late),
            14.0f);
}

static std::string failureOf(const std::string &body, unsigned threads = 128) {
  Harness h("h100", around(body));
  return h.fail("k", {1}, {threads}, {h.allocate<float>(128)});
}

TEST(WgmmaMustFail, NeedsAFence) {
  EXPECT_CONTAINS(failureOf(multiply + commit + waitAll),
                  "lanes 0-31: the first wgmma.mma_async of a warp needs a "
                  "wgmma.fence in front of it");
}

// Of one shape they are ordered by themselves; of two, a wait or a fence has to
// stand between them.
TEST(WgmmaMustFail, ShapesOnOneAccumulator) {
  std::string wide = "wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 "
                     "{%d0, %d1, %d2, %d3, %d4, %d5, %d6, %d7}, %rd1, %rd1, 0, "
                     "1, 1, 0, 0;\n";
  EXPECT_CONTAINS(failureOf(fence + wide + multiply + commit + waitAll),
                  "line 27 accumulates m64n16k16 into a register that this "
                  "instruction uses, and may be in flight");
  EXPECT_EQ(
      firstOf(fence + wide + commit + waitAll + multiply + commit + waitAll,
              {}),
      32.0f);
  EXPECT_EQ(firstOf(fence + wide + fence + multiply + commit + waitAll, {}),
            32.0f);
}

TEST(WgmmaMustFail, AccumulatorsInFlight) {
  EXPECT_CONTAINS(
      failureOf(fence + multiply + commit + "mov.b32 %d4, %d1;\n" + waitAll),
      "lanes 0-31: touches %d1, a register of D of the wgmma.mma_async of line "
      "27, for which the warp hasn't waited (wgmma.wait_group)");
  EXPECT_CONTAINS(failureOf(fence + multiply + "mov.b32 %d3, 0;\n" + commit),
                  "touches %d3, a register of D");
  // Of two groups, the second is still allowed to be under way.
  EXPECT_CONTAINS(
      failureOf(fence + multiply + commit + multiply + commit +
                "wgmma.wait_group.sync.aligned 1;\nmov.b32 %d4, %d0;\n"),
      "touches %d0, a register of D of the wgmma.mma_async of line 29");
}

static const std::string multiplyRegisters =
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%d0, %d1, %d2, %d3}, "
    "{%d4, %d5, %d6, %d7}, %rd1, 1, 1, 1, 0;\n";

TEST(WgmmaMustFail, RegistersOfAInFlight) {
  EXPECT_CONTAINS(
      failureOf(fence + multiplyRegisters + commit + "mov.b32 %d6, 0;\n"),
      "touches %d6, a register of A of the wgmma.mma_async of line 27");
}

TEST(WgmmaMustFail, TouchedAfterTheFence) {
  EXPECT_CONTAINS(
      failureOf(fence + "mov.b32 %d2, 1;\n" + multiply),
      "line 27 touched a register of D after the last wgmma.fence of the warp; "
      "a fence must stand between it and this instruction");
  EXPECT_CONTAINS(failureOf(fence + multiplyRegisters + commit + waitAll +
                            "mov.b32 %d5, 1;\n" + multiplyRegisters),
                  "line 30 touched a register of A after the last wgmma.fence");
}

TEST(WgmmaMustFail, NeedsAWarpgroup) {
  EXPECT_CONTAINS(
      failureOf(fence, 96),
      "needs a warpgroup of four warps; the CTA has 3 warps, and warp "
      "2 is in none that is complete");
}

TEST(WgmmaMustFail, NeedsAllLanes) {
  EXPECT_CONTAINS(failureOf("setp.eq.u32 %p2, %r1, 5;\n@%p2 ret;\n" + fence),
                  "needs all 32 lanes of the warp; lane 5 has exited");
}

TEST(WgmmaMustFail, ExitWithoutCommit) {
  EXPECT_CONTAINS(
      failureOf(fence + multiply + multiply + "ret;\n"),
      "the warp exits with 2 wgmma.mma_async that it hasn't committed");
}

TEST(WgmmaMustFail, ExitWithoutWait) {
  EXPECT_CONTAINS(
      failureOf(fence + multiply + commit + multiply + commit +
                "wgmma.wait_group.sync.aligned 1;\nret;\n"),
      "the warp exits without a wgmma.wait_group for its last 1 of 2 "
      "groups");
}

TEST(WgmmaMustFail, WarpsIssueDifferentInstructions) {
  EXPECT_CONTAINS(
      failureOf("shr.u32 %r7, %r1, 5;\nsetp.eq.u32 %p2, %r7, 2;\n" + fence +
                "@%p2 bra other;\n" + multiply + "bra behind;\nother:\n" +
                multiply + "behind:\n" + commit + waitAll),
      "warp 2, lanes 0-31: the warps of a warpgroup issue different "
      "instructions: warp 3 issued that of line 30 here");
}

TEST(WgmmaMustFail, WarpsHaveDifferentDescriptors) {
  EXPECT_CONTAINS(
      failureOf("shr.u32 %r7, %r1, 6;\nmul.wide.u32 %rd4, %r7, 64;\n"
                "add.s64 %rd1, %rd1, %rd4;\n" +
                fence + multiply + commit + waitAll),
      "warp 0, lanes 0-31: the descriptor of matrix B is "
      "0x4000004000010040; warp 3 of the same warpgroup has "
      "0x4000004000010080");
}

TEST(WgmmaMustFail, LanesHaveDifferentDescriptors) {
  EXPECT_CONTAINS(failureOf("mul.wide.u32 %rd4, %r1, 64;\n"
                            "add.s64 %rd1, %rd1, %rd4;\n" +
                            fence + multiply),
                  "the descriptor of matrix A differs between the lanes of the "
                  "warp");
}

TEST(WgmmaMustFail, LanesHaveDifferentScales) {
  EXPECT_CONTAINS(
      failureOf("setp.eq.u32 %p3, %r1, 103;\n" + fence +
                "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 "
                "{%d0, %d1, %d2, %d3}, %rd1, %rd1, %p3, 1, 1, 0, 0;\n"),
      "scale-d differs between the lanes of the warp");
}

TEST(WgmmaMustFail, WarpsHaveDifferentScales) {
  EXPECT_CONTAINS(
      failureOf("setp.ge.u32 %p3, %r1, 32;\n" + fence +
                "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 "
                "{%d0, %d1, %d2, %d3}, %rd1, %rd1, %p3, 1, 1, 0, 0;\n" +
                commit + waitAll),
      "warp 0, lanes 0-31: scale-d is false; warp 3 of the same "
      "warpgroup has true");
}

TEST(WgmmaMustFail, WarpsCommitDifferently) {
  EXPECT_CONTAINS(
      failureOf("setp.ge.u32 %p3, %r1, 96;\n" + fence + multiply +
                "@%p3 bra more;\n" + commit + "bra behind;\nmore:\n" +
                multiply + commit + "behind:\n" + waitAll),
      "warp 0, lanes 0-31: this is commit 1 of the warp, after 1 "
      "wgmma.mma_async; warp 3 of the same warpgroup had issued 2 at "
      "its commit 1");
}

TEST(WgmmaMustFail, AWarpThatDoesNotCommitIsADeadlock) {
  EXPECT_CONTAINS(failureOf("setp.ge.u32 %p3, %r1, 96;\n" + fence + multiply +
                            "@%p3 bra never;\n" + commit + waitAll +
                            "bra done;\nnever:\nbar.sync 1, 64;\n"),
                  "waits for wgmma group 1, which warp 3 hasn't committed");
}

// A base offset says where a pattern starts, and a matrix of such a pattern
// starts with it: 128 bytes behind a multiple of 1024 for base offset 1.
TEST(WgmmaMustFail, BaseOffsetOfAnotherStart) {
  EXPECT_CONTAINS(
      failureOf("or.b64 %rd1, %rd1, 0x0002000000000000;\n" + fence + multiply),
      "matrix A starts at 0x400, in the middle of a pattern: with the "
      "128-byte swizzle and base offset 1 it must start 128 bytes behind "
      "a multiple of 1024, not 0; with base offset 0 it may start anywhere");
  EXPECT_EQ(firstOf("add.s64 %rd1, %rd1, 8;\n"
                    "or.b64 %rd1, %rd1, 0x0002000000000000;\n" +
                        fence + multiply + commit + waitAll,
                    {}),
            16.0f);
}

TEST(WgmmaMustFail, MatrixOutsideSharedMemory) {
  EXPECT_CONTAINS(
      failureOf("add.s64 %rd1, %rd1, 576;\n" + fence + multiply + commit +
                waitAll),
      "matrix A starts at 0x2800 in shared memory, with leading byte "
      "offset 16 and stride byte offset 1024: 16 bytes at 0x4400 are "
      "outside the CTA's 17408 bytes");
}

TEST(WgmmaMustFail, DivergedWarp) {
  EXPECT_CONTAINS(failureOf("setp.eq.u32 %p2, %r1, 3;\n" + fence +
                            "@%p2 bra away;\n" + multiply + commit + waitAll +
                            "bra done;\naway:\nbar.sync 1, 64;\n"),
                  "waits for the other lanes of its warp at 'wgmma.mma_async");
}
