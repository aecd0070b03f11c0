//===- Placement.cpp - What placement goes by -----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Analysis/Slots/Placement.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using namespace drawloom::plan;

int64_t plan::getNextTileBytes(SwitchOp roles) {
  return nextTileBytes + (roles.getClusterSize() > 1 ? 2 : 1) * barrierBytes;
}

LogicalResult plan::checkRolesAreAll(tile::KernelOp kernel) {
  SmallVector<SwitchOp> switches;
  kernel.walk([&](SwitchOp op) { switches.push_back(op); });
  if (switches.empty())
    return success();
  SwitchOp op = switches.front();
  if (switches.size() > 1) {
    InFlightDiagnostic diag =
        switches[1].emitError()
        << "kernel @" << kernel.getSymName() << " has " << switches.size()
        << " switches, and its warps take their roles once; put the roles of "
           "both into one switch, or each switch into a kernel of its own "
           "[switch-placement]";
    diag.attachNote(op.getLoc()) << "the first one is here";
    return diag;
  }
  if (op->getParentOp() != kernel)
    return op.emitError()
           << "the roles of kernel @" << kernel.getSymName() << " are inside '"
           << op->getParentOp()->getName()
           << "', and its warps take their roles once; put the "
              "loop or the branch into the roles [switch-placement]";
  for (Operation *after = op->getNextNode();
       after && !after->hasTrait<OpTrait::IsTerminator>();
       after = after->getNextNode())
    if (!isa<PipeOp, ItemsOp>(after) && !isMemoryEffectFree(after))
      return after->emitError()
             << "'" << after->getName() << "' comes after the roles of kernel @"
             << kernel.getSymName()
             << ", and nothing runs when they have ended; put it into a role, "
                "or into a kernel of its own [switch-placement]";
  return success();
}
