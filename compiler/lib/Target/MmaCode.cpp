//===- MmaCode.cpp - Which matrix products there is code for --------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Target/MmaCode.h"
#include "ArchitectureBits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace drawloom::target;
using llvm::formatv;

static constexpr ElementType f16[] = {ElementType::F16};
static constexpr ElementType bf16[] = {ElementType::BF16};
static constexpr ElementType tf32[] = {ElementType::TF32};
static constexpr ElementType f32[] = {ElementType::F32};
static constexpr ElementType fp8[] = {ElementType::E4M3, ElementType::E5M2};
static constexpr ElementType s8[] = {ElementType::S8};
static constexpr ElementType s32[] = {ElementType::S32};

static constexpr unsigned m64[] = {64};
static constexpr unsigned m128or64[] = {128, 64};
static constexpr unsigned m256[] = {256};

/// Columns in steps of 8, of 16 and of 32, up to 256.
static constexpr uint32_t by8 = 0xffffffff, by16 = 0xaaaaaaaa,
                          by32 = 0x88888888;

static constexpr ArchitectureSet blackwell = sm100a | sm103a | sm110a;
static constexpr ArchitectureSet withInteger = sm100a | sm110a;
static constexpr MmaInstruction wgmma = MmaInstruction::Wgmma;
static constexpr MmaInstruction tc5 = MmaInstruction::Tcgen05;

// Accumulators of 32 bits, no scales. tcgen05 takes several times 128 rows, or
// 64 once, which use half of the lanes; with 128 rows its columns come in steps
// of 16. Two CTAs have 128 rows each, and half of the columns of B: in steps of
// 32, and of one instruction, because the halves of two would lie between each
// other.
// clang-format off
static constexpr MmaCode table[] = {
    // instruction, kind, CTAs, operands, mixed, accumulators, scales, M, N, K, where; columns
    {{wgmma, "f16",    1, f16,  false, f32, {}, m64,      by8,  16, sm90a},     256},
    {{wgmma, "bf16",   1, bf16, false, f32, {}, m64,      by8,  16, sm90a},     256},
    {{wgmma, "tf32",   1, tf32, false, f32, {}, m64,      by8,   8, sm90a},     256},
    {{wgmma, "fp8",    1, fp8,  true,  f32, {}, m64,      by8,  32, sm90a},     256},
    {{wgmma, "s8",     1, s8,   false, s32, {}, m64,      by16, 32, sm90a},     256},
    {{tc5,   "f16",    1, f16,  false, f32, {}, m128or64, by16, 16, blackwell}, 0},
    {{tc5,   "f16",    1, bf16, false, f32, {}, m128or64, by16, 16, blackwell}, 0},
    {{tc5,   "tf32",   1, tf32, false, f32, {}, m128or64, by16,  8, blackwell}, 0},
    {{tc5,   "f8f6f4", 1, fp8,  true,  f32, {}, m128or64, by16, 32, blackwell}, 0},
    {{tc5,   "i8",     1, s8,   false, s32, {}, m128or64, by16, 32, withInteger}, 0},
    {{tc5,   "f16",    2, f16,  false, f32, {}, m256,     by32, 16, blackwell}, 256},
    {{tc5,   "f16",    2, bf16, false, f32, {}, m256,     by32, 16, blackwell}, 256},
    {{tc5,   "tf32",   2, tf32, false, f32, {}, m256,     by32,  8, blackwell}, 256},
    {{tc5,   "f8f6f4", 2, fp8,  true,  f32, {}, m256,     by32, 32, blackwell}, 256},
    {{tc5,   "i8",     2, s8,   false, s32, {}, m256,     by32, 32, withInteger}, 256},
};
// clang-format on

llvm::ArrayRef<MmaCode> drawloom::target::mmasWithCode() { return table; }

static bool hasTypes(const MmaForm &form, const Mma &mma) {
  if (!mma.a || !mma.b || !mma.accumulator || (mma.hasScale && !mma.scale) ||
      form.ctaGroup != mma.ctas)
    return false;
  return llvm::is_contained(form.operands, *mma.a) &&
         llvm::is_contained(form.operands, *mma.b) &&
         (form.mixedOperands || mma.a == mma.b) &&
         llvm::is_contained(form.accumulators, *mma.accumulator) &&
         (mma.hasScale ? llvm::is_contained(form.scales, *mma.scale)
                       : form.scales.empty());
}

static std::string whyNoTypes(const Mma &mma, const Architecture &arch) {
  llvm::StringRef instruction =
      arch.mma == MmaInstruction::Wgmma ? "wgmma" : "tcgen05.mma";
  bool machineHasIt = llvm::any_of(arch.mmaForms(), [&](const MmaForm *form) {
    return hasTypes(*form, mma);
  });
  if (machineHasIt)
    return formatv("of {0}, which is unsupported; supported are f16, bf16, "
                   "TF32, f8E4M3FN and f8E5M2 with f32 accumulators, and i8 "
                   "with i32, so cast the operands [mma-type]",
                   mma.types);
  return formatv("of {0}, which {1} on {2} does not have; cast the operands to "
                 "a type that it has [mma-type]",
                 mma.types, instruction, arch.name);
}

/// Whether N columns are a row of instructions of one legal width.
static bool hasWidth(const MmaForm &form, int64_t n) {
  constexpr int64_t widest = 256;
  for (int64_t parts = llvm::divideCeil(n, widest); parts <= n / 8; ++parts)
    if (n % parts == 0 && form.allows(form.m.front(), n / parts, form.k))
      return true;
  return false;
}

static std::string whyNoShape(const MmaCode &code, const Mma &mma) {
  const MmaForm &form = code.form;
  llvm::StringRef instruction =
      form.instruction == MmaInstruction::Wgmma ? "wgmma" : "tcgen05.mma";
  int64_t rows = form.m.front();
  if (mma.m % rows != 0 && !llvm::is_contained(form.m, mma.m))
    return formatv("but {0} needs M to be a multiple of {1}; use M = {2} "
                   "[mma-shape]",
                   instruction, rows, llvm::alignTo(mma.m, rows));
  if (mma.k % form.k != 0)
    return formatv("but {0} needs K to be a multiple of {1}; use K = {2} "
                   "[mma-shape]",
                   instruction, form.k, llvm::alignTo(mma.k, form.k));
  if (code.mostColumns != 0 && mma.n > code.mostColumns)
    return formatv("but {0} takes N up to {1}; use N = {1} [mma-shape]",
                   instruction, code.mostColumns);
  if (!hasWidth(form, mma.n))
    return formatv("but {0} has no N that divides {1}; use a multiple of {2} "
                   "up to 256 [mma-shape]",
                   instruction, mma.n, 16 * mma.ctas);
  return "";
}

Mma drawloom::target::ofPair(Mma mma) {
  mma.ctas = 2;
  mma.m *= 2;
  return mma;
}

std::string drawloom::target::whyNoCode(const Mma &mma,
                                        const Architecture &arch) {
  if (mma.ctas == 2 && arch.mma != MmaInstruction::Tcgen05)
    return formatv("a 2-CTA MMA (cta_group = 2) needs tcgen05, which {0} does "
                   "not have; use cta_group = 1 [cta-pair]",
                   arch.name);
  std::string what =
      formatv("{0}MMA tile is M×N×K = {1}×{2}×{3}",
              mma.ctas == 2 ? "2-CTA " : "", mma.m, mma.n, mma.k);
  const MmaCode *code = llvm::find_if(table, [&](const MmaCode &row) {
    return row.form.architectures & arch.bit && hasTypes(row.form, mma);
  });
  if (code == std::end(table))
    return what + " " + whyNoTypes(mma, arch);
  std::string why = whyNoShape(*code, mma);
  return why.empty() ? "" : what + ", " + why;
}
