//===- AddressTest.cpp - cvta, isspacep and mapa -------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

using namespace drawloom::emu;

TEST(Address, CvtaRoundTrips) {
  for (const char *space : {"shared", "shared::cta", "shared::cluster"}) {
    std::string s = space;
    EXPECT_EQ(perLane<uint64_t>("cvta." + s + ".u64 %rd1, smem+8;" +
                                "cvta.to." + s + ".u64 %od, %rd1;"),
              lanes<uint64_t>([](unsigned) { return 0x408; }));
  }
  EXPECT_EQ(perLane<uint64_t>("cvta.shared.u64 %od, smem;"),
            lanes<uint64_t>([](unsigned) { return sharedWindow + 0x400; }));
  EXPECT_EQ(perLane<uint64_t>(".local .align 16 .b8 mine[32];"
                              "mov.u64 %rd1, mine; cvta.local.u64 %rd2, %rd1;"
                              "cvta.to.local.u64 %rd3, %rd2;"
                              "sub.u64 %rd4, %rd2, %rd3; sub.u64 %rd5, %rd3, "
                              "%rd1; add.u64 %od, %rd4, %rd5;"),
            lanes<uint64_t>([](unsigned lane) {
              return localWindow + (uint64_t(lane) << localThreadShift);
            }));
  EXPECT_EQ(perLane<uint64_t>("cvta.global.u64 %rd1, g;"
                              "cvta.to.global.u64 %rd2, %rd1;"
                              "mov.u64 %rd3, g; sub.u64 %od, %rd2, %rd3;",
                              ".global .u32 g;"),
            lanes<uint64_t>([](unsigned) { return 0; }));
  EXPECT_EQ(perLane<uint64_t>("mov.b64 %rd1, out_wide;"
                              "cvta.param.u64 %rd2, %rd1;"
                              "cvta.to.param.u64 %rd3, %rd2;"
                              "mad.lo.u64 %od, %rd3, 1, %rd2;"),
            lanes<uint64_t>([](unsigned) { return paramWindow + 16; }));
}

TEST(Address, Isspacep) {
  // One bit for each space, for an address in each.
  std::string spaces[] = {"global", "const",           "local",
                          "shared", "shared::cluster", "param"};
  std::string bits;
  for (unsigned i = 0; i != 6; ++i)
    bits += "isspacep." + spaces[i] + " %p1, %rd1; selp.u32 %r1, " +
            std::to_string(1 << i) + ", 0, %p1; or.b32 %o, %o, %r1;";
  auto of = [&](const std::string &address) {
    return perLane<uint32_t>(".local .b32 l; mov.u32 %o, 0;" + address + bits,
                             ".global .u32 g; .const .u32 c;")[0];
  };
  EXPECT_EQ(of("cvta.global.u64 %rd1, g;"), 1u);
  EXPECT_EQ(of("cvta.const.u64 %rd1, c;"), 1u | 2);
  EXPECT_EQ(of("mov.u64 %rd1, l; cvta.local.u64 %rd1, %rd1;"), 4u);
  EXPECT_EQ(of("cvta.shared.u64 %rd1, smem;"), 8u | 16);
  EXPECT_EQ(of("mov.b64 %rd1, out; cvta.param.u64 %rd1, %rd1;"), 1u | 32);
  EXPECT_EQ(of("mov.u64 %rd1, 1;"), 0u);
}

// Each CTA of a cluster of four writes its rank into the next one's shared
// memory.
static const char *ring = R"(
.visible .entry ring(.param .u64 out) {
  .reg .b32 %r<16>;
  .reg .b64 %rd<8>;
  .reg .pred %p<4>;
  .shared .b32 cell;
  mov.u32 %r1, %cluster_ctarank;
  add.u32 %r2, %r1, 1;
  and.b32 %r2, %r2, 3;
  mapa.shared::cluster.u32 %r3, cell, %r2;
  st.shared::cluster.u32 [%r3], %r1;
  // The same by generic addresses, and the rank read back from both.
  cvta.shared.u64 %rd1, cell;
  mapa.u64 %rd2, %rd1, %r2;
  getctarank.shared::cluster.u32 %r4, %r3;
  getctarank.u64 %r5, %rd2;
  ld.u32 %r6, [%rd2];
  isspacep.shared::cta %p1, %rd2;
  isspacep.shared::cluster %p2, %rd2;
  selp.u32 %r7, 100, 0, %p1;
  selp.u32 %r8, 1000, 0, %p2;
  ld.param.u64 %rd3, [out];
  mad.wide.u32 %rd3, %r1, 16, %rd3;
  add.u32 %r7, %r7, %r8;
  st.global.v4.u32 [%rd3], {%r4, %r5, %r6, %r7};
  // No CTA's shared memory may go before its neighbor is done with it.
  barrier.cluster.arrive;
  barrier.cluster.wait;
  ret;
})";

TEST(Address, MapaReachesTheOtherCtas) {
  Harness h("h100", ring);
  h.cluster = {4};
  uint64_t out = h.allocate<uint32_t>(16);
  ASSERT_TRUE(h.run("ring", {4}, {1}, {out}));
  std::vector<uint32_t> expected;
  for (uint32_t rank = 0; rank != 4; ++rank)
    for (uint32_t value : {(rank + 1) & 3, (rank + 1) & 3, rank, 1000u})
      expected.push_back(value);
  EXPECT_EQ(h.read<uint32_t>(out, 16), expected);
}

// A compiler may compute the address of each lane in front of the branch that
// asks whether there is such a CTA.
TEST(Address, MapaWhoseResultIsNotUsed) {
  EXPECT_EQ(perLane<uint32_t>("mapa.shared::cluster.u32 %r1, smem, %lane;"
                              "mapa.shared::cluster.u32 %r2, %r1, 0;"
                              "setp.lt.u32 %p1, %lane, 1;"
                              "@%p1 st.shared::cluster.u32 [%r1], 7;"
                              "bar.warp.sync -1;"
                              "ld.shared::cluster.u32 %r3, [%r2];"
                              "getctarank.shared::cluster.u32 %r4, %r1;"
                              "mad.lo.u32 %o, %r3, 100, %r4;"),
            lanes<uint32_t>([](unsigned lane) { return 700 + lane; }));
}

TEST(AddressMustFail, MapaToARankThatIsNotThere) {
  EXPECT_CONTAINS(perLaneFailure("mapa.shared::cluster.u32 %r1, smem, %lane;"
                                 "ld.shared::cluster.u32 %o, [%r1];"),
                  "lane 1: 'ld.shared::cluster.u32' of 4 bytes at "
                  "0x10001000400: the cluster has 1 CTA, and the address is of "
                  "rank 1");
  for (const char *rank : {"255", "256", "0xffffffff"}) {
    EXPECT_CONTAINS(perLaneFailure("mapa.shared::cluster.u32 %r1, smem, " +
                                   std::string(rank) +
                                   "; st.shared::cluster.u32 [%r1], 1;"),
                    "and the address is of rank 255 or above");
    EXPECT_CONTAINS(perLaneFailure("cvta.shared.u64 %rd1, smem; mapa.u64 %rd1, "
                                   "%rd1, " +
                                   std::string(rank) + "; st.u32 [%rd1], 1;"),
                    "and the address is of rank 255 or above");
  }
  EXPECT_CONTAINS(
      perLaneFailure("mapa.shared::cluster.u32 %r1, smem, 31; "
                     "mbarrier.arrive.shared::cluster.b64 _, [%r1];"),
      "and the address is of rank 31");
}
