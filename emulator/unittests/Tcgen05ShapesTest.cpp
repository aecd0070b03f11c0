//===- Tcgen05ShapesTest.cpp - Pairs, block scales and .ws of tcgen05.mma -===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Tcgen05Case.h.
//
//===----------------------------------------------------------------------===//

#include "Tcgen05Case.h"

using namespace tcgen05;

// That A is not used again says nothing about the result.
TEST(Tcgen05Mma, Collectors) {
  for (const char *op : {"fill", "use", "lastuse", "discard"})
    check(makeMma(std::string("f16.collector::a::") + op, Format::BF16,
                  Format::BF16, 128, 64));
}

//===----------------------------------------------------------------------===//
// CTA pairs
//===----------------------------------------------------------------------===//

TEST(Tcgen05Pair, EveryKindAndShape) {
  for (unsigned m : {128, 256})
    for (unsigned n : {32, 64, 256}) {
      check(makePair("f16", Format::BF16, m, n));
      check(makePair("f16.collector::a::discard", Format::F16, m, n));
      check(makePair("tf32", Format::TF32, m, n));
      check(makePair("f8f6f4", Format::E4M3, m, n));
      Mma integers = makePair("i8", Format::S8, m, n);
      integers.s32 = true;
      check(integers);
    }
}

TEST(Tcgen05Pair, EveryMajorAndSwizzle) {
  for (unsigned swizzle : {0, 32, 64, 128})
    for (unsigned transposed = 0; transposed != 4; ++transposed)
      for (unsigned m : {128, 256}) {
        Mma c = makePair("f16", Format::BF16, m, 128);
        c.aLayout = {swizzle, bool(transposed & 1)};
        c.bLayout = {swizzle, bool(transposed & 2)};
        check(c);
      }
}

TEST(Tcgen05Pair, AInTensorMemory) {
  for (unsigned m : {128, 256}) {
    Mma c = makePair("f16", Format::BF16, m, 64);
    c.aInTensorMemory = true;
    check(c);
    c.keeps = false;
    check(c);
  }
}

TEST(Tcgen05Pair, DisabledLanes) {
  for (unsigned m : {128, 256}) {
    Mma c = makePair("f16", Format::BF16, m, 32);
    c.disabled = {1, 0x80000000, 0, 0xffff, 0xf0, 0, 0xaaaaaaaa, 2};
    check(c);
  }
}

TEST(Tcgen05Pair, EverySchedule) {
  for (Policy policy : {Policy::Random, Policy::Adversarial}) {
    Mma c = makePair("f16", Format::BF16, 256, 64);
    c.policy = policy;
    c.steps = 40;
    check(c);
  }
}

//===----------------------------------------------------------------------===//
// Block scales
//===----------------------------------------------------------------------===//

TEST(Tcgen05Scales, EveryPairOfSmallTypes) {
  const Format formats[] = {Format::E4M3, Format::E5M2, Format::E2M3,
                            Format::E3M2, Format::E2M1};
  for (Format a : formats)
    for (Format b : formats) {
      Mma c = makeMma("mxf8f6f4.block_scale", a, b, 128, 40);
      c.scales = 1;
      c.steps = 6; // More than the factors of a word.
      check(c);
      c.aInTensorMemory = true;
      check(c);
    }
}

TEST(Tcgen05Scales, EveryMajor) {
  for (unsigned transposed = 0; transposed != 4; ++transposed)
    for (unsigned group : {1, 2}) {
      Mma c = makeMma("mxf8f6f4.block_scale.block32", Format::E4M3,
                      Format::E5M2, 128 * group, 64);
      c.group = group;
      c.scales = 1;
      c.aLayout.transposed = transposed & 1;
      c.bLayout.transposed = transposed & 2;
      check(c);
    }
}

TEST(Tcgen05Scales, FourBits) {
  for (unsigned group : {1, 2})
    for (bool aInTensorMemory : {false, true})
      for (unsigned n : {32, 192}) {
        for (Mma c : {
                 makeFp4("mxf4.block_scale", 2, Scale::UE8M0, 128, n),
                 makeFp4("mxf4.block_scale.block32", 2, Scale::UE8M0, 128, n),
                 makeFp4("mxf4.block_scale.scale_vec::2X", 2, Scale::UE8M0, 128,
                         n),
                 makeFp4("mxf4nvf4.block_scale.block16", 4, Scale::UE4M3, 128,
                         n),
                 makeFp4("mxf4nvf4.block_scale.block16.collector::a::discard",
                         4, Scale::UE8M0, 128, n),
                 makeFp4("mxf4nvf4.block_scale.scale_vec::4X", 4, Scale::UE4M3,
                         128, n),
                 makeFp4("mxf4nvf4.block_scale.block32", 2, Scale::UE8M0, 128,
                         n),
             }) {
          c.group = group;
          c.m *= group;
          c.aInTensorMemory = aInTensorMemory;
          check(c);
        }
      }
}

TEST(Tcgen05Scales, PairsOfEveryShape) {
  for (unsigned m : {128, 256})
    for (unsigned n : {64, 128, 256})
      for (const char *kind :
           {"mxf8f6f4.block_scale", "mxf8f6f4.block_scale.block32",
            "mxf8f6f4.block_scale.block32.collector::a::discard",
            "mxf8f6f4.block_scale.scale_vec::1X"}) {
        Mma c = makePair(kind, Format::E4M3, m, n);
        c.scales = 1;
        check(c);
      }
}

//===----------------------------------------------------------------------===//
// .ws and .ashift
//===----------------------------------------------------------------------===//

TEST(Tcgen05WeightStationary, EveryKindAndShape) {
  for (unsigned m : {32, 64, 128})
    for (unsigned n : {64, 128, 256})
      for (bool aInTensorMemory : {false, true}) {
        Mma c = makeMma("f16.collector::b1::fill", Format::BF16, Format::BF16,
                        m, n);
        c.ws = true;
        c.aInTensorMemory = aInTensorMemory;
        check(c);
        c.kind = "tf32";
        c.a = c.b = Format::TF32;
        check(c);
        c.kind = "f8f6f4";
        c.a = c.b = Format::E5M2;
        check(c);
        c.kind = "i8";
        c.a = c.b = Format::U8;
        c.s32 = true;
        check(c);
      }
}

// The masks of the PTX ISA's examples 2, 3 and 4; the last without its shift.
TEST(Tcgen05WeightStationary, ZeroColumns) {
  const uint64_t spans =
      uint64_t(1) << 39 | uint64_t(2) << 40 | uint64_t(3) << 48;
  const struct {
    unsigned m;
    uint64_t starts, firsts;
  } cases[] = {{128, 0, 0}, {64, 0, 1}, {32, 0x01020100, 3}};
  for (const auto &each : cases)
    for (bool transposed : {false, true}) {
      Mma c = makeMma("f16", Format::BF16, Format::BF16, each.m, 128);
      c.ws = true;
      c.bLayout.transposed = transposed;
      c.zeroColumns = spans | each.starts | each.firsts << 32;
      check(c);
    }
}

TEST(Tcgen05Mma, ShiftedRowsOfA) {
  for (unsigned group : {1, 2}) {
    Mma c = makeMma("f16", Format::BF16, Format::BF16, 128 * group, 32);
    c.group = group;
    c.aInTensorMemory = c.ashift = true;
    check(c);
  }
}
