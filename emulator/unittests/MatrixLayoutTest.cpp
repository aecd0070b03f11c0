//===- MatrixLayoutTest.cpp - Elements, descriptors, products ------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arithmetic/ElementFormat.h"
#include "Arithmetic/SharedMatrix.h"
#include "MatrixReference.h"
#include "TensorMemory/InstructionDescriptor.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>

using namespace drawloom::emu;
using reference::Format;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// The numbers that a piece of 16 bytes is converted to.
static std::vector<float> convert(ElementFormat format, const void *piece) {
  const ElementInfo &info = infoOf(format);
  char out[64];
  info.convert(static_cast<const char *>(piece), out);
  std::vector<float> values(info.perPiece);
  for (unsigned i = 0; i != info.perPiece; ++i) {
    uint32_t word = 0;
    if (info.compute == Compute::F32)
      memcpy(&word, out + 4 * i, 4);
    else
      memcpy(reinterpret_cast<char *>(&word) + 2, out + 2 * i, 2);
    memcpy(&values[i], &word, 4);
  }
  return values;
}

static void expectSame(float got, double expected, unsigned bits) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(got)) << "bits " << bits;
    return;
  }
  EXPECT_EQ(got, expected) << "bits " << bits;
  EXPECT_EQ(std::signbit(got), std::signbit(expected)) << "bits " << bits;
}

TEST(ElementFormat, EveryByte) {
  struct {
    ElementFormat format;
    Format reference;
    unsigned shift;
  } rows[] = {{ElementFormat::E4M3, Format::E4M3, 0},
              {ElementFormat::E5M2, Format::E5M2, 0},
              {ElementFormat::E2M3, Format::E2M3, 0},
              {ElementFormat::E3M2, Format::E3M2, 0},
              {ElementFormat::E2M1, Format::E2M1, 2},
              {ElementFormat::S8, Format::S8, 0},
              {ElementFormat::U8, Format::U8, 0}};
  for (const auto &row : rows)
    for (unsigned first = 0; first != 256; first += 16) {
      uint8_t piece[16];
      for (unsigned i = 0; i != 16; ++i)
        piece[i] = first + i;
      std::vector<float> values = convert(row.format, piece);
      unsigned mask = (1u << reference::bitsOf(row.reference)) - 1;
      for (unsigned i = 0; i != 16; ++i)
        expectSame(values[i],
                   decode(row.reference, (first + i) >> row.shift & mask),
                   first + i);
    }
}

TEST(ElementFormat, EveryHalf) {
  for (unsigned first = 0; first != 1 << 16; first += 8) {
    uint16_t piece[8];
    for (unsigned i = 0; i != 8; ++i)
      piece[i] = first + i;
    std::vector<float> half = convert(ElementFormat::F16, piece);
    std::vector<float> bf16 = convert(ElementFormat::BF16, piece);
    std::vector<float> wide = convert(ElementFormat::WideBF16, piece);
    for (unsigned i = 0; i != 8; ++i) {
      expectSame(half[i], decode(Format::F16, first + i), first + i);
      expectSame(bf16[i], decode(Format::BF16, first + i), first + i);
      expectSame(wide[i], decode(Format::BF16, first + i), first + i);
    }
  }
}

TEST(ElementFormat, TF32IgnoresItsLowestBits) {
  uint32_t piece[4] = {0x3f801fff, 0xc0490fdb, 0x00002000, 0x7f800000};
  std::vector<float> values = convert(ElementFormat::TF32, piece);
  for (unsigned i = 0; i != 4; ++i)
    expectSame(values[i], decode(Format::TF32, piece[i]), i);
  EXPECT_EQ(values[0], 1.0f);
}

// Sixteen elements from the lowest bit on; the padding behind them is ignored.
TEST(ElementFormat, PackedElements) {
  struct {
    ElementFormat format;
    Format reference;
  } rows[] = {{ElementFormat::PackedE2M3, Format::E2M3},
              {ElementFormat::PackedE3M2, Format::E3M2},
              {ElementFormat::PackedE2M1, Format::E2M1}};
  for (const auto &row : rows) {
    unsigned bits = reference::bitsOf(row.reference);
    for (unsigned first = 0; first != 1u << bits; first += 16) {
      uint8_t piece[16];
      memset(piece, 0, sizeof(piece));
      for (unsigned i = 0; i != 16; ++i)
        for (unsigned bit = 0; bit != bits; ++bit)
          if ((first + i) >> bit & 1)
            piece[(i * bits + bit) / 8] |= 1 << (i * bits + bit) % 8;
      for (unsigned i = 2 * bits; i != 16; ++i)
        piece[i] = 0xff;
      std::vector<float> values = convert(row.format, piece);
      for (unsigned i = 0; i != 16; ++i)
        expectSame(values[i], decode(row.reference, first + i), first + i);
    }
  }
}

//===----------------------------------------------------------------------===//
// Descriptors and layouts
//===----------------------------------------------------------------------===//

static SharedMatrix matrix(SharedMatrix::Swizzle swizzle, unsigned leading,
                           unsigned stride, unsigned start = 0,
                           unsigned base = 0) {
  SharedMatrix result;
  result.swizzle = swizzle;
  result.leading = leading;
  result.stride = stride;
  result.start = start;
  result.base = base;
  return result;
}

// The examples of section 9.7.15.5.1.2.1.3, with offsets worked out by hand
// from their exact layouts.
TEST(SharedMatrix, ExamplesOfTheISA) {
  // K-major, no swizzle, tf32: ((8,2),(4,4)):((4,32),(1,64)), LBO 256, SBO 128.
  SharedMatrix m = matrix(SharedMatrix::None, 256, 128);
  EXPECT_EQ(m.ofRow(0, 0), 0u);
  EXPECT_EQ(m.ofRow(1, 0), 4u * 4);
  EXPECT_EQ(m.ofRow(8, 0), 32u * 4);
  EXPECT_EQ(m.ofRow(0, 1), 64u * 4);
  EXPECT_EQ(m.ofRow(9, 1), (4u + 32 + 64) * 4);

  // K-major, 32-byte swizzle, tf32: Swizzle<1,4,3> o ((8,2),(4,4)):((8,64),
  // (1,4)), SBO 256. Rows 4 to 7 have bit 7 set, which flips bit 4.
  m = matrix(SharedMatrix::B32, 16, 256);
  EXPECT_EQ(m.ofRow(3, 0), 3u * 32);
  EXPECT_EQ(m.ofRow(3, 1), 3u * 32 + 16);
  EXPECT_EQ(m.ofRow(4, 0), 4u * 32 + 16);
  EXPECT_EQ(m.ofRow(4, 1), 4u * 32);
  EXPECT_EQ(m.ofRow(13, 0), 256u + 5 * 32 + 16);

  // MN-major, no swizzle, bf16: ((8,1,2),(8,2)):((1,8,64),(8,128)), LBO 256,
  // SBO 128.
  m = matrix(SharedMatrix::None, 256, 128);
  EXPECT_EQ(m.ofColumn(1, 0), 8u * 2);
  EXPECT_EQ(m.ofColumn(0, 1), 64u * 2);
  EXPECT_EQ(m.ofColumn(8, 0), 128u * 2);
  EXPECT_EQ(m.ofColumn(10, 1), (2u * 8 + 128 + 64) * 2);

  // MN-major, 32-byte swizzle, bf16: ((8,2,2),(8,2)):((1,8,128),(16,256)), LBO
  // 256, SBO 512.
  m = matrix(SharedMatrix::B32, 256, 512);
  EXPECT_EQ(m.ofColumn(9, 3), (16u + 256 + 8 + 128) * 2); // 0x330: bit 7 is 0
  EXPECT_EQ(m.ofColumn(12, 2), 0x380u ^ 0x10);            // (64+256+128)*2

  // MN-major, 64-byte swizzle, bf16: ((8,4,2),(8,2)):((1,8,256),(32,512)), LBO
  // 512, SBO 1024.
  m = matrix(SharedMatrix::B64, 512, 1024);
  EXPECT_EQ(m.ofColumn(1, 2), 64u + 32);
  EXPECT_EQ(m.ofColumn(10, 5), 0x690u ^ 0x10); // (64+512+8+256)*2
  EXPECT_EQ(m.ofColumn(7, 0), 0x1c0u ^ 0x30);  // Bits 7 and 8 are set.
}

// Swizzle<3,4,3>: row r of an atom has its pieces at c xor r.
TEST(SharedMatrix, The128ByteSwizzle) {
  SharedMatrix m = matrix(SharedMatrix::B128, 16, 1024, 2048);
  for (unsigned row = 0; row != 16; ++row)
    for (unsigned c = 0; c != 2; ++c)
      EXPECT_EQ(m.ofRow(row, c), 2048 + row * 128 + (c ^ row % 8) * 16);
  // A step of 32 bytes along K moves the start; the pattern stays.
  m.start = 2048 + 64;
  for (unsigned row = 0; row != 16; ++row)
    for (unsigned c = 0; c != 2; ++c)
      EXPECT_EQ(m.ofRow(row, c), 2048 + row * 128 + ((c + 4) ^ row % 8) * 16);
  // A pattern that starts at 2048 + 384 has base offset 3.
  m = matrix(SharedMatrix::B128, 16, 1024, 2048 + 384, 3);
  for (unsigned row = 0; row != 8; ++row)
    EXPECT_EQ(m.ofRow(row, 0), 2048 + 384 + row * 128 + (0 ^ row) * 16);
}

// Swizzle<2,5,2>: atoms of four columns, and 32 bytes move together.
TEST(SharedMatrix, The128ByteSwizzleWith32ByteAtoms) {
  SharedMatrix m = matrix(SharedMatrix::B128Atom32, 4096, 512);
  EXPECT_EQ(m.ofColumn(0, 5), 80u);
  EXPECT_EQ(m.ofColumn(2, 5), (256u + 80) ^ 0x40);
  EXPECT_EQ(m.ofColumn(3, 0), 384u ^ 0x60);
  EXPECT_EQ(m.ofColumn(5, 8), (512u + 128 + 4096) ^ 0x20);
}

TEST(SharedMatrix, WgmmaDescriptor) {
  SharedMatrix m;
  // Start 0x4c00, leading 0x2000, stride 0x400, base offset 0.
  uint64_t bits =
      uint64_t(0x4c0) | uint64_t(0x200) << 16 | uint64_t(0x40) << 32;
  EXPECT_EQ(m.decodeWgmma(bits), "");
  EXPECT_EQ(m.start, 0x4c00u);
  EXPECT_EQ(m.leading, 0x2000u);
  EXPECT_EQ(m.stride, 0x400u);
  EXPECT_EQ(m.swizzle, SharedMatrix::None);
  m.decodeWgmma(bits | uint64_t(1) << 62);
  EXPECT_EQ(m.swizzle, SharedMatrix::B128);
  m.decodeWgmma(bits | uint64_t(2) << 62);
  EXPECT_EQ(m.swizzle, SharedMatrix::B64);
  m.decodeWgmma(bits | uint64_t(3) << 62);
  EXPECT_EQ(m.swizzle, SharedMatrix::B32);
  EXPECT_EQ(
      m.decodeWgmma(uint64_t(0x4c8) | uint64_t(1) << 62 | uint64_t(1) << 49),
      "");
  EXPECT_EQ(m.base, 1u);
}

TEST(SharedMatrix, Tcgen05Descriptor) {
  SharedMatrix m;
  uint64_t good = uint64_t(1) << 46;
  struct {
    unsigned mode;
    SharedMatrix::Swizzle swizzle;
  } modes[] = {{0, SharedMatrix::None},
               {1, SharedMatrix::B128Atom32},
               {2, SharedMatrix::B128},
               {4, SharedMatrix::B64},
               {6, SharedMatrix::B32}};
  for (auto [mode, swizzle] : modes) {
    EXPECT_EQ(m.decodeTcgen05(good | uint64_t(mode) << 61), "");
    EXPECT_EQ(m.swizzle, swizzle);
  }
  for (unsigned mode : {3, 5, 7})
    EXPECT_EQ(m.decodeTcgen05(good | uint64_t(mode) << 61),
              "has swizzling mode " + std::to_string(mode) +
                  " in bits 61-63; there are 0, 1, 2, 4 and 6");
  EXPECT_EQ(m.decodeTcgen05(0), "has 0 in bits 46-48, which must be 1 (0b001)");
  EXPECT_EQ(m.decodeTcgen05(good | uint64_t(1) << 52),
            "has an absolute leading dimension address (bit 52), which only "
            "sm_103a knows");
  EXPECT_EQ(m.decodeTcgen05(good | uint64_t(0x21) << 53),
            "has 0x21 in bits 53-60, which must be 0");
}

//===----------------------------------------------------------------------===//
// Instruction descriptors
//===----------------------------------------------------------------------===//

namespace {
struct Bits {
  unsigned d = 1, a = 0, b = 0, negateA = 0, negateB = 0, transposeA = 0,
           transposeB = 0, n = 128, m = 128, saturate = 0, sparse = 0;

  uint32_t encode() const {
    return sparse << 2 | saturate << 3 | d << 4 | a << 7 | b << 10 |
           negateA << 13 | negateB << 14 | transposeA << 15 | transposeB << 16 |
           n / 8 << 17 | m / 16 << 24;
  }
};
} // namespace

static std::string problemOf(MmaKind kind, Bits bits) {
  MmaShape shape;
  return decodeInstruction({.kind = kind}, bits.encode(), shape);
}

/// The problem of a descriptor with block scales.
static std::string problemOfScaled(const MmaVariant &variant, uint32_t bits) {
  MmaShape shape;
  return decodeInstruction(variant, bits, shape);
}

TEST(InstructionDescriptor, Fields) {
  MmaShape shape;
  MmaForm &form = shape.form;
  EXPECT_EQ(
      decodeInstruction(
          {.kind = MmaKind::F16},
          Bits{.a = 1, .b = 1, .negateB = 1, .transposeB = 1, .n = 24, .m = 64}
              .encode(),
          shape),
      "");
  EXPECT_EQ(form.m, 64u);
  EXPECT_EQ(form.n, 24u);
  EXPECT_EQ(form.a, ElementFormat::BF16);
  EXPECT_TRUE(form.negated);
  EXPECT_FALSE(form.aTransposed);
  EXPECT_TRUE(form.bTransposed);
  EXPECT_EQ(form.d, Accumulator::F32);
  EXPECT_EQ(form.k(), 16u);
  // As Triton has it in a kernel: bf16, f32, M = 128, N = 256.
  EXPECT_EQ(decodeInstruction({.kind = MmaKind::F16}, 0x8400490, shape), "");
  EXPECT_EQ(form.m, 128u);
  EXPECT_EQ(form.n, 256u);
  // f16 with bf16 is multiplied in f32.
  EXPECT_EQ(
      decodeInstruction({.kind = MmaKind::F16}, Bits{.b = 1}.encode(), shape),
      "");
  EXPECT_EQ(form.b, ElementFormat::WideBF16);
}

TEST(InstructionDescriptor, PairsAndScales) {
  MmaShape shape;
  // M = 256 of a pair is 128 rows in each; M = 128 splits the columns.
  EXPECT_EQ(decodeInstruction({.kind = MmaKind::F16, .pair = true},
                              Bits{.m = 256}.encode(), shape),
            "");
  EXPECT_EQ(shape.form.m, 128u);
  EXPECT_EQ(shape.parts, 1u);
  EXPECT_EQ(decodeInstruction({.kind = MmaKind::F16, .pair = true},
                              Bits{.m = 128}.encode(), shape),
            "");
  EXPECT_EQ(shape.form.m, 64u);
  EXPECT_EQ(shape.parts, 2u);
  EXPECT_EQ(decodeInstruction({.kind = MmaKind::F16, .weightStationary = true},
                              Bits{.m = 32}.encode(), shape),
            "");
  EXPECT_EQ(shape.parts, 4u);
  // e2m1 with ue4m3, N = 64, M = 128.
  EXPECT_EQ(decodeInstruction({.kind = MmaKind::MXF4NVF4, .scalesPerRow = 4},
                              1u << 7 | 1u << 10 | 8u << 17 | 1u << 27, shape),
            "");
  EXPECT_EQ(shape.scaleType, ScaleType::UE4M3);
  EXPECT_EQ(shape.form.k(), 64u);
}

TEST(InstructionDescriptor, RejectionsOfPairsAndScales) {
  auto expect = [](const MmaVariant &variant, uint32_t bits,
                   const std::string &words) {
    std::string text = problemOfScaled(variant, bits);
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  const MmaVariant pair = {.kind = MmaKind::F16, .pair = true};
  expect(pair, Bits{.m = 64}.encode(),
         "M (bits 24-28) is 64; a pair of CTAs has 128 or 256");
  expect(pair, Bits{.n = 24}.encode(),
         "N (bits 17-22) is 24; for a pair of CTAs it must be a multiple of "
         "16");
  expect(pair, Bits{.n = 8}.encode(),
         "N (bits 17-22) is 8; it must be from 16 to 256");
  expect({.kind = MmaKind::I8, .pair = true}, Bits{.d = 2, .n = 48}.encode(),
         "for a pair of CTAs it must be a multiple of 32 for kind::i8");
  expect({.kind = MmaKind::F8F6F4, .pair = true},
         Bits{.transposeB = 1, .n = 48}.encode(),
         "for a transposed B of 8-bit elements it must be a multiple of 32");
  const MmaVariant ws = {.kind = MmaKind::F16, .weightStationary = true};
  expect(ws, Bits{.m = 256}.encode(),
         "M (bits 24-28) is 256; tcgen05.mma.ws has 32, 64 or 128");
  expect(ws, Bits{.n = 96}.encode(),
         "N (bits 17-22) is 96; tcgen05.mma.ws has 64, 128 or 256");
  const uint32_t good = 8u << 17 | 1u << 23 | 1u << 27;
  const MmaVariant mx8 = {.kind = MmaKind::MXF8F6F4, .scalesPerRow = 1};
  const MmaVariant mx4 = {.kind = MmaKind::MXF4, .scalesPerRow = 2};
  const MmaVariant nv4 = {.kind = MmaKind::MXF4NVF4, .scalesPerRow = 4};
  EXPECT_EQ(problemOfScaled(mx8, good | 3u << 4 | 2u << 29), "");
  expect(mx8, good & ~(1u << 23), "the scale factors are ue4m3");
  expect(mx8, good ^ 3u << 27,
         "M (bits 27-28) is 256; one CTA has 128 with block scales");
  expect(mx8, good | 1u << 24, "a reserved field (bits 24-26) is 1");
  expect(mx4, good | 1u << 7 | 1u << 10 | 1u << 4,
         "the ID of B's scale factors (bits 4-5) is 1; with 2 factors in a "
         "word it must be 0 or 2");
  expect(nv4, good | 1u << 7 | 1u << 10 | 2u << 29,
         "the ID of A's scale factors (bits 29-30) is 2; with 4 factors in a "
         "word it must be 0");
  expect(nv4, good | 1u << 7 | 1u << 10 | 1u << 15,
         "a transpose (bits 15-16) is 1");
  expect(nv4, good | 1u << 7 | 1u << 10 | 1u << 31,
         "K = 96, which only sm_103a has, (bit 31) is 1");
}

TEST(InstructionDescriptor, SparseRejections) {
  auto expect = [](const MmaVariant &variant, uint32_t bits,
                   const std::string &words) {
    std::string text = problemOfScaled(variant, bits);
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  Bits bits{.sparse = 1};
  expect({.kind = MmaKind::F8F6F4, .sparse = true}, bits.encode() | 1,
         "the sparsity selector (bits 0-1) is 1, and must be 0");
  bits.n = 256;
  expect({.weightStationary = true, .sparse = true}, bits.encode(),
         "N (bits 17-22) is 256; tcgen05.mma.ws.sp has 64 or 128");
  expect(
      {.kind = MmaKind::MXF8F6F4,
       .pair = true,
       .sparse = true,
       .scalesPerRow = 1},
      1u << 2 | 8u << 17 | 1u << 23 | 1u << 27,
      "M (bits 27-28) is 128; a pair of CTAs has 256 with block scales and a "
      "sparse A");
}

TEST(InstructionDescriptor, Rejections) {
  EXPECT_EQ(problemOf(MmaKind::F16, {.sparse = 1}),
            "the instruction descriptor 0x08200014: sparsity (bit 2) is 1, and "
            "must be 0");
  auto expect = [](MmaKind kind, Bits bits, const std::string &words) {
    std::string text = problemOf(kind, bits);
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  expect(MmaKind::F16, {.saturate = 1}, "saturation (bit 3) is 1");
  expect(MmaKind::F16, {.d = 2},
         "the type of D (bits 4-5) is 2, which kind::f16 doesn't have");
  expect(MmaKind::F16, {.a = 2},
         "the type of A (bits 7-9) is 2, which kind::f16 doesn't have");
  expect(MmaKind::TF32, {.a = 2, .b = 1},
         "the type of B (bits 10-12) is 1, which kind::tf32 doesn't have");
  expect(MmaKind::TF32, {.d = 0, .a = 2, .b = 2},
         "the type of D (bits 4-5) is 0, which kind::tf32 doesn't have");
  expect(MmaKind::F8F6F4, {.a = 2},
         "the type of A (bits 7-9) is 2, which kind::f8f6f4 doesn't have");
  expect(MmaKind::F16, {.d = 0, .a = 1, .b = 1},
         "f16 sums are for f16 operands only");
  expect(MmaKind::F16, {.m = 256},
         "M (bits 24-28) is 256; one CTA has 64 or 128");
  expect(MmaKind::F16, {.n = 0},
         "N (bits 17-22) is 0; it must be from 8 to 256");
  expect(MmaKind::F16, {.n = 264},
         "N (bits 17-22) is 264; it must be from 8 to 256");
  expect(
      MmaKind::F8F6F4, {.transposeB = 1, .n = 24},
      "N (bits 17-22) is 24; for a transposed B of 8-bit elements it must be "
      "a multiple of 16");
  expect(MmaKind::F8F6F4, {.a = 5, .transposeA = 1},
         "A of e2m1 can't be transposed");
  expect(MmaKind::F8F6F4, {.b = 3, .transposeB = 1},
         "B of e2m3 can't be transposed");
  expect(MmaKind::I8, {.d = 2, .negateA = 1}, "negation (bits 13-14) is 1");
  expect(MmaKind::I8, {.d = 2, .n = 40},
         "N (bits 17-22) is 40; above 32 it must be a multiple of 16 for "
         "kind::i8");
}
