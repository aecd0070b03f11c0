//===- EmptySums.cpp - Sums of no products ------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A sum in tensor memory begins with its first product, which overwrites what
// was there. If the loop of products does not run (K = 0), nothing is written,
// and one warp could not write all lanes. So whoever reads the sum takes zeros
// instead. It computes for itself whether the loop runs: the bounds are scalars
// of the work item, which every role knows.

#include "Emitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using namespace drawloom::codegen;

/// The loops that a sum goes through, the outermost first, and none if it
/// starts with a product before them.
static SmallVector<scf::ForOp> getSumLoops(Value sum) {
  SmallVector<scf::ForOp> loops;
  while (auto result = dyn_cast<OpResult>(sum)) {
    Operation *op = result.getOwner();
    unsigned number = result.getResultNumber();
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (isa_and_present<tile::MmaOp>(
              agent::getMaker(loop.getInitArgs()[number])))
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
/// and what all roles know.
static bool addToSlice(Value value, const llvm::DenseMap<Value, Value> &common,
                       Slice &slice) {
  if (common.contains(value))
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
        !addToSlice(operand, common, slice))
      return false;
  slice.ops.insert(op);
  return true;
}

FailureOr<Value> Emitter::getFilled(ConsumeOp op, PipeInfo &pipe,
                                    unsigned index) {
  Value filled;
  if (pipe.producer != plan::Engine::tensor_core)
    return filled;
  for (Operation *user : pipe.op.getPipe().getUsers()) {
    auto produce = dyn_cast<ProduceOp>(user);
    if (!produce)
      continue;
    Operation *end = produce.getBody().front().getTerminator();
    for (scf::ForOp loop : getSumLoops(end->getOperand(index))) {
      Slice slice;
      if (!addToSlice(loop.getLowerBound(), kernel.scalars, slice) ||
          !addToSlice(loop.getUpperBound(), kernel.scalars, slice)) {
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
          scalars[theirs] = lookup(ours);
      for (Operation *scalar : slice.ops)
        if (failed(emitOp(scalar)))
          return failure();
      b.setLoc(op.getLoc());
      Value runs = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                         lookup(loop.getLowerBound()),
                                         lookup(loop.getUpperBound()));
      filled =
          filled ? arith::AndIOp::create(b, filled, runs).getResult() : runs;
    }
  }
  return filled;
}
