//===- CopyAsyncTest.cpp - cp.async --------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AsyncKernel.h"

using namespace drawloom::emu;

/// The bodies copy from %rd1, the lane's 16 bytes of the input, to %r1, its 16
/// bytes of smem.
static AsyncKernel kernel(const std::string &body) {
  AsyncKernel kernel;
  kernel.device = "h100";
  kernel.input = pattern(2048);
  kernel.body = R"(
  cvta.to.global.u64 %rd1, %in;
  mad.wide.u32 %rd1, %thread, 16, %rd1;
  mov.u32 %r1, smem;
  mad.lo.u32 %r1, %thread, 16, %r1;
)" + body;
  return kernel;
}

/// Word `word` of the lane's bytes in the input, `offset` bytes further on.
static uint32_t wordOf(unsigned lane, unsigned word, unsigned offset = 0) {
  std::vector<uint8_t> input = pattern(2048);
  uint32_t value;
  memcpy(&value, &input[lane * 16 + word * 4 + offset], 4);
  return value;
}

TEST(CopyAsync, Sizes) {
  for (unsigned size : {4, 8, 16}) {
    std::string bytes = std::to_string(size);
    AsyncKernel k = kernel(R"(
  st.shared.v4.u32 [%r1], {-1, -1, -1, -1};
  cp.async.ca.shared.global.L2::128B [%r1], [%rd1], )" +
                           bytes + R"(;
  cp.async.wait_all;
  ld.shared.u32 %r2, [%r1+)" +
                           std::to_string(size - 4) + R"(];
  ld.shared.u32 %r3, [%r1+12];
  xor.b32 %o, %r2, %r3;
)");
    EXPECT_EQ(k.values(), lanes<uint32_t>([&](unsigned lane) {
                return wordOf(lane, size / 4 - 1) ^
                       (size == 16 ? wordOf(lane, 3) : ~0u);
              }));
  }
}

// Lane i reads i mod 17 bytes; what isn't read is zero, and need not be there.
TEST(CopyAsync, SourceSize) {
  AsyncKernel k = kernel(R"(
  st.shared.v4.u32 [%r1], {-1, -1, -1, -1};
  rem.u32 %r2, %thread, 17;
  setp.eq.u32 %p1, %r2, 0;
  selp.b64 %rd1, 4096, %rd1, %p1;
  cp.async.cg.shared::cta.global [%r1], [%rd1], 16, %r2;
  cp.async.commit_group;
  cp.async.wait_group 0;
  ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r1];
  mad.lo.u32 %o, %r3, 3, %r4;
  mad.lo.u32 %o, %o, 3, %r5;
  mad.lo.u32 %o, %o, 3, %r6;
)");
  EXPECT_EQ(k.values(), lanes<uint32_t>([&](unsigned lane) {
              uint32_t words[4] = {};
              std::vector<uint8_t> input = pattern(2048);
              memcpy(words, &input[lane * 16], lane % 17);
              return ((words[0] * 3 + words[1]) * 3 + words[2]) * 3 + words[3];
            }));
}

TEST(CopyAsync, IgnoreSource) {
  AsyncKernel k = kernel(R"(
  st.shared.v4.u32 [%r1], {-1, -1, -1, -1};
  and.b32 %r2, %thread, 1;
  setp.ne.u32 %p1, %r2, 0;
  cp.async.ca.shared.global [%r1], [%rd1], 8, %p1;
  cp.async.wait_all;
  ld.shared.u32 %o, [%r1+4];
)");
  EXPECT_EQ(k.values(), lanes<uint32_t>([](unsigned lane) {
              return lane & 1 ? 0 : wordOf(lane, 1);
            }));
}

// Group 0 has the first copy, group 1 is empty, group 2 has the second. Groups
// end in order; `wait_group 1` leaves one.
TEST(CopyAsync, Groups) {
  AsyncKernel k = kernel(R"(
  cp.async.ca.shared.global [%r1], [%rd1], 4;
  cp.async.commit_group;
  cp.async.commit_group;
  cp.async.ca.shared.global [%r1+4], [%rd1+512], 4;
  cp.async.commit_group;
  cp.async.wait_group 1;
  ld.shared.u32 %r2, [%r1];
  cp.async.wait_group 0;
  ld.shared.u32 %r3, [%r1+4];
  xor.b32 %o, %r2, %r3;
)");
  EXPECT_EQ(k.values(), lanes<uint32_t>([](unsigned lane) {
              return wordOf(lane, 0) ^ wordOf(lane, 0, 512);
            }));
}

// What isn't waited for need not be there, and the source is read when the copy
// is done: both copies see what was stored last.
TEST(CopyAsync, NothingHappensBeforeItMust) {
  AsyncKernel k = kernel(R"(
  cp.async.ca.shared.global [%r1], [%rd1], 4;
  cp.async.commit_group;
  st.global.u32 [%rd1], 4711;
  cp.async.wait_group 1;
  ld.shared.u32 %r2, [%r1];
  cp.async.wait_group 0;
  ld.shared.u32 %r3, [%r1];
  setp.ne.u32 %p1, %r2, 0;
  setp.ne.or.u32 %p1, %r3, 4711, %p1;
  @%p1 trap;
)");
  EXPECT_EQ(k.failure(Policy::Adversarial), "");
}

// Without .noinc the copies bring the arrivals that they need themselves.
TEST(CopyAsync, MbarrierArrive) {
  for (bool noinc : {false, true}) {
    AsyncKernel k = kernel(initBarriers({noinc ? 64u : 32u}) + R"(
  cp.async.ca.shared.global [%r1], [%rd1], 4;
  cp.async.ca.shared.global [%r1+4], [%rd1+512], 4;
  cp.async.mbarrier.arrive)" +
                           std::string(noinc ? ".noinc" : "") +
                           R"(.shared::cta.b64 [bars];
  mbarrier.arrive.shared::cta.b64 _, [bars];
)" + waitFor("bars", 0) + R"(
  // What the neighbor has copied.
  xor.b32 %r4, %thread, 1;
  mov.u32 %r1, smem;
  mad.lo.u32 %r1, %r4, 16, %r1;
  ld.shared.u32 %r2, [%r1];
  ld.shared.u32 %r3, [%r1+4];
  xor.b32 %o, %r2, %r3;
)");
    EXPECT_EQ(k.values(), lanes<uint32_t>([](unsigned lane) {
                return wordOf(lane ^ 1, 0) ^ wordOf(lane ^ 1, 0, 512);
              }));
  }
}

TEST(CopyAsyncMustFail, SourceSizeAboveTheSize) {
  EXPECT_CONTAINS(
      kernel("mov.u32 %r2, 17;"
             "cp.async.cg.shared.global [%r1], [%rd1], 16, %r2;")
          .failure(),
      "lane 0: 'cp.async.cg.shared.global' of 16 bytes is to read 17");
}

TEST(CopyAsyncMustFail, OutOfBounds) {
  EXPECT_CONTAINS(
      kernel("cp.async.ca.shared.global [%r1], [%rd1+1600], 16;").failure(),
      "lane 28: 'cp.async.ca.shared.global' of 16 bytes at 0x");
}

TEST(CopyAsyncMustFail, Misaligned) {
  EXPECT_CONTAINS(
      kernel("cp.async.ca.shared.global [%r1], [%rd1+4], 8;").failure(),
      "the address must be a multiple of 8");
}

TEST(CopyAsyncMustFail, ArrivalAtNoBarrier) {
  EXPECT_CONTAINS(
      kernel("cp.async.mbarrier.arrive.shared::cta.b64 [bars];").failure(),
      "isn't initialized");
}

TEST(CopyAsyncMustFail, ArrivalsThatWereNotCounted) {
  AsyncKernel k = kernel(initBarriers({2}) + R"(
  cp.async.ca.shared.global [%r1], [%rd1], 4;
  cp.async.mbarrier.arrive.noinc.shared::cta.b64 [bars];
  @%leader mbarrier.expect_tx.shared::cta.b64 [bars], 16;
  cp.async.wait_all;
)" + waitFor("bars", 0));
  EXPECT_CONTAINS(k.failure(Policy::Adversarial),
                  "has too many arrivals: 1 more in phase 0, in which 0 of 2 "
                  "are missing");
}

TEST(CopyAsyncMustFail, ExitWithACopyInFlight) {
  EXPECT_CONTAINS(
      kernel("cp.async.ca.shared.global [%r1], [%rd1], 4;")
          .failure(Policy::Adversarial),
      "CTA (0, 0, 0) has exited while 'cp.async.ca.shared.global' still writes "
      "its shared memory; wait until that is done");
}
