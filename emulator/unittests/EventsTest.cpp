//===- EventsTest.cpp - Events of warps --------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whole sequences of events of small kernels, as the PTX ISA means them. Those
// of engines are in AsyncEventsTest.cpp and TensorEventsTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "EventLog.h"
#include "Harness.h"
#include "drawloom/Emulator/AddressMap.h"

using namespace drawloom;
using namespace drawloom::emu;
using Lines = EventLog::Lines;

/// A kernel around `body` with 256 words of shared memory, %r<16>, %rd<8>,
/// %p<8>, and %out, %tid and %warp.
static std::string kernel(const std::string &body) {
  return R"(
.visible .entry k(.param .u64 out) {
  .reg .pred %p<8>;
  .reg .b32 %r<16>, %t, %warp;
  .reg .b64 %rd<8>, %out;
  .shared .align 16 .b32 words[256];
  ld.param.u64 %out, [out];
  mov.u32 %t, %tid.x;
  shr.u32 %warp, %t, 5;
)" + body +
         "\n  ret;\n}";
}

/// What a grid of one cluster tells.
static Lines eventsOf(const std::string &body, unsigned threads,
                      unsigned ctas = 1,
                      const std::vector<std::string> &words = {}) {
  Harness h("h100", kernel(body));
  EventLog log;
  log.words = words;
  h.options.listener = &log;
  h.cluster = {ctas};
  uint64_t out = h.allocate<uint32_t>(64);
  log.name("out", out, 256);
  EXPECT_TRUE(h.run("k", {ctas}, {threads}, {out}));
  return log.lines();
}

TEST(Events, AccessesHaveOrderScopeAndLanes) {
  EXPECT_EQ(eventsOf(R"(
  shl.b32 %r1, %t, 2;
  mov.u32 %r2, words;
  add.u32 %r1, %r1, %r2;
  st.shared.u32 [%r1], %t;
  ld.volatile.shared.u32 %r3, [words];
  setp.lt.u32 %p1, %t, 2;
  @%p1 ld.global.nc.u32 %r3, [%out];
  @%p1 atom.global.add.u32 %r3, [%out], 1;
  @%p1 red.release.sys.global.add.u32 [%out+4], 1;
  @%p1 st.release.cta.global.u32 [%out+8], 1;
  @%p1 ld.acquire.cluster.global.u32 %r3, [%out+8];
  @%p1 atom.acq_rel.gpu.global.cas.b32 %r3, [%out+12], 0, 5;
  setp.eq.u32 %p2, %t, 3;
  @%p2 st.global.v4.u32 [%out+16], {1, 2, 3, 4};
)",
                     32),
            (Lines{"alone", "w0 write unchanged:1 s:4x32/4",
                   "w0 read relaxed.sys s:4x32/0", "w0:3 read nc out:4x2/0",
                   "w0:3 atomic relaxed.gpu out:4x2/0",
                   "w0:3 reduce release.sys out+4:4x2/0",
                   "w0:3 write release.cta out+8:4x2/0",
                   "w0:3 read acquire.cluster out+8:4x2/0",
                   // The second lane finds what the first has written.
                   "w0:3 atomic acq_rel.gpu failed:2 out+12:4x2/0",
                   "w0:8 write out+16:16", "w0 exit", "cta 0"}));
}

// Lanes at unequal distances are several ranges. What only a thread sees is
// reported by itself, also at a generic address that other lanes have
// elsewhere.
TEST(Events, AccessesOfScatteredLanes) {
  EXPECT_EQ(eventsOf(R"(
  setp.lt.u32 %p1, %t, 4;
  mul.lo.u32 %r1, %t, %t;
  shl.b32 %r1, %r1, 2;
  mov.u32 %r2, words;
  add.u32 %r1, %r1, %r2;
  @%p1 st.shared.u32 [%r1], %t;
  .local .b32 own[4];
  st.local.u32 [own], %t;
  mov.u64 %rd1, own;
  cvta.local.u64 %rd1, %rd1;
  st.u32 [%rd1], %t;
  mov.u64 %rd2, words;
  cvta.shared.u64 %rd2, %rd2;
  setp.eq.u32 %p2, %t, 9;
  @%p2 mov.u64 %rd1, %rd2;
  st.u32 [%rd1], %t;
)",
                     32, 1, {"write", "local"}),
            (Lines{"w0 local write l:16x32/0", "w0 local allocate l:16x32/0",
                   "w0:f write unchanged:1 s:4x2/4@3 s+16:4x2/20@c",
                   "w0 local write l:4x32/0", "w0 local write l:4x32/0",
                   "w0:fffffdff local write l:4x31/0", "w0:200 write s:4"}));
}

// A call has a frame of its own, with a parameter and a variable. alloca gives
// memory behind it.
TEST(Events, LocalMemoryOfCalls) {
  Harness h("h100", R"(
.func f(.param .u32 given) {
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  .local .b32 own[2];
  ld.param.u32 %r0, [given];
  st.local.u32 [own+4], %r0;
  alloca.u64 %rd0, 8;
  ld.local.u32 %r1, [%rd0];
  ret;
}
.visible .entry k() {
  .param .u32 p;
  st.param.u32 [p], 1;
  call f, (p);
  ret;
})");
  EventLog log;
  log.words = {"local"};
  h.options.listener = &log;
  EXPECT_TRUE(h.run("k", {1}, {1}, {}));
  // The frame begins at a multiple of 16, with 8 bytes for the way back.
  EXPECT_EQ(log.lines(),
            (Lines{"w0:1 local write l:4", "w0:1 local write l+16:20",
                   "w0:1 local allocate l+28:8", "w0:1 local read l+24:4",
                   "w0:1 local write l+32:4", "w0:1 local allocate l+40:8",
                   "w0:1 local read l+40:4"}));
}

TEST(Events, NamedBarriers) {
  EXPECT_EQ(eventsOf(R"(
  setp.eq.u32 %p1, %warp, 0;
  bar.sync 0;
  @%p1 bar.arrive 1, 64;
  @!%p1 bar.sync 1, 64;
)",
                     64, 1, {"arrive", "complete", "wait"}),
            (Lines{"w0 arrive barrier 0 round 0 of all and wait",
                   "w1 arrive barrier 0 round 0 of all and wait",
                   "w1 complete barrier 0 round 0 w0 w1",
                   "w0 wait barrier 0 round 0", "w1 wait barrier 0 round 0",
                   "w1 arrive barrier 1 round 0 of 64 and wait",
                   "w0 arrive barrier 1 round 0 of 64",
                   "w0 complete barrier 1 round 0 w1 w0",
                   "w1 wait barrier 1 round 0"}));
}

// Lanes of one warp may come one after the other, and a barrier of all threads
// doesn't wait for those that have exited.
TEST(Events, NamedBarriersWithoutAWholeWarp) {
  EXPECT_EQ(eventsOf(R"(
  setp.ge.u32 %p1, %t, 16;
  @%p1 bra upper;
  barrier.sync 2;
  bra done;
upper:
  barrier.sync 2;
done:
)",
                     32, 1, {"arrive", "complete", "wait"}),
            (Lines{"w0:ffff arrive barrier 2 round 0 of all and wait",
                   "w0:ffff0000 arrive barrier 2 round 0 of all and wait",
                   "w0:ffff0000 complete barrier 2 round 0 w0",
                   "w0:ffff wait barrier 2 round 0",
                   "w0:ffff0000 wait barrier 2 round 0"}));
  EXPECT_EQ(eventsOf(R"(
  setp.eq.u32 %p1, %warp, 1;
  @%p1 exit;
  bar.sync 0;
)",
                     64),
            (Lines{"alone", "w0 arrive barrier 0 round 0 of all and wait",
                   "w1 exit", "w1 complete barrier 0 round 0 w0",
                   "w0 wait barrier 0 round 0", "w0 exit", "cta 0"}));
}

// Only bar.warp.sync orders memory.
TEST(Events, LanesOfAWarpMeet) {
  EXPECT_EQ(eventsOf(R"(
  bar.warp.sync 0xffffffff;
  elect.sync %r1|%p1, 0xffffffff;
  shfl.sync.idx.b32 %r1, %t, 0, 0x1f, 0xffffffff;
  setp.lt.u32 %p2, %t, 4;
  @%p2 bar.warp.sync 0xf;
)",
                     32, 1, {"meet"}),
            (Lines{"w0 meet acq_rel", "w0 meet relaxed", "w0 meet relaxed",
                   "w0:f meet acq_rel"}));
}

TEST(Events, ClusterBarriers) {
  EXPECT_EQ(
      eventsOf(R"(
  barrier.cluster.arrive.relaxed;
  barrier.cluster.wait;
  barrier.cluster.arrive;
  barrier.cluster.wait;
)",
               32, 2),
      (Lines{"alone", "w0 arrive cluster relaxed round 0",
             "c1w0 arrive cluster relaxed round 0",
             "c1w0 complete cluster round 0",
             "c1w0 wait cluster acquire round 0",
             "c1w0 arrive cluster release round 1",
             "w0 wait cluster acquire round 0",
             "w0 arrive cluster release round 1", "w0 complete cluster round 1",
             "w0 wait cluster acquire round 1", "w0 exit", "cta 0",
             "c1w0 wait cluster acquire round 1", "c1w0 exit", "cta 1"}));
}

TEST(Events, Fences) {
  EXPECT_EQ(
      eventsOf(R"(
  fence.sc.cta;
  fence.acq_rel.gpu;
  fence.acquire.cluster;
  fence.release.sync_restrict::shared::cta.cluster;
  fence.mbarrier_init.release.cluster;
  fence.proxy.async;
  fence.proxy.async.shared::cta;
  fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;
  fence.proxy.tensormap::generic.release.gpu;
  fence.proxy.tensormap::generic.acquire.sys [%out], 128;
  membar.gl;
  membar.proxy.alias;
)",
               32, 1, {"fence"}),
      (Lines{"w0 fence sc.cta", "w0 fence acq_rel.gpu",
             "w0 fence acquire.cluster", "w0 fence release.cluster shared::cta",
             "w0 fence mbarrier_init release.cluster", "w0 fence async",
             "w0 fence async shared::cta",
             "w0 fence async acquire.cluster shared::cluster",
             "w0 fence tensormap release.gpu",
             "w0 fence tensormap acquire.sys out:128", "w0 fence sc.gpu",
             "w0 fence alias"}));
}

TEST(Events, LaunchesAndTheirDependencies) {
  Harness h("h100", R"(
.visible .entry first() { griddepcontrol.launch_dependents; ret; }
.visible .entry second() { griddepcontrol.wait; ret; })");
  Launch launches[2];
  for (unsigned index : {0, 1}) {
    launches[index].kernel = h.kernel(index ? "second" : "first");
    launches[index].grid = {index ? 1u : 2u};
    launches[index].block = {1};
  }
  launches[1].programmatic = true;
  EventLog log;
  h.options.listener = &log;
  ASSERT_TRUE(emu::run(*h.device, launches, h.options).ok());
  // The second launch starts when both CTAs of the first are past their
  // instruction, and those end in the same round.
  EXPECT_EQ(log.run,
            (Lines{"launch 0", "cluster 0 of launch 0: CTAs 0",
                   "cluster 1 of launch 0: CTAs 1", "end of cluster 0",
                   "end of cluster 1", "end of launch 0",
                   "launch 1 programmatic", "cluster 0 of launch 1: CTAs 0",
                   "end of cluster 0", "end of launch 1"}));
  EXPECT_EQ((log.clusters[{0, 1}]),
            (Lines{"alone", "w0:1 launch dependents", "w0:1 exit", "cta 0",
                   "side by side"}));
  EXPECT_EQ((log.clusters[{1, 0}]),
            (Lines{"alone", "w0:1 prerequisites over", "w0:1 exit", "cta 0",
                   "side by side"}));
}

TEST(Events, CtasOfClustersStartInOrder) {
  Harness h("h100", ".visible .entry k() { ret; }");
  EventLog log;
  h.options.listener = &log;
  h.cluster = {2, 2, 1};
  ASSERT_TRUE(h.run("k", {4, 2, 1}, {32}, {}));
  EXPECT_EQ(log.run,
            (Lines{"launch 0", "cluster 0 of launch 0: CTAs 0 1 4 5",
                   "cluster 1 of launch 0: CTAs 2 3 6 7", "end of cluster 0",
                   "end of cluster 1", "end of launch 0"}));
}

//===----------------------------------------------------------------------===//
// The run as a whole
//===----------------------------------------------------------------------===//

/// Clusters that count in global memory, after a loop that is long enough for
/// other host threads to start.
static const char *counting = R"(
.visible .entry k(.param .u64 out) {
  .reg .pred %p;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  .shared .align 16 .b32 words[64];
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, 0;
  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r2, 4, 0;
  mov.u32 %r4, words;
  add.u32 %r3, %r3, %r4;
again:
  st.shared.u32 [%r3], %r1;
  bar.sync 0;
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p, %r1, 2000;
  @%p bra again;
  atom.global.add.u32 %r5, [%rd1], 1;
  st.global.u32 [%rd1+4], %r5;
  ret;
})";

TEST(Events, AreTheSameOnAnyNumberOfHostThreads) {
  auto eventsOn = [](unsigned threads) {
    Harness h("h100", counting);
    EventLog log;
    h.options.listener = &log;
    h.options.threads = threads;
    uint64_t out = h.allocate<uint32_t>(2);
    log.name("out", out, 8);
    EXPECT_TRUE(h.run("k", {24}, {64}, {out}));
    EXPECT_GT(log.rounds, 1u);
    return std::make_pair(log.clusters, log.run);
  };
  auto one = eventsOn(1);
  ASSERT_EQ(one.first.size(), 24u);
  const Lines &lines = one.first[{0, 7}];
  // What may synchronize clusters is reported when the cluster is alone.
  auto at = llvm::find(lines, "w0 atomic relaxed.gpu out:4x32/0");
  ASSERT_NE(at, lines.end());
  EXPECT_EQ(*std::prev(at), "alone");
  EXPECT_EQ(lines.back(), "side by side");
  for (unsigned threads : {2, 4}) {
    auto other = eventsOn(threads);
    EXPECT_EQ(other.second, one.second);
    EXPECT_TRUE(other.first == one.first) << threads;
  }
}

// A listener sees the run that there is without it.
TEST(Events, ChangeNothing) {
  auto statisticsWith = [](Listener *listener) {
    Harness h("h100", counting);
    h.options.listener = listener;
    EXPECT_TRUE(h.run("k", {24}, {64}, {h.allocate<uint32_t>(2)}));
    return h.statistics.warpInstructions;
  };
  EventLog log;
  Listener deaf; // Wants to know of no cluster.
  EXPECT_EQ(statisticsWith(&log), statisticsWith(nullptr));
  EXPECT_EQ(statisticsWith(&deaf), statisticsWith(nullptr));
}

TEST(Events, AListenerEndsTheRun) {
  const std::string body = R"(
  .loc 1 40 3
  st.shared.u32 [words], %t;
  .loc 1 41 3
  st.shared.u32 [words+4], %t;
  st.shared.u32 [words+8], %t;
)";
  for (Policy policy : {Policy::Deterministic, Policy::Random}) {
    Harness h("h100", ".file 1 \"kernel.cu\"" + kernel(body));
    EventLog log;
    log.words = {"write"};
    log.each = [](ClusterListener &listener, const std::string &line) {
      if (line == "w0 write s+4:4x32/0")
        listener.endRun("the second store");
    };
    h.options.listener = &log;
    h.options.policy = policy;
    RunResult result = h.launch("k", {1}, {32}, {h.allocate<uint32_t>(1)});
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.report->kind, ReportKind::Stopped);
    EXPECT_EQ(result.report->str(),
              "line 14 (kernel.cu:41), CTA (0, 0, 0), warp 0, lanes 0-31: the "
              "second store");
    EXPECT_EQ(log.lines(), (Lines{"w0 write s:4x32/0", "w0 write s+4:4x32/0"}));
  }
}

TEST(Events, TheRunsListenerEndsTheRun) {
  struct Impatient : Listener {
    void roundEnded() override { endRun("one round is enough"); }
  } impatient;
  Harness h("h100", counting);
  h.options.listener = &impatient;
  EXPECT_EQ(h.fail("k", {24}, {64}, {h.allocate<uint32_t>(2)}),
            "one round is enough");
}

TEST(Events, ThePlaceOfAnInstruction) {
  Harness h("h100", R"(
.file 1 "kernel.cu"
.func helper() {
  ret;
}
.visible .entry k() {
  .loc 1 40 3
  bar.sync 0;
  call helper;
  .loc 1 42 1
  ret;
})");
  const Kernel *kernel = h.kernel("k");
  // The end of the entry, which nothing comes to, is number 3.
  InstructionPlace first = kernel->place(0), last = kernel->place(2),
                   called = kernel->place(4);
  EXPECT_EQ(first.function, "k");
  EXPECT_EQ(first.line, 8u);
  EXPECT_EQ(ptx::spell(first.source), "kernel.cu:40");
  EXPECT_EQ(ptx::spell(last.source), "kernel.cu:42");
  EXPECT_EQ(called.function, "helper");
  EXPECT_EQ(called.line, 4u);
  EXPECT_TRUE(called.source.empty());
  EXPECT_EQ(kernel->parsed(0)->variant->mnemonic(), "bar.sync");
}

TEST(Events, ThePlaceOfInlinedCode) {
  Harness h("h100", R"(
.file 1 "kernel.cu"
.file 2 "copy.h"
.visible .entry k() {
  .loc 2 2 3, function_name $name, inlined_at 1 9 5
  .loc 1 40 3
  .loc 2 5 3, function_name $name, inlined_at 1 40 3
  .loc 2 2 3, function_name $name, inlined_at 2 5 3
  bar.sync 0;
  .loc 2 2 3, function_name $name, inlined_at 2 2 3
  ret;
})");
  const Kernel *kernel = h.kernel("k");
  using Lines = std::vector<ptx::SourceLine>;
  EXPECT_EQ(kernel->place(0).source,
            (Lines{{"copy.h", 2}, {"copy.h", 5}, {"kernel.cu", 40}}));
  EXPECT_EQ(ptx::spell(kernel->place(0).source), "copy.h:2 from kernel.cu:40");
  Report report;
  report.line = 10;
  report.source = kernel->place(0).source;
  report.message = "stops";
  EXPECT_EQ(report.str(), "line 10 (copy.h:2 from kernel.cu:40): stops");
  // Nonsense ends.
  EXPECT_EQ(kernel->place(1).source.size(), 4u);
}
