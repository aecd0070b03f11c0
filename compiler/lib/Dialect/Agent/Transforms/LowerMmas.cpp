//===- LowerProducts.cpp - Accumulators in tensor memory
//--------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// MMAs of tcgen05 build their accumulator in the slot that is being filled.
// So the accumulator is no value any more; what is left of it is whether there
// is an MMA in it, because the first one overwrites what was there.
//
// If the loop of MMAs does not run (K = 0), nothing is written, and one
// warp could not write all lanes. So the role that reads the accumulator takes
// zeros instead. It computes for itself whether the loop runs: the bounds are
// scalars of the work tile, which every role knows.

#include "RoleLowering.h"
#include "drawloom/Analysis/Slots/Accumulators.h"
#include "drawloom/Dialect/Agent/IR/Engines.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

LogicalResult RoleLowering::lowerMma(tile::MmaOp op) {
  Value accumulator = accumulators.lookup(op);
  Value accumulate = filled.lookup(op.getAcc());
  if (!accumulate)
    accumulate = constant(0, 1);
  MultiplyOp::create(b, map.lookupOrDefault(op.getA()),
                     map.lookupOrDefault(op.getB()), accumulator, accumulate,
                     op.getTf32(), op.getNegated(), op.getPair());
  filled[op.getResult()] = constant(1, 1);
  return success();
}

//===----------------------------------------------------------------------===//
// Accumulators of no MMAs
//===----------------------------------------------------------------------===//

/// Whether a loop of another role runs. check-code has asked whether this one
/// can tell.
Value RoleLowering::getRuns(ConsumeOp op, scf::ForOp loop) {
  plan::ScalarSlice slice = *plan::sliceBounds(loop);
  auto mine = op->getParentOfType<ForEachItemOp>();
  if (slice.items && mine)
    for (auto [theirs, ours] :
         llvm::zip_equal(slice.items.getBody().getArguments(),
                         mine.getBody().getArguments()))
      map.map(theirs, map.lookup(ours));
  for (Operation *scalar : slice.ops)
    b.clone(*scalar, map);
  b.setLoc(op.getLoc());
  return arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                               map.lookupOrDefault(loop.getLowerBound()),
                               map.lookupOrDefault(loop.getUpperBound()));
}

/// An i1 that says whether an accumulator of MMAs was written; null if it
/// always is.
Value RoleLowering::getFilled(ConsumeOp op, LoweredPipe &pipe, unsigned value) {
  Value filled;
  if (pipe.producer != Engine::tensor_core)
    return filled;
  for (Operation *user : pipe.pipe.getPipe().getUsers()) {
    auto produce = dyn_cast<ProduceOp>(user);
    if (!produce)
      continue;
    Operation *end = produce.getBody().front().getTerminator();
    plan::Ways ways = plan::findWays(end->getOperand(value));
    if (llvm::any_of(ways, [](auto &way) { return way.empty(); }))
      continue;
    Value any;
    for (ArrayRef<scf::ForOp> way : ways) {
      Value all;
      for (scf::ForOp loop : way) {
        Value runs = getRuns(op, loop);
        all = all ? arith::AndIOp::create(b, all, runs).getResult() : runs;
      }
      any = any ? arith::OrIOp::create(b, any, all).getResult() : all;
    }
    filled = filled ? arith::AndIOp::create(b, filled, any).getResult() : any;
  }
  return filled;
}
