//===- WgmmaTest.cpp - wgmma ----------------------------------------------===//
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

TEST(Wgmma, EverySwizzleAndMajor) {
  for (Format format : {Format::BF16, Format::F16})
    for (unsigned swizzle : {0, 32, 64, 128})
      for (unsigned transposed = 0; transposed != 4; ++transposed) {
        Case c = makeCase(format, format, 64);
        c.steps = 4;
        c.aLayout = {swizzle, bool(transposed & 1)};
        c.bLayout = {swizzle, bool(transposed & 2)};
        check(c);
      }
}

// CUTLASS aligns tiles to 128 bytes, with base offset 0. The swizzle is that of
// the address, as TMA's is, so such tiles are read as they were written.
TEST(Wgmma, StartsInTheMiddleOfAPattern) {
  for (unsigned swizzle : {0, 32, 64, 128})
    for (unsigned transposed = 0; transposed != 4; ++transposed)
      for (unsigned shift : {128, 384, 896}) {
        Case c = makeCase(Format::BF16, Format::BF16, 64);
        c.steps = 4;
        c.aLayout = {swizzle, bool(transposed & 1)};
        c.bLayout = {swizzle, bool(transposed & 2)};
        c.shift = shift;
        check(c);
      }
}

TEST(Wgmma, KMajorTypes) {
  for (unsigned swizzle : {0, 32, 64, 128}) {
    Case c = makeCase(Format::TF32, Format::TF32, 64);
    c.aLayout.swizzle = c.bLayout.swizzle = swizzle;
    c.steps = 4;
    check(c);
    c = makeCase(Format::E4M3, Format::E4M3, 64);
    c.aLayout.swizzle = c.bLayout.swizzle = swizzle;
    c.steps = 4;
    check(c, 14);
  }
}

TEST(Wgmma, AInRegisters) {
  for (Format format :
       {Format::BF16, Format::F16, Format::TF32, Format::E4M3, Format::S8}) {
    Case c = makeCase(format, format, 32);
    c.aInRegisters = true;
    if (format == Format::S8)
      c.d = Sum::S32;
    check(c, format == Format::E4M3 ? 14 : 0);
    if (hasTransposes(format)) {
      c.bLayout.transposed = true;
      check(c);
    }
  }
}

TEST(Wgmma, EveryN) {
  for (unsigned n = 8; n <= 256; n += 8)
    check(makeCase(Format::BF16, Format::BF16, n));
}

TEST(Wgmma, WideTiles) {
  check(makeCase(Format::F16, Format::F16, 128));
  check(makeCase(Format::E4M3, Format::E4M3, 128), 14);
}

TEST(Wgmma, PairsOfFP8) {
  for (Format a : {Format::E4M3, Format::E5M2})
    for (Format b : {Format::E4M3, Format::E5M2})
      check(makeCase(a, b, 16), 14);
}

TEST(Wgmma, HalfSums) {
  for (Format format : {Format::F16, Format::E4M3, Format::E5M2}) {
    Case c = makeCase(format, format, 24);
    c.d = Sum::F16;
    check(c);
  }
}

TEST(Wgmma, Integers) {
  for (Format a : {Format::S8, Format::U8})
    for (Format b : {Format::S8, Format::U8})
      for (bool saturated : {false, true}) {
        Case c = makeCase(a, b, 48);
        c.d = Sum::S32;
        c.saturated = saturated;
        c.steps = 12; // More than one product.
        check(c);
      }
}

TEST(Wgmma, SingleBits) {
  for (bool aInRegisters : {false, true})
    for (bool keeps : {false, true})
      for (unsigned swizzle : {0, 32, 64, 128}) {
        Case c = makeCase(Format::U8, Format::U8, 48);
        c.d = Sum::S32;
        c.singleBits = true;
        c.steps = 4;
        c.aInRegisters = aInRegisters;
        c.keeps = keeps;
        c.aLayout.swizzle = c.bLayout.swizzle = swizzle;
        check(c);
      }
}

TEST(Wgmma, SignsAndFreshSums) {
  for (int signA : {1, -1})
    for (int signB : {1, -1})
      for (bool keeps : {false, true}) {
        Case c = makeCase(Format::BF16, Format::BF16, 40);
        c.signA = signA;
        c.signB = signB;
        c.keeps = keeps;
        check(c);
      }
}

TEST(Wgmma, LongProducts) {
  Case c = makeCase(Format::BF16, Format::BF16, 16);
  c.steps = 48; // K = 768: more than one product.
  check(c);
  c = makeCase(Format::F16, Format::F16, 16);
  c.d = Sum::F16;
  c.steps = 20;
  check(c);
}

//===----------------------------------------------------------------------===//
// Sums of fp8
//===----------------------------------------------------------------------===//

/// One warpgroup: D = D + A B twice, with all of A 1 and D and B as given.
static float sumOfFP8(unsigned sumBits, float before, uint32_t b0,
                      uint32_t b1) {
  Case c = makeCase(Format::E4M3, Format::E4M3, 8);
  std::vector<uint32_t> ones(64 * 64, 0x38), bits(8 * 64, 0);
  for (unsigned row = 0; row != 8; ++row) {
    bits[row * 64] = b0;
    bits[row * 64 + 32] = b1;
  }
  Matrix a = make(Format::E4M3, 64, 64, ones),
         b = make(Format::E4M3, 8, 64, bits);
  std::vector<char> image;
  Placement placeA = place(a, c.aLayout, 0, image);
  Placement placeB = place(b, c.bLayout, image.size(), image);
  std::vector<uint64_t> descs;
  for (unsigned step = 0; step != 2; ++step) {
    descs.push_back(wgmmaDescriptor(placeA, c.aLayout, step));
    descs.push_back(wgmmaDescriptor(placeB, c.bLayout, step));
  }
  std::string text = kernelOf(c, image.size()).text;
  Harness h("h100", text);
  DeviceModel model = h.device->model();
  model.fp8SumBits = sumBits;
  h.reload(model, text);
  uint64_t out = h.upload(std::vector<float>(128 * 4, before));
  EXPECT_TRUE(h.run("k", {1}, {128},
                    {h.upload(image), h.upload(descs), h.allocate<char>(4096),
                     out, h.allocate<char>(4096)}));
  return h.read<float>(out, 1)[0];
}

// Hopper keeps 14 bits after each instruction: 8192 + 1 has 14 bits, and
// 16384 + 1 has 15. A device that keeps all of f32 has no such loss.
TEST(Wgmma, FP8SumsKeepFourteenBits) {
  EXPECT_EQ(findDeviceModel("h100")->fp8SumBits, 14u);
  const uint32_t one = 0x38, half = 0x30;
  EXPECT_EQ(sumOfFP8(14, 8192, one, 0), 8193.0f);
  EXPECT_EQ(sumOfFP8(14, 16384, one, 0), 16384.0f);
  EXPECT_EQ(sumOfFP8(0, 16384, one, 0), 16385.0f);
  // Each instruction loses its half, though both together would be kept.
  EXPECT_EQ(sumOfFP8(14, 8192, half, half), 8192.0f);
  EXPECT_EQ(sumOfFP8(0, 8192, half, half), 8193.0f);
  // Towards zero.
  EXPECT_EQ(sumOfFP8(14, -16385, one | 0x80, 0), -16386.0f);
  EXPECT_EQ(sumOfFP8(14, -16384, one | 0x80, 0), -16384.0f);
}

// 2^31 - 1 + 1: wraps, or stays.
TEST(Wgmma, IntegersWrapOrSaturate) {
  for (bool saturated : {false, true}) {
    Case c = makeCase(Format::S8, Format::S8, 8);
    c.d = Sum::S32;
    c.steps = 1;
    c.saturated = saturated;
    std::vector<uint32_t> ones(64 * 32, 1), bits(8 * 32, 0);
    for (unsigned row = 0; row != 8; ++row)
      bits[row * 32] = row % 2 ? 0xff : 1; // -1 or 1
    std::vector<char> image;
    Placement placeA =
        place(make(Format::S8, 64, 32, ones), c.aLayout, 0, image);
    Placement placeB =
        place(make(Format::S8, 8, 32, bits), c.bLayout, image.size(), image);
    Harness h("h100", kernelOf(c, image.size()).text);
    std::vector<int32_t> before(128 * 4);
    for (unsigned i = 0; i != before.size(); ++i)
      before[i] = i % 2 ? INT32_MIN : INT32_MAX; // Odd and even columns.
    uint64_t out = h.upload(before);
    ASSERT_TRUE(h.run(
        "k", {1}, {128},
        {h.upload(image),
         h.upload(std::vector<uint64_t>{wgmmaDescriptor(placeA, c.aLayout, 0),
                                        wgmmaDescriptor(placeB, c.bLayout, 0)}),
         h.allocate<char>(4096), out, h.allocate<char>(4096)}));
    std::vector<int32_t> after = h.read<int32_t>(out, 2);
    EXPECT_EQ(after[0], saturated ? INT32_MAX : INT32_MIN);
    EXPECT_EQ(after[1], saturated ? INT32_MIN : INT32_MAX);
  }
}
