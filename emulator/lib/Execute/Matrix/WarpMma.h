//===- WarpMma.h - mma.sync -------------------------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of small matrices in the registers of a warp. They are done at once,
// with plain loops: they are too small for the arithmetic library.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_WARPMMA_H
#define DRAWLOOM_EMULATOR_WARPMMA_H

#include "Decode/Decoder.h"

namespace drawloom::emu {

/// Decodes an mma.sync; false for the forms that aren't executed.
bool decodeWarpMma(Decoder &decoder, Inst &inst);

/// Elements of A or B that are next to each other, as doubles: 16 bytes of
/// them, or 4 doubles.
using ReadPiece = void (*)(const char *piece, double *out);

/// How elements of a type are read, and how many are in a piece. False if it is
/// none of A or B.
bool findReader(ptx::Type type, ReadPiece &read, uint16_t &perPiece);

/// An element of C or D. What is written is rounded to nearest; an integer
/// wraps or is clamped.
double readSum(ptx::Type type, const char *at);
void writeSum(ptx::Type type, bool saturates, char *at, double value);

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_WARPMMA_H
