//===- Corrections.cpp - Accumulators that are rescaled in place ----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Corrections.h"
#include "Dataflow.h"
#include "drawloom/Dialect/Tile/IR/DescribeMma.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

/// Whether a tile repeats a vector in each of its columns.
static bool repeatsColumn(Value tile) {
  auto broadcast = tile.getDefiningOp<tile::BroadcastOp>();
  auto column = broadcast
                    ? broadcast.getSource().getDefiningOp<tile::ExpandDimsOp>()
                    : nullptr;
  return column && column.getAxis() == 1;
}

/// What the loop of an MMA carries, if its rows are scaled and then added to;
/// null if it is anything else.
static BlockArgument getRescaled(tile::MmaOp mma,
                                 const target::Architecture &arch) {
  auto loop = dyn_cast<scf::ForOp>(mma->getParentOp());
  auto scaled = mma.getAcc().getDefiningOp<arith::MulFOp>();
  // Whole lanes, one for each thread.
  if (!loop || !scaled || scaled->getBlock() != mma->getBlock() ||
      !scaled->hasOneUse() || !mma->hasOneUse() || mma.getPair() ||
      mma.getM() != int64_t(arch.tensorMemory.lanes) ||
      !mma.getType().getElementType().isF32())
    return {};
  OpOperand &yielded = *mma->use_begin();
  if (yielded.getOwner() != loop.getBody()->getTerminator())
    return {};
  unsigned number = yielded.getOperandNumber();
  BlockArgument carried = loop.getRegionIterArg(number);
  if (!carried.hasOneUse() || *carried.user_begin() != scaled ||
      !tile::isZero(loop.getInitArgs()[number]) ||
      !repeatsColumn(scaled.getLhs() == carried ? scaled.getRhs()
                                                : scaled.getLhs()))
    return {};
  return carried;
}

/// Adds what is computed from a value; false if that is an operand of an MMA.
static bool addUsers(Value value, llvm::SetVector<Corrections::Node> &nodes) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (isOperandOfMma(use))
      return false;
    auto loop = dyn_cast<scf::ForOp>(
        user->hasTrait<OpTrait::IsTerminator>() ? user->getParentOp() : user);
    if (!loop) {
      nodes.insert({user, 0});
      continue;
    }
    unsigned first = loop == user ? loop.getNumControlOperands() : 0;
    if (use.getOperandNumber() < first)
      return false;
    nodes.insert({loop, use.getOperandNumber() - first + 1});
  }
  return true;
}

/// Adds what only repeats elements for nodes that are there.
static void addRepetitions(llvm::SetVector<Corrections::Node> &nodes) {
  for (unsigned i = 0; i < nodes.size(); ++i) {
    auto [op, number] = nodes[i];
    if (number != 0)
      continue;
    for (Value operand : op->getOperands()) {
      Operation *maker = operand.getDefiningOp();
      if (isa_and_present<tile::BroadcastOp, tile::ExpandDimsOp>(maker) &&
          llvm::all_of(maker->getUsers(), [&](Operation *user) {
            return nodes.contains({user, 0});
          }))
        nodes.insert({maker, 0});
    }
  }
}

Corrections::Corrections(Item &item, const target::Architecture &arch) {
  item.body->walk([&](tile::MmaOp mma) {
    BlockArgument carried = getRescaled(mma, arch);
    if (!carried)
      return;
    auto loop = cast<scf::ForOp>(mma->getParentOp());
    llvm::SetVector<Node> found;
    found.insert({mma.getAcc().getDefiningOp(), 0});
    found.insert({loop, carried.getArgNumber()});
    bool isLast = addUsers(loop.getTiedLoopResult(carried), found);
    for (unsigned i = 2; isLast && i < found.size(); ++i) {
      auto [op, number] = found[i];
      if (number == 0)
        for (Value result : op->getResults())
          isLast &= addUsers(result, found);
      else
        isLast &=
            addUsers(op->getResult(number - 1), found) &&
            addUsers(cast<scf::ForOp>(op).getRegionIterArg(number - 1), found);
    }
    if (!isLast)
      return;
    addRepetitions(found);
    mmas.insert(mma);
    nodes.insert(found.begin(), found.end());
  });
}
