//===- ItemCount.cpp - How many work tiles a launch has -------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Analysis/Slots/ItemCount.h"
#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::plan;

static bool addFactors(Value count, SmallVectorImpl<CountFactor> &factors) {
  llvm::APInt constant;
  if (matchPattern(count, m_ConstantInt(&constant))) {
    // No items at all are no factor of a grid; the kernel finds out itself.
    if (!constant.isStrictlyPositive())
      return false;
    factors.push_back({std::nullopt, 0, constant.getSExtValue()});
    return true;
  }
  if (auto product = count.getDefiningOp<arith::MulIOp>())
    return addFactors(product.getLhs(), factors) &&
           addFactors(product.getRhs(), factors);
  int64_t tile = 1;
  if (auto quotient = count.getDefiningOp<arith::CeilDivUIOp>()) {
    if (!matchPattern(quotient.getRhs(), m_ConstantInt(&constant)) ||
        !constant.isStrictlyPositive())
      return false;
    tile = constant.getSExtValue();
    count = quotient.getLhs();
    // A known row length, split across a cluster.
    if (matchPattern(count, m_ConstantInt(&constant)) &&
        constant.isStrictlyPositive()) {
      factors.push_back(
          {std::nullopt, 0,
           llvm::divideCeilSigned(constant.getSExtValue(), tile)});
      return true;
    }
  }
  auto size = count.getDefiningOp<tile::DimOp>();
  auto view = size ? dyn_cast<BlockArgument>(size.getView()) : BlockArgument();
  if (!view)
    return false;
  factors.push_back(
      {view.getArgNumber(), static_cast<unsigned>(size.getIndex()), tile});
  return true;
}

std::optional<SmallVector<CountFactor>> plan::findFactors(Value count) {
  SmallVector<CountFactor> factors;
  if (!addFactors(count, factors))
    return std::nullopt;
  return factors;
}

bool plan::takesOneItem(agent::SwitchOp roles) {
  bool isOne = true;
  auto kernel = roles->getParentOfType<tile::KernelOp>();
  bool isWanted =
      kernel && tile::getSchedule(kernel).persistent == tile::Persistence::None;
  roles.walk([&](agent::ForEachItemOp loop) {
    auto items = loop.getSource().getDefiningOp<agent::ItemsOp>();
    isOne &= isWanted && items && findFactors(items.getCount());
  });
  return isOne;
}
