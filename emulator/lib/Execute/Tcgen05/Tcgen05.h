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
#include "Execute/Matrix/WarpWide.h"
#include "Machine/Machine.h"
#include "TensorMemory/TensorCore.h"

namespace drawloom::emu {

/// Whether the instruction is one of a pair of CTAs (cta_group::2).
inline bool isForPair(const Decoder &decoder) {
  return decoder.get(ptx::Slot::CtaGroup) == ptx::Modifier::CtaGroup2;
}

/// What is wrong with an operand or a moment, and of which kind that is.
struct TensorProblem {
  ReportKind kind = ReportKind::IllegalInstruction;
  std::string message; ///< Empty if nothing is.

  explicit operator bool() const { return !message.empty(); }
};

/// Whether the CTA has a peer that runs, which cta_group::2 needs.
TensorProblem checkPeer(CTA &cta);
/// Whether the CTAs of region.ctas may touch the region, and nothing else does.
/// `name` is "D is".
TensorProblem checkRegion(CTA &cta, const TensorRegion &region,
                          llvm::StringRef name, bool writes);
/// Decodes the descriptor of the matrix called `name` in one lane.
TensorProblem readShared(Warp &warp, Reg reg, unsigned lane,
                         llvm::StringRef name, SharedMatrix &matrix);
/// The bits of the CTAs that an instruction works in.
inline uint8_t ctasOf(const CTA &cta, bool pair) {
  return pair ? 3 : bitOf(cta);
}

/// The value of an address operand in one lane.
inline uint32_t valueOf(Warp &warp, const AddressRef &address, unsigned lane) {
  return warp.lanes<uint32_t>(address.base)[lane] + address.offset;
}

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_TCGEN05_H
