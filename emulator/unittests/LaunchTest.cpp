//===- LaunchTest.cpp - Launches, residency and schedules ----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "drawloom/Emulator/Listener.h"
#include <set>

using namespace drawloom::emu;

/// A device with `sms` SMs.
static Harness smallDevice(const std::string &text, unsigned sms) {
  Harness h("h100", text);
  DeviceModel model = h.device->model();
  model.smCount = sms;
  model.memoryBytes = 1 << 28;
  h.reload(model, text);
  return h;
}

// Each CTA adds itself to a counter and waits until all have: that works only
// if all of them are resident at the same time.
static const char *rendezvous = R"(
.visible .entry meet(.param .u64 counter, .param .u32 count) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  .reg .pred %p<2>;
  ld.param.u64 %rd1, [counter];
  ld.param.u32 %r1, [count];
  red.global.add.u32 [%rd1], 1;
again:
  ld.acquire.gpu.global.u32 %r2, [%rd1];
  setp.lt.u32 %p1, %r2, %r1;
  @%p1 bra again;
  ret;
})";

TEST(Launch, AsManyCtasAreResidentAsFit) {
  // 227 KiB of shared memory: one CTA on each SM.
  for (unsigned ctas : {3u, 4u}) {
    Harness h = smallDevice(rendezvous, 3);
    h.dynamicShared = 227 << 10;
    h.options.stepLimit = 100000;
    uint64_t counter = h.allocate<uint32_t>(1);
    RunResult result = h.launch("meet", {ctas}, {1}, {counter, ctas});
    if (ctas == 3) {
      EXPECT_TRUE(result.ok()) << result.report->str();
    } else {
      ASSERT_FALSE(result.ok());
      EXPECT_EQ(result.report->kind, ReportKind::StepLimit);
    }
  }
  // 1024 threads: two of 2048 on an SM. Eight small ones fit easily.
  Harness h = smallDevice(rendezvous, 3);
  uint64_t counter = h.allocate<uint32_t>(1);
  ASSERT_TRUE(h.run("meet", {6}, {1024}, {counter, 6 * 1024}));
  uint64_t other = h.allocate<uint32_t>(1);
  ASSERT_TRUE(h.run("meet", {24}, {1}, {other, 24}));
}

TEST(Launch, OccupancyOfOneSm) {
  Harness h("h100", R"(
.visible .entry plain() { ret; }
.visible .entry budget() .maxntid 384 .minnctapersm 1 { ret; }
.visible .entry fixed() .maxnreg 128 { ret; }
)");
  auto resident = [&](llvm::StringRef name, uint32_t threads, uint32_t shared) {
    return residentCtasPerSm(h.device->model(),
                             *llvm::cantFail(h.module->kernel(name)), threads,
                             shared);
  };
  EXPECT_EQ(resident("plain", 32, 0), 32u);
  EXPECT_EQ(resident("plain", 256, 0), 8u);
  EXPECT_EQ(resident("plain", 32, 100 << 10), 2u);
  EXPECT_EQ(resident("budget", 384, 0), 1u); // 168 registers
  EXPECT_EQ(resident("fixed", 256, 0), 2u);
  EXPECT_EQ(llvm::cantFail(h.module->kernel("budget"))->registers, 168u);
}

namespace {
struct CtaOrder : Listener {
  std::vector<uint64_t> started;
  unsigned resident = 0, most = 0; ///< CTAs of clusters of four.
  std::unique_ptr<ClusterListener>
  startCluster(const ClusterStart &start) override {
    started.insert(started.end(), start.ctas.begin(), start.ctas.end());
    most = std::max(most, resident += 4);
    return std::make_unique<ClusterListener>();
  }
  void endCluster(std::unique_ptr<ClusterListener>) override { resident -= 4; }
};
} // namespace

TEST(Launch, ClustersStartInOrder) {
  Harness h = smallDevice(".visible .entry k() { ret; }", 4);
  CtaOrder order;
  h.options.listener = &order;
  h.cluster = {2, 2, 1};
  h.dynamicShared = 200 << 10;
  ASSERT_TRUE(h.run("k", {4, 4, 1}, {32}, {}));
  EXPECT_EQ(order.started, (std::vector<uint64_t>{0, 1, 4, 5, 2, 3, 6, 7, 8, 9,
                                                  12, 13, 10, 11, 14, 15}));
  EXPECT_EQ(order.most, 4u);
}

TEST(Launch, LaunchesOfOneRunFollowEachOther) {
  Harness h("h100", R"(
.visible .entry add(.param .u64 where, .param .u32 what) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [where];
  ld.param.u32 %r1, [what];
  ld.global.u32 %r2, [%rd1];
  mad.lo.u32 %r2, %r2, 10, %r1;
  st.global.u32 [%rd1], %r2;
  ret;
})");
  uint64_t cell = h.allocate<uint32_t>(1);
  std::vector<Launch> launches(3);
  for (uint32_t i = 0; i != 3; ++i) {
    launches[i].kernel = h.kernel("add");
    launches[i].parameters.resize(12);
    uint32_t value = i + 1;
    memcpy(launches[i].parameters.data(), &cell, 8);
    memcpy(launches[i].parameters.data() + 8, &value, 4);
  }
  RunResult result = run(*h.device, launches, {});
  ASSERT_TRUE(result.ok()) << result.report->str();
  EXPECT_EQ(h.read<uint32_t>(cell, 1)[0], 123u);
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

// The order in which eight warps take tickets is up to the scheduler.
static std::vector<uint32_t> tickets(Policy policy, uint64_t seed) {
  Harness h("h100", R"(
.visible .entry tickets(.param .u64 counter, .param .u64 out) {
  .reg .b32 %r<6>;
  .reg .b64 %rd<4>;
  .reg .pred %p<2>;
  ld.param.u64 %rd1, [counter];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r3, 0;
spend:
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p1, %r3, 50;
  @%p1 bra spend;
  and.b32 %r4, %r1, 31;
  setp.ne.u32 %p1, %r4, 0;
  @%p1 exit;
  atom.global.add.u32 %r2, [%rd1], 1;
  shr.u32 %r1, %r1, 5;
  mad.wide.u32 %rd3, %r2, 4, %rd2;
  st.global.u32 [%rd3], %r1;
  ret;
})");
  h.options.policy = policy;
  h.options.seed = seed;
  uint64_t counter = h.allocate<uint32_t>(1), out = h.allocate<uint32_t>(8);
  EXPECT_TRUE(h.run("tickets", {1}, {256}, {counter, out}));
  return h.read<uint32_t>(out, 8);
}

TEST(Schedule, SeedsAreReproducibleAndDiffer) {
  EXPECT_EQ(tickets(Policy::Deterministic, 0),
            (std::vector<uint32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  std::set<std::vector<uint32_t>> seen;
  for (uint64_t seed = 0; seed != 10; ++seed) {
    std::vector<uint32_t> order = tickets(Policy::Random, seed);
    EXPECT_EQ(order, tickets(Policy::Random, seed));
    seen.insert(order);
  }
  EXPECT_GT(seen.size(), 5u);
}

TEST(Schedule, ProgressCanEndARun) {
  Harness h("h100", ".visible .entry forever() { again: bra again; }");
  unsigned calls = 0;
  auto count = [&](uint64_t steps, uint64_t ctas) {
    EXPECT_GT(steps, 0u);
    EXPECT_EQ(ctas, 0u);
    return ++calls != 2;
  };
  h.options.progress = count;
  std::string report = h.fail("forever", {1}, {32}, {});
  EXPECT_CONTAINS(report, " warp instructions, as requested; where its "
                          "warps stand:\n  CTA (0, 0, 0), warp 0, line ");
  EXPECT_CONTAINS(report, ": runs");
  EXPECT_EQ(calls, 2u);
}

//===----------------------------------------------------------------------===//
// What is rejected
//===----------------------------------------------------------------------===//

static std::string rejected(const std::string &text, Dim3 grid, Dim3 block,
                            Dim3 cluster = {}, uint32_t shared = 0) {
  Harness h("h100", text);
  h.cluster = cluster;
  h.dynamicShared = shared;
  return h.fail("k", grid, block, {});
}

TEST(LaunchMustFail, Dimensions) {
  std::string plain = ".visible .entry k() { ret; }";
  EXPECT_CONTAINS(
      rejected(plain, {1}, {1025}),
      "a block of (1025, 1, 1) = 1025 threads; 1 to 1024 are possible");
  EXPECT_CONTAINS(rejected(plain, {1, 0}, {1}),
                  "a grid of (1, 0, 1) has no CTA");
  EXPECT_CONTAINS(
      rejected(plain, {3}, {1}, {2}),
      "a grid of (3, 1, 1) can't be divided into clusters of (2, 1, 1)");
  EXPECT_CONTAINS(rejected(plain, {32}, {1}, {32}),
                  "a cluster of (32, 1, 1) = 32 CTAs; 1 to 16 are possible");
  EXPECT_CONTAINS(
      rejected(".visible .entry k() .reqntid 64 { ret; }", {1}, {32}),
      "a block of (32, 1, 1); the kernel is compiled for (64, 1, 1) "
      "(.reqntid)");
  EXPECT_CONTAINS(
      rejected(".visible .entry k() .maxntid 64 { ret; }", {1}, {96}),
      "a block of 96 threads; the kernel is compiled for at most 64 "
      "(.maxntid)");
  EXPECT_CONTAINS(
      rejected(".visible .entry k() .reqnctapercluster 2 { ret; }", {2}, {32}),
      "a cluster of (1, 1, 1); the kernel is compiled for (2, 1, 1) "
      "(.reqnctapercluster)");
}

TEST(LaunchMustFail, Resources) {
  EXPECT_CONTAINS(
      rejected(".visible .entry k() { .shared .b8 s[4096]; .reg .b32 %r; "
               "mov.b32 %r, s; ret; }",
               {1}, {1}, {}, 230000),
      "4096 + 230000 = 234096 bytes of shared memory; a CTA can have "
      "232448 on h100");
  Harness h = smallDevice(".visible .entry k() { ret; }", 1);
  h.cluster = {2};
  h.dynamicShared = 200 << 10;
  EXPECT_CONTAINS(
      h.fail("k", {2}, {32}, {}),
      "no room for a cluster of 2 CTAs: 1 SMs hold 1 each (32 threads of "
      "0 registers)");
}

// What the smaller device has less of.
TEST(LaunchMustFail, ResourcesOfRtx5090) {
  Harness h("rtx5090", ".visible .entry k() { ret; }");
  h.dynamicShared = 100 << 10;
  EXPECT_CONTAINS(h.fail("k", {1}, {32}, {}),
                  "0 + 102400 = 102400 bytes of shared memory; a CTA can have "
                  "101376 on rtx5090");
  h.dynamicShared = 0;
  h.cluster = {16};
  EXPECT_CONTAINS(h.fail("k", {16}, {32}, {}),
                  "a cluster of (16, 1, 1) = 16 CTAs; 1 to 8 are possible");
  h.cluster = {8};
  EXPECT_TRUE(h.run("k", {16}, {32}, {}));
}

TEST(LaunchMustFail, Parameters) {
  Harness h("h100", ".visible .entry k(.param .u64 a, .param .u32 b) { ret; }");
  Launch launch;
  launch.kernel = h.kernel("k");
  launch.parameters.resize(8);
  RunResult result = run(*h.device, launch, {});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.report->kind, ReportKind::InvalidLaunch);
  EXPECT_CONTAINS(result.report->message,
                  "8 bytes of parameters; the kernel takes 12");
}

TEST(LaunchMustFail, Modules) {
  Harness h("h100",
            ".visible .entry k() { ret; } .visible .entry l() { ret; }");
  auto kernel = h.module->kernel("m");
  ASSERT_FALSE(kernel);
  EXPECT_EQ(llvm::toString(kernel.takeError()),
            "there is no entry 'm' in the module; it has 'k', 'l'");
  EXPECT_EQ(h.loadError(".version 8.7 .target sm_100a .address_size 64"),
            "the module is for sm_100a; h100 is sm_90a [wrong-device]");
  EXPECT_EQ(Harness("rtx5090", "")
                .loadError(".version 8.7 .target sm_100a .address_size 64"),
            "the module is for sm_100a; rtx5090 is sm_120a [wrong-device]");
  EXPECT_EQ(h.loadError(".version 8.0 .target sm_80 .address_size 64\n"
                        ".extern .global .u32 other;"),
            "line 2: 'other' is declared .extern and defined nowhere "
            "[unresolved-symbol]");
}

TEST(GlobalMemory, AllocationsAreApart) {
  auto memory = llvm::cantFail(GlobalMemory::create(1 << 20));
  uint64_t a = llvm::cantFail(memory->allocate(100, "a"));
  uint64_t b = llvm::cantFail(memory->allocate(5000));
  uint64_t c = llvm::cantFail(memory->allocate(1));
  EXPECT_EQ(a, globalBase);
  EXPECT_EQ(b, globalBase + 4096);
  EXPECT_EQ(c, globalBase + 3 * 4096);
  EXPECT_NE(memory->translate(a, 100), nullptr);
  EXPECT_NE(memory->translate(a + 99, 1), nullptr);
  EXPECT_EQ(memory->translate(a + 99, 2), nullptr);
  EXPECT_EQ(memory->translate(a + 100, 1), nullptr);
  EXPECT_EQ(memory->translate(a - 1, 1), nullptr);
  EXPECT_EQ(memory->translate(a, UINT64_MAX), nullptr);
  EXPECT_EQ(memory->describe(a + 102),
            "2 bytes past the end of 'a' at 0x700000000000 (100 bytes)");
  // What is freed is used again, and comes back empty.
  memset(memory->translate(b, 5000), 7, 5000);
  llvm::cantFail(memory->free(b));
  EXPECT_EQ(memory->describe(b + 8),
            "8 bytes into an allocation of 5000 bytes that was freed");
  EXPECT_EQ(llvm::cantFail(memory->allocate(8000)), b);
  EXPECT_EQ(*memory->translate(b, 1), 0);
  llvm::cantFail(memory->free(b));
  llvm::cantFail(memory->free(a));
  llvm::cantFail(memory->free(c));
  EXPECT_EQ(memory->used(), 0u);
  EXPECT_EQ(llvm::cantFail(memory->allocate(1 << 20)), a);
}

TEST(GlobalMemoryMustFail, Words) {
  auto memory = llvm::cantFail(GlobalMemory::create(1 << 20));
  auto text = [](llvm::Error error) {
    return llvm::toString(std::move(error));
  };
  EXPECT_EQ(text(memory->allocate(0).takeError()), "an allocation of 0 bytes");
  EXPECT_EQ(text(memory->allocate(2 << 20).takeError()),
            "out of device memory: 2097152 bytes asked for, 1048576 of 1048576 "
            "left");
  uint64_t a = llvm::cantFail(memory->allocate(64));
  EXPECT_EQ(text(memory->free(a + 8)),
            "nothing was allocated at 0x700000000008: 8 bytes into the "
            "allocation at 0x700000000000 (64 bytes)");
}
