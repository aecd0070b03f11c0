//===- MbarrierMustFailTest.cpp - What is wrong with an mbarrier ----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AsyncKernel.h"

using namespace drawloom::emu;

static std::string failure(const std::string &body, unsigned threads = 32,
                           unsigned ctas = 1) {
  AsyncKernel kernel{body, threads, ctas};
  return kernel.failure();
}

TEST(MbarrierMustFail, OverArrival) {
  EXPECT_CONTAINS(
      failure(initBarriers({2}) + R"(
  @%leader mbarrier.expect_tx.shared::cta.b64 [bars], 16;
  @%leader mbarrier.arrive.shared::cta.b64 _, [bars], 3;
)"),
      "lane 0: 'mbarrier.arrive.shared::cta.b64': the mbarrier at 'bars+0' "
      "(0x10000000400) has too many arrivals: 3 more in phase 0, in which 2 of "
      "2 are "
      "missing");
  EXPECT_CONTAINS(
      failure(initBarriers({2}) + R"(
  @%leader mbarrier.expect_tx.shared::cta.b64 [bars], 16;
  mbarrier.arrive.shared::cta.b64 _, [bars];
)"),
      "lane 2: 'mbarrier.arrive.shared::cta.b64': the mbarrier at 'bars+0' "
      "(0x10000000400) has too many arrivals: 1 more in phase 0, in which 0 of "
      "2 are missing (the phase is still waiting for 16 bytes)");
}

TEST(MbarrierMustFail, BytesOutOfRange) {
  EXPECT_CONTAINS(failure(initBarriers({1}) + R"(
  mbarrier.expect_tx.shared::cta.b64 [bars], 1048575;
)"),
                  "lane 1: 'mbarrier.expect_tx.shared::cta.b64': the mbarrier "
                  "at 'bars+0' (0x10000000400) would have 2097150 bytes "
                  "outstanding; the count ranges from -1048575 to 1048575");
  EXPECT_CONTAINS(failure(initBarriers({1}) + R"(
  @%leader mbarrier.complete_tx.shared::cta.b64 [bars], 1048576;
)"),
                  "would have -1048576 bytes outstanding");
}

TEST(MbarrierMustFail, InitOfALiveBarrier) {
  EXPECT_CONTAINS(failure(initBarriers({2}) + R"(
  @%leader mbarrier.arrive.shared::cta.b64 _, [bars];
  @%leader mbarrier.init.shared::cta.b64 [bars], 2;
)"),
                  "the mbarrier at 'bars+0' (0x10000000400) is initialized "
                  "again while it is in use (line 19 initialized it): in phase "
                  "0, 1 of 2 arrivals is missing");
}

TEST(MbarrierMustFail, InitCount) {
  EXPECT_CONTAINS(failure(R"(
  mov.u32 %r1, 0;
  @%leader mbarrier.init.shared::cta.b64 [bars], %r1;
)"),
                  "can't expect 0 arrivals; 1 to 1048575 are possible");
  EXPECT_CONTAINS(failure(R"(
  mov.u32 %r1, 1048576;
  @%leader mbarrier.init.shared::cta.b64 [bars], %r1;
)"),
                  "can't expect 1048576 arrivals; 1 to 1048575 are possible");
}

TEST(MbarrierMustFail, NotInitialized) {
  for (std::string step :
       {"mbarrier.arrive.shared::cta.b64 _, [bars+8]",
        "mbarrier.inval.shared::cta.b64 [bars+8]",
        "mbarrier.expect_tx.shared::cta.b64 [bars+8], 16",
        "mbarrier.try_wait.parity.shared::cta.b64 %p1, [bars+8], 0"})
    EXPECT_CONTAINS(failure("@%leader " + step + ";"),
                    "the mbarrier at 'bars+8' (0x10000000408) isn't "
                    "initialized");
  EXPECT_CONTAINS(failure(initBarriers({1}) + R"(
  @%leader mbarrier.inval.shared::cta.b64 [bars];
  @%leader mbarrier.arrive.shared::cta.b64 _, [bars];
)"),
                  "was invalidated, and not initialized since");
}

TEST(MbarrierMustFail, OverwrittenMemory) {
  EXPECT_CONTAINS(failure(initBarriers({1}) + R"(
  @%leader st.shared.u32 [bars], 0;
  @%leader mbarrier.arrive.shared::cta.b64 _, [bars];
)"),
                  "the mbarrier at 'bars+0' (0x10000000400) was written to by "
                  "something that isn't an mbarrier operation");
}

TEST(MbarrierMustFail, Misaligned) {
  EXPECT_CONTAINS(
      failure("@%leader mbarrier.init.shared::cta.b64 [bars+4], 1;"),
      "an mbarrier at 'bars+4' (0x10000000404); the address must be a "
      "multiple of 8");
}

TEST(MbarrierMustFail, NotInSharedMemory) {
  EXPECT_CONTAINS(failure("@%leader mbarrier.arrive.b64 _, [%in];"),
                  "which isn't in shared memory");
  EXPECT_CONTAINS(failure("mov.u32 %r1, 0x700000;"
                          "@%leader mbarrier.init.shared.b64 [%r1], 1;"),
                  "byte 7340032 of shared memory");
}

TEST(MbarrierMustFail, RemoteWait) {
  const std::string remote = initBarriers({1}) + R"(
  mov.u32 %r1, bars;
  xor.b32 %r2, %rank, 1;
  mapa.shared::cluster.u32 %r2, %r1, %r2;
)";
  EXPECT_CONTAINS(
      failure(remote +
                  "mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r2], 0;",
              32, 2),
      "'mbarrier.try_wait.parity.shared::cta.b64': the mbarrier at 'bars+0' "
      "(0x10000000400) of CTA rank 0 isn't in the shared memory of this CTA "
      "(rank 1)");
  EXPECT_CONTAINS(
      failure(remote + "mbarrier.init.shared::cta.b64 [%r2], 1;", 32, 2),
      "isn't in the shared memory of this CTA");
  EXPECT_CONTAINS(
      failure(remote + "mbarrier.arrive.shared::cta.b64 %rd1, [%r2];", 32, 2),
      "so the arrival can't have a result; write '_'");
}

TEST(MbarrierMustFail, RemoteCtaHasExited) {
  EXPECT_CONTAINS(failure(initBarriers({1}) + R"(
  mov.u32 %r1, bars;
  mapa.shared::cluster.u32 %r2, %r1, 1;
  setp.eq.u32 %p1, %rank, 1;
  @%p1 exit;
  mov.u32 %r3, 0;
spin:
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p2, %r3, 5000;
  @%p2 bra spin;
  @%leader mbarrier.arrive.shared::cluster.b64 _, [%r2];
)",
                          32, 2),
                  "of CTA rank 1, which has exited: its shared memory is gone");
}

TEST(MbarrierMustFail, NoCompleteThatCompletes) {
  EXPECT_CONTAINS(failure(initBarriers({2}) + R"(
  @%leader mbarrier.arrive.noComplete.shared::cta.b64 _, [bars], 2;
)"),
                  "would complete phase 0 by an arrival that says "
                  ".noComplete");
}

TEST(MbarrierMustFail, PendingCountOfAnotherState) {
  EXPECT_CONTAINS(failure(initBarriers({64}) + R"(
  mbarrier.arrive.shared::cta.b64 %rd1, [bars];
  mbarrier.pending_count.b64 %r1, %rd1;
)"),
                  "the state isn't the result of an arrival with .noComplete");
}

TEST(MbarrierMustFail, StateOfAnOldPhase) {
  EXPECT_CONTAINS(failure(initBarriers({1}) + R"(
  @!%leader bra done;
  mbarrier.arrive.shared::cta.b64 %rd1, [bars];
  mbarrier.arrive.shared::cta.b64 _, [bars];
  mbarrier.test_wait.shared::cta.b64 %p1, [bars], %rd1;
done:
)"),
                  "the state is of phase 0, and the mbarrier is in phase 2; a "
                  "wait can be for that phase or the one before");
  EXPECT_CONTAINS(failure(initBarriers({1, 1}) + R"(
  @%leader mbarrier.arrive.shared::cta.b64 %rd1, [bars];
  @%leader mbarrier.test_wait.shared::cta.b64 %p1, [bars+8], %rd1;
)"),
                  "the state isn't the result of an arrival at this mbarrier");
}

// Warp 1 waits for phase 0. Warp 0 completes it, and the next one at once,
// without knowing whether the wait is over.
TEST(MbarrierMustFail, ParityWraps) {
  EXPECT_CONTAINS(
      failure(initBarriers({1}) + R"(
  setp.eq.u32 %p1, %warp, 1;
  @%p1 bra waiter;
  mov.u32 %r3, 0;
spin:
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p2, %r3, 5000;
  @%p2 bra spin;
  @%leader mbarrier.arrive.shared::cta.b64 _, [bars];
  @%leader mbarrier.arrive.shared::cta.b64 _, [bars];
  bra done;
waiter:
)" + waitFor("bars", 0) +
                  "done:",
              64),
      "the parity wrapped: 2 phases of the mbarrier at 'bars+0' "
      "(0x10000000400) have ended since this wait for phase 0 "
      "began; the arriving threads must know that the wait is over");
}

TEST(MbarrierMustFail, InvalWhileOthersWait) {
  EXPECT_CONTAINS(failure(initBarriers({1}) + R"(
  setp.eq.u32 %p1, %warp, 1;
  @%p1 bra waiter;
  mov.u32 %r3, 0;
spin:
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p2, %r3, 5000;
  @%p2 bra spin;
  @%leader mbarrier.inval.shared::cta.b64 [bars];
  bra done;
waiter:
)" + waitFor("bars", 0) + "done:",
                          64),
                  "is invalidated while others wait for it");
}

TEST(MbarrierMustFail, TooManyDropped) {
  EXPECT_CONTAINS(failure(initBarriers({2}) + R"(
  @!%leader bra done;
  mbarrier.arrive_drop.shared::cta.b64 _, [bars], 2;
  mbarrier.arrive_drop.shared::cta.b64 _, [bars], 1;
done:
)"),
                  "has too many arrivals: 1 more in phase 1, in which 0 of 0 "
                  "are missing");
}

// What a barrier lacks is in the report: arrivals, bytes that don't come, bytes
// that no thread expects.
TEST(MbarrierMustFail, DeadlocksNameWhatIsMissing) {
  EXPECT_CONTAINS(failure(initBarriers({2}) + R"(
  @%leader mbarrier.arrive.expect_tx.shared::cta.b64 _, [bars], 64;
)" + waitFor("bars", 0)),
                  "mbarrier at 'bars+0' (0x10000000400) is in phase 0 (parity "
                  "0): 1 of 2 arrivals is missing, 64 bytes that are expected "
                  "haven't come");
  EXPECT_CONTAINS(failure(initBarriers({1}) + R"(
  @%leader mbarrier.complete_tx.shared::cta.b64 [bars], 16;
  @%leader mbarrier.arrive.shared::cta.b64 _, [bars];
)" + waitFor("bars", 0)),
                  "is in phase 0 (parity 0): 16 bytes more have come than are "
                  "expected");
}
