//===- AssignSlotPhase.cpp - Where each end of a pipe is ------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A pipe is a ring of slots, and each of its ends goes round: the role that
// fills the slots, and each role that empties them. Where an end is, is a
// variable of its role: the next slot, and the phase of its barrier. Whatever
// takes a slot names the variable that it reads and advances:
//
//   agent.role @load warps(1) at(0) {
//     %operands.fills = agent.variable "operands.fills" [0, 1]
//     scf.for %k = ... {
//       agent.produce %operands at(%operands.fills) by(tma) : ... { ... }
//
// So a slot is counted and never computed from the number of an iteration, and
// nothing that moves through loops has to know of it. `lower-pipes` promotes
// the variables.

#include "PlacedRoles.h"
#include "drawloom/Dialect/Agent/IR/MessageOps.h"
#include "drawloom/Dialect/Agent/IR/ProtocolOps.h"
#include "drawloom/Dialect/Agent/Transforms/Passes.h"

namespace drawloom::agent {
#define GEN_PASS_DEF_ASSIGNSLOTPHASE
#include "drawloom/Dialect/Agent/Transforms/Passes.h.inc"
} // namespace drawloom::agent

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

namespace {
/// The variables of a role.
class Ends {
public:
  explicit Ends(RoleOp role)
      : role(role), b(OpBuilder::atBlockBegin(&role.getBody().front())) {}

  void assign();

private:
  /// A new barrier takes the phase before its first one for complete. So the
  /// role that fills a slot finds it empty at first, if it waits for that one.
  enum End : int32_t { Empties = 0, Fills = 1 };
  Value get(Value pipe, End end);

  RoleOp role;
  OpBuilder b;
  llvm::DenseMap<std::pair<Value, int32_t>, Value> variables;
};
} // namespace

/// The variable of one end of a pipe; of the next work tile, which is in no
/// pipe, without one.
Value Ends::get(Value pipe, End end) {
  Value &variable = variables[{pipe, end}];
  if (variable)
    return variable;
  std::string name = "next_tile";
  if (pipe)
    name = (pipe.getDefiningOp<PipeOp>().getName() +
            (end == Fills ? ".fills" : ".empties"))
               .str();
  variable =
      VariableOp::create(b, role.getLoc(), VariableType::get(b.getContext()),
                         name, ArrayRef<int32_t>{0, end});
  return variable;
}

/// Loops carry the variables in this order: those of what is done for a work
/// tile come before those that find the next one.
void Ends::assign() {
  role.walk([&](Operation *op) {
    if (auto produce = dyn_cast<ProduceOp>(op))
      produce.getAtMutable().assign(get(produce.getPipe(), Fills));
    else if (auto consume = dyn_cast<ConsumeOp>(op))
      consume.getAtMutable().assign(llvm::map_to_vector(
          consume.getPipes(), [&](Value pipe) { return get(pipe, Empties); }));
  });
  role.walk([&](Operation *op) {
    if (auto receive = dyn_cast<ReceiveOp>(op))
      receive.getAtMutable().assign(get(receive.getPipe(), Empties));
    else if (auto next = dyn_cast<NextTileOp>(op))
      next.getAtMutable().assign(get(Value(), Empties));
  });
  role.walk([&](PublishOp publish) {
    publish.getAtMutable().assign(get(publish.getPipe(), Fills));
  });
}

namespace {
class AssignSlotPhase
    : public agent::impl::AssignSlotPhaseBase<AssignSlotPhase> {
  using AssignSlotPhaseBase::AssignSlotPhaseBase;

  void runOnOperation() override {
    FailureOr<SwitchOp> roles = getPlacedRoles(getOperation());
    if (failed(roles))
      return signalPassFailure();
    auto isLoop = [](ForEachItemOp loop) {
      loop->emitOpError("has work tiles: slots are assigned after "
                        "'lower-work-tiles' [pass-order]");
      return WalkResult::interrupt();
    };
    if (roles->walk(isLoop).wasInterrupted())
      return signalPassFailure();
    for (RoleOp role : roles->getRoles())
      Ends(role).assign();
  }
};
} // namespace
