//===- MatrixTest.cpp - ldmatrix, stmatrix and movmatrix -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

using namespace drawloom::emu;

// Shared memory holds 16-bit elements whose value is their index; row r of a
// matrix is at byte 32 r, so that rows are not next to each other.
static const std::string filled = R"(
  mov.u32 %r1, smem;
  mov.u32 %r2, 0;
fill:
  mad.lo.u32 %r3, %r2, 32, %lane;
  shl.b32 %r4, %r3, 1;
  add.u32 %r4, %r4, %r1;
  st.shared.b16 [%r4], %r3;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p1, %r2, 32;
  @%p1 bra fill;
  bar.warp.sync -1;
  mad.lo.u32 %r5, %lane, 32, %r1;
)";

/// The element of matrix m at (row, column).
static uint32_t at(unsigned m, unsigned row, unsigned column) {
  return (8 * m + row) * 16 + column;
}

static uint32_t fragment(unsigned lane, unsigned m, bool transposed) {
  unsigned row = lane / 4, column = 2 * (lane % 4);
  if (transposed)
    return at(m, column, row) | at(m, column + 1, row) << 16;
  return at(m, row, column) | at(m, row, column + 1) << 16;
}

TEST(Matrix, Ldmatrix) {
  for (bool transposed : {false, true}) {
    std::string trans = transposed ? ".trans" : "";
    EXPECT_EQ(perLane<uint32_t>(filled + "ldmatrix.sync.aligned.m8n8.x1" +
                                trans + ".shared.b16 {%o}, [%r5];"),
              lanes<uint32_t>(
                  [&](unsigned l) { return fragment(l, 0, transposed); }));
    EXPECT_EQ(perLane<uint32_t>(filled + "ldmatrix.sync.aligned.m8n8.x2" +
                                trans + ".shared.b16 {%r6, %o}, [%r5];"),
              lanes<uint32_t>(
                  [&](unsigned l) { return fragment(l, 1, transposed); }));
    for (unsigned m = 0; m != 4; ++m)
      EXPECT_EQ(perLane<uint32_t>(filled + "ldmatrix.sync.aligned.m8n8.x4" +
                                  trans +
                                  ".shared.b16 {%r6, %r7, %r8, %r9}, [%r5];"
                                  "mov.b32 %o, %r" +
                                  std::to_string(6 + m) + ";"),
                lanes<uint32_t>(
                    [&](unsigned l) { return fragment(l, m, transposed); }));
  }
}

TEST(Matrix, LdmatrixGeneric) {
  EXPECT_EQ(perLane<uint32_t>(
                filled + "mul.wide.u32 %rd1, %r5, 1;"
                         "cvta.shared.u64 %rd1, %rd1;"
                         "ldmatrix.sync.aligned.m8n8.x1.b16 {%o}, [%rd1];"),
            lanes<uint32_t>([&](unsigned l) { return fragment(l, 0, false); }));
}

TEST(Matrix, StmatrixUndoesLdmatrix) {
  for (std::string trans : {"", ".trans"})
    for (unsigned row : {0u, 7u, 12u, 26u})
      EXPECT_EQ(perLane<uint32_t>(
                    filled + "ldmatrix.sync.aligned.m8n8.x4" + trans +
                    ".shared.b16 {%r6, %r7, %r8, %r9}, [%r5];"
                    "stmatrix.sync.aligned.m8n8.x4" +
                    trans + ".shared.b16 [%r5+8192], {%r6, %r7, %r8, %r9};" +
                    "stmatrix.sync.aligned.m8n8.x2" + trans +
                    ".shared.b16 [%r5+8208], {%r8, %r9};" +
                    "bar.warp.sync -1;" +
                    "shl.b32 %r10, %lane, 1; add.u32 %r10, %r10, %r1;"
                    "ld.shared.u16 %o, [%r10+" +
                    std::to_string(8192 + 32 * row) + "];"),
                lanes<uint32_t>([&](unsigned l) -> uint32_t {
                  // Lanes 16 to 31 read the next row. Columns 8 to 15 of the
                  // first 16 rows hold matrices 2 and 3.
                  unsigned r = row + l / 16, column = l % 16;
                  if (column < 8)
                    return at(0, r, column);
                  return r < 16 ? at(2, r, column - 8) : 0;
                }));
}

TEST(Matrix, StmatrixTransposes) {
  EXPECT_EQ(
      perLane<uint32_t>(filled +
                        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r6}, "
                        "[%r5]; stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 "
                        "[%r5+8192], {%r6}; bar.warp.sync -1;"
                        "shr.u32 %r7, %lane, 2; and.b32 %r8, %lane, 3;"
                        "mad.lo.u32 %r9, %r7, 32, %r1;"
                        "mad.lo.u32 %r9, %r8, 4, %r9;"
                        "ld.shared.u32 %o, [%r9+8192];"),
      lanes<uint32_t>([&](unsigned l) { return fragment(l, 0, true); }));
}

TEST(Matrix, Movmatrix) {
  EXPECT_EQ(
      perLane<uint32_t>(filled +
                        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r6}, [%r5];"
                        "movmatrix.sync.aligned.m8n8.trans.b16 %o, %r6;"),
      lanes<uint32_t>([&](unsigned l) { return fragment(l, 0, true); }));
}

TEST(MatrixMustFail, Rows) {
  EXPECT_CONTAINS(perLaneFailure(filled +
                                 "ldmatrix.sync.aligned.m8n8.x1.shared.b16 "
                                 "{%o}, [%r5+8];"),
                  "the address must be a multiple of 16");
  EXPECT_CONTAINS(perLaneFailure(filled +
                                 "setp.eq.u32 %p2, %lane, 3; @%p2 exit;"
                                 "ldmatrix.sync.aligned.m8n8.x1.shared.b16 "
                                 "{%o}, [%r5];"),
                  "needs all 32 lanes of the warp; lane 3 has exited");
  EXPECT_CONTAINS(perLaneFailure(filled +
                                 "setp.eq.u32 %p2, %lane, 3; @!%p2 "
                                 "ldmatrix.sync.aligned.m8n8.x1.shared.b16 "
                                 "{%o}, [%r5]; @%p2 bar.sync 1;"),
                  "waits for the other lanes of its warp at");
}
