//===- ClockTest.cpp - How long things take -------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What is expected are published measurements of single mechanisms
// (docs/Timing.md), as differences of two runs: launches and starts of CTAs are
// the same in both.

#include "Harness.h"
#include "Tcgen05Kernel.h"
#include "drawloom/Emulator/ClockConstants.h"
#include "drawloom/Emulator/IssueSlots.h"

using namespace drawloom::emu;

/// One CTA of `threads` around `body`, repeated `times` without a branch.
static uint64_t cyclesOf(const std::string &body, unsigned times,
                         unsigned threads = 32, llvm::StringRef device = "b200",
                         unsigned ctas = 1, unsigned sms = 2) {
  std::string text = R"(
.visible .entry k(.param .u64 out) {
  .reg .pred %p<4>;
  .reg .b32 %r<32>;
  .reg .f32 %f<32>;
  .reg .b64 %rd<8>;
  .shared .align 1024 .b8 smem[16384];
  .shared .align 8 .b64 bar;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 2;
)";
  for (unsigned i = 0; i != times; ++i)
    text += body;
  text += "  ret;\n}\n";
  Harness h(device, text);
  DeviceModel model = *findDeviceModel(device);
  model.smCount = sms;
  h.reload(model, text);
  h.options.policy = Policy::Timed;
  RunResult result =
      h.launch("k", {ctas}, {threads}, {h.allocate<uint32_t>(1 << 20)});
  EXPECT_TRUE(result.ok()) << (result.report ? result.report->str() : "");
  return result.timing ? result.timing->cycles : 0;
}

/// What one more of `body` costs.
static double costOf(const std::string &body, unsigned threads = 32,
                     llvm::StringRef device = "b200") {
  return (double(cyclesOf(body, 192, threads, device)) -
          double(cyclesOf(body, 64, threads, device))) /
         128;
}

// QuickRunCUDA: FFMA has a latency of 4 cycles, and one warp instruction a
// cycle of each scheduler.
TEST(Clock, DependentAndIndependentFma) {
  EXPECT_NEAR(costOf("  fma.rn.f32 %f1, %f1, %f1, %f1;\n"), 4, 0.1);
  std::string four;
  for (const char *f : {"%f1", "%f2", "%f3", "%f4"})
    four += std::string("  fma.rn.f32 ") + f + ", " + f + ", " + f + ", " + f +
            ";\n";
  EXPECT_NEAR(costOf(four), 4, 0.1);
  // Sixteen warps: four on each scheduler, of which one issues in a cycle.
  EXPECT_NEAR(costOf(four, 512), 16, 0.5);
}

// FA4 paper: 16 lanes of ex2 in a cycle of an SM. With four warps that are
// 4 x 32 / 16 = 8 cycles; QuickRunCUDA has 18 in a chain.
TEST(Clock, ExponentialsAreLimitedByTheirUnit) {
  std::string eight;
  for (unsigned i = 1; i != 9; ++i)
    eight += "  ex2.approx.f32 %f" + std::to_string(i) + ", %f0;\n";
  EXPECT_NEAR(costOf(eight, 128), 64, 1);
  EXPECT_NEAR(costOf("  ex2.approx.f32 %f1, %f1;\n"), 18, 0.5);
}

// Luo 2025: n-way conflicts take n passes of shared memory.
TEST(Clock, BankConflictsTakePasses) {
  const char *address = "  shl.b32 %r3, %r1, 7;\n  and.b32 %r3, %r3, 4095;\n"
                        "  mov.u32 %r4, smem;\n  add.u32 %r4, %r4, %r3;\n";
  std::string loads;
  for (unsigned i = 5; i != 21; ++i)
    loads += "  ld.shared.b32 %r" + std::to_string(i) + ", [%r4];\n";
  EXPECT_NEAR(costOf(address + loads, 512), 16 * 16 * 32, 16 * 16);
}

// QuickRunCUDA: bar.sync of W warps takes 22 + 2 W cycles.
TEST(Clock, Barriers) {
  EXPECT_NEAR(costOf("  bar.sync 0;\n", 128), 30, 3);
  EXPECT_NEAR(costOf("  bar.sync 0;\n", 512), 54, 3);
}

// SemiAnalysis: a chase through L2 takes 300 cycles a step on B200; Luo 2025
// has 258 to 280 on Hopper. What is drawn is 10 % at most.
TEST(Clock, LoadsFromL2) {
  const char *chase = "  ld.global.u32 %r3, [%rd1];\n"
                      "  and.b32 %r3, %r3, 0;\n"
                      "  cvt.u64.u32 %rd2, %r3;\n"
                      "  add.s64 %rd1, %rd1, %rd2;\n";
  EXPECT_NEAR(costOf(chase, 32, "b200"), 310, 35);
  EXPECT_NEAR(costOf(chase, 32, "h100"), 290, 33);
}

// Two warps walk through the same lines of DRAM: a line that one has asked for
// isn't there for the other before it is there at all. SemiAnalysis and
// QuickRunCUDA: 300 for L2, 490 more for DRAM.
TEST(Clock, LinesOnTheirWay) {
  const char *walk = "  ld.global.u32 %r3, [%rd1];\n"
                     "  and.b32 %r3, %r3, 0;\n"
                     "  cvt.u64.u32 %rd2, %r3;\n"
                     "  add.s64 %rd1, %rd1, %rd2;\n"
                     "  add.s64 %rd1, %rd1, 128;\n";
  double alone = costOf(walk, 32);
  EXPECT_NEAR(alone, 800, 80);
  EXPECT_NEAR(costOf(walk, 64), alone, 20);
}

// SemiAnalysis: a thread that copies 512 bytes from DRAM at a time takes 900
// cycles for each, and waits; 8 KiB take 1258.
TEST(Clock, CopiesFromDram) {
  auto cost = [](unsigned bytes) {
    std::string copy =
        llvm::formatv("  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4], "
                      "{0};\n"
                      "  cp.async.bulk.shared::cluster.global."
                      "mbarrier::complete_tx::bytes [%r5], [%rd1], {0}, "
                      "[%r4];\n"
                      "  add.s64 %rd1, %rd1, {0};\n"
                      "  {{ W: mbarrier.try_wait.parity.shared::cta.b64 %p1, "
                      "[%r4], %r6;\n"
                      "  @!%p1 bra W; }\n"
                      "  xor.b32 %r6, %r6, 1;\n",
                      bytes);
    auto cycles = [&](unsigned times) {
      std::string body = "  mov.u32 %r4, bar;\n  mov.u32 %r5, smem;\n"
                         "  mov.u32 %r6, 0;\n"
                         "  mbarrier.init.shared::cta.b64 [%r4], 1;\n";
      for (unsigned i = 0; i != times; ++i)
        body += copy;
      return double(cyclesOf(body, 1, 1));
    };
    return (cycles(96) - cycles(32)) / 64;
  };
  EXPECT_NEAR(cost(512), 900, 135);
  EXPECT_NEAR(cost(8192), 1258, 190);
}

/// Cycles of `count` MMAs of n columns between two waits, one CTA.
static uint64_t cyclesOfMmas(unsigned count, unsigned n) {
  Tcgen05Kernel kernel;
  kernel.imageBytes = 4096 + n * 32;
  // kind::f16, D in f32, A and B in bf16, M = 128.
  uint32_t instruction = 1u << 4 | 1u << 7 | 1u << 10 | n / 8 << 17 | 8u << 24;
  std::string &body = kernel.body;
  body = llvm::formatv(
      "  mov.u32 %r20, {0};\n"
      "  setp.ne.u32 %p4, 0, 0;\n"
      // Rows of 16 bytes, eight of them together.
      "  or.b64 %rd6, %rd4, {1};\n"
      "  add.s64 %rd7, %rd6, 256;\n",
      instruction, uint64_t(1) << 46 | uint64_t(8) << 16 | uint64_t(16) << 32);
  for (unsigned i = 0; i != count; ++i)
    body += "  @%p1 tcgen05.mma.cta_group::1.kind::f16 [%t], %rd6, %rd7, "
            "%r20, %p4;\n";
  body += Tcgen05Kernel::commit() + Tcgen05Kernel::wait("0");
  Harness h("b200", kernel.text());
  h.options.policy = Policy::Timed;
  std::vector<char> image(kernel.imageBytes);
  RunResult result = h.launch(
      "k", {1}, {128},
      {h.upload(image), h.allocate<uint32_t>(64), h.allocate<uint32_t>(64)});
  EXPECT_TRUE(result.ok()) << (result.report ? result.report->str() : "");
  return result.timing ? result.timing->cycles : 0;
}

// SemiAnalysis: MMAs of 128 rows follow each other after N / 2 cycles, those of
// 64 columns after 48, as shared memory lets them.
TEST(Clock, IntervalsOfMmas) {
  for (auto [n, interval] :
       {std::pair(256u, 128.), std::pair(128u, 64.), std::pair(64u, 48.)})
    EXPECT_NEAR((double(cyclesOfMmas(32, n)) - double(cyclesOfMmas(16, n))) /
                    16,
                interval, interval / 50)
        << n;
}

// A seed draws latencies, and the same seed the same ones.
TEST(Clock, SeedsGiveASpread) {
  auto cycles = [](uint64_t seed) {
    Harness h("b200", R"(
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  ld.global.u32 %r1, [%rd1];
  st.global.u32 [%rd1+4], %r1;
  ret;
})");
    h.options.policy = Policy::Timed;
    h.options.seed = seed;
    RunResult result = h.launch("k", {1}, {32}, {h.allocate<uint32_t>(2)});
    return result.timing->cycles;
  };
  EXPECT_EQ(cycles(1), cycles(1));
  EXPECT_NE(cycles(1), cycles(2));
}

// More CTAs than fit take another wave.
TEST(Clock, WavesOfClusters) {
  std::string body = "  fma.rn.f32 %f1, %f1, %f1, %f1;\n";
  uint64_t one = cyclesOf(body, 800, 1024, "b200", 4);
  uint64_t two = cyclesOf(body, 800, 1024, "b200", 8);
  uint64_t start = cyclesOf("", 1, 1024, "b200", 4);
  EXPECT_NEAR(double(two - start) / double(one - start), 2, 0.2);
}

TEST(Clock, StallsNameTheirInstruction) {
  Harness h("b200", R"(
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  ld.global.u32 %r1, [%rd1];
  add.u32 %r2, %r1, 1;
  st.global.u32 [%rd1+4], %r2;
  ret;
})");
  h.options.policy = Policy::Timed;
  RunResult result = h.launch("k", {1}, {32}, {h.allocate<uint32_t>(2)});
  ASSERT_TRUE(result.timing && !result.timing->stalls.empty());
  const Stall &stall = result.timing->stalls.front();
  EXPECT_EQ(stall.kind, StallKind::Operand);
  EXPECT_EQ(stall.kernel->parsed(stall.instruction)->opcode(),
            drawloom::ptx::Opcode::Add);
  std::string words = result.timing->str();
  EXPECT_NE(words.find("'add.u32', 1 times: waits for an operand"),
            std::string::npos)
      << words;
}

// Warp 0 arrives after 400 dependent FMAs. Lanes of warp 1 wait for it in two
// places, and the warp stands still once.
TEST(Clock, WaitsAreOfWarpsAndBarriers) {
  std::string work;
  for (unsigned i = 0; i != 400; ++i)
    work += "  fma.rn.f32 %f1, %f1, %f1, %f1;\n";
  Harness h("b200", R"(
.visible .entry k() {
  .reg .pred %p<4>;
  .reg .b32 %r<4>;
  .reg .f32 %f<2>;
  .reg .b64 %rd<2>;
  .shared .align 16 .b8 other[64];
  .shared .align 8 .b64 bar;
  mov.u32 %r1, %tid.x;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 mbarrier.init.shared.b64 [bar], 32;
  bar.sync 0;
  setp.ge.u32 %p2, %r1, 32;
  @%p2 bra wait;
)" + work + R"(
  mbarrier.arrive.shared.b64 %rd1, [bar];
  ret;
wait:
  setp.ge.u32 %p3, %r1, 48;
  @%p3 bra upper;
lower:
  mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0;
  @!%p1 bra lower;
  ret;
upper:
  mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0;
  @!%p1 bra upper;
  ret;
})");
  h.options.policy = Policy::Timed;
  RunResult result = h.launch("k", {3}, {64}, {});
  ASSERT_TRUE(result.ok() && result.timing);
  const std::vector<WarpTime> &warps = result.timing->warps;
  ASSERT_EQ(warps.size(), 2u);
  for (const WarpTime &warp : warps) {
    uint64_t waits = 0;
    for (const WarpTime::Wait &wait : warp.waits)
      waits += wait.cycles;
    EXPECT_LE(waits, warp.cycles);
  }
  ASSERT_FALSE(warps[1].waits.empty());
  const WarpTime::Wait &wait = warps[1].waits.front();
  EXPECT_EQ(wait.kind, WaitKind::Mbarrier);
  for (const Kernel::SharedArray &array : warps[1].kernel->sharedArrays())
    EXPECT_EQ(array.offset == wait.byte, array.name == "bar");
  // Of three CTAs, 1600 cycles each, and what is around them.
  EXPECT_GT(wait.cycles, 3 * 1500u);
  EXPECT_LT(wait.cycles, 3 * 1900u);
  for (const WarpTime::Wait &other : warps[0].waits)
    EXPECT_EQ(other.kind, WaitKind::Barrier);
  // One phase of it ends in each CTA.
  ASSERT_EQ(result.timing->mbarriers.size(), 1u);
  EXPECT_EQ(result.timing->mbarriers[0].byte, wait.byte);
  EXPECT_EQ(result.timing->mbarriers[0].phases, 3u);
}

// What is moved is counted by time, in windows that get longer with the run.
TEST(Clock, ActivityByTime) {
  Harness h("b200", R"(
.visible .entry k(.param .u64 from, .param .u32 rounds) {
  .reg .pred %p;
  .reg .b32 %r<3>;
  .reg .b64 %rd;
  ld.param.u64 %rd, [from];
  ld.param.u32 %r0, [rounds];
again:
  ld.global.u32 %r1, [%rd];
  and.b32 %r1, %r1, 0;
  add.u32 %r0, %r0, %r1;
  sub.u32 %r0, %r0, 1;
  setp.ne.u32 %p, %r0, 0;
  @%p bra again;
  ret;
})");
  h.options.policy = Policy::Timed;
  for (uint64_t rounds : {1, 5000}) {
    RunResult result =
        h.launch("k", {1}, {32}, {h.allocate<uint32_t>(1), rounds});
    ASSERT_TRUE(result.ok() && result.timing);
    const TimingReport &report = *result.timing;
    uint64_t bytes = 0;
    for (const TimingReport::Window &window : report.windows)
      bytes += window.l2Bytes;
    EXPECT_EQ(bytes, report.l2Bytes);
    EXPECT_GE(bytes, rounds * 4);
    EXPECT_LE(report.windows.size(), 2048u);
    EXPECT_LE((report.windows.size() - 1) * report.windowCycles, report.cycles);
  }
}

TEST(Clock, OtherDevicesHaveNone) {
  Harness h("rtx5090", ".visible .entry k() { ret; }");
  h.options.policy = Policy::Timed;
  RunResult result = h.launch("k", {1}, {32}, {});
  ASSERT_TRUE(result.report);
  EXPECT_EQ(result.report->message, "there are no constants for the clock of "
                                    "rtx5090; h100 and b200 have them");
}

// Every constant has a source, unless it is assumed.
TEST(Clock, ConstantsHaveSources) {
  for (const ClockConstantInfo &row : clockConstants())
    EXPECT_TRUE(row.mark == ConstantMark::Assumed || !row.source.empty())
        << row.name.str();
}

TEST(Clock, ConstantsCanBeSet) {
  ClockConstants constants = *ClockConstants::of(*findDeviceModel("b200"));
  EXPECT_EQ(
      llvm::toString(setConstants("l2Latency=250,dramBytes=4000", constants)),
      "");
  EXPECT_EQ(constants.l2Latency, 250u);
  EXPECT_EQ(constants.dramBytes, 4000u);
  EXPECT_EQ(llvm::toString(setConstants("l3Latency=1", constants)),
            "the clock has no constant 'l3Latency'; docs/Timing.md lists them");
  EXPECT_EQ(llvm::toString(setConstants("l2Latency=x", constants)),
            "'l2Latency=x' isn't NAME=NUMBER with a number from 1 on");
}

//===----------------------------------------------------------------------===//
// Issue slots
//===----------------------------------------------------------------------===//

namespace {
/// Sixteen warps, four on each scheduler, go through a loop of 64 instructions,
/// with as many slots as a table says. The first of 61 FMAs is on line 8.
struct SlotLoop {
  Harness h{"b200", text()};

  static std::string text() {
    std::string text = R"(
.visible .entry k(.param .u32 rounds) {
  .reg .pred %p;
  .reg .b32 %r0;
  .reg .f32 %f<4>;
  ld.param.u32 %r0, [rounds];
again:
)";
    for (unsigned i = 0; i != 61; ++i)
      text +=
          llvm::formatv("  fma.rn.f32 %f{0}, %f{0}, %f{0}, %f{0};\n", i % 4);
    return text + R"(  sub.u32 %r0, %r0, 1;
  setp.ne.u32 %p, %r0, 0;
  @%p bra again;
  ret;
})";
  }
  SlotLoop() { h.options.policy = Policy::Timed; }
  IssueSlots parse(const std::string &text) {
    llvm::Expected<IssueSlots> slots = parseIssueSlots(text, h.module->ptx());
    EXPECT_TRUE(bool(slots)) << llvm::toString(slots.takeError());
    return slots ? *slots : IssueSlots();
  }
  /// What is wrong with it.
  std::string reject(const std::string &text) {
    llvm::Expected<IssueSlots> slots = parseIssueSlots(text, h.module->ptx());
    EXPECT_FALSE(bool(slots)) << text;
    return llvm::toString(slots.takeError());
  }
  /// One slot for each instruction, as text.
  std::string table() {
    IssueSlots slots;
    for (const drawloom::ptx::Function *function : h.module->ptx().functions)
      slots[function].assign(function->instructions.size(), {1});
    return issueSlotsHeader.str() + '\n' +
           printIssueSlots(slots, h.module->ptx());
  }
  /// Cycles of a round.
  double cycles() {
    double times[2];
    for (uint64_t i : {0, 1}) {
      RunResult result = h.launch("k", {1}, {512}, {256 * (i + 1)});
      EXPECT_TRUE(result.ok() && result.timing);
      times[i] = result.timing ? result.timing->cycles : 0;
    }
    return (times[1] - times[0]) / 256;
  }
};

std::string replace(std::string text, llvm::StringRef from,
                    llvm::StringRef to) {
  size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from.str();
  return at == text.npos ? text : text.replace(at, from.size(), to);
}
} // namespace

// A scheduler issues one in a cycle for its four warps: 64 instructions of one
// slot take 256 cycles, of two slots 512; eight more slots of one take 4 x 8
// more, three instructions without any 4 x 3 less. The branch holds its warp
// for six cycles, and units are counted in windows of 32.
TEST(IssueSlots, WhatATableSaysTakesCycles) {
  SlotLoop loop;
  IssueSlots slots = loop.parse(loop.table());
  loop.h.module->setIssueSlots(slots);
  EXPECT_NEAR(loop.cycles(), 256, 8);
  for (auto &[function, counts] : slots)
    for (IssueCount &count : counts)
      count.slots = 2;
  loop.h.module->setIssueSlots(slots);
  EXPECT_NEAR(loop.cycles(), 512, 8);
  slots = loop.parse(replace(loop.table(), "\n8: 1\n", "\n8: 9\n"));
  loop.h.module->setIssueSlots(slots);
  EXPECT_NEAR(loop.cycles(), 256 + 4 * 8, 8);
  std::string text = loop.table();
  for (const char *line : {"\n8: ", "\n9: ", "\n10: "})
    text = replace(text, line + std::string("1\n"), line + std::string("0\n"));
  loop.h.module->setIssueSlots(loop.parse(text));
  EXPECT_NEAR(loop.cycles(), 256 - 4 * 3, 8);
}

// A MEMBAR holds the warp as a fence of the GPU does: 267 cycles beside its 66
// slots of a round and 12 cycles for the subtraction, comparison and branch.
TEST(IssueSlots, MembarsHoldTheWarp) {
  SlotLoop loop;
  loop.h.module->setIssueSlots(
      loop.parse(replace(loop.table(), "\n8: 1\n", "\n8: 3+membar\n")));
  EXPECT_NEAR(loop.cycles(), 267 + 66 + 12, 8);
}

// What is printed is read again; of other modules there is nothing.
TEST(IssueSlots, TablesAreOfModules) {
  SlotLoop loop;
  std::string text = replace(loop.table(), "\n10: 1\n", "\n10: 10000+membar\n");
  IssueSlots slots = loop.parse(text);
  EXPECT_EQ(issueSlotsHeader.str() + '\n' +
                printIssueSlots(slots, loop.h.module->ptx()),
            text);
  Harness other("b200", ".visible .entry k() { ret; }");
  llvm::Expected<IssueSlots> none = parseIssueSlots(text, other.module->ptx());
  ASSERT_TRUE(bool(none)) << llvm::toString(none.takeError());
  EXPECT_TRUE(none->empty());
  EXPECT_TRUE(loop.parse(issueSlotsHeader.str() + '\n').empty());
}

TEST(IssueSlots, WrongTablesAreRejected) {
  SlotLoop loop;
  const std::string table = loop.table();
  const std::string header = issueSlotsHeader.str() + '\n';
  const std::string noTable =
      "line 1 of the table: it isn't 'drawloom issue slots 1'; 'drawloom "
      "slots' makes one";
  EXPECT_EQ(loop.reject(""), noTable);
  EXPECT_EQ(loop.reject(std::string("\x7f"
                                    "ELF\0\0",
                                    6)),
            noTable);
  EXPECT_EQ(loop.reject(header + "8: 1\n"),
            "line 2 of the table: expected 'module NAME', or behind one a line "
            "of PTX after line 0 and the slots of its instructions: '87: 1 2'");
  EXPECT_EQ(loop.reject(table + "8: 1\n"),
            "line 69 of the table: expected 'module NAME', or behind one a "
            "line of PTX after line 72 and the slots of its instructions: '87: "
            "1 2'");
  EXPECT_EQ(loop.reject(replace(table, "\n8: 1\n", "\n8: x\n")),
            "line 4 of the table: 'x' is no number of slots: 0 to 10000, "
            "perhaps with '+membar'");
  for (const char *count : {"10001", "70000", "-1", "+membar", "1+cctl", "1.5",
                            "99999999999999999999"})
    EXPECT_NE(loop.reject(replace(table, "\n8: 1\n",
                                  std::string("\n8: ") + count + "\n"))
                  .find("is no number of slots"),
              std::string::npos)
        << count;
  EXPECT_EQ(loop.reject(replace(table, "\n8: 1\n", "\n8: 1 1\n")),
            "line 4 of the table: line 8 of the PTX has 1 instructions, not 2");
  EXPECT_EQ(loop.reject(replace(table, "\n72: 1\n", "\n4294967295: 1\n")),
            "line 68 of the table: line 4294967295 of the PTX has 0 "
            "instructions, not 1");
  EXPECT_EQ(loop.reject(replace(table, "\n72: 1\n", "\n")),
            "line 68 of the table: the module before has 65 lines, and its PTX "
            "66 with instructions");
}
