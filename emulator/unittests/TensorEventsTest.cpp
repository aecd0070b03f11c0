//===- TensorEventsTest.cpp - Events of MMAs ---------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EventLog.h"
#include "Tcgen05Kernel.h"
#include "drawloom/Emulator/AddressMap.h"

using namespace drawloom::emu;
using llvm::formatv;
using Lines = EventLog::Lines;

/// The ranges of a matrix of `rows` with two pieces of 16 bytes each, in atoms
/// of eight rows: of each of the eight, the same row of all atoms is a range.
/// `place(row in the atom)` is where its 32 bytes begin.
template <typename F>
static std::string ranges(const std::string &rank, unsigned atoms,
                          unsigned atomBytes, F place) {
  std::string text;
  for (unsigned row = 0; row != 8; ++row) {
    unsigned at = place(row);
    text += (at ? " s+" + std::to_string(at) : " s") + rank +
            formatv(":32x{0}/{1}", atoms, atomBytes).str();
  }
  return text;
}

/// 128-byte swizzle: row r of an atom is 128 r bytes behind its start, and its
/// 16-byte chunks are exclusive-ored with r. Two of them are side by side.
static unsigned swizzledRow(unsigned row) { return 128 * row + row / 2 * 32; }

//===----------------------------------------------------------------------===//
// wgmma
//===----------------------------------------------------------------------===//

TEST(TensorEvents, Wgmma) {
  // A and B aren't swizzled. The two pieces of a row are 128 bytes apart, and
  // so are the atoms of a piece, which has 8 rows of 16 bytes.
  Harness h("h100", R"(
.visible .entry k() {
  .reg .pred %p1;
  .reg .b32 %r1;
  .reg .b64 %rd<4>;
  .reg .f32 %d<4>;
  .shared .align 1024 .b8 smem[8192];
  mov.u32 %r1, smem;
  shr.u32 %r1, %r1, 4;
  cvt.u64.u32 %rd1, %r1;
  add.u64 %rd2, %rd1, 0x1000080000;
  add.u64 %rd3, %rd2, 256;
  setp.eq.u32 %p1, 0, 1;
  wgmma.fence.sync.aligned;
  wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16
    {%d0, %d1, %d2, %d3}, %rd2, %rd3, %p1, 1, 1, 0, 0;
  wgmma.commit_group.sync.aligned;
  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 1;
  wgmma.wait_group.sync.aligned 0;
  ret;
})");
  EventLog log;
  h.options.listener = &log;
  log.words = {"fence", "issue", "commit", "waited", "read", "complete$"};
  ASSERT_TRUE(h.run("k", {1}, {128}, {}));
  std::string a, b;
  for (unsigned row = 0; row != 8; ++row) {
    a += (row ? " s+" + std::to_string(16 * row) : " s") + ":16x16/128";
    b += " s+" + std::to_string(4096 + 16 * row) + ":16x2/128";
  }
  EXPECT_EQ(
      log.lines("w0"),
      (Lines{"w0 fence wgmma", "w0 #1 issue mma in group 0",
             "w0 commit wgmma 0", "w0 commit wgmma 1", "w0 #1 read async" + a,
             "w0 #1 read async" + b, "w0 #1 complete",
             "w0 waited wgmma before 1", "w0 waited wgmma before 2"}));
  EXPECT_EQ(log.lines("w3"),
            (Lines{"w3 fence wgmma", "w3 #1 issue mma in group 0",
                   "w3 commit wgmma 0", "w3 commit wgmma 1",
                   "w3 waited wgmma before 1", "w3 waited wgmma before 2"}));
}

//===----------------------------------------------------------------------===//
// tcgen05
//===----------------------------------------------------------------------===//

/// The log of a kernel around `body`, which has an image of 32 KiB.
static EventLog eventsOf(const std::string &body, unsigned group,
                         const std::vector<std::string> &words) {
  Tcgen05Kernel kernel;
  kernel.columns = 64;
  kernel.imageBytes = 32768;
  kernel.group = group;
  kernel.body = body;
  Harness h("b200", kernel.text());
  EventLog log;
  log.words = words;
  log.name("bar", sharedWindow + 1024 + 32768, 8);
  log.name("base", sharedWindow + 1024 + 32768 + 8, 4);
  h.options.listener = &log;
  h.cluster = {group};
  uint64_t memory = h.allocate<char>(1 << 17);
  EXPECT_TRUE(h.run("k", {group}, {128}, {memory, memory, memory}));
  return log;
}

/// The words of work that thread 0 issues.
static const std::vector<std::string> workWords = {
    "issue",        "read async",    "read tensor",
    "write tensor", "reduce tensor", "complete$"};

TEST(TensorEvents, MmaAndCommit) {
  // D has 64 rows, in 16 lanes of each 32, and 8 columns; it is added to.
  EventLog log = eventsOf(
      "add.s64 %rd6, %rd4, 0x4000404000010000;\n"
      "setp.eq.u32 %p4, 0, 0;\n"
      "@%p1 tcgen05.mma.cta_group::1.kind::f16 [%t], %rd6, %rd6, 0x4020490, "
      "%p4;\n" +
          Tcgen05Kernel::commit() + Tcgen05Kernel::wait("") +
          "tcgen05.ld.sync.aligned.32x32b.x8.b32 " + Tcgen05Kernel::list(8) +
          ", [%w];\n"
          "tcgen05.wait::ld.sync.aligned;\n",
      1,
      {"issue", "read async", "read tensor", "reduce tensor", "write base",
       "complete$", "arrive bar ", "phase end", "wait for", "waited",
       "allocate", "free", "fence before", "fence after"});
  std::string d;
  for (unsigned lane : {0, 32, 64, 96})
    d += formatv(" t0[{0}+16,0+8]", lane).str();
  EXPECT_EQ(
      log.lines("w0"),
      (Lines{"w0 allocate 0+64", "w0 write base:4", "w0 fence before sync",
             "w0 fence after sync", "w0:1 #1 issue mma",
             "w0:1 #2 issue commit at bar",
             "w0:1 #1 read async" + ranges("", 8, 1024, swizzledRow),
             // B has one atom, so that its rows are reported two by two.
             "w0:1 #1 read async s:32x2/128 s+288:32x2/128 s+576:32x2/128 "
             "s+864:32x2/128",
             "w0:1 #1 reduce tensor" + d, "w0:1 #1 complete",
             "w0:1 #2 arrive bar 1 release.cluster in 0",
             "w0:1 #2 phase end bar in 0", "w0:1 #2 complete",
             "w0 wait for bar acquire.cta in 0 true", "w0 fence after sync",
             "w0 read tensor t0[0+32,0+8]", "w0 waited tensor loads",
             "w0 fence before sync", "w0 fence after sync", "w0 free 0+64"}));
  EXPECT_EQ(
      log.lines("w2"),
      (Lines{"w2 fence before sync", "w2 fence after sync",
             "w2 wait for bar acquire.cta in 0 true", "w2 fence after sync",
             "w2 read tensor t0[64+32,0+8]", "w2 waited tensor loads",
             "w2 fence before sync", "w2 fence after sync"}));
}

// Both CTAs read their rows of A and their half of B, and write their D.
TEST(TensorEvents, MmaOfAPair) {
  EventLog log = eventsOf(
      "add.s64 %rd6, %rd4, 0x4000404000010000;\n"
      "setp.eq.u32 %p4, 0, 1;\n"
      "@%p6 tcgen05.mma.cta_group::2.kind::f16 [%t], %rd6, %rd6, 0x10080490, "
      "%p4;\n" +
          Tcgen05Kernel::commitPair() + Tcgen05Kernel::wait(""),
      2, workWords);
  EXPECT_EQ(log.lines(),
            (Lines{"w0:1 #1 issue mma", "w0:1 #2 issue commit at bar at bar@1",
                   "w0:1 #1 read async" + ranges("", 16, 1024, swizzledRow),
                   "w0:1 #1 read async" + ranges("", 2, 1024, swizzledRow),
                   "w0:1 #1 read async" + ranges("@1", 16, 1024, swizzledRow),
                   "w0:1 #1 read async" + ranges("@1", 2, 1024, swizzledRow),
                   "w0:1 #1 write tensor t0[0+128,0+32] t1[0+128,0+32]",
                   "w0:1 #1 complete", "w0:1 #2 complete"}));
}

// A in tensor memory is read there, and lanes of D may stay as they are.
TEST(TensorEvents, OperandsInTensorMemory) {
  EventLog log =
      eventsOf("add.s64 %rd6, %rd4, 0x4000404000010000;\n"
               "setp.eq.u32 %p4, 0, 1;\n"
               "mov.b32 %x0, 0xffff;\nmov.b32 %x1, 0;\n"
               "@%p1 tcgen05.mma.cta_group::1.kind::f16 [%t], [%t+32], %rd6, "
               "0x8020490, {%x0, %x1, %x1, %x1}, %p4;\n" +
                   Tcgen05Kernel::commit() + Tcgen05Kernel::wait(""),
               1, {"read tensor", "write tensor"});
  EXPECT_EQ(log.lines(), (Lines{"w0:1 #1 read tensor t0[0+128,32+8]",
                                "w0:1 #1 write tensor t0[16+112,0+8]"}));
}

TEST(TensorEvents, CopyAndShift) {
  // 32 rows of 16 bytes, to all warps' lanes; then rows of 32 bytes go one lane
  // up.
  EventLog log =
      eventsOf("add.s64 %rd6, %rd4, 0x400800010000;\n"
               "@%p1 tcgen05.cp.cta_group::1.32x128b.warpx4 [%t+8], %rd6;\n"
               "@%p1 tcgen05.shift.cta_group::1.down [%t];\n" +
                   Tcgen05Kernel::commit() + Tcgen05Kernel::wait(""),
               1, workWords);
  std::string rows;
  for (unsigned row = 0; row != 8; ++row)
    rows += (row ? " s+" + std::to_string(16 * row) : " s") + ":16x4/128";
  EXPECT_EQ(log.lines(),
            (Lines{"w0:1 #1 issue mma", "w0:1 #2 issue mma",
                   "w0:1 #3 issue commit at bar", "w0:1 #1 read async" + rows,
                   "w0:1 #1 write tensor t0[0+128,8+4]", "w0:1 #1 complete",
                   "w0:1 #2 read tensor t0[0+31,0+8]",
                   "w0:1 #2 write tensor t0[1+31,0+8]", "w0:1 #2 complete",
                   "w0:1 #3 complete"}));
}

TEST(TensorEvents, ThePermitToAllocate) {
  EventLog log = eventsOf(
      "@%p3 tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n", 1,
      {"allocate", "free", "relinquish"});
  EXPECT_EQ(log.lines(),
            (Lines{"w0 allocate 0+64", "w0 relinquish", "w0 free 0+64"}));
}

// Loads and stores of 16 lanes, and of two pieces.
TEST(TensorEvents, ShapesOfLoads) {
  EventLog log =
      eventsOf("add.s32 %w, %w, 0x100000;\n"
               "tcgen05.ld.sync.aligned.16x64b.x4.b32 " +
                   Tcgen05Kernel::list(4) +
                   ", [%w+4];\n"
                   "tcgen05.wait::ld.sync.aligned;\n"
                   "tcgen05.st.sync.aligned.16x32bx2.x2.b32 [%w], 16, " +
                   Tcgen05Kernel::list(2) +
                   ";\n"
                   "tcgen05.wait::st.sync.aligned;\n",
               1, {"read tensor", "write tensor", "waited"});
  EXPECT_EQ(log.lines("w1"),
            (Lines{"w1 read tensor t0[48+16,4+8]", "w1 waited tensor loads",
                   "w1 write tensor t0[48+16,0+2] t0[48+16,16+2]",
                   "w1 waited tensor stores"}));
}

// The second CTA to come may use the first one's columns at once, so both are
// reported before either goes on. The address is written after that.
TEST(TensorEvents, APairAllocatesAndFreesInOneStep) {
  EventLog log = eventsOf("", 2, {"allocate", "free", "write base"});
  EXPECT_EQ(log.lines(), (Lines{"w0 allocate 0+64", "c1w0 allocate 0+64",
                                "c1w0 write base@1:4", "w0 write base:4",
                                "c1w0 free 0+64", "w0 free 0+64"}));
}
