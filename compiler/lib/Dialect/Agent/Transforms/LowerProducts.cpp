//===- LowerProducts.cpp - Sums in tensor memory --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Products of tcgen05 build their sum in the slot that is being filled. So the
// sum is no value any more; what is left of it is whether there is a product in
// it, because the first one overwrites what was there.
//
// If the loop of products does not run (K = 0), nothing is written, and one
// warp could not write all lanes. So whoever reads the sum takes zeros instead.
// It computes for itself whether the loop runs: the bounds are scalars of the
// work item, which every role knows.

#include "RoleLowering.h"
#include "drawloom/Dialect/Agent/IR/Engines.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

/// Finds the products of a sum and tells them where it is.
void RoleLowering::assignSum(Value sum, Value buffer) {
  auto result = dyn_cast<OpResult>(sum);
  if (!result)
    return;
  Operation *op = result.getOwner();
  unsigned number = result.getResultNumber();
  if (auto mma = dyn_cast<tile::MmaOp>(op)) {
    sums[mma] = buffer;
    assignSum(mma.getAcc(), buffer);
  } else if (isa<scf::ForOp, ConsumeOp>(op)) {
    assignSum(op->getRegion(0).front().getTerminator()->getOperand(number),
              buffer);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      assignSum(loop.getInitArgs()[number], buffer);
  }
}

LogicalResult RoleLowering::lowerProduct(tile::MmaOp op) {
  Value sum = sums.lookup(op);
  if (!sum)
    return op->emitOpError("is a sum that no slot of tensor memory is for, "
                           "which has no code yet; let products have a role of "
                           "their own, with 'roles = multi'");
  Value accumulate = filled.lookup(op.getAcc());
  if (!accumulate && matchPattern(op.getAcc(), m_AnyZeroFloat()))
    accumulate = constant(0, 1);
  if (!accumulate)
    return op->emitOpError(
        "starts a sum in tensor memory with a tile that is not zero, which has "
        "no code yet; start with zero and add the tile behind the products");
  MultiplyOp::create(b, map.lookupOrDefault(op.getA()),
                     map.lookupOrDefault(op.getB()), sum, accumulate,
                     op.getTf32());
  filled[op.getResult()] = constant(1, 1);
  return success();
}

//===----------------------------------------------------------------------===//
// Sums of no products
//===----------------------------------------------------------------------===//

/// The loops that a sum goes through, the outermost first, and none if it
/// starts with a product before them.
static SmallVector<scf::ForOp> getSumLoops(Value sum) {
  SmallVector<scf::ForOp> loops;
  while (auto result = dyn_cast<OpResult>(sum)) {
    Operation *op = result.getOwner();
    unsigned number = result.getResultNumber();
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (isProduct(loop.getInitArgs()[number]))
        return {};
      loops.push_back(loop);
    } else if (!isa<ConsumeOp>(op)) {
      break;
    }
    sum = op->getRegion(0).front().getTerminator()->getOperand(number);
  }
  return loops;
}

namespace {
/// What a scalar of another role is computed from.
struct Slice {
  /// In the order of the program that they are from.
  llvm::SetVector<Operation *> ops;
  /// The items of the other role.
  ForEachItemOp items;
};
} // namespace

/// Adds what `value` is computed from; false if that is more than the work item
/// and what stands before the switch.
static bool addToSlice(Value value, SwitchOp roles, Slice &slice) {
  if (!roles.getBody().isAncestor(value.getParentRegion()))
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto items = dyn_cast<ForEachItemOp>(argument.getOwner()->getParentOp());
    if (items)
      slice.items = items;
    return items != nullptr;
  }
  Operation *op = value.getDefiningOp();
  if (op->getNumRegions() != 0 || !(isPure(op) || isa<tile::LoadOp>(op)))
    return false;
  for (Value operand : op->getOperands())
    if (!isa<tile::ViewType>(operand.getType()) &&
        !addToSlice(operand, roles, slice))
      return false;
  slice.ops.insert(op);
  return true;
}

/// An i1 that says whether a sum of products was written; null if it always is.
FailureOr<Value> RoleLowering::getFilled(ConsumeOp op, LoweredPipe &pipe,
                                         unsigned value) {
  Value filled;
  if (pipe.producer != Engine::tensor_core)
    return filled;
  auto roles = cast<SwitchOp>(role->getParentOp());
  for (Operation *user : pipe.pipe.getPipe().getUsers()) {
    auto produce = dyn_cast<ProduceOp>(user);
    if (!produce)
      continue;
    Operation *end = produce.getBody().front().getTerminator();
    for (scf::ForOp loop : getSumLoops(end->getOperand(value))) {
      Slice slice;
      if (!addToSlice(loop.getLowerBound(), roles, slice) ||
          !addToSlice(loop.getUpperBound(), roles, slice)) {
        InFlightDiagnostic error =
            op->emitOpError()
            << "reads a sum of products whose number @" << role.getSymName()
            << " cannot tell; let the bounds of the loop of products depend "
               "on the work item alone, or begin with one product before "
               "the loop";
        error.attachNote(loop.getLoc()) << "this loop";
        return error;
      }
      auto mine = op->getParentOfType<ForEachItemOp>();
      if (slice.items && mine)
        for (auto [theirs, ours] :
             llvm::zip_equal(slice.items.getBody().getArguments(),
                             mine.getBody().getArguments()))
          map.map(theirs, map.lookup(ours));
      for (Operation *scalar : slice.ops)
        b.clone(*scalar, map);
      b.setLoc(op.getLoc());
      Value runs =
          arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                map.lookupOrDefault(loop.getLowerBound()),
                                map.lookupOrDefault(loop.getUpperBound()));
      filled =
          filled ? arith::AndIOp::create(b, filled, runs).getResult() : runs;
    }
  }
  return filled;
}
