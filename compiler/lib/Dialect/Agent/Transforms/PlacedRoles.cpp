//===- PlacedRoles.cpp - Where code is generated from ---------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlacedRoles.h"
#include "drawloom/Analysis/Slots/Placement.h"
#include "drawloom/Dialect/Tile/IR/Schedule.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

FailureOr<SwitchOp> agent::getPlacedRoles(tile::KernelOp kernel) {
  auto switches = kernel.getBody().front().getOps<SwitchOp>();
  if (switches.empty())
    return kernel->emitOpError(
        "has no roles: code is generated after 'form-pipes' [pass-order]");
  SwitchOp roles = *switches.begin();
  if (failed(plan::checkRolesAreAll(kernel)))
    return failure();
  if (!tile::getTarget(kernel))
    return kernel->emitOpError("has no target: code is generated after "
                               "'choose-schedule' [pass-order]");
  if (!roles.getWarps())
    return roles->emitOpError(
        "is not placed: code is generated after 'place-memory' [pass-order]");
  return roles;
}
