//===- PrepareItem.cpp - A work tile that can be cut ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PrepareItem.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

//===----------------------------------------------------------------------===//
// Into the item
//===----------------------------------------------------------------------===//

/// The operations of `block`, without the loop over items, that depend on a
/// loaded tile.
static SmallVector<Operation *> findLoadedTiles(Block &block) {
  llvm::SmallPtrSet<Operation *, 8> set;
  SmallVector<Operation *> list;
  for (Operation &op : block.without_terminator()) {
    if (isa<tile::ForEachOp>(op))
      continue;
    bool loads = false;
    op.walk([&](Operation *inner) {
      auto load = dyn_cast<tile::LoadOp>(inner);
      loads |= load && isa<RankedTensorType>(load.getType());
      for (Value operand : inner->getOperands())
        loads |= set.contains(operand.getDefiningOp());
    });
    if (loads && set.insert(&op).second)
      list.push_back(&op);
  }
  return list;
}

/// Copies `ops` to the front of the item, and lets the item use the copies.
static void copyIntoItem(Item &item, ArrayRef<Operation *> ops) {
  OpBuilder builder = OpBuilder::atBlockBegin(item.body);
  IRMapping mapping;
  Operation *inItem = item.body->getParentOp();
  for (Operation *op : ops) {
    Operation *copy = builder.clone(*op, mapping);
    for (auto [from, to] :
         llvm::zip_equal(op->getResults(), copy->getResults()))
      from.replaceUsesWithIf(to, [&](OpOperand &use) {
        return inItem->isProperAncestor(use.getOwner());
      });
  }
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty())
      op->erase();
}

MaybeRejection drawloom::agent::sinkIntoItem(Item &item) {
  if (item.nest.empty())
    return std::nullopt;
  // Innermost first, so that what is outer ends up in front.
  for (size_t level = item.nest.size(); level-- > 1;) {
    SmallVector<Operation *> between;
    for (Operation &op : item.nest[level]->getBlock()->without_terminator())
      if (!isa<tile::ForEachOp>(op))
        between.push_back(&op);
    copyIntoItem(item, between);
  }
  copyIntoItem(item, findLoadedTiles(item.kernel.getBody().front()));
  // What is left of the loads decides how many items there are.
  for (tile::ForEachOp loop : item.nest)
    for (Operation *op : findLoadedTiles(*loop->getBlock()))
      return Rejection{op->getLoc(),
                       "the number of work tiles depends on a tile that is "
                       "loaded here; before the first item there is no role to "
                       "load it: load scalars instead [item-count]",
                       {{loop.getLoc(), "the work tiles are here"}},
                       /*hasFallback=*/false};
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// What an item may hold
//===----------------------------------------------------------------------===//

static bool touchesTiles(Operation *op) {
  return isa<tile::StoreOp>(op) ||
         llvm::any_of(op->getOperandTypes(), llvm::IsaPred<ShapedType>) ||
         llvm::any_of(op->getResultTypes(), llvm::IsaPred<ShapedType>);
}

MaybeRejection drawloom::agent::checkOperations(Item &item) {
  MaybeRejection rejection;
  item.body->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<scf::ForOp, tile::LoadOp, tile::StoreOp>(op) ||
        op->hasTrait<OpTrait::IsTerminator>())
      return WalkResult::advance();
    if (op->getNumRegions() == 0) {
      if (isMemoryEffectFree(op))
        return WalkResult::advance();
      rejection = Rejection{
          op->getLoc(),
          "'" + op->getName().getStringRef().str() +
              "' has side effects, or may have some; a work tile loads and "
              "stores with tile.load and tile.store only, because roles run at "
              "the same time and nothing else tells them apart [side-effects]",
          {},
          /*hasFallback=*/false};
      return WalkResult::interrupt();
    }
    // Control flow that only computes scalars is repeated like other scalars.
    Operation *culprit = touchesTiles(op) ? op : nullptr;
    bool tileInside = false;
    op->walk([&](Operation *inner) {
      if (inner == op || culprit)
        return;
      bool loadsScalar = isa<tile::LoadOp>(inner) &&
                         !isa<RankedTensorType>(inner->getResult(0).getType());
      if (!loadsScalar && touchesTiles(inner) &&
          !isa<tile::DimOp, tile::SubviewOp>(inner)) {
        culprit = inner;
        tileInside = true;
      } else if (!loadsScalar && inner->getNumRegions() == 0 &&
                 !isMemoryEffectFree(inner)) {
        culprit = inner;
      }
    });
    if (!culprit)
      return WalkResult::skip();
    rejection = Rejection{
        op->getLoc(),
        "'" + op->getName().getStringRef().str() +
            "' operates on tiles, so it can't be split into warp roles: each "
            "role would need the condition before it is computed; use a "
            "zero-trip scf.for, arith.select or a mask, or allow fallback = "
            "unspecialized [control-flow]",
        {}};
    if (tileInside)
      rejection->note(culprit->getLoc(), "a tile is here");
    return WalkResult::interrupt();
  });
  return rejection;
}
