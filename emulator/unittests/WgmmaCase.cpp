//===- WgmmaCase.cpp - Products by wgmma ---------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WgmmaCase.h"
#include "Harness.h"
#include "llvm/Support/FormatVariadic.h"
#include <bit>
#include <cmath>

using namespace drawloom::emu;
using namespace wgmma;
using llvm::formatv;

bool wgmma::hasTransposes(Format format) {
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

KernelText wgmma::kernelOf(const Case &c, size_t imageBytes) {
  unsigned registers = c.n / (c.d == Sum::F16 ? 4 : 2);
  std::string text = formatv(R"(
.visible .entry k(.param .u64 image, .param .u64 descs, .param .u64 areg,
                  .param .u64 out, .param .u64 metadata) {{
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
  ld.param.u64 %rd11, [metadata];
  mad.wide.u32 %rd11, %r1, {6}, %rd11;
  setp.ne.u32 %p2, {5}, 0;
)",
                             registers, 4 * c.steps, imageBytes, 4 * registers,
                             16 * c.steps, c.keeps ? 1 : 0, 4 * c.steps);
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
    std::string sparse;
    if (c.sparse) {
      text += formatv("  ld.global.b32 %r10, [%rd11+{0}];\n", 4 * step);
      sparse = formatv("%r10, {0}, ", c.selector);
    }
    text += formatv(
        "  wgmma.mma_async{9}.sync.aligned.m64n{0}k{1}{2}.{3}.{4}."
        "{5} {6}, {7}, %rd10, {10}{8}",
        c.n, c.singleBits ? 8 * c.k() : c.k(), c.saturated ? ".satfinite" : "",
        nameOf(c.d), c.singleBits ? "b1" : nameOf(c.a),
        c.singleBits ? "b1.and.popc" : nameOf(c.b), list("d", 0, registers),
        c.aInRegisters ? list("a", 4 * step, 4) : "%rd9", step ? "1" : "%p2",
        c.sparse ? ".sp" : "", sparse);
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

/// The words with the metadata of each thread, step by step. What a bit of a
/// thread's word stands for is CuTe's ELayout of the shape: a row of 64 and an
/// element of k, with one or two bits for each element.
static std::vector<uint32_t> metadataOf(const Case &c, const SparseMatrix &a) {
  std::vector<uint32_t> words;
  unsigned bitsEach = 4 / a.chunk;
  for (unsigned thread = 0; thread != 128; ++thread)
    for (unsigned step = 0; step != c.steps; ++step) {
      unsigned low = thread % 2, high = thread / 2 % 2;
      unsigned first = thread / 4 % 8 + thread / 32 * 16;
      uint32_t word = 0;
      for (unsigned bit = 0; bit != 32; ++bit) {
        unsigned v = bit / bitsEach, row, k;
        if (slotBits(c.a) == 8) {
          row = first + 8 * low;
          k = 32 * high + v;
        } else {
          unsigned along = c.k() / 2;
          row = first + 8 * (v / along);
          k = along * low + v % along;
        }
        k += step * c.k();
        unsigned code = a.code(row, k / a.chunk);
        word |= (code >> (k % a.chunk * bitsEach + bit % bitsEach) & 1) << bit;
      }
      // The other pair of threads has what must not matter.
      words.push_back(slotBits(c.a) == 8 || high == c.selector ? word : 0);
    }
  return words;
}

/// The codes that wgmma has.
static std::vector<unsigned> codesOf(Format format) {
  if (format == Format::TF32)
    return {0b0100, 0b1110};
  std::vector<unsigned> codes;
  for (unsigned code = 0; code != 16; ++code)
    if (code / 4 != code % 4)
      codes.push_back(code);
  return codes;
}

void wgmma::check(const Case &c, unsigned reducedBits) {
  SCOPED_TRACE(formatv("{0} x {1} -> {2}, n {3}, swizzles {4} {5}, transposed "
                       "{6} {7}, A in registers {8}, keeps {9}, sparse {10}",
                       nameOf(c.a), nameOf(c.b), nameOf(c.d), c.n,
                       c.aLayout.swizzle, c.bLayout.swizzle,
                       c.aLayout.transposed, c.bLayout.transposed,
                       c.aInRegisters, c.keeps, c.sparse)
                   .str());
  std::mt19937 engine(c.n * 131 + static_cast<int>(c.a));
  unsigned k = c.steps * c.k();
  SparseMatrix sparse;
  if (c.sparse)
    sparse = randomSparse(c.a, slotBits(c.a), 64, k, codesOf(c.a), engine);
  else
    sparse.all = sparse.stored = random(c.a, 64, k, engine);
  const Matrix &a = sparse.all;
  Matrix b = random(c.b, c.n, k, engine);
  std::vector<char> image;
  Placement placeA = place(sparse.stored, c.aLayout, c.shift, image);
  Placement placeB =
      place(b, c.bLayout, (image.size() + 1023) / 1024 * 1024 + c.shift, image,
            c.k());
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
  std::vector<uint32_t> metadata =
      c.sparse ? metadataOf(c, sparse) : std::vector<uint32_t>(128 * c.steps);
  ASSERT_TRUE(h.run("k", {1}, {128},
                    {h.upload(image), h.upload(descs),
                     h.upload(registersOfA(sparse.stored, c.steps)), out,
                     h.upload(metadata)}));
  std::vector<uint32_t> after = h.read<uint32_t>(out, before.size());
  unsigned wrong = 0;
  forEachElement([&](unsigned row, unsigned column, unsigned thread,
                     unsigned i) {
    Dot product = dot(a, b, row, column);
    if (c.singleBits) {
      product.value = 0;
      for (unsigned i = 0; i != k; ++i)
        product.value += std::popcount(a.bit(row, i) & b.bit(column, i));
    }
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

Case wgmma::makeCase(Format a, Format b, unsigned n) {
  Case c;
  c.a = a;
  c.b = b;
  c.n = n;
  return c;
}
