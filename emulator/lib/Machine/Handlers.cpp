//===- Handlers.cpp - Handlers of no family ------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decode/Handlers.h"
#include "Machine/Machine.h"
#include "Machine/Warp.h"

using namespace drawloom;
using namespace drawloom::emu;

const Inst *drawloom::emu::communicate(Warp &warp, const Inst *inst,
                                       uint32_t mask) {
  if (!warp.machine().isAlone())
    return warp.park(inst);
  const Program &program = warp.program();
  return program.communicating.find(program.indexOf(inst))
      ->second(warp, inst, mask);
}

const Inst *drawloom::emu::counted(Warp &warp, const Inst *inst,
                                   uint32_t mask) {
  ExecutionCounts &counts = *warp.program().counts;
  uint32_t index = warp.program().indexOf(inst);
  counts.times[index].fetch_add(1, std::memory_order_relaxed);
  return counts.handlers[index](warp, inst, mask);
}

const Inst *drawloom::emu::implicitReturn(Warp &warp, const Inst *inst,
                                          uint32_t mask) {
  return warp.ret(inst, mask);
}

const Inst *drawloom::emu::rejected(Warp &warp, const Inst *inst,
                                    uint32_t mask) {
  const auto &rejection = inst->as<Rejection>();
  return warp.fail(inst, mask, rejection.kind, rejection.message);
}
