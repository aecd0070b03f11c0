//===- QuadScales.h - Block scales in the registers of a warp ---*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The block scales of mma.sync are bytes of two registers, one for A and one
// for B. Of lanes 4g to 4g + 3, selectors choose those that have them:
//
//   A   two lanes, from 2 * thread-id on: rows g and g + 8
//   B   one lane, thread-id: column g
//
// and in their words one, two or all four bytes from byte-id on, in the order
// of K.
//
// PTX ISA, section 9.7.14.3; which of the two lanes has row g is in a figure,
// and is CuTe's SFALayout in mma_traits_sm120.hpp.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_QUADSCALES_H
#define DRAWLOOM_EMULATOR_QUADSCALES_H

#include "Arithmetic/ScaleType.h"
#include "Decode/Decoder.h"
#include "Machine/Warp.h"

namespace drawloom::emu {

/// Where the factors of an MMA are.
struct QuadScales {
  struct Side {
    Reg data, byteId, threadId;
  };
  uint8_t perRow = 0; ///< For the K of the MMA; 0 if there are none.
  ScaleType type = ScaleType::UE8M0;
  Side a = {}, b = {};
};

/// The factors of 16 rows of A and 8 columns of B.
struct QuadFactors {
  float a[16][4], b[8][4];
};

/// Reads the modifiers, and the four operands from `first` on. None if the
/// instruction has no .block_scale.
QuadScales decodeQuadScales(Decoder &decoder, unsigned first);

/// Reads the factors. False if the handler is to return `next`: a selector is
/// out of range, or differs between lanes.
bool readQuadScales(Warp &warp, const Inst *inst, const QuadScales &scales,
                    QuadFactors &factors, const Inst *&next);

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_QUADSCALES_H
