//===- Accumulators.cpp - Whether an accumulator has an MMA ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Analysis/Slots/Accumulators.h"
#include "drawloom/Analysis/Slots/Engines.h"
#include "drawloom/Dialect/Agent/IR/Engines.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using namespace drawloom::plan;

bool plan::isAccumulator(Value tile, const target::Architecture &arch) {
  if (auto argument = dyn_cast<BlockArgument>(tile)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument != loop.getInductionVar() &&
           isAccumulator(loop.getTiedLoopResult(argument), arch);
  }
  return isTcgen05Mma(getMaker(tile), arch);
}

Ways plan::findWays(Value accumulator) {
  auto result = dyn_cast<OpResult>(accumulator);
  if (!result)
    return {};
  Operation *op = result.getOwner();
  unsigned number = result.getResultNumber();
  if (isa<tile::MmaOp>(op))
    return {{}};
  if (!isa<scf::ForOp, ConsumeOp>(op))
    return {};
  Ways ways =
      findWays(op->getRegion(0).front().getTerminator()->getOperand(number));
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (SmallVector<scf::ForOp> &way : ways)
      way.insert(way.begin(), loop);
    llvm::append_range(ways, findWays(loop.getInitArgs()[number]));
  }
  return ways;
}

void plan::forEachMma(Value accumulator,
                      llvm::function_ref<void(tile::MmaOp)> visit) {
  auto result = dyn_cast<OpResult>(accumulator);
  if (!result)
    return;
  Operation *op = result.getOwner();
  unsigned number = result.getResultNumber();
  if (auto mma = dyn_cast<tile::MmaOp>(op)) {
    visit(mma);
    forEachMma(mma.getAcc(), visit);
  } else if (isa<scf::ForOp, ConsumeOp>(op)) {
    forEachMma(op->getRegion(0).front().getTerminator()->getOperand(number),
               visit);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      forEachMma(loop.getInitArgs()[number], visit);
  }
}

/// Adds what `value` is computed from; false if that is more than the work tile
/// and what all roles know.
static bool addToSlice(Value value, ScalarSlice &slice) {
  Operation *parent = value.getParentRegion()->getParentOp();
  if (isa<tile::KernelOp>(parent))
    return true;
  if (isa<BlockArgument>(value)) {
    auto items = dyn_cast<ForEachItemOp>(parent);
    if (items)
      slice.items = items;
    return items != nullptr;
  }
  Operation *op = value.getDefiningOp();
  if (op->getNumRegions() != 0 ||
      !(isMemoryEffectFree(op) || isa<tile::LoadOp>(op)))
    return false;
  for (Value operand : op->getOperands())
    if (!isa<tile::ViewType>(operand.getType()) && !addToSlice(operand, slice))
      return false;
  slice.ops.insert(op);
  return true;
}

std::optional<ScalarSlice> plan::sliceBounds(scf::ForOp loop) {
  ScalarSlice slice;
  if (addToSlice(loop.getLowerBound(), slice) &&
      addToSlice(loop.getUpperBound(), slice))
    return slice;
  return std::nullopt;
}

InFlightDiagnostic plan::rejectStart(Operation *op) {
  return op->emitOpError(
      "starts an accumulator in tensor memory with a tile that is not zero, "
      "which has no code yet; start with zero and add the tile after the "
      "MMAs [mma-accumulator]");
}
