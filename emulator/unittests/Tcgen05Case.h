//===- Tcgen05Case.h - Products by tcgen05.mma ------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The frame of tests of the variants of tcgen05.mma in which an operand is in
// several places: in the memories of two CTAs, beside its scale factors or its
// metadata, or split over groups of lanes. Where everything lies is written
// down here from the PTX ISA's layouts A to G (section 9.7.16.10.5) and those
// of scale factors (9.7.16.10.7), and from CuTe's of metadata (tmem_e_frg).
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_TCGEN05CASE_H
#define DRAWLOOM_EMULATOR_TCGEN05CASE_H

#include "Harness.h"
#include "MatrixReference.h"

namespace tcgen05 {

using namespace reference;
using drawloom::emu::Policy;

enum class Scale { UE8M0, UE4M3 };

/// How an instruction descriptor names a format, except with kind::mxf4 and
/// mxf4nvf4.
unsigned codeOf(Format format);

/// A product in `steps` instructions, D = D + A B.
struct Mma {
  std::string kind; ///< "f16", "mxf4nvf4.block_scale.block16"
  Format a = Format::BF16, b = Format::BF16;
  bool dense = false; ///< Two 4-bit elements in each byte.
  bool s32 = false;   ///< Integer sums.
  unsigned group = 1; ///< CTAs.
  bool ws = false;
  bool sparse = false; ///< Half of A is stored.
  unsigned m = 128, n = 64, steps = 4;
  Layout aLayout, bLayout;
  bool aInTensorMemory = false;
  bool ashift = false;
  bool keeps = true;
  unsigned scales = 0; ///< Factors for each row and instruction.
  Scale scale = Scale::UE8M0;
  std::vector<uint32_t> disabled; ///< A word for 32 lanes.
  unsigned scaleD = 0;            ///< D is divided by 2 to the power of it.
  unsigned lane = 0;              ///< Where D is, if it uses half of the lanes.
  uint64_t zeroColumns = 0;
  Policy policy = Policy::Deterministic;

  unsigned storedK() const { return dense ? 64 : kOf(a); }
  unsigned k() const { return sparse ? 2 * storedK() : storedK(); }
  unsigned rows() const { return m / group; } ///< Of A in each CTA.
  /// Groups of lanes that the columns of D are split over.
  unsigned parts() const {
    return ws || (group == 2 && !sparse) ? 128 / rows() : 1;
  }
  bool usesHalfOfTheLanes() const { return rows() == 64 && parts() == 1; }
  unsigned partColumns() const { return n / parts(); }

  // Where things are in tensor memory: D, A, the factors of A, those of B, the
  // metadata.
  unsigned aColumn() const { return partColumns(); }
  unsigned aScaleColumn() const {
    return aColumn() + (aInTensorMemory ? 8 * steps : 0);
  }
  unsigned wordsOfSteps() const { return (steps * scales + 3) / 4; }
  unsigned aScaleColumns() const { return scales ? (rows() + 31) / 32 : 0; }
  unsigned bScaleColumn() const {
    return aScaleColumn() + wordsOfSteps() * aScaleColumns();
  }
  unsigned bScaleColumns() const {
    return scales ? (partColumns() + 31) / 32 : 0;
  }
  unsigned metadataColumn() const {
    return (bScaleColumn() + wordsOfSteps() * bScaleColumns() + 1) / 2 * 2;
  }
  /// Of an instruction: one for 16 and 32 bits, two for 8 and 4.
  unsigned metadataColumns() const {
    return sparse ? dense || slotBits(a) == 8 ? 2 : 1 : 0;
  }
  unsigned columns() const {
    return (metadataColumn() + steps * metadataColumns() + 7) / 8 * 8;
  }
};

Mma makeMma(const std::string &kind, Format a, Format b, unsigned m,
            unsigned n);
/// Of two CTAs.
Mma makePair(const std::string &kind, Format format, unsigned m, unsigned n);
/// 4-bit elements with two or four factors for each row.
Mma makeFp4(const std::string &kind, unsigned scales, Scale scale, unsigned m,
            unsigned n);

/// Runs the product and compares.
void check(const Mma &c);

} // namespace tcgen05

#endif // DRAWLOOM_EMULATOR_TCGEN05CASE_H
