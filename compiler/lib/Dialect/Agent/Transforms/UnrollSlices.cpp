//===- UnrollSlices.cpp - Loops that cut tiles in registers ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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

/// Whether a loop cuts a tile in registers at its own count.
static bool cutsRegisters(scf::ForOp loop) {
  return llvm::any_of(loop.getInductionVar().getUsers(), [](Operation *user) {
    auto slice = dyn_cast<tensor::ExtractSliceOp>(user);
    return slice && plan::isInRegisters(slice.getSource());
  });
}

/// Upstream's `loopUnrollFull` leaves sums of the count; a slice of registers
/// needs a number.
static void unroll(scf::ForOp loop, ArrayRef<int64_t> counts) {
  OpBuilder b(loop);
  SmallVector<Value> carried(loop.getInitArgs());
  for (int64_t count : counts) {
    IRMapping map;
    map.map(loop.getRegionIterArgs(), carried);
    map.map(loop.getInductionVar(),
            arith::ConstantOp::create(
                b, loop.getLoc(),
                b.getIntegerAttr(loop.getInductionVar().getType(), count))
                .getResult());
    for (Operation &op : loop.getBody()->without_terminator())
      b.clone(op, map);
    carried = llvm::map_to_vector(
        loop.getBody()->getTerminator()->getOperands(),
        [&](Value value) { return map.lookupOrDefault(value); });
  }
  loop.replaceAllUsesWith(carried);
  loop.erase();
}

void UnrollSlices::runOnOperation() {
  // Inner loops first: an outer one copies what has become of them. What can't
  // be unrolled stays, and its slices go through memory.
  getOperation().walk([](scf::ForOp loop) {
    if (!cutsRegisters(loop))
      return;
    if (std::optional<SmallVector<int64_t>> counts =
            plan::getUnrolledIterations(loop))
      unroll(loop, *counts);
  });
}
