//===- LaunchControlTest.cpp - clusterlaunchcontrol ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EventLog.h"
#include "Harness.h"
#include "MustFail.h"

using namespace drawloom;
using namespace drawloom::emu;

/// One thread a CTA does its own tile and those of clusters that it gets
/// cancelled: it adds 1 + 100 * its rank to the tile's word. `query` fills %r1
/// to %r3 from %q. `multicast` goes to the whole cluster, from its first CTA.
static std::string kernel(const std::string &query, bool multicast) {
  return R"(
.visible .entry k(.param .u64 out) {
  .reg .pred %p, %more, %first;
  .reg .b32 %r<12>, %rank;
  .reg .b64 %rd<4>;
  .reg .b128 %q;
  .shared .align 16 .b8 answer[16];
  .shared .align 8 .b64 bar;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ctaid.y;
  mov.u32 %r3, %ctaid.z;
  mov.u32 %rank, %cluster_ctarank;
  setp.eq.u32 %first, %rank, 0;
  mov.u32 %r9, 0;
  mbarrier.init.shared::cta.b64 [bar], 1;
  fence.mbarrier_init.release.cluster;
  barrier.cluster.arrive;
  barrier.cluster.wait;
work:
  mov.u32 %r4, %nctaid.x;
  mov.u32 %r5, %nctaid.y;
  mad.lo.u32 %r6, %r3, %r5, %r2;
  mad.lo.u32 %r6, %r6, %r4, %r1;
  ld.param.u64 %rd1, [out];
  mad.wide.u32 %rd1, %r6, 4, %rd1;
  mad.lo.u32 %r7, %rank, 100, 1;
  red.global.add.u32 [%rd1], %r7;

  mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 16;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  )" +
         std::string(multicast
                         ? "@%first clusterlaunchcontrol.try_cancel.async."
                           "shared::cta.mbarrier::complete_tx::bytes."
                           "multicast::cluster::all.b128 [answer], [bar];"
                         : "clusterlaunchcontrol.try_cancel.async.shared::cta."
                           "mbarrier::complete_tx::bytes.b128 [answer], "
                           "[bar];") +
         R"(
wait:
  mbarrier.try_wait.parity.shared::cta.b64 %p, [bar], %r9;
  @!%p bra wait;
  xor.b32 %r9, %r9, 1;
  ld.shared.b128 %q, [answer];
  clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %more, %q;
  )" + query +
         R"(
  add.u32 %r1, %r1, %rank;
  @%more bra work;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  ret;
})";
}

static const char *const byVector =
    "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 "
    "{%r1, %r2, %r3, _}, %q;";
static const char *const byDimension =
    "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r1, %q;"
    "clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 %r2, %q;"
    "clusterlaunchcontrol.query_cancel.get_first_ctaid::z.b32.b128 %r3, %q;";

static DeviceModel fewSms(unsigned count) {
  DeviceModel model = *findDeviceModel("b200");
  model.memoryBytes = uint64_t(1) << 30;
  model.smCount = count;
  model.ctasPerSm = 1;
  return model;
}

// Two CTAs at a time; the CTA that asks gets the next tile; each is done once.
TEST(LaunchControl, EveryTileOnce) {
  for (const char *query : {byVector, byDimension})
    for (Policy policy :
         {Policy::Deterministic, Policy::Random, Policy::Adversarial}) {
      std::string text = kernel(query, false);
      Harness h("b200", text);
      h.reload(fewSms(2), text);
      h.options.policy = policy;
      uint64_t out = h.allocate<uint32_t>(24);
      EXPECT_TRUE(h.run("k", {4, 3, 2}, {1}, {out}));
      EXPECT_EQ(h.read<uint32_t>(out, 24), std::vector<uint32_t>(24, 1));
      // Cancelled CTAs never run.
      EXPECT_EQ(h.statistics.ctas, 2u);
    }
}

// A thread that decodes an answer is reported, each time.
TEST(LaunchControl, AnswersAreReported) {
  std::string text = kernel(byDimension, false);
  Harness h("b200", text);
  h.reload(fewSms(1), text);
  EventLog log;
  log.words = {"answer"};
  h.options.listener = &log;
  uint64_t out = h.allocate<uint32_t>(2);
  EXPECT_TRUE(h.run("k", {1, 2}, {1}, {out}));
  EventLog::Lines expected(4, "w0:1 answer 0,1,0");
  expected.insert(expected.end(), 4, "w0:1 answer none");
  EXPECT_EQ(log.lines(), expected);
}

// The answer goes to both CTAs of the cluster, and names the first of the one
// that was cancelled.
TEST(LaunchControl, ClustersShareTheAnswer) {
  std::string text = kernel(byVector, true);
  Harness h("b200", text);
  h.reload(fewSms(2), text);
  h.cluster = {2, 1, 1};
  uint64_t out = h.allocate<uint32_t>(12);
  EXPECT_TRUE(h.run("k", {4, 3, 1}, {1}, {out}));
  std::vector<uint32_t> expected;
  for (unsigned i = 0; i != 6; ++i)
    expected.insert(expected.end(), {1, 101});
  EXPECT_EQ(h.read<uint32_t>(out, 12), expected);
}

// A kernel may pass on that nothing is left, as 16 bytes of 0.
TEST(LaunchControl, ZerosAfterTheEnd) {
  std::string text = kernel(byVector, false);
  std::string last = "  @%more bra work;";
  text.insert(text.find(last) + last.size(),
              "mov.u64 %rd2, 0;"
              "mov.b128 %q, {%rd2, %rd2};"
              "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %more, "
              "%q;"
              "@%more bra work;");
  Harness h("b200", text);
  h.reload(fewSms(2), text);
  uint64_t out = h.allocate<uint32_t>(24);
  EXPECT_TRUE(h.run("k", {4, 3, 2}, {1}, {out}));
  EXPECT_EQ(h.read<uint32_t>(out, 24), std::vector<uint32_t>(24, 1));
}

/// The report of one cluster that executes the kernel with `from` replaced by
/// `to`.
static std::string failureOf(const std::string &from, const std::string &to,
                             unsigned ctas = 1, unsigned threads = 1,
                             bool multicast = false,
                             Policy policy = Policy::Deterministic) {
  std::string text = kernel(byVector, multicast);
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  Harness h("b200", text);
  h.cluster = {ctas};
  h.options.policy = policy;
  uint64_t out = h.allocate<uint32_t>(2 * ctas);
  return h.fail("k", {ctas}, {threads}, {out});
}

TEST(LaunchControlMustFail, AskingAgain) {
  EXPECT_CONTAINS(
      failureOf("  @%more bra work;",
                "  clusterlaunchcontrol.try_cancel.async.shared::cta."
                "mbarrier::complete_tx::bytes.b128 [answer], [bar];"),
      "the CTA has seen that no cluster is left; it must not ask for another "
      "one");
}

TEST(LaunchControlMustFail, MisalignedAnswer) {
  EXPECT_CONTAINS(failureOf("[answer], [bar]", "[answer+8], [bar]"),
                  "'answer+8' (0x10000000418) must be a multiple of 16");
}

TEST(LaunchControlMustFail, AnswerInAnotherCta) {
  EXPECT_CONTAINS(
      failureOf("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::"
                "complete_tx::bytes.b128 [answer], [bar];",
                "mov.u64 %rd1, answer; cvta.shared.u64 %rd1, %rd1;"
                "mapa.u64 %rd1, %rd1, 1;"
                "mov.u64 %rd2, bar; cvta.shared.u64 %rd2, %rd2;"
                "@%first clusterlaunchcontrol.try_cancel.async.mbarrier::"
                "complete_tx::bytes.b128 [%rd1], [%rd2];",
                2),
      "the destination 'answer+0' (0x10001000410) of CTA rank 1 isn't in the "
      "shared memory of this CTA (rank 0)");
}

TEST(LaunchControlMustFail, BarrierInAnotherCta) {
  EXPECT_CONTAINS(
      failureOf("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::"
                "complete_tx::bytes.b128 [answer], [bar];",
                "mov.u64 %rd1, answer; cvta.shared.u64 %rd1, %rd1;"
                "mov.u64 %rd2, bar; cvta.shared.u64 %rd2, %rd2;"
                "mapa.u64 %rd2, %rd2, 1;"
                "@%first clusterlaunchcontrol.try_cancel.async.mbarrier::"
                "complete_tx::bytes.b128 [%rd1], [%rd2];",
                2),
      "the mbarrier 'bar+0' (0x10001000400) of CTA rank 1 isn't in the shared "
      "memory of this CTA (rank 0)");
}

TEST(LaunchControlMustFail, WithoutABarrier) {
  EXPECT_CONTAINS(
      failureOf("mbarrier.init.shared::cta.b64 [bar], 1;",
                "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::"
                "complete_tx::bytes.b128 [answer], [bar];"),
      "the mbarrier at 'bar+0' (0x10000000410) isn't initialized");
}

TEST(LaunchControlMustFail, ReadBeforeItIsThere) {
  // The arrival alone ends the phase: nothing says that 16 bytes will come.
  EXPECT_CONTAINS(
      failureOf("mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 16;",
                "mbarrier.arrive.shared::cta.b64 _, [bar];"
                "ld.shared.b128 %q, [answer];"
                "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 "
                "%more, %q;"),
      "its operand isn't what a clusterlaunchcontrol.try_cancel has written; "
      "load the answer when the phase of its mbarrier is over");
}

TEST(LaunchControlMustFail, FirstCtaOfNoAnswer) {
  for (const char *query :
       {byVector,
        "clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 %r2, "
        "%q;"})
    EXPECT_CONTAINS(
        failureOf("ld.shared.b128 %q, [answer];",
                  std::string("mov.b128 %q, {%rd1, %rd1};") + query),
        "get_first_ctaid");
}

TEST(LaunchControlMustFail, TooManyBytesExpected) {
  EXPECT_CONTAINS(failureOf("_, [bar], 16;", "_, [bar], 32;"),
                  "is in phase 0 (parity 0): 16 bytes that are expected "
                  "haven't come");
}

TEST(LaunchControlMustFail, NothingExpected) {
  // The answer's bytes come in a phase that no thread has arrived at.
  EXPECT_CONTAINS(
      failureOf("mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 16;", ""),
      "is in phase 0 (parity 0): 1 of 1 arrivals is missing, 16 bytes more "
      "have come than are expected");
}

TEST(LaunchControlMustFail, EveryLaneAsks) {
  EXPECT_CONTAINS(
      failureOf("mbarrier.init.shared::cta.b64 [bar], 1;",
                "mov.u32 %r8, %tid.x; setp.ne.u32 %p, %r8, 0;"
                "@!%p mbarrier.init.shared::cta.b64 [bar], 32;",
                1, 32),
      "lane 1: 'clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::"
      "complete_tx::bytes.b128': another request will answer to 'answer+0' "
      "(0x10000000410), too, and hasn't yet; let one thread ask, and wait for "
      "the answer before it asks again");
}

TEST(LaunchControlMustFail, EveryCtaAsksForAll) {
  EXPECT_CONTAINS(failureOf("@%first clusterlaunchcontrol",
                            "clusterlaunchcontrol", 2, 1, true,
                            Policy::Adversarial),
                  "another request will answer to");
}

TEST(LaunchControlMustFail, AnswerToACtaThatHasExited) {
  EXPECT_CONTAINS(failureOf("@%first clusterlaunchcontrol",
                            "@!%first exit;\n"
                            "later:\n"
                            "add.u32 %r8, %r8, 1;\n"
                            "setp.lt.u32 %p, %r8, 5000;\n"
                            "@%p bra later;\n"
                            "@%first clusterlaunchcontrol",
                            2, 1, true),
                  "the destination 'answer+0' (0x10001000410) of CTA rank 1 is "
                  "in the shared "
                  "memory of a CTA that has exited");
}

TEST(LaunchControlMustFail, ExitBeforeTheAnswer) {
  EXPECT_CONTAINS(
      failureOf("wait:", "ret;\nwait:"),
      "CTA (0, 0, 0) has exited while 'clusterlaunchcontrol.try_cancel.async"
      ".shared::cta.mbarrier::complete_tx::bytes.b128' still writes its shared "
      "memory");
}
