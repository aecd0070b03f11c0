//===- MbarrierTest.cpp - mbarrier instructions ---------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AsyncKernel.h"

using namespace drawloom::emu;

static std::vector<uint32_t> same(uint32_t value, size_t count = 32) {
  return std::vector<uint32_t>(count, value);
}

static std::vector<uint32_t> values(const std::string &body,
                                    unsigned threads = 32, unsigned ctas = 1) {
  AsyncKernel kernel{body, threads, ctas};
  return kernel.values();
}

// 64 threads arrive, each waits for its state; what was stored before the
// arrival is there afterwards.
TEST(Mbarrier, ArriveAndWaitByState) {
  for (std::string wait : {"test_wait", "try_wait"})
    EXPECT_EQ(values(initBarriers({64}) + R"(
  mov.u32 %r1, smem;
  mad.lo.u32 %r1, %thread, 4, %r1;
  st.shared.u32 [%r1], %thread;
  mbarrier.arrive.shared::cta.b64 %rd1, [bars];
again:
  mbarrier.)" + wait + R"(.shared::cta.b64 %p1, [bars], %rd1;
  @!%p1 bra again;
  xor.b32 %r2, %thread, 63;
  mov.u32 %r1, smem;
  mad.lo.u32 %r1, %r2, 4, %r1;
  ld.shared.u32 %o, [%r1];
)",
                     64),
              [] {
                std::vector<uint32_t> expected;
                for (uint32_t thread = 0; thread != 64; ++thread)
                  expected.push_back(thread ^ 63);
                return expected;
              }());
}

// Phases 0, 1, 2 have the parities 0, 1, 0. A fresh barrier answers true for
// parity 1: the phase before the first one.
TEST(Mbarrier, Parity) {
  EXPECT_EQ(values(initBarriers({1}) + R"(
  mbarrier.test_wait.parity.shared::cta.b64 %p1, [bars], 1;
  mbarrier.test_wait.parity.shared::cta.b64 %p2, [bars], 0;
  selp.u32 %r1, 1, 0, %p1;
  selp.u32 %r2, 2, 0, %p2;
  bar.sync 0;
  @%leader mbarrier.arrive.shared::cta.b64 _, [bars];
  bar.sync 0;
  mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 %p1, [bars], 1;
  mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 %p2, [bars], 0, 100;
  selp.u32 %r3, 4, 0, %p1;
  selp.u32 %r4, 8, 0, %p2;
  or.b32 %o, %r1, %r2;
  or.b32 %o, %o, %r3;
  or.b32 %o, %o, %r4;
)"),
            same(1 | 8));
}

// A ring of one slot between a warp that fills it and one that sums it up, with
// the two parities that such rings have.
TEST(Mbarrier, Ring) {
  EXPECT_EQ(values(initBarriers({32, 32}) + R"(
  mov.u32 %r1, 0;           // round
  mov.u32 %r10, smem;
  and.b32 %r11, %thread, 31;
  mad.lo.u32 %r10, %r11, 4, %r10;
  setp.ge.u32 %p1, %thread, 32;
  @%p1 bra consumer;
producer:
  and.b32 %r2, %r1, 1;
  xor.b32 %r2, %r2, 1;
empty:
  mbarrier.try_wait.parity.shared::cta.b64 %p2, [bars+8], %r2;
  @!%p2 bra empty;
  mad.lo.u32 %r3, %r1, 100, %thread;
  st.shared.u32 [%r10], %r3;
  mbarrier.arrive.shared::cta.b64 _, [bars];
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p3, %r1, 7;
  @%p3 bra producer;
  bra done;
consumer:
  and.b32 %r2, %r1, 1;
full:
  mbarrier.try_wait.parity.shared::cta.b64 %p2, [bars], %r2;
  @!%p2 bra full;
  ld.shared.u32 %r3, [%r10];
  add.u32 %o, %o, %r3;
  mbarrier.arrive.shared::cta.b64 _, [bars+8];
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p3, %r1, 7;
  @%p3 bra consumer;
done:
)",
                   64),
            [] {
              std::vector<uint32_t> expected(32, 0);
              for (uint32_t lane = 0; lane != 32; ++lane)
                expected.push_back(7 * lane + 2100);
              return expected;
            }());
}

// expect_tx holds the phase until as many bytes are complete, in any order;
// bytes may be complete before they are expected.
TEST(Mbarrier, TransactionBytes) {
  const std::string test = R"(
  mbarrier.test_wait.parity.shared::cta.b64 %p1, [bars], 0;
  selp.u32 %r1, 1, 0, %p1;
  shl.b32 %o, %o, 1;
  or.b32 %o, %o, %r1;
)";
  auto sequence = [&](std::initializer_list<const char *> steps) {
    std::string body = initBarriers({2});
    for (const char *step : steps)
      body += "@%leader " + std::string(step) + ";\nbar.sync 0;\n" + test +
              "bar.sync 0;\n";
    return values(body);
  };
  EXPECT_EQ(
      sequence({"mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bars], 100",
                "mbarrier.arrive.shared::cta.b64 _, [bars], 2",
                "mbarrier.complete_tx.shared::cta.b64 [bars], 60",
                "mbarrier.complete_tx.shared::cta.b64 [bars], 40"}),
      same(0b0001));
  EXPECT_EQ(
      sequence({"mbarrier.complete_tx.shared::cta.b64 [bars], 1048575",
                "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bars], 5",
                "mbarrier.arrive.release.cluster.shared::cta.b64 _, [bars]",
                "mbarrier.expect_tx.shared::cta.b64 [bars], 1048570"}),
      same(0b0001));
  EXPECT_EQ(sequence({"mbarrier.arrive.expect_tx.shared::cta.b64 _, [bars], 64",
                      "mbarrier.complete_tx.shared::cta.b64 [bars], 64",
                      "mbarrier.arrive.shared::cta.b64 _, [bars]"}),
            same(0b001));
}

// Generic addresses: the same forms without a space.
TEST(Mbarrier, GenericAddresses) {
  EXPECT_EQ(values(R"(
  mov.u64 %rd1, bars;
  cvta.shared.u64 %rd1, %rd1;
  @%leader mbarrier.init.b64 [%rd1], 33;
  bar.sync 0;
  mbarrier.arrive.b64 %rd2, [%rd1];
  @%leader mbarrier.arrive.expect_tx.b64 _, [%rd1], 16;
  @%leader mbarrier.complete_tx.b64 [%rd1+0], 16;
again:
  mbarrier.try_wait.b64 %p1, [%rd1], %rd2;
  @!%p1 bra again;
  bar.sync 0;
  @%leader mbarrier.inval.b64 [%rd1];
  @%leader mbarrier.init.shared.b64 [bars], 1;
  selp.u32 %o, 1, 0, %p1;
)"),
            same(1));
}

// arrive_drop: the thread is not expected in later phases either.
TEST(Mbarrier, Drop) {
  EXPECT_EQ(values(initBarriers({3}) + R"(
  @%leader mbarrier.arrive_drop.shared::cta.b64 _, [bars];
  @%leader mbarrier.arrive_drop.expect_tx.shared::cta.b64 _, [bars], 32;
  @%leader mbarrier.complete_tx.shared::cta.b64 [bars], 32;
  @%leader mbarrier.arrive.shared::cta.b64 _, [bars];
  bar.sync 0;
)" + waitFor("bars", 0) +
                   R"(
  // One arrival is enough now.
  @%leader mbarrier.arrive.shared::cta.b64 _, [bars];
)" + waitFor("bars", 1) +
                   "mov.u32 %o, 7;"),
            same(7));
}

// noComplete returns a state from which the missing arrivals can be read.
TEST(Mbarrier, PendingCount) {
  EXPECT_EQ(values(initBarriers({20}) + R"(
  mov.u32 %r1, 0;
  @!%leader bra skip;
  mbarrier.arrive.noComplete.shared::cta.b64 %rd1, [bars], 5;
  mbarrier.pending_count.b64 %r1, %rd1;
  mbarrier.arrive_drop.noComplete.release.cta.shared::cta.b64 %rd1, [bars], 4;
  mbarrier.pending_count.b64 %r2, %rd1;
  mad.lo.u32 %r1, %r2, 100, %r1;
  mbarrier.arrive.shared::cta.b64 _, [bars], 11;
  // The next phase expects 16.
  mbarrier.arrive.shared::cta.b64 _, [bars], 16;
skip:
  bar.sync 0;
)" + waitFor("bars", 1) +
                   "mov.u32 %o, %r1;")[0],
            20u + 100 * 15);
}

// Both CTAs arrive at the barrier of rank 0, by shared::cluster and generic
// addresses, and only rank 0 waits.
TEST(Mbarrier, RemoteArrival) {
  AsyncKernel kernel;
  kernel.ctas = 2;
  kernel.body = initBarriers({2 * 32 + 2}) + R"(
  mov.u32 %r1, bars;
  mapa.shared::cluster.u32 %r2, %r1, 0;
  mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r2];
  mov.u64 %rd1, bars;
  cvta.shared.u64 %rd1, %rd1;
  mapa.u64 %rd2, %rd1, 0;
  @%leader mbarrier.arrive.expect_tx.release.cluster.b64 _, [%rd2], 48;
  @%leader mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r2], 48;
  setp.ne.u32 %p1, %rank, 0;
  @%p1 bra done;
)" + waitFor("bars", 0) +
                R"(
  mov.u32 %o, 5;
done:
  barrier.cluster.arrive;
  barrier.cluster.wait;
)";
  std::vector<uint32_t> expected = same(5);
  expected.resize(64);
  EXPECT_EQ(kernel.values(), expected);
}

// Lanes of one warp at barriers of their own, and at different phases.
TEST(Mbarrier, LanesWithBarriersOfTheirOwn) {
  EXPECT_EQ(values(R"(
  setp.ge.u32 %p1, %thread, 4;
  mov.u32 %r1, bars;
  and.b32 %r2, %thread, 3;
  mad.lo.u32 %r1, %r2, 8, %r1;
  @!%p1 mbarrier.init.shared::cta.b64 [%r1], 8;
  bar.sync 0;
  mbarrier.arrive.shared::cta.b64 %rd1, [%r1];
again:
  mbarrier.try_wait.shared::cta.b64 %p2, [%r1], %rd1;
  @!%p2 bra again;
  selp.u32 %o, 1, 0, %p2;
)"),
            same(1));
}

// Some compilers widen a predicate with its sign: 1 becomes -1.
// The lowest bit counts. 1 comes as -1 from a predicate that is a signed
// number.
TEST(Mbarrier, ParityIsABit) {
  EXPECT_EQ(values(initBarriers({1}) + R"(
  mov.u32 %r1, -1;
  mbarrier.test_wait.parity.shared::cta.b64 %p1, [bars], %r1;
  mov.u32 %r2, 2;
  mbarrier.test_wait.parity.shared::cta.b64 %p2, [bars], %r2;
  mov.u32 %r3, 3;
  mbarrier.test_wait.parity.shared::cta.b64 %p3, [bars], %r3;
  selp.u32 %r1, 1, 0, %p1;
  selp.u32 %r2, 2, 0, %p2;
  selp.u32 %r3, 4, 0, %p3;
  or.b32 %o, %r1, %r2;
  or.b32 %o, %o, %r3;
)"),
            same(1 | 4));
}

// All lanes, and then another one: as if it were once.
TEST(Mbarrier, InitializedAgain) {
  EXPECT_EQ(values(R"(
  mbarrier.init.shared::cta.b64 [bars], 2;
  @%leader mbarrier.init.shared::cta.b64 [bars], 1;
  @%leader mbarrier.arrive.shared::cta.b64 _, [bars];
  bar.sync 0;
  mbarrier.test_wait.parity.shared::cta.b64 %p1, [bars], 0;
  selp.u32 %o, 1, 0, %p1;
)"),
            same(1));
}

// A ring of one slot. Lane 0 of warp 1 arrives for its warp: in even rounds so
// late that the other lanes wait for the next phase already, in odd ones so
// early that it is over when they come. When a wait began is forgotten when it
// is over.
TEST(Mbarrier, LanesBeginToWaitOneAfterTheOther) {
  EXPECT_EQ(values(initBarriers({1, 1}) + R"(
  mov.u32 %r3, 0;
  setp.eq.u32 %p1, %warp, 1;
  @%p1 bra reads;
fills:
  xor.b32 %r4, %r3, 1;
  and.b32 %r4, %r4, 1;
fills_wait:
  mbarrier.try_wait.parity.shared::cta.b64 %p2, [bars+8], %r4;
  @!%p2 bra fills_wait;
  @%leader mbarrier.arrive.shared::cta.b64 _, [bars];
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p3, %r3, 8;
  @%p3 bra fills;
  bra done;
reads:
  and.b32 %r4, %r3, 1;
reads_wait:
  mbarrier.try_wait.parity.shared::cta.b64 %p2, [bars], %r4;
  @!%p2 bra reads_wait;
  setp.ne.u32 %p3, %thread, 32;
  bar.warp.sync -1;
  @%p3 bra next;
  and.b32 %r5, %r3, 1;
  setp.eq.u32 %p4, %r5, 1;
  mov.u32 %r6, 0;
  @%p4 bra arrive;
before:
  add.u32 %r6, %r6, 1;
  setp.lt.u32 %p2, %r6, 5000;
  @%p2 bra before;
arrive:
  mbarrier.arrive.shared::cta.b64 _, [bars+8];
  @!%p4 bra next;
after:
  add.u32 %r6, %r6, 1;
  setp.lt.u32 %p2, %r6, 5000;
  @%p2 bra after;
next:
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p3, %r3, 8;
  @%p3 bra reads;
done:
  mov.u32 %o, %r3;
)",
                   64),
            std::vector<uint32_t>(64, 8));
}
