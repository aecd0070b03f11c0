//===- MmaCodeTest.cpp - Which matrix products there is code for ----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Target/MmaCode.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace drawloom::target;

template <typename T>
static bool contains(llvm::ArrayRef<T> all, llvm::ArrayRef<T> some) {
  return llvm::all_of(some,
                      [&](T one) { return llvm::is_contained(all, one); });
}

/// Whether the hardware has all that a row claims.
static bool covers(const MmaForm &machine, const MmaForm &row) {
  return machine.instruction == row.instruction && machine.kind == row.kind &&
         machine.ctaGroup == row.ctaGroup && machine.k == row.k &&
         contains(machine.operands, row.operands) &&
         (machine.mixedOperands || !row.mixedOperands) &&
         contains(machine.accumulators, row.accumulators) &&
         machine.scales.empty() == row.scales.empty() &&
         contains(machine.m, row.m) && (row.nMask & ~machine.nMask) == 0 &&
         (row.architectures & ~machine.architectures) == 0;
}

TEST(Mmas, CodeIsForWhatTheHardwareHas) {
  for (const MmaCode &code : mmasWithCode())
    EXPECT_TRUE(llvm::any_of(allMmaForms(), [&](const MmaForm &form) {
      return covers(form, code.form);
    })) << code.form.kind.str();
}

static Mma bf16(int64_t m, int64_t n, int64_t k) {
  Mma mma;
  mma.m = m;
  mma.n = n;
  mma.k = k;
  mma.a = mma.b = ElementType::BF16;
  mma.accumulator = ElementType::F32;
  mma.types = "bf16 and bf16 into f32";
  return mma;
}

static std::string ask(const Mma &mma, llvm::StringRef arch) {
  return whyNoCode(mma, **findArchitecture(arch));
}

TEST(Mmas, WhatThereIs) {
  for (llvm::StringRef arch : {"sm_90a", "sm_100a"}) {
    EXPECT_EQ(ask(bf16(128, 256, 64), arch), "");
    EXPECT_EQ(ask(bf16(256, 48, 16), arch), "");
  }
  EXPECT_EQ(ask(bf16(64, 8, 16), "sm_90a"), "");
  EXPECT_EQ(ask(bf16(64, 256, 64), "sm_100a"), "");
  EXPECT_EQ(ask(bf16(128, 512, 64), "sm_100a"), "");
}

TEST(Mmas, PairsHaveRowsOfTheirOwn) {
  EXPECT_EQ(ask(ofPair(bf16(128, 256, 64)), "sm_100a"), "");
  EXPECT_EQ(ask(ofPair(bf16(256, 32, 16)), "sm_100a"), "");
  EXPECT_EQ(ask(ofPair(bf16(64, 256, 64)), "sm_100a"),
            "2-CTA MMA tile is M×N×K = 128×256×64, but tcgen05.mma needs M to "
            "be a multiple of 256; use M = 256 [mma-shape]");
  EXPECT_EQ(ask(ofPair(bf16(128, 48, 64)), "sm_100a"),
            "2-CTA MMA tile is M×N×K = 256×48×64, but tcgen05.mma has no N "
            "that divides 48; use a multiple of 32 up to 256 [mma-shape]");
  EXPECT_EQ(ask(ofPair(bf16(128, 512, 64)), "sm_100a"),
            "2-CTA MMA tile is M×N×K = 256×512×64, but tcgen05.mma takes N up "
            "to 256; use N = 256 [mma-shape]");
  EXPECT_EQ(ask(ofPair(bf16(128, 256, 64)), "sm_90a"),
            "a 2-CTA MMA (cta_group = 2) needs tcgen05, which sm_90a does not "
            "have; use "
            "cta_group = 1 [cta-pair]");
}

TEST(Mmas, RejectionsSayWhatWouldDo) {
  EXPECT_EQ(ask(bf16(192, 128, 64), "sm_100a"),
            "MMA tile is M×N×K = 192×128×64, but tcgen05.mma needs M to be a "
            "multiple of 128; use M = 256 [mma-shape]");
  EXPECT_EQ(ask(bf16(128, 24, 64), "sm_100a"),
            "MMA tile is M×N×K = 128×24×64, but tcgen05.mma has no N that "
            "divides 24; use a multiple of 16 up to 256 [mma-shape]");
  EXPECT_EQ(ask(bf16(128, 512, 64), "sm_90a"),
            "MMA tile is M×N×K = 128×512×64, but wgmma takes N up to 256; use "
            "N = 256 [mma-shape]");
  EXPECT_EQ(ask(bf16(128, 128, 24), "sm_90a"),
            "MMA tile is M×N×K = 128×128×24, but wgmma needs K to be a "
            "multiple of 16; use K = 32 [mma-shape]");
  Mma integers = bf16(128, 128, 64);
  integers.a = integers.b = ElementType::S8;
  integers.accumulator = ElementType::S32;
  integers.types = "i8 and i8 into i32";
  EXPECT_EQ(ask(integers, "sm_90a"), "");
  EXPECT_EQ(ask(integers, "sm_100a"), "");
  EXPECT_EQ(ask(integers, "sm_103a"),
            "MMA tile is M×N×K = 128×128×64 of i8 and i8 into i32, which "
            "tcgen05.mma on sm_103a does not have; cast the operands to a type "
            "that it has [mma-type]");
  Mma sums = bf16(128, 128, 64);
  sums.a = sums.b = sums.accumulator = ElementType::F16;
  sums.types = "f16 and f16 into f16";
  EXPECT_EQ(
      ask(sums, "sm_100a"),
      "MMA tile is M×N×K = 128×128×64 of f16 and f16 into f16, which is "
      "unsupported; supported are f16, bf16, TF32, f8E4M3FN and f8E5M2 with "
      "f32 accumulators, and i8 with i32, so cast the operands [mma-type]");
  integers.a = integers.b = ElementType::E2M1;
  integers.types = "f4E2M1FN and f4E2M1FN into i32";
  EXPECT_EQ(ask(integers, "sm_90a"),
            "MMA tile is M×N×K = 128×128×64 of f4E2M1FN and f4E2M1FN into i32, "
            "which wgmma on sm_90a does not have; cast the operands to a type "
            "that it has [mma-type]");
}
