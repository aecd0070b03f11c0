//===- QuadPairMmaTest.cpp - mma.sync.m8n8k4 of f16 ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Four products of small integers, so that sums are exact. Which lane holds
// which element is written down from the PTX ISA's formulas (9.7.14.5.1), each
// as row and column of element i.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "MatrixReference.h"
#include "llvm/Support/FormatVariadic.h"
#include <bit>
#include <random>

using namespace drawloom::emu;
using llvm::formatv;
using reference::fromHalf;
using reference::toHalf;

namespace {
struct Place {
  unsigned row, column;
};
} // namespace

static Place placeA(unsigned lane, unsigned i, bool isRowMajor) {
  unsigned quad = lane % 4;
  if (isRowMajor)
    return {lane < 16 ? quad : quad + 4, i};
  return {lane < 16 ? i % 4 : i % 4 + 4, quad};
}

static Place placeB(unsigned lane, unsigned i, bool isRowMajor) {
  unsigned quad = lane % 4;
  if (isRowMajor)
    return {quad, lane < 16 ? i : i + 4};
  return {i, lane < 16 ? quad : quad + 4};
}

static Place placeC(unsigned lane, unsigned i, bool isHalf) {
  if (isHalf)
    return {lane < 16 ? lane % 4 : lane % 4 + 4, i};
  unsigned x = (lane & 1) + (i & 2);
  return {lane < 16 ? x : x + 4, (i & 4) + (lane & 2) + (i & 1)};
}

static std::string list(char name, unsigned count) {
  std::string text;
  for (unsigned i = 0; i != count; ++i)
    text += formatv("{0}%{1}{2}", i ? ", " : "{", name, i);
  return text + "}";
}

static void check(bool aRows, bool bRows, bool halfC, bool halfD) {
  SCOPED_TRACE(formatv("{0} {1}, C {2}, D {3}", aRows ? "row" : "col",
                       bRows ? "row" : "col", halfC ? "f16" : "f32",
                       halfD ? "f16" : "f32")
                   .str());
  const unsigned countC = halfC ? 4 : 8, countD = halfD ? 4 : 8;
  std::string text = R"(
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .b32 %a<2>, %b<2>, %c<8>, %d<8>, %lane;
  .reg .b64 %p;
  mov.u32 %lane, %laneid;
  ld.param.u64 %p, [in];
  mad.wide.u32 %p, %lane, 48, %p;
)";
  unsigned word = 0;
  for (auto [name, count] : {std::pair('a', 2u), {'b', 2u}, {'c', countC}})
    for (unsigned i = 0; i != count; ++i)
      text +=
          formatv("  ld.global.b32 %{0}{1}, [%p+{2}];\n", name, i, 4 * word++);
  text +=
      formatv("  mma.sync.aligned.m8n8k4.{0}.{1}.{2}.f16.f16.{3} {4}, {5}, "
              "{6}, {7};\n  ld.param.u64 %p, [out];\n"
              "  mad.wide.u32 %p, %lane, 32, %p;\n",
              aRows ? "row" : "col", bRows ? "row" : "col",
              halfD ? "f16" : "f32", halfC ? "f16" : "f32", list('d', countD),
              list('a', 2), list('b', 2), list('c', countC));
  for (unsigned i = 0; i != countD; ++i)
    text += formatv("  st.global.b32 [%p+{0}], %d{1};\n", 4 * i, i);
  text += "  ret;\n}\n";

  // Lanes 4p to 4p + 3 and 16 + 4p to 19 + 4p work on product p.
  int a[4][8][4], b[4][4][8], c[4][8][8];
  std::mt19937 engine(3);
  std::vector<uint32_t> in(32 * 12);
  for (unsigned lane = 0; lane != 32; ++lane) {
    unsigned product = lane % 16 / 4;
    uint32_t *words = &in[12 * lane];
    auto put = [&](unsigned first, unsigned i, int value) {
      words[first + i / 2] |= uint32_t(toHalf(value)) << 16 * (i % 2);
    };
    for (unsigned i = 0; i != 4; ++i) {
      Place at = placeA(lane, i, aRows);
      put(0, i, a[product][at.row][at.column] = int(engine() % 19) - 9);
      at = placeB(lane, i, bRows);
      put(2, i, b[product][at.row][at.column] = int(engine() % 19) - 9);
    }
    for (unsigned i = 0; i != 8; ++i) {
      Place at = placeC(lane, i, halfC);
      int value = c[product][at.row][at.column] = int(engine() % 99) - 49;
      if (halfC)
        put(4, i, value);
      else
        words[4 + i] = std::bit_cast<uint32_t>(float(value));
    }
  }
  Harness h("b200", text);
  uint64_t out = h.allocate<uint32_t>(32 * 8);
  ASSERT_TRUE(h.run("k", {1}, {32}, {h.upload(in), out}));
  std::vector<uint32_t> got = h.read<uint32_t>(out, 32 * 8);
  for (unsigned lane = 0; lane != 32; ++lane)
    for (unsigned i = 0; i != 8; ++i) {
      unsigned product = lane % 16 / 4;
      Place at = placeC(lane, i, halfD);
      int sum = c[product][at.row][at.column];
      for (unsigned l = 0; l != 4; ++l)
        sum += a[product][at.row][l] * b[product][l][at.column];
      const uint32_t *words = &got[8 * lane];
      double value = halfD ? fromHalf(words[i / 2] >> 16 * (i % 2) & 0xffff)
                           : std::bit_cast<float>(words[i]);
      EXPECT_EQ(value, sum) << "lane " << lane << ", element " << i;
    }
}

TEST(QuadPairMma, FourProducts) {
  for (bool aRows : {false, true})
    for (bool bRows : {false, true}) {
      check(aRows, bRows, false, false);
      check(aRows, bRows, true, false);
      check(aRows, bRows, true, true);
    }
}
