//===- SparseTcgen05Test.cpp - tcgen05.mma with a sparse A ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tcgen05Case.h"
#include "Tcgen05Kernel.h"

using namespace drawloom::emu;
using namespace tcgen05;
using llvm::formatv;

static Mma makeSparse(const std::string &kind, Format format, unsigned m,
                      unsigned n) {
  Mma c = makeMma(kind, format, format, m, n);
  c.sparse = true;
  c.s32 = kind == "i8";
  return c;
}

namespace {
struct Kind {
  const char *name;
  Format format;
};
} // namespace

static const Kind kinds[] = {{"f16", Format::BF16},    {"f16", Format::F16},
                             {"tf32", Format::TF32},   {"f8f6f4", Format::E4M3},
                             {"f8f6f4", Format::E2M3}, {"f8f6f4", Format::E2M1},
                             {"i8", Format::S8}};

TEST(SparseTcgen05, EveryKindAndShape) {
  for (const Kind &kind : kinds)
    for (unsigned m : {64, 128})
      for (unsigned n : {16, 64})
        for (bool aInTensorMemory : {false, true}) {
          Mma c = makeSparse(kind.name, kind.format, m, n);
          c.aInTensorMemory = aInTensorMemory;
          check(c);
          c.lane = 16;
          if (m == 64)
            check(c);
        }
}

// M = 128 of a pair uses half of the lanes, as M = 64 of one CTA does.
TEST(SparseTcgen05, Pairs) {
  for (const Kind &kind : kinds)
    for (unsigned m : {128, 256})
      for (bool aInTensorMemory : {false, true}) {
        Mma c = makeSparse(kind.name, kind.format, m, 64);
        c.group = 2;
        c.aInTensorMemory = aInTensorMemory;
        check(c);
      }
}

TEST(SparseTcgen05, EveryMajorAndSwizzle) {
  for (const Kind &kind : {kinds[0], kinds[3]})
    for (unsigned swizzle : {0, 32, 64, 128})
      for (unsigned transposed = 0; transposed != 4; ++transposed) {
        Mma c = makeSparse(kind.name, kind.format, 128, 64);
        c.aLayout = {swizzle, bool(transposed & 1)};
        c.bLayout = {swizzle, bool(transposed & 2)};
        if (swizzle == 32 && !c.bLayout.transposed)
          c.bLayout.swizzle = 64; // Rows of 64 bytes.
        check(c);
      }
  Mma c = makeSparse("tf32", Format::TF32, 128, 32);
  c.aLayout = c.bLayout = {129, true};
  check(c);
}

TEST(SparseTcgen05, DisabledLanesAndScaledSums) {
  for (const Kind &kind : {kinds[0], kinds[2], kinds[3], kinds[6]})
    for (bool aInTensorMemory : {false, true})
      for (bool disables : {false, true})
        for (unsigned scaleD : {0, 3}) {
          Mma c = makeSparse(kind.name, kind.format, 128, 16);
          if (disables)
            c.disabled = {1, 0x80000000, 0, 0xffff};
          if (slotBits(kind.format) > 8)
            c.scaleD = scaleD;
          c.aInTensorMemory = aInTensorMemory;
          check(c);
        }
}

TEST(SparseTcgen05, LongProductsAndEverySchedule) {
  for (Policy policy :
       {Policy::Deterministic, Policy::Random, Policy::Adversarial}) {
    Mma c = makeSparse("f16", Format::BF16, 128, 16);
    c.steps = 20; // K = 640: more than one product.
    c.keeps = false;
    c.policy = policy;
    check(c);
  }
}

TEST(SparseTcgen05, BlockScales) {
  for (unsigned group : {1, 2})
    for (bool aInTensorMemory : {false, true}) {
      auto checkScaled = [&](Mma c) {
        c.sparse = true;
        c.group = group;
        c.m *= group;
        c.aInTensorMemory = aInTensorMemory;
        check(c);
      };
      for (const char *size : {"", ".scale_vec::1X", ".block32"})
        for (Format format : {Format::E4M3, Format::E3M2, Format::E2M1}) {
          Mma c = makeMma(std::string("mxf8f6f4.block_scale") + size, format,
                          Format::E5M2, 128, 64);
          c.scales = 1;
          c.steps = 6; // More than the factors of a word.
          checkScaled(c);
        }
      for (const char *size : {"", ".scale_vec::2X", ".block32"})
        checkScaled(makeFp4(std::string("mxf4.block_scale") + size, 2,
                            Scale::UE8M0, 128, 64));
      for (const char *size : {".scale_vec::2X", ".block32"})
        checkScaled(makeFp4(std::string("mxf4nvf4.block_scale") + size, 2,
                            Scale::UE8M0, 128, 64));
      for (const char *size : {".scale_vec::4X", ".block16"})
        for (Scale scale : {Scale::UE8M0, Scale::UE4M3})
          checkScaled(makeFp4(std::string("mxf4nvf4.block_scale") + size, 4,
                              scale, 128, 64));
    }
}

TEST(SparseTcgen05, WeightStationary) {
  for (const Kind &kind : kinds)
    for (unsigned m : {32, 64, 128})
      for (unsigned n : {64, 128})
        for (bool aInTensorMemory : {false, true}) {
          Mma c = makeSparse(kind.name, kind.format, m, n);
          c.ws = true;
          c.aInTensorMemory = aInTensorMemory;
          check(c);
        }
  Mma c = makeSparse("f16", Format::BF16, 64, 128);
  c.ws = true;
  // The PTX ISA's example 3.
  c.zeroColumns = uint64_t(1) << 39 | uint64_t(2) << 40 | uint64_t(3) << 48 |
                  uint64_t(1) << 32;
  check(c);
}

//===----------------------------------------------------------------------===//
// What is rejected
//===----------------------------------------------------------------------===//

/// One tcgen05.mma.sp (or .ws.sp) of bf16 ones; D is in column 0. The words of
/// columns 64 and 65 are `metadata`; in the lanes from 64 on, `others`.
static std::string failure(const std::string &operands, uint32_t metadata,
                           uint32_t others, uint32_t descriptor,
                           const std::string &ws = "") {
  const unsigned columns = 72;
  Tcgen05Kernel kernel;
  kernel.imageBytes = 16384;
  kernel.body = Tcgen05Kernel::fill(columns);
  kernel.body += "  tcgen05.fence::before_thread_sync;\n  bar.sync 0;\n"
                 "  @!%p1 bra issued;\n  tcgen05.fence::after_thread_sync;\n"
                 "  setp.eq.u32 %p5, 0, 0;\n";
  // Swizzles of 128 and 32 bytes.
  uint64_t desc = uint64_t(1) << 46 | uint64_t(64) << 32;
  kernel.body += formatv("  add.s64 %rd6, %rd4, {0};\n"
                         "  add.s64 %rd7, %rd4, {1};\n",
                         desc | uint64_t(2) << 61, desc | uint64_t(6) << 61);
  kernel.body += formatv("  tcgen05.mma{0}.sp.cta_group::1.kind::f16 {1}, {2}, "
                         "%p5;\n",
                         ws, operands, descriptor);
  kernel.body +=
      Tcgen05Kernel::commit() + "issued:\n" + Tcgen05Kernel::wait("");
  Harness h("b200", kernel.text());
  std::vector<uint32_t> in(128 * columns, 0), image(4096, 0x3f803f80);
  for (unsigned lane = 0; lane != 128; ++lane)
    for (unsigned column : {64, 65})
      in[lane * columns + column] = lane < 64 ? metadata : others;
  return h.fail("k", {1}, {128},
                {h.upload(image), h.upload(in), h.allocate<char>(64)});
}

/// Sparse bf16 with sums of f32, M = 128 and N = 8.
static const uint32_t bits =
    1 << 2 | 1 << 4 | 1 << 7 | 1 << 10 | 1 << 17 | 8 << 24;
static const char *const operands = "[%t], %rd6, %rd6, [%t+64]";
static const uint32_t firsts = 0x44444444; ///< Valid codes.

TEST(SparseTcgen05MustFail, MetadataThatIsNotRising) {
  EXPECT_CONTAINS(failure(operands, 0x44444404, firsts, bits),
                  "the metadata of row 0, elements 4 to 7 of the step's K, is "
                  "0b0000; the valid codes are 0b0100, 0b0110, 0b1000");
  EXPECT_CONTAINS(failure(operands, firsts, 0x14444444, bits),
                  "row 72, elements 12 to 15 of the step's K, is 0b0001");
}

TEST(SparseTcgen05MustFail, MetadataInTheWrongPlace) {
  EXPECT_CONTAINS(failure("[%t], %rd6, %rd6, [%t+7]", firsts, firsts, bits),
                  "the metadata is in column 7, which D overwrites");
  EXPECT_CONTAINS(
      failure("[%t], %rd6, %rd6, [%t+1048640]", firsts, firsts, bits),
      "the metadata is at lane 16, column 64 and D at lane 0: they must be at "
      "the same lane");
  EXPECT_CONTAINS(failure("[%t], %rd6, %rd6, [%t+600]", firsts, firsts, bits),
                  "the metadata is in columns 600 to 600 of tensor memory, "
                  "which has 512");
}

// M = 64 of .ws has the columns of D in two groups of lanes.
TEST(SparseTcgen05MustFail, CopiesOfTheMetadataThatDiffer) {
  const uint32_t ws = 1 << 2 | 1 << 4 | 1 << 7 | 1 << 10 | 8 << 17 | 4 << 24;
  EXPECT_CONTAINS(
      failure(operands, firsts, 0xe4444444, ws, ".ws"),
      "the metadata of row 8 differs between lanes 8 and 72 (column "
      "64): each 64 lanes must have all of it");
}

TEST(SparseTcgen05MustFail, RowsOfBThatTheSwizzleHasNoRoomFor) {
  EXPECT_CONTAINS(failure("[%t], %rd6, %rd7, [%t+64]", firsts, firsts, bits),
                  "matrix B has the 32-byte swizzle and rows of 64 bytes");
}

TEST(SparseTcgen05MustFail, Descriptors) {
  EXPECT_CONTAINS(failure(operands, firsts, firsts, bits & ~4u),
                  "sparsity (bit 2) is 0, and must be 1 for .sp");
  EXPECT_CONTAINS(failure(operands, firsts, firsts, bits | 2),
                  "the sparsity selector (bits 0-1) is 2; the emulator knows 0 "
                  "and 1");
}
