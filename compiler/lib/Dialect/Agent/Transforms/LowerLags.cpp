//===- LowerLags.cpp - Slots that a role keeps ----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A consume with a lag keeps its newest slots when it is over: MMAs may still
// read them. It releases those of some iterations ago. What is left is released
// where the innermost loop around it is left, or the role.
//
// The slots that are kept are a variable, in which a negative number is none:
//
//   %kept = agent.variable "operands.kept" [-1]
//   scf.for ... {
//     ...                                  // the slot is taken and used
//     %oldest = agent.get %kept : i32
//     agent.set %kept, %slot : i32
//     if it is a slot: arrive at the empty barrier of %oldest
//   }
//   if it is a slot: arrive at the empty barrier of %kept

#include "RoleCode.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

Operation *agent::getLagScope(ConsumeOp op) {
  Operation *scope = op->getParentOp();
  while (!isa<scf::ForOp, scf::WhileOp, RoleOp>(scope))
    scope = scope->getParentOp();
  return scope;
}

void RoleCode::findLags(Block &body) {
  role.walk([&](ConsumeOp op) {
    if (op.getLag() == 0)
      return;
    Operation *scope = getLagScope(op);
    OpBuilder b(op.getContext());
    if (scope == role)
      b.setInsertionPointToStart(&body);
    else
      b.setInsertionPoint(scope);
    LagScope &lags = scopes[scope];
    lags.isMultiplied |= isMultipliedByWarpGroups(op, kernel.arch);
    for (auto [number, pipe] : llvm::enumerate(op.getPipes())) {
      if (getPipe(pipe).isStaged)
        continue;
      Value &variable = kept[{scope, op.getAt()[number]}];
      if (variable)
        continue;
      LoweredPipe &lowered = getPipe(pipe);
      variable = VariableOp::create(b, scope->getLoc(),
                                    VariableType::get(b.getContext()),
                                    (lowered.pipe.getName() + ".kept").str(),
                                    SmallVector<int32_t>(op.getLag(), -1));
      lags.lags.push_back({&lowered, getEngine(op, number), variable});
    }
  });
}

Value RoleCode::getKept(ConsumeOp op, unsigned pipe) {
  for (Operation *scope = op->getParentOp(); !isa<SwitchOp>(scope);
       scope = scope->getParentOp())
    if (Value variable = kept.lookup({scope, op.getAt()[pipe]}))
      return variable;
  return {};
}

void agent::releaseKept(CodeBuilder &b, RoleCode &code, const Lag &lag,
                        Value slot, int64_t pending) {
  Value isSlot =
      arith::CmpIOp::create(b, arith::CmpIPredicate::sge, slot, constant(b, 0));
  when(b, isSlot,
       [&] { release(b, code, *lag.pipe, lag.engine, slot, pending); });
}

void RoleCode::endLags(CodeBuilder &b, Operation *scope) {
  auto found = scopes.find(scope);
  if (found == scopes.end())
    return;
  if (found->second.isMultiplied)
    DrainOp::create(b, Work::wgmma, 0);
  for (const Lag &lag : found->second.lags)
    for (Value oldest : llvm::reverse(getVariable(b, lag.kept)))
      releaseKept(b, *this, lag, oldest, /*pending=*/0);
}

SmallVector<Value> RoleCode::addKept(ValueRange variables) {
  SmallVector<Value> all;
  for (Value variable : variables) {
    all.push_back(variable);
    for (auto &[key, its] : kept)
      if (key.second == variable)
        all.push_back(its);
  }
  return all;
}
