//===- MmaForms.cpp - Shapes and types of wgmma and tcgen05.mma -----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Sources: PTX ISA 9.7.15.2 and 9.7.15.3 (wgmma), 9.7.16.2.1 (tcgen05, table
// 'Various combinations of .kind and shapes') and the 'Target ISA Notes' of
// tcgen05.mma: kind::i8 is missing on sm_103a, K = 96 exists only there.

#include "ArchitectureBits.h"
#include "drawloom/Target/Architecture.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom::target;

static constexpr llvm::StringLiteral typeNames[] = {
    "f16",  "bf16", "tf32", "f32", "e4m3", "e5m2",  "e3m2", "e2m3",
    "e2m1", "s8",   "u8",   "s32", "b1",   "ue8m0", "ue4m3"};

llvm::StringRef drawloom::target::toString(ElementType type) {
  return typeNames[static_cast<unsigned>(type)];
}

/// The set of N from `step` to 256 in steps of `step`.
static constexpr uint32_t multiplesOf(unsigned step) {
  uint32_t mask = 0;
  for (unsigned n = step; n <= 256; n += step)
    mask |= 1u << (n / 8 - 1);
  return mask;
}

static constexpr uint32_t by8 = multiplesOf(8);
static constexpr uint32_t by16 = multiplesOf(16);
static constexpr uint32_t by32 = multiplesOf(32);
// Integers take every multiple of 16, and of the others only 8 and 24.
static constexpr uint32_t integerN = by16 | 1u << 0 | 1u << 2;

static constexpr ElementType f16[] = {ElementType::F16};
static constexpr ElementType bf16[] = {ElementType::BF16};
static constexpr ElementType tf32[] = {ElementType::TF32};
static constexpr ElementType f32[] = {ElementType::F32};
static constexpr ElementType f16f32[] = {ElementType::F16, ElementType::F32};
static constexpr ElementType s8[] = {ElementType::S8};
static constexpr ElementType u8[] = {ElementType::U8};
static constexpr ElementType s8u8[] = {ElementType::S8, ElementType::U8};
static constexpr ElementType s32[] = {ElementType::S32};
static constexpr ElementType b1[] = {ElementType::B1};
static constexpr ElementType fp8[] = {ElementType::E4M3, ElementType::E5M2};
static constexpr ElementType f8f6f4[] = {ElementType::E4M3, ElementType::E5M2,
                                         ElementType::E2M3, ElementType::E3M2,
                                         ElementType::E2M1};
static constexpr ElementType e2m1[] = {ElementType::E2M1};
static constexpr ElementType ue8m0[] = {ElementType::UE8M0};
static constexpr ElementType nvScales[] = {ElementType::UE8M0,
                                           ElementType::UE4M3};

static constexpr unsigned m64[] = {64};
static constexpr unsigned m128[] = {128};
static constexpr unsigned m256[] = {256};
static constexpr unsigned m64or128[] = {64, 128};
static constexpr unsigned m128or256[] = {128, 256};

static constexpr ArchitectureSet blackwell = sm100a | sm103a | sm110a;
static constexpr ArchitectureSet withInteger = sm100a | sm110a;

static constexpr MmaInstruction wgmma = MmaInstruction::Wgmma;
static constexpr MmaInstruction tc5 = MmaInstruction::Tcgen05;

// clang-format off
static constexpr MmaForm table[] = {
    // instruction, kind, CTAs, operands, mixed, accumulators, scales, M, N, K, where
    {wgmma, "f16",      1, f16,    false, f16f32, {},       m64,       by8,      16, sm90a},
    {wgmma, "bf16",     1, bf16,   false, f32,    {},       m64,       by8,      16, sm90a},
    {wgmma, "tf32",     1, tf32,   false, f32,    {},       m64,       by8,       8, sm90a},
    {wgmma, "fp8",      1, fp8,    true,  f16f32, {},       m64,       by8,      32, sm90a},
    {wgmma, "s8",       1, s8,     false, s32,    {},       m64,       integerN, 32, sm90a},
    {wgmma, "u8",       1, u8,     false, s32,    {},       m64,       integerN, 32, sm90a},
    {wgmma, "b1",       1, b1,     false, s32,    {},       m64,       integerN, 256, sm90a},
    {tc5,   "f16",      1, f16,    false, f16f32, {},       m64or128,  by8,      16, blackwell},
    {tc5,   "f16",      2, f16,    false, f16f32, {},       m128or256, by16,     16, blackwell},
    {tc5,   "f16",      1, bf16,   false, f32,    {},       m64or128,  by8,      16, blackwell},
    {tc5,   "f16",      2, bf16,   false, f32,    {},       m128or256, by16,     16, blackwell},
    {tc5,   "tf32",     1, tf32,   false, f32,    {},       m64or128,  by8,       8, blackwell},
    {tc5,   "tf32",     2, tf32,   false, f32,    {},       m128or256, by16,      8, blackwell},
    {tc5,   "f8f6f4",   1, f8f6f4, true,  f16f32, {},       m64or128,  by8,      32, blackwell},
    {tc5,   "f8f6f4",   2, f8f6f4, true,  f16f32, {},       m128or256, by16,     32, blackwell},
    {tc5,   "i8",       1, s8u8,   true,  s32,    {},       m64or128,  integerN, 32, withInteger},
    {tc5,   "i8",       2, s8u8,   true,  s32,    {},       m128or256, by32,     32, withInteger},
    {tc5,   "mxf8f6f4", 1, f8f6f4, true,  f32,    ue8m0,    m128,      by8,      32, blackwell},
    {tc5,   "mxf8f6f4", 2, f8f6f4, true,  f32,    ue8m0,    m128or256, by16,     32, blackwell},
    {tc5,   "mxf4",     1, e2m1,   false, f32,    ue8m0,    m128,      by8,      64, blackwell},
    {tc5,   "mxf4",     2, e2m1,   false, f32,    ue8m0,    m128or256, by16,     64, blackwell},
    {tc5,   "mxf4",     2, e2m1,   false, f32,    ue8m0,    m256,      by16,     96, sm103a},
    {tc5,   "mxf4nvf4", 1, e2m1,   false, f32,    nvScales, m128,      by8,      64, blackwell},
    {tc5,   "mxf4nvf4", 2, e2m1,   false, f32,    nvScales, m128or256, by16,     64, blackwell},
    {tc5,   "mxf4nvf4", 2, e2m1,   false, f32,    nvScales, m256,      by16,     96, sm103a},
};
// clang-format on

bool MmaForm::allows(unsigned mSize, unsigned nSize, unsigned kSize) const {
  if (!llvm::is_contained(m, mSize) || kSize != k)
    return false;
  if (nSize == 0 || nSize > 256 || nSize % 8 != 0)
    return false;
  return nMask >> (nSize / 8 - 1) & 1;
}

llvm::ArrayRef<MmaForm> drawloom::target::allMmaForms() { return table; }

llvm::SmallVector<const MmaForm *> Architecture::mmaForms() const {
  llvm::SmallVector<const MmaForm *> forms;
  for (const MmaForm &form : table)
    if (form.architectures & bit)
      forms.push_back(&form);
  return forms;
}
