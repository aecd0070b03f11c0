//===- BranchOnFactors.cpp - Sums whose rows are mostly scaled by 1 -------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The sums of an online softmax are relative to a running maximum: where it has
// grown, rows of the accumulator are scaled between two MMAs. After a few
// blocks it grows rarely, and all factors of a warp are 1. A comparison of each
// factor and a vote take a few instructions, the multiplications one for each
// element. Where tensor memory holds the accumulator, lower-pipes does the
// same.

#include "Factors.h"
#include "drawloom/Analysis/Slots/Accumulators.h"
#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/Dialect/Agent/Transforms/Passes.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace drawloom::agent {
#define GEN_PASS_DEF_BRANCHONFACTORS
#include "drawloom/Dialect/Agent/Transforms/Passes.h.inc"
} // namespace drawloom::agent

using namespace mlir;
using namespace drawloom;

Value agent::anyScales(ImplicitLocOpBuilder &b, Value factors) {
  Value ones = arith::ConstantOp::create(
      b, SplatElementsAttr::get(cast<ShapedType>(factors.getType()),
                                b.getF32FloatAttr(1.0)));
  // NaN differs from 1.
  Value differ =
      arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, factors, ones);
  return AnyOp::create(b, b.getI1Type(), differ);
}

/// Whether a product is an accumulator on its way to the next MMAs, with a
/// factor for each row.
static bool isRescaledSum(arith::MulFOp scaled) {
  return scaled->hasOneUse() &&
         isa<scf::YieldOp, agent::AsInFlightOp>(*scaled->user_begin()) &&
         plan::findFactors(scaled) &&
         llvm::any_of(scaled->getOperands(), [](Value operand) {
           return operand.getDefiningOp<agent::AwaitOp>() != nullptr;
         });
}

static void scaleWhere(arith::MulFOp scaled) {
  // What else is in the block comes first: it has registers of its own across
  // the branch.
  ImplicitLocOpBuilder b(scaled.getLoc(), *scaled->user_begin());
  Value factors = plan::findFactors(scaled);
  Value any = agent::anyScales(b, factors);
  Value broadcast = scaled.getRhs(), tile = scaled.getLhs();
  if (tile.getDefiningOp<tile::BroadcastOp>())
    std::swap(broadcast, tile);
  auto choice = scf::IfOp::create(
      b, any,
      [&](OpBuilder &builder, Location loc) {
        Value all = tile::BroadcastOp::create(builder, loc, broadcast.getType(),
                                              factors);
        Value product = arith::MulFOp::create(builder, loc, tile, all);
        scf::YieldOp::create(builder, loc, product);
      },
      [&](OpBuilder &builder, Location loc) {
        scf::YieldOp::create(builder, loc, tile);
      });
  scaled.replaceAllUsesWith(choice.getResult(0));
  scaled.erase();
  if (broadcast.use_empty())
    broadcast.getDefiningOp()->erase();
}

namespace {
class BranchOnFactors
    : public agent::impl::BranchOnFactorsBase<BranchOnFactors> {
  using BranchOnFactorsBase::BranchOnFactorsBase;

  void runOnOperation() override {
    SmallVector<arith::MulFOp> found;
    getOperation().walk([&](arith::MulFOp op) {
      if (isRescaledSum(op))
        found.push_back(op);
    });
    llvm::for_each(found, scaleWhere);
  }
};
} // namespace
