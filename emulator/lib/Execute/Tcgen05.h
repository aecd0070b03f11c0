//===- Tcgen05.h - What the tcgen05 families share --------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tcgen05 instructions are either for a whole warp, with operands that are the
// same in all lanes (allocation, loads, stores), or for single threads (MMAs,
// copies, commits): a warp that executes one of those with several lanes starts
// as many of them.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_TCGEN05_H
#define DRAWLOOM_EMULATOR_TCGEN05_H

#include "Decode/Decoder.h"
#include "Execute/WarpWide.h"
#include "Machine/Machine.h"
#include "TensorMemory/TensorCore.h"

namespace drawloom::emu {

/// Whether the instruction is one for a single CTA, not for a pair.
inline bool isForOneCta(const Decoder &decoder) {
  return decoder.get(ptx::Slot::CtaGroup) == ptx::Modifier::CtaGroup1;
}

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_TCGEN05_H
