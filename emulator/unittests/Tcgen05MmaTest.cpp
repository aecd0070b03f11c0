//===- Tcgen05MmaTest.cpp - tcgen05.mma -----------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tcgen05Case.h"
#include "Tcgen05Kernel.h"
#include <cmath>

using namespace drawloom::emu;
using namespace reference;
using llvm::formatv;

namespace {
enum class Sum { F32, F16, S32 };

/// A CTA that multiplies once, in `steps` instructions.
struct Case {
  Format a, b;
  Sum d = Sum::F32;
  unsigned m = 128, n = 64, steps = 2;
  Layout aLayout, bLayout;
  bool aInTensorMemory = false;
  bool keeps = true; ///< Adds to D.
  bool negateA = false, negateB = false;
  unsigned scale = 0; ///< D is divided by 2 to the power of it.
  unsigned lane = 0;  ///< Where D is, with M = 64.
  uint32_t disabled[4] = {};
  bool saturated = false;
  unsigned shift = 0; ///< Bytes from a multiple of 1024 to A and B.
};
} // namespace

static const char *kindOf(Format format) {
  switch (format) {
  case Format::BF16:
  case Format::F16:
    return "f16";
  case Format::TF32:
    return "tf32";
  case Format::S8:
  case Format::U8:
    return "i8";
  default:
    return "f8f6f4";
  }
}

static uint32_t instructionDescriptor(const Case &c) {
  unsigned d = c.d == Sum::F16 ? 0 : c.d == Sum::F32 ? 1 : 2;
  return unsigned(c.saturated) << 3 | d << 4 | tcgen05::codeOf(c.a) << 7 |
         tcgen05::codeOf(c.b) << 10 | unsigned(c.negateA) << 13 |
         unsigned(c.negateB) << 14 | unsigned(c.aLayout.transposed) << 15 |
         unsigned(c.bLayout.transposed) << 16 | c.n / 8 << 17 | c.m / 16 << 24;
}

/// The lane of tensor memory that a row of A or D is in (PTX ISA, layouts D and
/// F of section 9.7.16.10.5).
static unsigned laneOf(const Case &c, unsigned row) {
  return c.m == 128 ? row : row / 16 * 32 + row % 16 + c.lane;
}

/// D is in the first n columns; A behind it, 8 columns for each step.
static Tcgen05Kernel kernelOf(const Case &c, const std::vector<uint64_t> &descs,
                              unsigned imageBytes) {
  Tcgen05Kernel kernel;
  kernel.imageBytes = imageBytes;
  unsigned words = c.n + (c.aInTensorMemory ? 8 * c.steps : 0);
  kernel.body = Tcgen05Kernel::fill(words);
  kernel.body += "  tcgen05.fence::before_thread_sync;\n  bar.sync 0;\n"
                 "  @!%p1 bra issued;\n"
                 "  tcgen05.fence::after_thread_sync;\n";
  kernel.body += formatv("  add.s32 %r12, %t, {0};\n", c.lane << 16);
  kernel.body +=
      formatv("  setp.ne.u32 %p4, {0}, 0;\n  setp.eq.u32 %p5, 0, 0;\n",
              c.keeps ? 1 : 0);
  bool disables = llvm::any_of(c.disabled, [](uint32_t word) { return word; });
  for (unsigned i = 0; i != 4; ++i)
    kernel.body += formatv("  mov.b32 %r{0}, {1};\n", 20 + i, c.disabled[i]);
  for (unsigned step = 0; step != c.steps; ++step) {
    kernel.body +=
        formatv("  add.s64 %rd6, %rd4, {0};\n"
                "  add.s64 %rd7, %rd4, {1};\n"
                "  add.s32 %r13, %r12, {2};\n",
                descs[2 * step], descs[2 * step + 1], c.n + 8 * step);
    kernel.body += formatv(
        "  tcgen05.mma.cta_group::1.kind::{0} [%r12], {1}, %rd7, {2}, {3}{4}",
        kindOf(c.a), c.aInTensorMemory ? "[%r13]" : "%rd6",
        instructionDescriptor(c), disables ? "{%r20, %r21, %r22, %r23}, " : "",
        step ? "%p5" : "%p4");
    if (c.scale && !step)
      kernel.body += formatv(", {0}", c.scale);
    kernel.body += ";\n";
  }
  kernel.body += Tcgen05Kernel::commit() + "issued:\n" +
                 Tcgen05Kernel::wait("") + Tcgen05Kernel::dump(c.n);
  return kernel;
}

/// The words that A has in tensor memory, for lane `row`: packed bytes, with
/// elements of less than 8 bits in a byte each.
static uint32_t wordOfA(const Matrix &a, unsigned row, unsigned word) {
  unsigned slot = slotBits(a.format) / 8;
  uint32_t result = 0;
  for (unsigned e = 0; e != 4 / slot; ++e) {
    uint32_t bits = a.bit(row, word * 4 / slot + e);
    if (a.format == Format::E2M1)
      bits <<= 2;
    result |= bits << e * slot * 8;
  }
  return result;
}

static uint32_t encodeSum(Sum type, double value) {
  uint32_t word;
  float asFloat = value;
  int32_t asInteger = value;
  switch (type) {
  case Sum::F16:
    return toHalf(value);
  case Sum::F32:
    memcpy(&word, &asFloat, 4);
    return word;
  default:
    memcpy(&word, &asInteger, 4);
    return word;
  }
}

static double decodeSum(Sum type, uint32_t word) {
  float asFloat;
  memcpy(&asFloat, &word, 4);
  return type == Sum::F16   ? fromHalf(word)
         : type == Sum::F32 ? double(asFloat)
                            : double(int32_t(word));
}

static void check(const Case &c, Policy policy = Policy::Deterministic) {
  SCOPED_TRACE(
      formatv("{0} x {1}, sum {2}, m {3}, n {4}, swizzles {5} {6}, transposed "
              "{7} {8}, A in tensor memory {9}, keeps {10}",
              nameOf(c.a), nameOf(c.b), int(c.d), c.m, c.n, c.aLayout.swizzle,
              c.bLayout.swizzle, c.aLayout.transposed, c.bLayout.transposed,
              c.aInTensorMemory, c.keeps)
          .str());
  std::mt19937 engine(c.n * 17 + static_cast<int>(c.b));
  unsigned k = c.steps * kOf(c.a);
  Matrix a = random(c.a, c.m, k, engine), b = random(c.b, c.n, k, engine);
  std::vector<char> image;
  Placement placeA = place(a, c.aLayout, c.shift, image);
  Placement placeB =
      place(b, c.bLayout, (image.size() + 1023) / 1024 * 1024 + c.shift, image);
  std::vector<uint64_t> descs;
  for (unsigned step = 0; step != c.steps; ++step) {
    descs.push_back(tcgen05Descriptor(placeA, c.aLayout, step));
    descs.push_back(tcgen05Descriptor(placeB, c.bLayout, step));
  }
  auto initial = [](unsigned row, unsigned column) {
    return double(int(row * 5 + column * 3) % 33 - 16);
  };
  unsigned words = c.n + (c.aInTensorMemory ? 8 * c.steps : 0);
  std::vector<uint32_t> in(128 * words, 0xdeadbeef);
  for (unsigned row = 0; row != c.m; ++row) {
    for (unsigned column = 0; column != c.n; ++column)
      in[laneOf(c, row) * words + column] =
          encodeSum(c.d, initial(row, column));
    for (unsigned word = c.n; word != words; ++word)
      in[laneOf(c, row) * words + word] = wordOfA(a, row, word - c.n);
  }
  Harness h("b200", kernelOf(c, descs, image.size()).text());
  h.options.policy = policy;
  uint64_t out = h.allocate<uint32_t>(128 * c.n);
  ASSERT_TRUE(h.run("k", {1}, {128}, {h.upload(image), h.upload(in), out}));
  std::vector<uint32_t> after = h.read<uint32_t>(out, 128 * c.n);
  unsigned wrong = 0;
  std::vector<bool> isRow(128);
  double sign = c.negateA == c.negateB ? 1 : -1;
  for (unsigned row = 0; row != c.m; ++row)
    for (unsigned column = 0; column != c.n; ++column) {
      unsigned lane = laneOf(c, row);
      isRow[lane] = true;
      Dot product = dot(a, b, row, column);
      double before =
          c.keeps ? std::ldexp(initial(row, column), -int(c.scale)) : 0;
      double expected = before + sign * product.value;
      double magnitude = std::abs(before) + product.magnitude;
      double bound = boundF32(k + c.steps + 1, magnitude);
      if (c.d == Sum::F16)
        bound += c.steps * (std::ldexp(magnitude, -11) + std::ldexp(1, -25));
      if (c.d == Sum::S32)
        bound = 0;
      if (c.disabled[lane / 32] >> lane % 32 & 1) {
        expected = initial(row, column);
        bound = 0;
      }
      double got = decodeSum(c.d, after[lane * c.n + column]);
      if (!(std::abs(got - expected) <= bound) && ++wrong < 4)
        ADD_FAILURE() << "row " << row << ", column " << column << ": " << got
                      << ", expected " << expected << " within " << bound;
    }
  // Lanes that no row is in stay as they were.
  for (unsigned lane = 0; lane != 128; ++lane)
    for (unsigned column = 0; column != c.n && !isRow[lane]; ++column)
      wrong += after[lane * c.n + column] != in[lane * words + column];
  EXPECT_EQ(wrong, 0u);
}

static Case makeCase(Format a, Format b, unsigned m, unsigned n) {
  Case c;
  c.a = a;
  c.b = b;
  c.m = m;
  c.n = n;
  return c;
}

TEST(Tcgen05Mma, EverySwizzleAndMajor) {
  for (Format format : {Format::BF16, Format::F16, Format::E4M3})
    for (unsigned swizzle : {0, 32, 64, 128})
      for (unsigned transposed = 0; transposed != 4; ++transposed)
        for (unsigned m : {64, 128}) {
          Case c = makeCase(format, format, m, 64);
          c.steps = 4;
          c.aLayout = {swizzle, bool(transposed & 1)};
          c.bLayout = {swizzle, bool(transposed & 2)};
          check(c);
        }
}

// As for wgmma: with base offset 0, the swizzle is that of the address.
TEST(Tcgen05Mma, StartsInTheMiddleOfAPattern) {
  for (unsigned swizzle : {0, 32, 64, 128})
    for (unsigned transposed = 0; transposed != 4; ++transposed) {
      Case c = makeCase(Format::BF16, Format::BF16, 128, 64);
      c.steps = 4;
      c.aLayout = {swizzle, bool(transposed & 1)};
      c.bLayout = {swizzle, bool(transposed & 2)};
      c.shift = 384;
      check(c);
    }
}

TEST(Tcgen05Mma, TF32) {
  for (unsigned swizzle : {0, 32, 64, 128}) {
    Case c = makeCase(Format::TF32, Format::TF32, 128, 64);
    c.aLayout.swizzle = c.bLayout.swizzle = swizzle;
    c.steps = 4;
    check(c);
  }
  for (unsigned transposed = 1; transposed != 4; ++transposed) {
    Case c = makeCase(Format::TF32, Format::TF32, 64, 32);
    if (transposed & 1)
      c.aLayout = {129, true};
    if (transposed & 2)
      c.bLayout = {129, true};
    check(c);
  }
}

TEST(Tcgen05Mma, EveryPairOfSmallTypes) {
  const Format formats[] = {Format::E4M3, Format::E5M2, Format::E2M3,
                            Format::E3M2, Format::E2M1};
  for (Format a : formats)
    for (Format b : formats)
      for (bool aInTensorMemory : {false, true}) {
        Case c = makeCase(a, b, 128, 32);
        c.aInTensorMemory = aInTensorMemory;
        check(c);
        if (!aInTensorMemory)
          continue;
        c.m = 64;
        c.lane = 16;
        check(c);
      }
}

TEST(Tcgen05Mma, AInTensorMemory) {
  for (Format format : {Format::BF16, Format::F16, Format::TF32, Format::S8})
    for (unsigned m : {64, 128}) {
      Case c = makeCase(format, format, m, 24);
      c.aInTensorMemory = true;
      if (format == Format::S8)
        c.d = Sum::S32;
      check(c);
    }
}

TEST(Tcgen05Mma, EveryN) {
  for (unsigned n = 8; n <= 256; n += 8)
    check(makeCase(Format::BF16, Format::BF16, n % 16 ? 64 : 128, n));
}

TEST(Tcgen05Mma, MixedHalves) {
  check(makeCase(Format::F16, Format::BF16, 128, 16));
  check(makeCase(Format::BF16, Format::F16, 128, 16));
}

TEST(Tcgen05Mma, HalfSums) {
  for (Format format : {Format::F16, Format::E4M3, Format::E2M1}) {
    Case c = makeCase(format, format, 128, 16);
    c.d = Sum::F16;
    c.steps = 12;
    check(c);
  }
}

TEST(Tcgen05Mma, Integers) {
  for (Format a : {Format::S8, Format::U8})
    for (Format b : {Format::S8, Format::U8})
      for (bool saturated : {false, true}) {
        Case c = makeCase(a, b, 128, 32);
        c.d = Sum::S32;
        c.saturated = saturated;
        c.steps = 10;
        check(c);
      }
}

TEST(Tcgen05Mma, SignsScalesAndFreshSums) {
  for (bool negateA : {false, true})
    for (bool negateB : {false, true})
      for (bool keeps : {false, true})
        for (unsigned scale : {0, 1, 15}) {
          Case c = makeCase(Format::BF16, Format::BF16, 64, 16);
          c.negateA = negateA;
          c.negateB = negateB;
          c.keeps = keeps;
          c.scale = scale;
          check(c);
        }
}

TEST(Tcgen05Mma, DisabledLanes) {
  for (unsigned m : {64, 128}) {
    Case c = makeCase(Format::BF16, Format::BF16, m, 16);
    c.disabled[0] = 0x80000001;
    c.disabled[1] = 0x0000ffff;
    c.disabled[3] = 0xaaaaaaaa;
    check(c);
  }
}

TEST(Tcgen05Mma, SecondHalvesOfTheLanes) {
  Case c = makeCase(Format::BF16, Format::BF16, 64, 32);
  c.lane = 16;
  check(c);
}

TEST(Tcgen05Mma, LongProductsAndEverySchedule) {
  Case c = makeCase(Format::BF16, Format::BF16, 128, 16);
  c.steps = 40; // K = 640: more than one product.
  for (Policy policy :
       {Policy::Deterministic, Policy::Random, Policy::Adversarial})
    check(c, policy);
}
