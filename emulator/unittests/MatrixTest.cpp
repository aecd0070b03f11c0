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

//===----------------------------------------------------------------------===//
// Elements of 8 bits and fewer
//===----------------------------------------------------------------------===//

// Byte b of shared memory is byteAt(b); lane i's row is at byte 48 i.
static const std::string filledBytes = R"(
  mov.u32 %r1, smem;
  mov.u32 %r2, %lane;
fill:
  mul.lo.u32 %r3, %r2, 37;
  shr.u32 %r4, %r2, 5;
  xor.b32 %r3, %r3, %r4;
  add.u32 %r4, %r1, %r2;
  st.shared.b8 [%r4], %r3;
  add.u32 %r2, %r2, 32;
  setp.lt.u32 %p1, %r2, 2048;
  @%p1 bra fill;
  bar.warp.sync -1;
  mad.lo.u32 %r5, %lane, 48, %r1;
)";

static uint8_t byteAt(unsigned byte) { return (byte * 37) ^ (byte >> 5); }

/// Element `index` of the row of `lane`, packed in so many bits.
static uint32_t packedAt(unsigned lane, unsigned index, unsigned bits) {
  uint32_t value = 0;
  for (unsigned bit = 0; bit != bits; ++bit) {
    unsigned at = index * bits + bit;
    value |= (byteAt(48 * lane + at / 8) >> at % 8 & 1u) << bit;
  }
  return value;
}

/// Four elements of a row of a matrix, from that column on.
template <typename F>
static uint32_t four(unsigned row, unsigned column, F element) {
  uint32_t word = 0;
  for (unsigned i = 0; i != 4; ++i)
    word |= element(row, column + i) << 8 * i;
  return word;
}

/// Checks all registers that `instruction` loads against
/// expected(lane, register).
template <typename F>
static void expectRegisters(const std::string &instruction, unsigned count,
                            F expected) {
  std::string list;
  for (unsigned reg = 0; reg != count; ++reg)
    list += (reg ? ", %r" : "{%r") + std::to_string(10 + reg);
  for (unsigned reg = 0; reg != count; ++reg)
    EXPECT_EQ(perLane<uint32_t>(filledBytes + instruction + " " + list +
                                "}, [%r5]; mov.b32 %o, %r" +
                                std::to_string(10 + reg) + ";"),
              lanes<uint32_t>([&](unsigned l) { return expected(l, reg); }))
        << instruction << ", register " << reg;
}

// An 8x16 matrix whose rows are at the addresses.
TEST(Matrix, LdmatrixUnpacks) {
  for (auto [format, bits] : {std::pair("b6x16_p32", 6u), {"b4x16_p64", 4u}})
    for (unsigned count : {1u, 2u, 4u})
      expectRegisters("ldmatrix.sync.aligned.m8n16.x" + std::to_string(count) +
                          ".shared::cta.b8x16." + format,
                      count, [&](unsigned lane, unsigned reg) {
                        return four(lane / 4, 4 * (lane % 4),
                                    [&](unsigned row, unsigned column) {
                                      return packedAt(8 * reg + row, column,
                                                      bits);
                                    });
                      });
}

// A 16x16 matrix whose columns are at the addresses.
TEST(Matrix, LdmatrixTransposesBytes) {
  for (auto [format, bits] :
       {std::pair("b8", 8u), {"b8x16.b6x16_p32", 6u}, {"b8x16.b4x16_p64", 4u}})
    for (unsigned count : {1u, 2u})
      expectRegisters("ldmatrix.sync.aligned.m16n16.x" + std::to_string(count) +
                          ".trans.shared." + format,
                      2 * count, [&](unsigned lane, unsigned reg) {
                        unsigned matrix = reg / 2;
                        return four(lane / 4 + 8 * (reg % 2), 4 * (lane % 4),
                                    [&](unsigned row, unsigned column) {
                                      return packedAt(16 * matrix + column, row,
                                                      bits);
                                    });
                      });
}

// A 16x8 matrix; lane t has two elements of row t / 4 and two of the row 8
// below, and the columns go to the addresses.
TEST(Matrix, StmatrixTransposesBytes) {
  for (unsigned count : {1u, 2u, 4u}) {
    std::string list;
    for (unsigned reg = 0; reg != count; ++reg)
      list += (reg ? ", %r" : "{%r") + std::to_string(10 + reg);
    // Byte i of register r of lane l is 4 l + i + 128 (r % 2) + 3 (r / 2).
    std::string body = filledBytes + R"(
  mul.lo.u32 %r6, %lane, 0x04040404;
  add.u32 %r10, %r6, 0x03020100;
  xor.b32 %r11, %r10, 0x80808080;
  add.u32 %r12, %r6, 0x06050403;
  xor.b32 %r13, %r12, 0x80808080;
  stmatrix.sync.aligned.m16n8.x)" +
                       std::to_string(count) + ".trans.shared.b8 [%r5], " +
                       list + R"(};
  bar.warp.sync -1;
)";
    for (unsigned word = 0; word != 4; ++word)
      EXPECT_EQ(perLane<uint32_t>(body + "ld.shared.u32 %o, [%r5+" +
                                  std::to_string(4 * word) + "];"),
                lanes<uint32_t>([&](unsigned l) {
                  return four(0, 4 * word, [&](unsigned, unsigned row) {
                    if (l >= 8 * count)
                      return uint32_t(byteAt(48 * l + row));
                    unsigned reg = l / 8, column = l % 8;
                    unsigned lane = row % 8 * 4 + column / 2;
                    unsigned byte = column % 2 + row / 8 * 2;
                    return (4 * lane + byte + 3 * (reg / 2)) ^ 128 * (reg % 2);
                  });
                }))
          << count << " matrices, word " << word;
  }
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
