//===- CheckScopes.cpp - Which roles act for which CTAs -------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckScopes.h"
#include "PipeCode.h"
#include "drawloom/Analysis/Slots/Multicast.h"
#include "drawloom/Dialect/Agent/IR/Engines.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

/// An error if other CTAs have to do with a pipe in a way that has no code.
static LogicalResult checkScope(PipeOp pipe) {
  if (pipe.getScope() == Scope::cta)
    return success();
  bool fillsForPair = llvm::any_of(pipe.getProducers(), actsForPair);
  bool emptiesForPair = llvm::any_of(pipe.getConsumers(), actsForPair);
  if (!plan::isMulticast(pipe) && !fillsForPair && !emptiesForPair)
    return pipe->emitOpError()
           << "has scope(" << stringifyScope(pipe.getScope())
           << "), and only tiles that are loaded with multicast, that a pair "
              "multiplies, or that are gathered, have code for it [pipe-scope]";
  if (plan::getGather(pipe))
    return success();
  Engine needed = fillsForPair ? Engine::tensor_core : Engine::tma;
  if (*pipe.getProducerEngine() != needed)
    return pipe->emitOpError()
           << "holds tiles that CTAs of a cluster share and is filled by("
           << stringifyEngine(*pipe.getProducerEngine())
           << "); only TMA writes to other CTAs [pipe-scope]";
  for (Operation *user : pipe.getPipe().getUsers())
    if (auto produce = dyn_cast<ProduceOp>(user); produce && emptiesForPair)
      for (auto load : produce.getBody().getOps<tile::LoadOp>())
        if (isa<RankedTensorType>(load.getType()) &&
            !isa<BlockArgument>(load.getView()))
          return load->emitOpError(
              "is for a CTA pair and loads a subview, whose edge tiles are "
              "copied with cp.async; the leader expects the bytes of both "
              "CTAs, so TMA has to load them [pipe-scope]");
  // The swizzle of shared memory repeats after so many rows.
  constexpr int64_t patternRows = 8;
  SmallVector<int64_t> cluster = plan::getPeerCluster(pipe.getSwitch());
  for (auto [type, along] :
       llvm::zip_equal(plan::getHeldTypes(pipe), plan::getMulticasts(pipe))) {
    int64_t parts = plan::countAlong(cluster, along);
    int64_t rows = cast<RankedTensorType>(type).getDimSize(0);
    if (!along.empty() && rows % (parts * patternRows) != 0)
      return pipe->emitOpError()
             << "holds a " << type << " that " << parts
             << " CTAs share; a part is a multiple of " << patternRows
             << " rows, and " << rows << " % (" << parts << " x " << patternRows
             << ") = " << rows % (parts * patternRows) << " [pipe-scope]";
  }
  return success();
}

/// The dimension of an operand that the CTAs of a pair halve, as the MMA
/// has it; nothing if each holds all of it.
static std::optional<int64_t> getHalvedDim(Value operand) {
  bool transposed = false;
  while (auto transpose = operand.getDefiningOp<tile::TransposeOp>()) {
    transposed ^= transpose.getPermutation()[0] == 1;
    operand = transpose.getSource();
  }
  auto argument = dyn_cast<BlockArgument>(operand);
  auto consume = argument
                     ? dyn_cast<ConsumeOp>(argument.getOwner()->getParentOp())
                     : nullptr;
  if (!consume)
    return std::nullopt;
  for (auto [number, pipe] : llvm::enumerate(consume.getPipes()))
    for (auto [held, whole] :
         llvm::zip_equal(plan::getHeldTypes(pipe.getDefiningOp<PipeOp>()),
                         consume.getSlotArguments(number))) {
      if (whole != argument || held == whole.getType())
        continue;
      bool byRows = cast<ShapedType>(held).getDimSize(0) !=
                    cast<ShapedType>(whole.getType()).getDimSize(0);
      return byRows != transposed ? 0 : 1;
    }
  return std::nullopt;
}

/// An error if an MMA and its role don't agree about pairs.
static LogicalResult checkPair(tile::MmaOp op) {
  auto role = op->getParentOfType<RoleOp>();
  if (op.getPair() != actsForPair(role))
    return op->emitOpError()
           << (op.getPair() ? "is of a pair" : "is of one CTA") << ", but @"
           << role.getSymName() << " acts for a "
           << stringifyScope(role.getScope()) << "; "
           << (op.getPair() ? "give the role scope(pair)"
                            : "say 'pair' here as well")
           << " [cta-pair]";
  std::optional<int64_t> b = getHalvedDim(op.getB());
  if (getHalvedDim(op.getA()) || (op.getPair() ? b != 0 : b.has_value()))
    return op->emitOpError()
           << (op.getPair()
                   ? "is of a pair, whose CTAs each hold all rows and columns "
                     "of A, and half of the rows of B"
                   : "is of one CTA, which holds all of A and B")
           << "; its loads say something else by 'halved'" << " [cta-pair]";
  return success();
}

LogicalResult agent::checkScopes(SwitchOp roles) {
  if (roles.getItems() != Scope::cta)
    return roles->emitOpError()
           << "has items(" << stringifyScope(roles.getItems())
           << "): CTAs that take a work tile together have no code yet; let "
              "each take its own [unsupported-scope]";
  for (RoleOp role : roles.getRoles()) {
    if (!role.getAt())
      return role->emitOpError("has no warps: code is generated after "
                               "'map-execution-units' [pass-order]");
    bool multiplies =
        role.walk([](tile::MmaOp) { return WalkResult::interrupt(); })
            .wasInterrupted();
    if (role.getScope() != Scope::cta && !(actsForPair(role) && multiplies))
      return role->emitOpError()
             << "acts for a " << stringifyScope(role.getScope())
             << ", which has no code yet; use a role of each CTA "
                "[unsupported-scope]";
  }
  ArrayRef<int64_t> cluster = roles.getCluster().value_or(ArrayRef<int64_t>());
  if (plan::hasPairs(roles) && cluster[plan::getPairDim(roles)] % 2 != 0)
    return roles->emitOpError()
           << "has pairs in a cluster of [" << cluster
           << "]; they are neighbors along the first dimension that has "
              "several CTAs, so it needs an even number [cta-pair]";
  if (roles.walk([](tile::MmaOp op) -> WalkResult { return checkPair(op); })
          .wasInterrupted())
    return failure();
  for (PipeOp pipe : roles->getBlock()->getOps<PipeOp>())
    if (failed(checkScope(pipe)))
      return failure();
  return success();
}
