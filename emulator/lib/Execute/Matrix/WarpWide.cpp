//===- WarpWide.cpp - Instructions of a whole warp -----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execute/Matrix/WarpWide.h"
#include "llvm/Support/FormatVariadic.h"

using namespace drawloom;
using namespace drawloom::emu;
using llvm::formatv;

bool drawloom::emu::wholeWarp(Warp &warp, const Inst *inst, uint32_t mask,
                              const Inst *&next) {
  if (!warp.convergeAll(inst, mask, next))
    return false;
  if (warp.live() == allLanes)
    return true;
  uint32_t gone = ~warp.live();
  next = warp.fail(inst, warp.live(), ReportKind::IllegalInstruction,
                   "needs all 32 lanes of the warp; " + describeLanes(gone) +
                       (gone & (gone - 1) ? " have" : " has") + " exited");
  return false;
}

bool drawloom::emu::uniformValue(Warp &warp, const Inst *inst, Reg reg,
                                 int64_t offset, llvm::StringRef what,
                                 uint32_t &value, const Inst *&next) {
  llvm::ArrayRef<uint32_t> lanes(warp.lanes<uint32_t>(reg), 32);
  value = lanes[0] + offset;
  for (unsigned lane = 1; lane != 32; ++lane)
    if (lanes[lane] != lanes[0]) {
      next = warp.fail(inst, 1u << lane, ReportKind::Divergence,
                       formatv("{0} must be the same in all lanes of the "
                               "warp; it is {1:x} here and {2:x} in lane 0",
                               what, lanes[lane] + offset, value));
      return false;
    }
  return true;
}
