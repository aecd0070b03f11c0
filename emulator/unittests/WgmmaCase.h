//===- WgmmaCase.h - Products by wgmma --------------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The frame that tests of wgmma share: a warpgroup multiplies matrices that lie
// in shared memory or in registers, and what it has then is compared with
// MatrixReference.h. Which thread has which element is written down here from
// the PTX ISA's figures and, for metadata, from CuTe's layouts.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_WGMMACASE_H
#define DRAWLOOM_EMULATOR_WGMMACASE_H

#include "MatrixReference.h"
#include <string>

namespace wgmma {

using namespace reference;

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
  unsigned shift = 0;      ///< Bytes from a multiple of 1024 to A and B.
  bool singleBits = false; ///< Bytes of A and B are eight elements each.
  bool sparse = false;     ///< Half of A is stored.
  unsigned selector = 0;   ///< Of the lanes that have the metadata.

  unsigned k() const { return sparse ? 2 * kOf(a) : kOf(a); }
};

struct KernelText {
  std::string text;
  unsigned registers;
};

Case makeCase(Format a, Format b, unsigned n);
/// Whether wgmma can transpose matrices of this format.
bool hasTransposes(Format format);
/// Copies the image to `smem`, loads D and the registers of A, multiplies, and
/// stores D: D's registers are those of thread t from out + 4 t registers on.
KernelText kernelOf(const Case &c, size_t imageBytes);
/// Runs the case and compares. `reducedBits`: of sums, 0 for f32's.
void check(const Case &c, unsigned reducedBits = 0);

} // namespace wgmma

#endif // DRAWLOOM_EMULATOR_WGMMACASE_H
