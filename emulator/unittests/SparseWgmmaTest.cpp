//===- SparseWgmmaTest.cpp - wgmma with a sparse A -----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "WgmmaCase.h"

using namespace drawloom::emu;
using namespace wgmma;

static Case makeSparse(Format a, Format b, unsigned n) {
  Case c = makeCase(a, b, n);
  c.sparse = true;
  if (a == Format::S8 || a == Format::U8)
    c.d = Sum::S32;
  return c;
}

// K-major rows of B have 64 bytes, for which the 32-byte swizzle has no room.
TEST(SparseWgmma, EverySwizzleAndMajor) {
  for (Format format : {Format::BF16, Format::F16})
    for (unsigned swizzle : {0, 32, 64, 128})
      for (unsigned transposed = 0; transposed != 4; ++transposed) {
        Case c = makeSparse(format, format, 64);
        c.steps = 4;
        c.aLayout = {swizzle, bool(transposed & 1)};
        c.bLayout = {swizzle, bool(transposed & 2)};
        if (swizzle == 32 && !c.bLayout.transposed)
          c.bLayout.swizzle = 64;
        check(c);
      }
}

TEST(SparseWgmma, EveryTypeInSharedMemoryAndInRegisters) {
  for (Format format : {Format::BF16, Format::F16, Format::TF32, Format::E4M3,
                        Format::E5M2, Format::S8, Format::U8})
    for (bool aInRegisters : {false, true})
      for (unsigned selector : {0, 1}) {
        Case c = makeSparse(format, format, 32);
        c.aInRegisters = aInRegisters;
        if (slotBits(format) != 8)
          c.selector = selector;
        check(c, c.d != Sum::S32 && slotBits(format) == 8 ? 14 : 0);
      }
}

TEST(SparseWgmma, HalfSums) {
  for (Format format : {Format::F16, Format::E4M3, Format::E5M2})
    for (bool aInRegisters : {false, true}) {
      Case c = makeSparse(format, format, 24);
      c.d = Sum::F16;
      c.steps = 10; // More than one product.
      c.aInRegisters = aInRegisters;
      check(c);
    }
}

TEST(SparseWgmma, MixedAndSaturated) {
  check(makeSparse(Format::E5M2, Format::E4M3, 256), 14);
  for (bool aInRegisters : {false, true}) {
    Case c = makeSparse(Format::S8, Format::U8, 48);
    c.saturated = true;
    c.steps = 10;
    c.aInRegisters = aInRegisters;
    check(c);
  }
}

TEST(SparseWgmma, SignsAndFreshSums) {
  Case c = makeSparse(Format::BF16, Format::BF16, 40);
  c.signA = -1;
  c.keeps = false;
  c.steps = 20; // K = 640: more than one product.
  check(c);
}

/// Runs one instruction on A of ones with the metadata `word` in every thread.
static std::string sparseFailure(const Case &c, uint32_t word,
                                 uint32_t element = 0x3f80) {
  std::vector<char> image;
  Matrix a = make(c.a, 64, kOf(c.a),
                  std::vector<uint32_t>(64 * kOf(c.a), element)),
         b = make(c.b, c.n, c.k(), std::vector<uint32_t>(c.n * c.k(), 0));
  Placement placeA = place(a, c.aLayout, 0, image);
  Placement placeB = place(b, c.bLayout, image.size(), image, c.k());
  KernelText kernel = kernelOf(c, image.size());
  Harness h("h100", kernel.text);
  return h.fail(
      "k", {1}, {128},
      {h.upload(image),
       h.upload(std::vector<uint64_t>{wgmmaDescriptor(placeA, c.aLayout, 0),
                                      wgmmaDescriptor(placeB, c.bLayout, 0)}),
       h.allocate<char>(4096), h.allocate<char>(128 * 4 * c.n),
       h.upload(std::vector<uint32_t>(128, word))});
}

TEST(SparseWgmmaMustFail, MetadataThatNamesAPlaceTwice) {
  Case c = makeSparse(Format::BF16, Format::BF16, 8);
  c.steps = 1;
  // 0b0001 names places 1 and 0, in falling order, which wgmma allows.
  EXPECT_CONTAINS(sparseFailure(c, 0x40444414),
                  "the metadata of row 8, elements 8 to 11 of the step's K");
  EXPECT_CONTAINS(sparseFailure(c, 0x44445444),
                  "elements 12 to 15 of the step's K, is 0b0101; the valid "
                  "codes are 0b0001, 0b0010, 0b0011, 0b0100");
  c = makeSparse(Format::TF32, Format::TF32, 8);
  c.steps = 1;
  EXPECT_CONTAINS(sparseFailure(c, 0x44444494, 0x3f800000),
                  "row 0, elements 2 to 3 of the step's K, is 0b1001; the "
                  "valid codes are 0b0100, 0b1110");
}

TEST(SparseWgmmaMustFail, RowsOfBThatTheSwizzleHasNoRoomFor) {
  Case c = makeSparse(Format::BF16, Format::BF16, 8);
  c.steps = 1;
  c.bLayout.swizzle = 32;
  EXPECT_CONTAINS(sparseFailure(c, 0x44444444),
                  "matrix B has the 32-byte swizzle and rows of 64 bytes");
}
