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

#include "drawloom/Analysis/RoleTiles/Fragments.h"
#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/Dialect/Agent/Transforms/Passes.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace drawloom::agent {
#define GEN_PASS_DEF_BRANCHONFACTORS
#include "drawloom/Dialect/Agent/Transforms/Passes.h.inc"
} // namespace drawloom::agent

using namespace mlir;
using namespace drawloom;

/// The factor of each row, if `scaled` is an accumulator on its way to the next
/// MMAs; null of other products.
static Value findFactors(arith::MulFOp scaled) {
  if (!scaled->hasOneUse() ||
      !isa<scf::YieldOp, agent::AsInFlightOp>(*scaled->user_begin()))
    return {};
  auto isBroadcast = [](Value value) {
    auto broadcast = value.getDefiningOp<tile::BroadcastOp>();
    return broadcast && broadcast.getSource().getType().getRank() == 2 &&
           broadcast.getSource().getType().getDimSize(1) == 1;
  };
  Value tile = scaled.getLhs(), factors = scaled.getRhs();
  if (isBroadcast(tile))
    std::swap(tile, factors);
  if (!isBroadcast(factors) || !tile.getDefiningOp<agent::AwaitOp>())
    return {};
  return factors.getDefiningOp<tile::BroadcastOp>().getSource();
}

static void scaleWhere(arith::MulFOp scaled, Value factors) {
  // What else is in the block comes first: it has registers of its own across
  // the branch.
  ImplicitLocOpBuilder b(scaled.getLoc(), *scaled->user_begin());
  auto type = cast<RankedTensorType>(factors.getType());
  Value ones = arith::ConstantOp::create(
      b,
      SplatElementsAttr::get(type, b.getFloatAttr(type.getElementType(), 1.0)));
  // NaN differs from 1.
  Value differ =
      arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, factors, ones);
  Value any = agent::AnyOp::create(b, b.getI1Type(), differ);
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
    SmallVector<std::pair<arith::MulFOp, Value>> found;
    getOperation().walk([&](arith::MulFOp op) {
      if (!isa<RankedTensorType>(op.getType()))
        return;
      if (Value factors = findFactors(op))
        found.push_back({op, factors});
    });
    for (auto [op, factors] : found)
      scaleWhere(op, factors);
  }
};
} // namespace
