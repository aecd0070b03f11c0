//===- LowerPipes.cpp - The protocol, written out -------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A placed kernel says who fills and empties the slots of each pipe, and which
// slot comes next. From that follows everything that a kernel by hand would
// say: who waits for which barrier with which parity, who arrives, and which
// fence stands where. This pass says it. No number is decided here: places come
// from the attributes of the plan, counts and bytes from who stands on each
// side (Engines.h).
//
//   CheckScopes.cpp       what has no code
//   PipeCode.cpp          memory and barriers, set-up and end
//   RoleCode.cpp          a role, operation by operation
//   LowerProduce.cpp      slots that are filled
//   LowerConsume.cpp      slots that are emptied
//   LowerLags.cpp         slots that are kept
//   LowerCopies.cpp       loads to slots, and stores from them
//   LowerMmas.cpp         accumulators in tensor memory
//   LowerMessages.cpp     messages, and the next work tile
//   LowerPeers.cpp        slots that CTAs of a cluster fill for each other
//   LowerTails.cpp        the end of a role
//   PromoteVariables.cpp  slots and phases become values

#include "CheckScopes.h"
#include "PlacedRoles.h"
#include "RoleCode.h"
#include "drawloom/Dialect/Agent/IR/Engines.h"
#include "drawloom/Dialect/Agent/Transforms/Passes.h"
#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace drawloom::agent {
#define GEN_PASS_DEF_LOWERPIPES
#include "drawloom/Dialect/Agent/Transforms/Passes.h.inc"
} // namespace drawloom::agent

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

static bool hasVariable(Operation *op) {
  return llvm::any_of(op->getOperandTypes(),
                      [](Type type) { return isa<VariableType>(type); });
}

/// An error if an end of a pipe has no variable that says where it is, or is
/// where no value can be carried to.
static LogicalResult checkEnds(SwitchOp roles,
                               const target::Architecture &arch) {
  bool isAnswered = arch.clusterLaunchControl || roles.getClusterSize() > 1;
  WalkResult result = roles.walk([&](Operation *op) {
    if (isa<NextTileOp>(op) && isAnswered && !roles.getNextTile()) {
      op->emitOpError("has no place for the answer about the next work tile: "
                      "the protocol is written out after 'place-memory' "
                      "[pass-order]");
      return WalkResult::interrupt();
    }
    if (isa<ForEachItemOp, ProduceOp, ConsumeOp, PublishOp, ReceiveOp,
            NextTileOp>(op) &&
        !hasVariable(op)) {
      op->emitOpError("has no slot: the protocol is written out after "
                      "'assign-slot-phase' [pass-order]");
      return WalkResult::interrupt();
    }
    Operation *parent = op->getParentOp();
    if (!hasVariable(op) ||
        isa<RoleOp, ProduceOp, ConsumeOp, scf::ForOp, scf::WhileOp, scf::IfOp>(
            parent))
      return WalkResult::advance();
    op->emitOpError() << "is inside '" << parent->getName()
                      << "', which has no code around slots [control-flow]";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Erases the zeros that accumulators in tensor memory start from: they are in
/// no register.
static void eraseZeros(SwitchOp roles) {
  roles.walk([](Operation *op) {
    if (isa<arith::ConstantOp, tensor::SplatOp>(op) && op->use_empty() &&
        isa<RankedTensorType>(op->getResult(0).getType()))
      op->erase();
  });
}

namespace {
class LowerPipes : public agent::impl::LowerPipesBase<LowerPipes> {
  using LowerPipesBase::LowerPipesBase;

  LogicalResult lower(tile::KernelOp kernel) {
    FailureOr<SwitchOp> roles = getPlacedRoles(kernel);
    if (failed(roles) || failed(requireEngines(*roles)) ||
        failed(checkScopes(*roles)) ||
        failed(checkEnds(*roles, *tile::getTarget(kernel))))
      return failure();
    auto b = ImplicitLocOpBuilder::atBlockBegin(kernel.getLoc(),
                                                &kernel.getBody().front());
    FailureOr<KernelCode> code =
        lowerMemory(b, *roles, *tile::getTarget(kernel));
    if (failed(code))
      return failure();
    for (RoleOp role : roles->getRoles())
      if (failed(RoleCode(role, *code).lower()))
        return failure();
    eraseZeros(*roles);
    setUp(b, *code);
    for (auto &[value, pipe] : code->pipes)
      pipe.pipe.erase();
    return success();
  }

  void runOnOperation() override {
    if (failed(lower(getOperation())))
      signalPassFailure();
  }
};
} // namespace
