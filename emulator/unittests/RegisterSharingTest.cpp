//===- RegisterSharingTest.cpp - Registers that share a place ------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decode/RegisterSharing.h"
#include "Harness.h"

using namespace drawloom;
using namespace drawloom::emu;

namespace {
/// The places of a kernel's registers %r<16>, %rd<8>, %p<4>.
struct Places {
  explicit Places(const std::string &body)
      : h("b200", ".visible .entry k(.param .u64 p) { .reg .b32 %r<16>; .reg "
                  ".b64 %rd<8>; .reg .pred %p<4>;" +
                      body + "}") {
    sharing = shareRegisters(*h.module->ptx().findFunction("k"));
  }
  uint32_t r(unsigned i) { return sharing.placeOf[i]; }
  uint32_t rd(unsigned i) { return sharing.placeOf[16 + i]; }
  uint32_t p(unsigned i) { return sharing.placeOf[24 + i]; }

  Harness h;
  RegisterSharing sharing;
};
} // namespace

TEST(RegisterSharing, AChainNeedsOnePlace) {
  Places places("mov.u32 %r1, 5; add.u32 %r2, %r1, 1; add.u32 %r3, %r2, 1;"
                "add.u32 %r4, %r3, %r3; st.param.u32 [p], %r4;");
  EXPECT_EQ(places.r(1), places.r(2));
  EXPECT_EQ(places.r(2), places.r(3));
  EXPECT_EQ(places.r(3), places.r(4));
  EXPECT_EQ(places.sharing.places.size(), 1u);
}

TEST(RegisterSharing, SizesAndPredicatesDontMix) {
  Places places("mov.u32 %r1, 5; mul.wide.u32 %rd1, %r1, 1;"
                "setp.eq.u64 %p1, %rd1, 5; selp.u32 %r2, 1, 2, %p1;"
                "setp.eq.u32 %p2, %r2, 1; @%p2 exit;");
  EXPECT_EQ(places.r(1), places.r(2));
  EXPECT_EQ(places.p(1), places.p(2));
  EXPECT_EQ(places.sharing.places.size(), 3u);
}

TEST(RegisterSharing, LiveAcrossALoop) {
  // %r1 is read in front of the loop's end on every round: what the loop
  // computes may not take its place.
  Places places("mov.u32 %r1, 5; mov.u32 %r2, 0;"
                "again: add.u32 %r3, %r2, %r1; mov.u32 %r4, %r3;"
                "mov.u32 %r2, %r4; setp.lt.u32 %p1, %r2, 100;"
                "@%p1 bra again; mov.u32 %r5, 1; add.u32 %r6, %r5, 2;");
  EXPECT_NE(places.r(1), places.r(2));
  EXPECT_NE(places.r(1), places.r(3));
  EXPECT_NE(places.r(1), places.r(4));
  EXPECT_NE(places.r(2), places.r(1));
}

TEST(RegisterSharing, AGuardedWriteKeepsTheOldValue) {
  Places places("mov.u32 %r1, 5; setp.eq.u32 %p1, 1, 2; mov.u32 %r2, 7;"
                "add.u32 %r3, %r2, 1; @%p1 mov.u32 %r1, %r3;"
                "st.param.u32 [p], %r1;");
  EXPECT_NE(places.r(1), places.r(2));
  EXPECT_NE(places.r(1), places.r(3));
}

TEST(RegisterSharing, SeveralDestinationsTakeNoPlaceOfASource) {
  Places places("mov.u32 %r1, 5; mov.b64 {%r2, %r3}, %rd1;"
                "ld.v2.u32 {%r4, %r5}, [%rd2];"
                "match.all.sync.b32 %r6|%p1, %r5, -1;");
  EXPECT_NE(places.r(2), places.r(3));
  EXPECT_NE(places.r(4), places.r(5));
  EXPECT_NE(places.r(6), places.r(5));
}

TEST(RegisterSharing, MatrixOperandsAreAlone) {
  Places places("mov.b32 %r1, 0; mov.b32 %r2, 0;"
                "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r3}, [%r1];"
                "mov.b32 %r4, 1; mov.b32 %r5, %r4;");
  for (unsigned i : {1, 2, 4, 5})
    EXPECT_NE(places.r(3), places.r(i));
  EXPECT_NE(places.r(1), places.r(4));
}

// Lanes take different paths with different registers; what one path keeps, the
// other must not overwrite.
TEST(RegisterSharing, DivergedLanesKeepTheirValues) {
  EXPECT_EQ(perLane<uint32_t>(R"(
  add.u32 %r1, %lane, 100;
  and.b32 %r2, %lane, 1;
  setp.eq.u32 %p1, %r2, 0;
  @%p1 bra even;
  mul.lo.u32 %r3, %r1, 3;
  mul.lo.u32 %r4, %r3, 5;
  bar.warp.sync 0xaaaaaaaa;
  add.u32 %o, %r3, %r4;
  bra end;
even:
  add.u32 %r5, %r1, 1000;
  add.u32 %r6, %r5, 1;
  add.u32 %r7, %r6, %r5;
  bar.warp.sync 0x55555555;
  add.u32 %o, %r7, %r1;
end:
)"),
            lanes<uint32_t>([](unsigned l) {
              uint32_t r1 = l + 100;
              return l % 2 ? r1 * 3 + r1 * 15 : (r1 + 1001 + r1 + 1000) + r1;
            }));
}
