//===- Dependency.cpp - griddepcontrol -----------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, section 9.7.13.13. A launch that is `programmatic` starts when every
// CTA of the one in front of it has said launch_dependents or has exited.

#include "Decode/Decoder.h"
#include "Machine/Run.h"
#include "Machine/Tell.h"

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Opcode;

static const Inst *launchDependents(Warp &warp, const Inst *inst,
                                    uint32_t mask) {
  if (warp.listener()) [[unlikely]]
    tell(warp.issuePoint(inst, mask),
         DependencyEvent{.kind = DependencyEvent::LaunchDependents});
  warp.cta().releaseDependents();
  return inst + 1;
}

static const Inst *waitForPrerequisites(Warp &warp, const Inst *inst,
                                        uint32_t mask) {
  Grid &grid = warp.cta().grid();
  if (warp.machine().run().endedBefore(grid.index())) {
    if (warp.listener()) [[unlikely]]
      tell(warp.issuePoint(inst, mask),
           DependencyEvent{.kind = DependencyEvent::Wait});
    return inst + 1;
  }
  return warp.wait(inst, mask, grid.prerequisites, WaitMode::Retry);
}

static bool decodeDependency(Decoder &decoder, Inst &inst) {
  inst.fn = decoder.opcode() == Opcode::GriddepcontrolWait
                ? waitForPrerequisites
                : launchDependents;
  return true;
}

void drawloom::emu::registerDependency(DecodeTable &table) {
  table.add(Opcode::GriddepcontrolLaunchDependents, decodeDependency);
  table.add(Opcode::GriddepcontrolWait, decodeDependency);
}
