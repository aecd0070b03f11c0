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

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_WARPMMA_H
