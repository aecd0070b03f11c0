//===- CollectiveTest.cpp - Operations across the lanes of a warp --------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include <bit>
#include <cmath>

using namespace drawloom::emu;

/// shfl by the pseudo code of the ISA; adds 100 if the source is in range.
static std::vector<uint32_t> shuffled(const std::string &mode, int b,
                                      uint32_t c) {
  return lanes<uint32_t>([&](unsigned lane) {
    int bval = b & 31, cval = c & 31, segmask = c >> 8 & 31;
    int maxLane = (lane & segmask) | (cval & ~segmask);
    int minLane = lane & segmask;
    int j = 0;
    bool pval = false;
    if (mode == "up") {
      j = int(lane) - bval;
      pval = j >= maxLane;
    } else if (mode == "down") {
      j = lane + bval;
      pval = j <= maxLane;
    } else if (mode == "bfly") {
      j = lane ^ bval;
      pval = j <= maxLane;
    } else {
      j = minLane | (bval & ~segmask);
      pval = j <= maxLane;
    }
    if (!pval)
      j = lane;
    return uint32_t(j) * 3 + (pval ? 1000 : 0);
  });
}

TEST(Collective, Shfl) {
  for (std::string mode : {"up", "down", "bfly", "idx"})
    for (int b : {0, 1, 5, 16, 31, 33})
      for (uint32_t c : {0u, 31u, 0x181fu, 0x1c07u, 0x1800u})
        EXPECT_EQ(perLane<uint32_t>("mul.lo.u32 %r1, %lane, 3;"
                                    "shfl.sync." +
                                    mode + ".b32 %r1|%p1, %r1, " +
                                    std::to_string(b) + ", " +
                                    std::to_string(c) + ", -1;" +
                                    "selp.u32 %r2, 1000, 0, %p1;"
                                    "add.u32 %o, %r1, %r2;"),
                  shuffled(mode, b, c))
            << mode << " " << b << " " << c;
}

TEST(Collective, ShflWithTwoMasksAtOnce) {
  // The halves of the warp shuffle on their own, in one instruction.
  EXPECT_EQ(perLane<uint32_t>("setp.lt.u32 %p1, %lane, 16;"
                              "selp.b32 %r1, 0xffff, 0xffff0000, %p1;"
                              "selp.b32 %r2, 3, 20, %p1;"
                              "shfl.sync.idx.b32 %o, %lane, %r2, 31, %r1;"),
            lanes<uint32_t>([](unsigned l) { return l < 16 ? 3 : 20; }));
}

TEST(Collective, Vote) {
  auto value = [](const std::string &vote) {
    return perLane<uint32_t>("setp.lt.u32 %p1, %lane, 5;"
                             "setp.ge.u32 %p2, %lane, 0;" +
                             vote + "selp.u32 %o, 1, 0, %p3;");
  };
  auto all = [](unsigned v) { return std::vector<uint32_t>(32, v); };
  EXPECT_EQ(value("vote.sync.all.pred %p3, %p1, -1;"), all(0));
  EXPECT_EQ(value("vote.sync.all.pred %p3, %p2, -1;"), all(1));
  EXPECT_EQ(value("vote.sync.any.pred %p3, %p1, -1;"), all(1));
  EXPECT_EQ(value("vote.sync.any.pred %p3, !%p2, -1;"), all(0));
  EXPECT_EQ(value("vote.sync.uni.pred %p3, %p1, -1;"), all(0));
  EXPECT_EQ(value("vote.sync.uni.pred %p3, !%p2, -1;"), all(1));
  EXPECT_EQ(perLane<uint32_t>("setp.lt.u32 %p1, %lane, 5;"
                              "vote.sync.ballot.b32 %o, !%p1, -1;"),
            all(~31u));
}

TEST(Collective, Match) {
  EXPECT_EQ(perLane<uint32_t>("and.b32 %r1, %lane, 3;"
                              "match.any.sync.b32 %o, %r1, -1;"),
            lanes<uint32_t>([](unsigned l) { return 0x11111111u << l % 4; }));
  EXPECT_EQ(perLane<uint32_t>("mul.wide.u32 %rd1, %lane, 1;"
                              "shr.u64 %rd1, %rd1, 4;"
                              "match.any.sync.b64 %o, %rd1, -1;"),
            lanes<uint32_t>([](unsigned l) { return 0xffffu << l / 16 * 16; }));
  EXPECT_EQ(perLane<uint32_t>("mov.u64 %rd1, 5;"
                              "match.all.sync.b64 %r1|%p1, %rd1, -1;"
                              "match.all.sync.b32 %r2|%p2, %lane, -1;"
                              "selp.u32 %r3, 1, 0, %p1;"
                              "selp.u32 %r4, 2, 0, %p2; add.u32 %r3, %r3, %r4;"
                              "add.u32 %r1, %r1, %r2; add.u32 %o, %r1, %r3;"),
            lanes<uint32_t>([](unsigned) { return ~0u + 0 + 1; }));
}

TEST(Collective, Redux) {
  auto reduce = [](const std::string &op, const std::string &value) {
    return perLane<uint32_t>(value + "redux.sync." + op + " %o, %r1, -1;")[17];
  };
  std::string odd = "mad.lo.u32 %r1, %lane, 2, 1;";
  std::string minus = "sub.u32 %r1, 3, %lane;";
  EXPECT_EQ(reduce("add.u32", odd), 1024u);
  EXPECT_EQ(reduce("min.u32", odd), 1u);
  EXPECT_EQ(reduce("max.u32", odd), 63u);
  EXPECT_EQ(reduce("min.s32", minus), uint32_t(-28));
  EXPECT_EQ(reduce("max.s32", minus), 3u);
  EXPECT_EQ(reduce("max.u32", minus), ~0u);
  EXPECT_EQ(reduce("and.b32", odd), 1u);
  EXPECT_EQ(reduce("or.b32", odd), 63u);
  EXPECT_EQ(reduce("xor.b32", "add.u32 %r1, %lane, 32;"), 0u);
}

TEST(Collective, ReduxOfFloats) {
  auto bits = [](float f) { return std::bit_cast<uint32_t>(f); };
  // Lane i has -i; lane 7 has a NaN if asked for.
  auto reduce = [](const std::string &op, bool nan) {
    return perLane<uint32_t>(
        std::string("mov.u32 %r1, 0x80000000; setp.eq.u32 %p1, %lane, 0;"
                    "setp.eq.u32 %p2, %lane, 7; setp.eq.u32 %p3, %lane, 9;"
                    "selp.b32 %r1, 0x3f800000, %r1, %p1;"
                    "selp.b32 %r1, 0xc0000000, %r1, %p3;") +
        (nan ? "selp.b32 %r1, 0x7fc00001, %r1, %p2;" : "") +
        "mov.b32 %f1, %r1; redux.sync." + op +
        ".f32 %f2, %f1, -1; mov.b32 %o, %f2;")[3];
  };
  EXPECT_EQ(reduce("min", false), bits(-2.0f));
  EXPECT_EQ(reduce("max", false), bits(1.0f));
  EXPECT_EQ(reduce("min.abs", false), bits(0.0f));
  EXPECT_EQ(reduce("max.abs", false), bits(2.0f));
  EXPECT_EQ(reduce("max", true), bits(1.0f));
  EXPECT_EQ(reduce("max.NaN", true), 0x7fffffffu);
}

TEST(Collective, Elect) {
  EXPECT_EQ(perLane<uint32_t>("elect.sync %r1|%p1, -1;"
                              "selp.u32 %r2, 100, 0, %p1;"
                              "add.u32 %o, %r1, %r2;"),
            lanes<uint32_t>([](unsigned l) { return l ? 0 : 100; }));
  // Among the lanes that are left.
  EXPECT_EQ(perLane<uint32_t>("mov.u32 %o, 7; setp.lt.u32 %p2, %lane, 6;"
                              "@%p2 bra out_of_it;"
                              "elect.sync %o|%p1, 0xffffffc0;"
                              "out_of_it:"),
            lanes<uint32_t>([](unsigned l) { return l < 6 ? 7 : 6; }));
}

TEST(Collective, Activemask) {
  EXPECT_EQ(perLane<uint32_t>("setp.lt.u32 %p1, %lane, 4; mov.u32 %o, 0;"
                              "@%p1 activemask.b32 %o;"),
            lanes<uint32_t>([](unsigned l) { return l < 4 ? 15 : 0; }));
}

// The lanes come to the instruction by paths whose blocks are not in order:
// some have to wait there for the others.
TEST(Collective, LanesWaitForEachOther) {
  EXPECT_EQ(perLane<uint32_t>("setp.lt.u32 %p1, %lane, 8; mov.u32 %r1, 1;"
                              "@%p1 bra far;"
                              "join:"
                              "shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;"
                              "add.u32 %o, %r1, %r2; bra end;"
                              "far: mov.u32 %r1, 100; bra join;"
                              "end:"),
            lanes<uint32_t>([](unsigned l) { return l < 8 ? 200 : 101; }));
  // In a loop that lanes leave at different times, by a mask of those in it.
  EXPECT_EQ(perLane<uint32_t>("mov.u32 %r1, 0; mov.u32 %o, 0;"
                              "again: setp.gt.u32 %p1, %r1, %lane;"
                              "vote.sync.ballot.b32 %r2, !%p1, -1;"
                              "add.u32 %o, %o, %r2; add.u32 %r1, %r1, 1;"
                              "setp.lt.u32 %p2, %r1, 4; @%p2 bra again;"),
            lanes<uint32_t>([](unsigned) {
              return ~0u + (~0u << 1) + (~0u << 2) + (~0u << 3);
            }));
}

/// Even lanes execute `even`, odd lanes `odd`, in branches.
static std::string inBranches(const std::string &even, const std::string &odd) {
  return "and.b32 %r1, %lane, 1; setp.eq.u32 %p1, %r1, 1;"
         "add.u32 %r2, %lane, 100; mul.lo.u32 %r3, %lane, 2;"
         "@%p1 bra odd;" +
         even + "bra end;\nodd:" + odd + "\nend:";
}

// From sm_70 on, lanes of a mask may be at different instructions that are the
// same but for their registers.
TEST(Collective, LanesInTwoBranches) {
  EXPECT_EQ(perLane<uint32_t>(inBranches("bar.warp.sync -1; mov.u32 %o, 1;",
                                         "bar.warp.sync -1; mov.u32 %o, 2;")),
            lanes<uint32_t>([](unsigned l) { return 1 + l % 2; }));
  // Each gets what the other has in its own register, and puts it elsewhere.
  EXPECT_EQ(perLane<uint32_t>(inBranches(
                "shfl.sync.bfly.b32 %o, %r2, 1, 31, -1;",
                "shfl.sync.bfly.b32 %r4, %r3, 1, 31, -1; mov.u32 %o, %r4;")),
            lanes<uint32_t>([](unsigned l) {
              return l % 2 ? 100 + (l ^ 1) : 2 * (l ^ 1);
            }));
  EXPECT_EQ(
      perLane<uint32_t>(inBranches(
          "setp.lt.u32 %p2, %lane, 4; vote.sync.ballot.b32 %o, %p2, -1;",
          "setp.lt.u32 %p3, %lane, 8; vote.sync.ballot.b32 %o, %p3, -1;")),
      lanes<uint32_t>([](unsigned) { return 0xaf; }));
  EXPECT_EQ(perLane<uint32_t>(inBranches("redux.sync.max.u32 %o, %r2, -1;",
                                         "redux.sync.max.u32 %o, %r3, -1;")),
            lanes<uint32_t>([](unsigned) { return 130; }));
}

TEST(CollectiveMustFail, BranchesWithOtherQualifiers) {
  EXPECT_CONTAINS(perLaneFailure(inBranches("redux.sync.max.u32 %o, %r2, -1;",
                                            "redux.sync.add.u32 %o, %r3, -1;")),
                  "deadlock");
}

TEST(Collective, ExitedLanesNeedNotCome) {
  EXPECT_EQ(perLane<uint32_t>("setp.lt.u32 %p1, %lane, 4; @%p1 exit;"
                              "vote.sync.ballot.b32 %o, 1, -1;"),
            lanes<uint32_t>([](unsigned l) { return l < 4 ? 0 : ~15u; }));
  // Lanes that wait are set free when the others exit.
  EXPECT_EQ(perLane<uint32_t>("setp.lt.u32 %p1, %lane, 4; @%p1 bra leave;"
                              "vote.sync.ballot.b32 %o, 1, -1; bra end;"
                              "leave: exit;"
                              "end:"),
            lanes<uint32_t>([](unsigned l) { return l < 4 ? 0 : ~15u; }));
}

TEST(CollectiveMustFail, ALaneOutsideItsMask) {
  EXPECT_CONTAINS(perLaneFailure("vote.sync.ballot.b32 %o, 1, 0xf;"),
                  "lanes 4-31: executed by lanes that their own member mask "
                  "(0xf) doesn't name");
}

TEST(CollectiveMustFail, LanesThatNeverCome) {
  std::string report =
      perLaneFailure("setp.lt.u32 %p1, %lane, 4; @%p1 bra other;"
                     "bar.warp.sync -1; bra end;\n"
                     "other: bar.warp.sync 0xffff;\n"
                     "end:");
  EXPECT_CONTAINS(report, "deadlock");
  EXPECT_CONTAINS(report, "waits for the other lanes of its warp at "
                          "'bar.warp.sync'; lanes 0-3 are at line 13");
}
