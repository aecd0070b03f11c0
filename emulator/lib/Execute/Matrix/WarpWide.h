//===- WarpWide.h - Instructions of a whole warp ----------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// wgmma and much of tcgen05 are executed by all 32 lanes of a warp together,
// with operands that are the same in all of them. What isn't so ends the
// launch.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_WARPWIDE_H
#define DRAWLOOM_EMULATOR_WARPWIDE_H

#include "Machine/Lanes.h"
#include "llvm/ADT/StringRef.h"

namespace drawloom::emu {

/// Brings the whole warp together. False if the handler is to return `next`.
bool wholeWarp(Warp &warp, const Inst *inst, uint32_t mask, const Inst *&next);

/// A 32-bit operand that is the same in all lanes, plus `offset`. False, with
/// `next` set, if it isn't; `what` is what it is.
bool uniformValue(Warp &warp, const Inst *inst, Reg reg, int64_t offset,
                  llvm::StringRef what, uint32_t &value, const Inst *&next);

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_WARPWIDE_H
