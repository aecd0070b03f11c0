//===- SpecialTest.cpp - Special registers, clocks and traps -------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

using namespace drawloom::emu;

TEST(Special, LaneMasks) {
  auto mask = [](const std::string &name) {
    return perLane<uint32_t>("mov.u32 %o, %lanemask_" + name + ";");
  };
  EXPECT_EQ(mask("eq"), lanes<uint32_t>([](unsigned l) { return 1u << l; }));
  EXPECT_EQ(mask("lt"),
            lanes<uint32_t>([](unsigned l) { return (1u << l) - 1; }));
  EXPECT_EQ(mask("le"), lanes<uint32_t>([](unsigned l) {
              return (1u << l) - 1 | 1u << l;
            }));
  EXPECT_EQ(mask("gt"), lanes<uint32_t>([](unsigned l) {
              return ~((1u << l) - 1 | 1u << l);
            }));
  EXPECT_EQ(mask("ge"),
            lanes<uint32_t>([](unsigned l) { return ~((1u << l) - 1); }));
}

// Every special register of one thread of a grid of 4 x 4 x 2 CTAs in clusters
// of 2 x 2 x 1, with blocks of 5 x 4 x 3.
TEST(Special, Coordinates) {
  const char *names[] = {"%tid.x",
                         "%tid.y",
                         "%tid.z",
                         "%ntid.x",
                         "%ntid.y",
                         "%ntid.z",
                         "%laneid",
                         "%warpid",
                         "%ctaid.x",
                         "%ctaid.y",
                         "%ctaid.z",
                         "%nctaid.x",
                         "%nctaid.y",
                         "%nctaid.z",
                         "%clusterid.x",
                         "%clusterid.y",
                         "%clusterid.z",
                         "%nclusterid.x",
                         "%nclusterid.y",
                         "%nclusterid.z",
                         "%cluster_ctaid.x",
                         "%cluster_ctaid.y",
                         "%cluster_ctaid.z",
                         "%cluster_nctaid.x",
                         "%cluster_nctaid.y",
                         "%cluster_nctaid.z",
                         "%cluster_ctarank",
                         "%cluster_nctarank",
                         "%nsmid",
                         "%dynamic_smem_size"};
  std::string body;
  unsigned count = 0;
  for (const char *name : names)
    body += "mov.u32 %r1, " + std::string(name) + "; st.global.u32 [%rd1+" +
            std::to_string(4 * count++) + "], %r1;\n";
  Harness h("h100", R"(
.visible .entry k(.param .u64 out, .param .u32 cta, .param .u32 thread) {
  .reg .b32 %r<16>;
  .reg .b64 %rd<4>;
  .reg .pred %p<4>;
  ld.param.u64 %rd1, [out];
  // The linear numbers of the CTA and the thread.
  mov.u32 %r2, %ctaid.z; mov.u32 %r3, %nctaid.y; mov.u32 %r4, %ctaid.y;
  mad.lo.u32 %r2, %r2, %r3, %r4;
  mov.u32 %r3, %nctaid.x; mov.u32 %r4, %ctaid.x;
  mad.lo.u32 %r2, %r2, %r3, %r4;
  mov.u32 %r5, %tid.z; mov.u32 %r6, %ntid.y; mov.u32 %r7, %tid.y;
  mad.lo.u32 %r5, %r5, %r6, %r7;
  mov.u32 %r6, %ntid.x; mov.u32 %r7, %tid.x;
  mad.lo.u32 %r5, %r5, %r6, %r7;
  ld.param.u32 %r8, [cta];
  ld.param.u32 %r9, [thread];
  setp.ne.u32 %p1, %r2, %r8;
  @%p1 exit;
  setp.ne.u32 %p1, %r5, %r9;
  @%p1 exit;
)" + body + "ret; }");
  h.cluster = {2, 2, 1};
  h.dynamicShared = 4096;
  uint64_t out = h.allocate<uint32_t>(count);
  // CTA (1, 2, 1), thread (3, 2, 1).
  uint32_t cta = 1 + 4 * (2 + 4 * 1), thread = 3 + 5 * (2 + 4 * 1);
  ASSERT_TRUE(h.run("k", {4, 4, 2}, {5, 4, 3}, {out, cta, thread}));
  EXPECT_EQ(h.read<uint32_t>(out, count),
            (std::vector<uint32_t>{
                3, 2, 1, 5, 4, 3, thread % 32, thread / 32, 1,   2,
                1, 4, 4, 2, 0, 1, 1,           2,           2,   2,
                1, 0, 0, 2, 2, 1, 1,           4,           132, 4096}));
}

TEST(Special, ClocksAdvance) {
  EXPECT_EQ(perLane<uint64_t>("mov.u64 %rd1, %clock64; mov.u64 %rd2, %clock64;"
                              "mov.u64 %rd3, %globaltimer;"
                              "setp.lt.u64 %p1, %rd1, %rd2;"
                              "setp.lt.u64 %p2, %rd2, %rd3;"
                              "and.pred %p1, %p1, %p2;"
                              "selp.u64 %od, 1, 0, %p1;"),
            std::vector<uint64_t>(32, 1));
  EXPECT_EQ(perLane<uint32_t>("mov.u32 %r1, %clock; mov.u32 %r2, %clock;"
                              "mov.u32 %r3, %clock_hi; setp.lt.u32 %p1, %r1, "
                              "%r2; selp.u32 %o, 1, 0, %p1; add.u32 %o, %o, "
                              "%r3; pmevent 3;"),
            std::vector<uint32_t>(32, 1));
}

TEST(Special, HintsToCachesDoNothing) {
  EXPECT_EQ(perLane<uint32_t>(
                "mov.u32 %o, 5; mov.u64 %rd1, table; prefetch.global.L2 [%rd1];"
                "prefetch.L1 [%rd1]; prefetchu.L1 [%rd1];"
                "discard.global.L2 [%rd1], 128;"
                "applypriority.global.L2::evict_normal [%rd1], 128;"
                "createpolicy.fractional.L2::evict_last.b64 %rd2, 0f3F800000;"
                "createpolicy.fractional.L2::evict_first.b64 %rd3;"
                "ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd2;"
                "setp.ne.u64 %p1, %rd2, %rd3; selp.u32 %o, %r1, 0, %p1;",
                ".global .align 128 .u32 table[32] = {9};"),
            std::vector<uint32_t>(32, 9));
}

TEST(SpecialMustFail, Traps) {
  EXPECT_CONTAINS(perLaneFailure("setp.eq.u32 %p1, %lane, 3; @%p1 trap;"),
                  "lane 3: the kernel executed a 'trap'");
  EXPECT_CONTAINS(perLaneFailure("brkpt;"),
                  "the kernel executed a 'brkpt', and no debugger is there");
}
