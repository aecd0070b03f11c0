//===- Engines.cpp - Who moves what is in a slot --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Analysis/Plan/Engines.h"
#include "drawloom/Analysis/Plan/Footprint.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using namespace drawloom::plan;

StringRef plan::toString(Engine engine) {
  static constexpr StringLiteral names[] = {"threads", "cp.async", "TMA",
                                            "tensor core"};
  return names[static_cast<unsigned>(engine)];
}

Operation *plan::getMaker(Value value) {
  while (auto result = dyn_cast<OpResult>(value)) {
    Operation *op = result.getOwner();
    // The first region of each of these ends with what the results are.
    if (!isa<scf::ForOp, scf::IfOp, ConsumeOp>(op))
      return op;
    Operation *end = op->getRegion(0).front().getTerminator();
    if (result.getResultNumber() >= end->getNumOperands())
      return op;
    value = end->getOperand(result.getResultNumber());
  }
  return nullptr;
}

bool plan::isTensorCoreProduct(Operation *op,
                               const target::Architecture &arch) {
  return isa_and_present<tile::MmaOp>(op) &&
         arch.mma == target::MmaInstruction::Tcgen05;
}

bool plan::isPromoted(Operation *op, const target::Architecture &arch) {
  auto product = dyn_cast_if_present<tile::MmaOp>(op);
  return product && arch.mma == target::MmaInstruction::Wgmma &&
         getElementBits(product.getA().getType().getElementType()) == 8;
}

Engine plan::getProducerEngine(PipeOp pipe, const target::Architecture &arch) {
  bool anyValue = false, allLoads = true, allProducts = true, oneWarp = true;
  for (Operation *user : pipe.getPipe().getUsers()) {
    auto produce = dyn_cast<ProduceOp>(user);
    if (!produce)
      continue;
    if (auto role = produce->getParentOfType<RoleOp>())
      oneWarp &= role.getWarps() == 1;
    for (Value value :
         produce.getBody().front().getTerminator()->getOperands()) {
      Operation *maker = getMaker(value);
      anyValue = true;
      allLoads &= isa_and_present<tile::LoadOp>(maker);
      allProducts &= isTensorCoreProduct(maker, arch);
    }
  }
  if (!anyValue)
    return Engine::Threads;
  if (allProducts)
    return Engine::TensorCore;
  // One warp is enough to issue bulk copies and too little for anything else:
  // assign-roles gives loads that TMA refuses to a whole warp group.
  if (allLoads)
    return oneWarp ? Engine::Tma : Engine::CpAsync;
  return Engine::Threads;
}

/// Whether every use of a slot's value ends in a product of the tensor core.
/// A transpose or a slice is a matter of the descriptor.
static bool feedsProductsOnly(Value value, const target::Architecture &arch) {
  if (value.use_empty())
    return false;
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    if (isa<tile::TransposeOp, tile::ExtractSliceOp, tensor::ExtractSliceOp>(
            user))
      return feedsProductsOnly(user->getResult(0), arch);
    return isTensorCoreProduct(user, arch);
  });
}

/// The block arguments of `consume` that are the values of `pipe`.
static Block::BlockArgListType getSlotArguments(ConsumeOp consume,
                                                PipeOp pipe) {
  size_t first = 0;
  for (Value operand : consume.getPipes()) {
    size_t count = cast<PipeType>(operand.getType()).getPayload().size();
    if (operand == pipe.getPipe())
      return consume.getBody().front().getArguments().slice(first, count);
    first += count;
  }
  return {};
}

Engine plan::getConsumerEngine(PipeOp pipe, RoleOp consumer,
                               const target::Architecture &arch) {
  bool anyValue = false, allProducts = true;
  for (Operation *user : pipe.getPipe().getUsers()) {
    auto consume = dyn_cast<ConsumeOp>(user);
    if (!consume || consume->getParentOfType<RoleOp>() != consumer)
      continue;
    for (BlockArgument argument : getSlotArguments(consume, pipe)) {
      if (argument.use_empty())
        continue;
      anyValue = true;
      allProducts &= feedsProductsOnly(argument, arch);
    }
  }
  return anyValue && allProducts ? Engine::TensorCore : Engine::Threads;
}

int64_t plan::countCtas(Scope scope, int64_t clusterSize) {
  switch (scope) {
  case Scope::cta:
    return 1;
  case Scope::pair:
    return 2;
  case Scope::cluster:
    return clusterSize;
  }
  return 1;
}

static int64_t countArrivalsOf(RoleOp role, Engine engine,
                               const target::Architecture &arch) {
  switch (engine) {
  case Engine::Threads:
    return role.getWarps();
  case Engine::CpAsync:
    return role.getWarps() * arch.warpSize;
  case Engine::Tma:
  case Engine::TensorCore:
    return 1;
  }
  return 1;
}

/// Whether `role` takes the slots of the items whose number is `residue`,
/// counted by the period of the roles that share the pipe. Roles that divide
/// the items do so by the same number.
static bool takesResidue(PipeOp pipe, RoleOp role, int64_t residue) {
  return llvm::any_of(pipe.getPipe().getUsers(), [&](Operation *user) {
    if (isa<ProduceOp>(user) || user->getParentOfType<RoleOp>() != role)
      return false;
    auto loop = isa<ForEachItemOp>(user)
                    ? cast<ForEachItemOp>(user)
                    : user->getParentOfType<ForEachItemOp>();
    return !loop || loop.getEvery() == 1 || loop.getFrom() == residue;
  });
}

BarrierCounts plan::countArrivals(PipeOp pipe,
                                  const target::Architecture &arch) {
  BarrierCounts counts;
  int64_t clusterSize = pipe.getSwitch().getClusterSize();
  int64_t span = countCtas(pipe.getScope(), clusterSize);
  // Every CTA that the pipe reaches and that has the role arrives.
  auto instances = [&](RoleOp role) {
    return std::max<int64_t>(1, span / countCtas(role.getScope(), clusterSize));
  };

  RoleOp producer = pipe.getProducers().front();
  Engine engine = getProducerEngine(pipe, arch);
  counts.fullArrivals =
      instances(producer) * countArrivalsOf(producer, engine, arch);

  // Each item has the same number of consumers, so any residue that somebody
  // takes tells the count.
  int64_t residue = 0;
  SmallVector<RoleOp, 4> consumers = pipe.getConsumers();
  for (Operation *user : pipe.getPipe().getUsers())
    if (auto loop = user->getParentOfType<ForEachItemOp>();
        loop && loop.getEvery() > 1)
      residue = loop.getFrom();
  int64_t waitingCtas = 1;
  for (RoleOp role : consumers) {
    if (!takesResidue(pipe, role, residue))
      continue;
    counts.emptyArrivals +=
        instances(role) *
        countArrivalsOf(role, getConsumerEngine(pipe, role, arch), arch);
    waitingCtas =
        std::max(waitingCtas, countCtas(role.getScope(), clusterSize));
  }
  // A consumer that acts for several CTAs waits for the bytes of all of them.
  if (engine == Engine::Tma)
    counts.fullBytes =
        multiply(getSlotFootprint(pipe).payloadBytes, waitingCtas);
  return counts;
}
