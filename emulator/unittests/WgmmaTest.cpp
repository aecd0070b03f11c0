//===- WgmmaTest.cpp - wgmma ----------------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "MatrixReference.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace drawloom::emu;
using namespace reference;
using llvm::formatv;

namespace {
enum class Sum { F32, F16, S32 };

/// One warpgroup that multiplies once, in `steps` instructions.
struct Case {
  Format a, b;
  Sum d = Sum::F32;
  unsigned n = 64, steps = 2;
  Layout aLayout, bLayout;
  bool aInRegisters = false;
  bool keeps = true; ///< Adds to D.
  int signA = 1, signB = 1;
  bool saturated = false;
  unsigned shift = 0; ///< Bytes from a multiple of 1024 to A and B.
};

struct KernelText {
  std::string text;
  unsigned registers;
};
} // namespace

static bool hasTransposes(Format format) {
  return format == Format::BF16 || format == Format::F16;
}

static const char *nameOf(Sum sum) {
  return sum == Sum::F32 ? "f32" : sum == Sum::F16 ? "f16" : "s32";
}

static std::string list(const std::string &name, unsigned from,
                        unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i != count; ++i)
    text += (i ? ", %" : "%") + name + std::to_string(from + i);
  return text + "}";
}

/// Copies the image to `smem`, loads D and the registers of A, multiplies, and
/// stores D: D's registers are those of thread t from out + 4 t registers on.
static KernelText kernelOf(const Case &c, size_t imageBytes) {
  unsigned registers = c.n / (c.d == Sum::F16 ? 4 : 2);
  std::string text = formatv(R"(
.visible .entry k(.param .u64 image, .param .u64 descs, .param .u64 areg,
                  .param .u64 out) {{
  .reg .pred %p<3>;
  .reg .b32 %r<16>, %d<{0}>, %a<{1}>;
  .reg .b64 %rd<12>;
  .shared .align 1024 .b8 smem[{2}];
  ld.param.u64 %rd1, [image];
  ld.param.u64 %rd2, [descs];
  ld.param.u64 %rd3, [areg];
  ld.param.u64 %rd4, [out];
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 4;
  mov.u32 %r3, smem;
  add.s32 %r4, %r3, %r2;
  mul.wide.u32 %rd5, %r2, 1;
  add.s64 %rd5, %rd1, %rd5;
copy:
  setp.ge.u32 %p1, %r2, {2};
  @%p1 bra copied;
  ld.global.v4.b32 {{%r5, %r6, %r7, %r8}, [%rd5];
  st.shared.v4.b32 [%r4], {{%r5, %r6, %r7, %r8};
  add.s32 %r2, %r2, 2048;
  add.s32 %r4, %r4, 2048;
  add.s64 %rd5, %rd5, 2048;
  bra copy;
copied:
  fence.proxy.async;
  bar.sync 0;
  shr.u32 %r9, %r3, 4;
  mul.wide.u32 %rd6, %r9, 1;
  mul.wide.u32 %rd7, %r1, {3};
  add.s64 %rd7, %rd4, %rd7;
  mul.wide.u32 %rd8, %r1, {4};
  add.s64 %rd8, %rd3, %rd8;
  setp.ne.u32 %p2, {5}, 0;
)",
                             registers, 4 * c.steps, imageBytes, 4 * registers,
                             16 * c.steps, c.keeps ? 1 : 0);
  for (unsigned i = 0; i != registers; ++i)
    text += formatv("  ld.global.b32 %d{0}, [%rd7+{1}];\n", i, 4 * i);
  if (c.aInRegisters)
    for (unsigned i = 0; i != 4 * c.steps; ++i)
      text += formatv("  ld.global.b32 %a{0}, [%rd8+{1}];\n", i, 4 * i);
  text += "  wgmma.fence.sync.aligned;\n";
  for (unsigned step = 0; step != c.steps; ++step) {
    text += formatv("  ld.global.u64 %rd9, [%rd2+{0}];\n"
                    "  ld.global.u64 %rd10, [%rd2+{1}];\n"
                    "  add.s64 %rd9, %rd9, %rd6;\n"
                    "  add.s64 %rd10, %rd10, %rd6;\n",
                    16 * step, 16 * step + 8);
    text += formatv("  wgmma.mma_async.sync.aligned.m64n{0}k{1}{2}.{3}.{4}.{5} "
                    "{6}, {7}, %rd10, {8}",
                    c.n, kOf(c.a), c.saturated ? ".satfinite" : "", nameOf(c.d),
                    nameOf(c.a), nameOf(c.b), list("d", 0, registers),
                    c.aInRegisters ? list("a", 4 * step, 4) : "%rd9",
                    step ? "1" : "%p2");
    if (c.d != Sum::S32)
      text += formatv(", {0}, {1}", c.signA, c.signB);
    if (hasTransposes(c.a)) {
      if (!c.aInRegisters)
        text += c.aLayout.transposed ? ", 1" : ", 0";
      text += c.bLayout.transposed ? ", 1" : ", 0";
    }
    text += ";\n";
  }
  text += "  wgmma.commit_group.sync.aligned;\n"
          "  wgmma.wait_group.sync.aligned 0;\n";
  for (unsigned i = 0; i != registers; ++i)
    text += formatv("  st.global.b32 [%rd7+{0}], %d{1};\n", 4 * i, i);
  text += "  ret;\n}\n";
  return {text, registers};
}

/// The words that A has in the registers of each thread: step by step, four of
/// them (PTX ISA, figures 148, 150 and 152).
static std::vector<uint32_t> registersOfA(const Matrix &a, unsigned steps) {
  unsigned slot = slotBits(a.format) / 8, stepK = kOf(a.format);
  std::vector<uint32_t> words;
  for (unsigned thread = 0; thread != 128; ++thread)
    for (unsigned step = 0; step != steps; ++step)
      for (unsigned i = 0; i != 4; ++i) {
        unsigned row = thread / 32 * 16 + thread % 32 / 4 + 8 * (i % 2);
        unsigned byte = 4 * (thread % 4) + 16 * (i / 2);
        uint32_t word = 0;
        for (unsigned e = 0; e != 4 / slot; ++e)
          word |= a.bit(row, step * stepK + byte / slot + e) << e * slot * 8;
        words.push_back(word);
      }
  return words;
}

/// Runs the case and compares. `reducedBits`: of sums, 0 for f32's.
static void check(const Case &c, unsigned reducedBits = 0) {
  SCOPED_TRACE(formatv("{0} x {1} -> {2}, n {3}, swizzles {4} {5}, transposed "
                       "{6} {7}, A in registers {8}, keeps {9}",
                       nameOf(c.a), nameOf(c.b), nameOf(c.d), c.n,
                       c.aLayout.swizzle, c.bLayout.swizzle,
                       c.aLayout.transposed, c.bLayout.transposed,
                       c.aInRegisters, c.keeps)
                   .str());
  std::mt19937 engine(c.n * 131 + static_cast<int>(c.a));
  unsigned k = c.steps * kOf(c.a);
  Matrix a = random(c.a, 64, k, engine), b = random(c.b, c.n, k, engine);
  std::vector<char> image;
  Placement placeA = place(a, c.aLayout, c.shift, image);
  Placement placeB =
      place(b, c.bLayout, (image.size() + 1023) / 1024 * 1024 + c.shift, image);
  std::vector<uint64_t> descs;
  for (unsigned step = 0; step != c.steps; ++step) {
    descs.push_back(wgmmaDescriptor(placeA, c.aLayout, step));
    descs.push_back(wgmmaDescriptor(placeB, c.bLayout, step));
  }
  KernelText kernel = kernelOf(c, image.size());
  Harness h("h100", kernel.text);
  h.dynamicShared = 0;
  // D before: small integers, which all types hold.
  std::vector<uint32_t> before(128 * kernel.registers);
  auto initial = [](unsigned row, unsigned column) {
    return double(int(row * 7 + column * 3) % 33 - 16);
  };
  auto forEachElement = [&](auto visit) {
    for (unsigned thread = 0; thread != 128; ++thread)
      for (unsigned i = 0; i != c.n / 2; ++i)
        visit(thread / 32 * 16 + thread % 32 / 4 + 8 * (i / 2 % 2),
              i / 4 * 8 + 2 * (thread % 4) + i % 2, thread, i);
  };
  forEachElement(
      [&](unsigned row, unsigned column, unsigned thread, unsigned i) {
        double value = initial(row, column);
        if (c.d == Sum::F16) {
          before[thread * kernel.registers + i / 2] |= uint32_t(toHalf(value))
                                                       << i % 2 * 16;
          return;
        }
        float asFloat = value;
        int32_t asInteger = value;
        memcpy(&before[thread * kernel.registers + i],
               c.d == Sum::F32 ? static_cast<void *>(&asFloat) : &asInteger, 4);
      });
  uint64_t out = h.upload(before);
  ASSERT_TRUE(h.run("k", {1}, {128},
                    {h.upload(image), h.upload(descs),
                     h.upload(registersOfA(a, c.steps)), out}));
  std::vector<uint32_t> after = h.read<uint32_t>(out, before.size());
  unsigned wrong = 0;
  forEachElement([&](unsigned row, unsigned column, unsigned thread,
                     unsigned i) {
    Dot product = dot(a, b, row, column);
    double before = c.keeps ? initial(row, column) : 0;
    double expected = before + c.signA * c.signB * product.value;
    double magnitude = std::abs(before) + product.magnitude;
    double got, bound = boundF32(k + c.steps + 1, magnitude);
    if (c.d == Sum::F16) {
      got = fromHalf(after[thread * kernel.registers + i / 2] >> i % 2 * 16);
      // Half a unit of f16 for each instruction.
      bound += c.steps * (std::ldexp(magnitude, -11) + std::ldexp(1, -25));
    } else if (c.d == Sum::F32) {
      float value;
      memcpy(&value, &after[thread * kernel.registers + i], 4);
      got = value;
      if (reducedBits)
        bound += c.steps * std::ldexp(magnitude, 1 - int(reducedBits));
    } else {
      got = static_cast<int32_t>(after[thread * kernel.registers + i]);
      bound = 0;
    }
    if (!(std::abs(got - expected) <= bound) && ++wrong < 4)
      ADD_FAILURE() << "row " << row << ", column " << column << ": " << got
                    << ", expected " << expected << " within " << bound;
  });
  EXPECT_EQ(wrong, 0u);
}

static Case makeCase(Format a, Format b, unsigned n) {
  Case c;
  c.a = a;
  c.b = b;
  c.n = n;
  return c;
}

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
  EXPECT_TRUE(
      h.run("k", {1}, {128},
            {h.upload(image), h.upload(descs), h.allocate<char>(4096), out}));
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
         h.allocate<char>(4096), out}));
    std::vector<int32_t> after = h.read<int32_t>(out, 2);
    EXPECT_EQ(after[0], saturated ? INT32_MAX : INT32_MIN);
    EXPECT_EQ(after[1], saturated ? INT32_MIN : INT32_MAX);
  }
}
