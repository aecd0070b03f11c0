//===- UnrollSlices.cpp - Loops that cut tiles in registers ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Analysis/Code/Code.h"
#include "drawloom/Analysis/RoleTiles/Fragments.h"
#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/Dialect/Agent/Transforms/Passes.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace drawloom::agent {
#define GEN_PASS_DEF_UNROLLSLICES
#include "drawloom/Dialect/Agent/Transforms/Passes.h.inc"
} // namespace drawloom::agent

using namespace mlir;
using namespace drawloom;

namespace {
class UnrollSlices : public agent::impl::UnrollSlicesBase<UnrollSlices> {
  using UnrollSlicesBase::UnrollSlicesBase;

  void runOnOperation() override;
};
} // namespace

/// Upstream's `loopUnrollFull` leaves sums of the count; a slice of registers
/// needs a number.
static LogicalResult unroll(scf::ForOp loop) {
  std::optional<APInt> trips = loop.getStaticTripCount();
  std::optional<int64_t> first = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!trips || !first || !step)
    return loop->emitOpError("cuts a tile in registers at its own count, so "
                             "its bounds must be constants [register-index]");
  OpBuilder b(loop);
  SmallVector<Value> carried(loop.getInitArgs());
  for (uint64_t i = 0; i < trips->getZExtValue(); ++i) {
    IRMapping map;
    map.map(loop.getRegionIterArgs(), carried);
    map.map(loop.getInductionVar(),
            arith::ConstantOp::create(
                b, loop.getLoc(),
                b.getIntegerAttr(loop.getInductionVar().getType(),
                                 *first + int64_t(i) * *step))
                .getResult());
    for (Operation &op : loop.getBody()->without_terminator())
      b.clone(op, map);
    carried = llvm::map_to_vector(
        loop.getBody()->getTerminator()->getOperands(),
        [&](Value value) { return map.lookupOrDefault(value); });
  }
  loop.replaceAllUsesWith(carried);
  loop.erase();
  return success();
}

void UnrollSlices::runOnOperation() {
  // Inner loops first: an outer one copies what has become of them.
  WalkResult result = getOperation().walk([](scf::ForOp loop) -> WalkResult {
    if (!plan::cutsRegisters(loop, plan::isInRegisters))
      return WalkResult::advance();
    return unroll(loop);
  });
  if (result.wasInterrupted())
    signalPassFailure();
}
