//===- StorePlaces.cpp - Whether stores meet ------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StorePlaces.h"
#include "Owners.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

namespace {

/// Where a tile begins along a dimension of its view, and how far it goes: a
/// value that is the same in the whole work tile, a constant, and the numbers
/// of loops.
struct Extent {
  Value base;
  int64_t constant = 0;
  SmallVector<scf::ForOp, 2> loops;
  int64_t size = 1;
  /// Whether the offset is such a sum at all, and of how many terms.
  bool isKnown = true;
  unsigned terms = 0;
};

/// From the first to the last.
struct Numbers {
  int64_t first, last;
};

} // namespace

/// A constant that a view can be as large as, so that sums of some of them are
/// numbers, too.
static std::optional<int64_t> getConstant(OpFoldResult number) {
  constexpr int64_t largest = int64_t(1) << 48;
  std::optional<int64_t> constant = getConstantIntValue(number);
  if (!constant || *constant < -largest || *constant > largest)
    return std::nullopt;
  return constant;
}

/// The numbers of a loop whose bounds are known.
static std::optional<Numbers> getRange(scf::ForOp loop) {
  std::optional<int64_t> first = getConstant(loop.getLowerBound());
  std::optional<int64_t> end = getConstant(loop.getUpperBound());
  std::optional<int64_t> step = getConstant(loop.getStep());
  if (!first || !end || !step || *step <= 0)
    return std::nullopt;
  if (*end <= *first)
    return Numbers{*first, *first};
  return Numbers{*first, *first + (*end - 1 - *first) / *step * *step};
}

/// The loops around a block that run more than once for a work tile.
static SmallVector<Operation *> getLoops(Block *block) {
  SmallVector<Operation *> loops;
  for (Operation *op = block->getParentOp();
       op && !isa<tile::ForEachOp, ForEachItemOp, RoleOp, tile::KernelOp>(op);
       op = op->getParentOp())
    if (isa<LoopLikeOpInterface>(op))
      loops.push_back(op);
  return loops;
}

static void addOffset(OpFoldResult offset, Extent &extent) {
  // A sum of itself, again and again, has more terms than are worth counting.
  constexpr unsigned sensible = 16;
  auto value = dyn_cast<Value>(offset);
  std::optional<int64_t> constant = getConstant(offset);
  extent.isKnown &= (value || constant) && ++extent.terms <= sensible;
  if (!extent.isKnown)
    return;
  if (constant) {
    extent.constant += *constant;
    return;
  }
  if (auto sum = value.getDefiningOp<arith::AddIOp>()) {
    addOffset(sum.getLhs(), extent);
    addOffset(sum.getRhs(), extent);
    return;
  }
  Operation *around = value.getParentBlock()->getParentOp();
  auto loop = dyn_cast<scf::ForOp>(around);
  if (loop && value == loop.getInductionVar()) {
    extent.loops.push_back(loop);
    return;
  }
  // In a loop it may be another one each time.
  bool isInLoop = !getLoops(value.getParentBlock()).empty();
  extent.isKnown &= !isInLoop && !extent.base;
  extent.base = value;
}

/// For each dimension of the view.
static SmallVector<Extent> findExtents(tile::StoreOp store) {
  SmallVector<Extent> extents;
  for (OpFoldResult offset : store.getMixedOffsets())
    addOffset(offset, extents.emplace_back());
  if (auto tile = dyn_cast<RankedTensorType>(store.getValue().getType()))
    for (auto [dim, size] :
         llvm::zip_equal(store.getTileDims(), tile.getShape()))
      extents[dim].size = size;
  return extents;
}

/// Whether the view is another one in each iteration of a loop.
static bool hasChangingView(tile::StoreOp store) {
  return !getLoops(store.getView().getParentBlock()).empty();
}

/// Takes the loops of a dimension off `left` if their iterations are apart
/// along it: the numbers of each step over all that is below them.
static void removeApart(const Extent &extent,
                        SmallVectorImpl<Operation *> &left) {
  if (!extent.isKnown)
    return;
  SmallVector<scf::ForOp, 2> loops = extent.loops;
  auto getStep = [](scf::ForOp loop) {
    return getConstant(loop.getStep()).value_or(0);
  };
  llvm::sort(loops, [&](scf::ForOp a, scf::ForOp b) {
    return getStep(a) < getStep(b);
  });
  std::optional<int64_t> reach = extent.size;
  for (scf::ForOp loop : loops) {
    // Behind a loop without a known end there is nothing.
    if (!reach || getStep(loop) < *reach)
      return;
    if (std::optional<Numbers> range = getRange(loop))
      *reach += range->last - range->first;
    else
      reach = std::nullopt;
  }
  for (scf::ForOp loop : loops)
    llvm::erase(left, loop.getOperation());
}

/// Whether two iterations of a store may write to the same element.
static bool mayMeetItself(tile::StoreOp store) {
  SmallVector<Operation *> left = getLoops(store->getBlock());
  if (left.empty())
    return false;
  if (hasChangingView(store))
    return true;
  for (const Extent &extent : findExtents(store))
    removeApart(extent, left);
  return !left.empty();
}

/// The elements from the first to behind the last that any iteration writes.
static std::optional<Numbers> getSpan(const Extent &extent) {
  if (!extent.isKnown)
    return std::nullopt;
  Numbers span = {extent.constant, extent.constant + extent.size};
  for (scf::ForOp loop : extent.loops) {
    std::optional<Numbers> range = getRange(loop);
    if (!range)
      return std::nullopt;
    span.first += range->first;
    span.last += range->last;
  }
  return span;
}

bool agent::mayMeet(tile::StoreOp a, tile::StoreOp b) {
  if (a.getView() != b.getView() || hasChangingView(a))
    return true;
  for (auto [x, y] : llvm::zip_equal(findExtents(a), findExtents(b))) {
    std::optional<Numbers> first = getSpan(x), second = getSpan(y);
    if (first && second && x.base == y.base &&
        (first->last <= second->first || second->last <= first->first))
      return false;
  }
  return true;
}

bool agent::needsOrder(tile::StoreOp store) {
  if (mayMeetItself(store))
    return true;
  BlockArgument argument = getArgument(store.getView());
  // Threads of another role have an order of their own.
  Operation *scope = store->getParentOfType<RoleOp>();
  if (!scope)
    scope = store->getParentOfType<tile::KernelOp>();
  return scope
      ->walk([&](tile::StoreOp other) {
        return other != store && getArgument(other.getView()) == argument &&
                       mayMeet(store, other)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Stores of several roles
//===----------------------------------------------------------------------===//

/// Whether two numbers of two roles are the same for each work tile.
static bool isSameNumber(Value a, Value b) {
  if (a == b)
    return true;
  auto x = dyn_cast_if_present<BlockArgument>(a);
  auto y = dyn_cast_if_present<BlockArgument>(b);
  if (!x || !y || x.getArgNumber() != y.getArgNumber())
    return false;
  auto one = dyn_cast<ForEachItemOp>(x.getOwner()->getParentOp());
  auto other = dyn_cast<ForEachItemOp>(y.getOwner()->getParentOp());
  return one && other && one.getStream() == other.getStream() &&
         one.getEvery() == other.getEvery() && one.getFrom() == other.getFrom();
}

/// Whether two stores of two roles write to the same element of the argument
/// for each work tile.
static bool certainlyMeet(tile::StoreOp a, tile::StoreOp b) {
  if (a.getView() != b.getView() || !isa<BlockArgument>(a.getView()))
    return false;
  for (auto [x, y] : llvm::zip_equal(findExtents(a), findExtents(b))) {
    if (!x.isKnown || !y.isKnown || !x.loops.empty() || !y.loops.empty() ||
        !isSameNumber(x.base, y.base) || x.constant + x.size <= y.constant ||
        y.constant + y.size <= x.constant)
      return false;
  }
  return true;
}

/// Whether one role hands something to the other after its store, and the other
/// has it before its own. TMA is not done then.
static bool isOrdered(tile::StoreOp first, tile::StoreOp second) {
  auto consume = first->getParentOfType<ConsumeOp>();
  if (consume && consume.getEnginesAttr() &&
      isa<BlockArgument>(first.getValue()) &&
      llvm::is_contained(consume.getEnginesAttr(),
                         EngineAttr::get(first.getContext(), Engine::tma)))
    return false;
  bool isSignaled = false;
  auto producer = first->getParentOfType<RoleOp>();
  auto consumer = second->getParentOfType<RoleOp>();
  consumer.walk([&](ConsumeOp other) {
    Operation *after =
        other->getBlock()->findAncestorOpInBlock(*second.getOperation());
    if (!after || after->isBeforeInBlock(other))
      return;
    for (Value pipe : other.getPipes())
      for (Operation *user : pipe.getUsers()) {
        auto produce = dyn_cast<ProduceOp>(user);
        if (!produce || produce->getParentOfType<RoleOp>() != producer)
          continue;
        Operation *before =
            produce->getBlock()->findAncestorOpInBlock(*first.getOperation());
        isSignaled |= before && !produce->isBeforeInBlock(before);
      }
  });
  return isSignaled;
}

LogicalResult agent::checkStores(SwitchOp roles) {
  SmallVector<tile::StoreOp> stores;
  roles.walk([&](tile::StoreOp store) { stores.push_back(store); });
  for (auto [number, a] : llvm::enumerate(stores))
    for (tile::StoreOp b : ArrayRef(stores).drop_front(number + 1)) {
      auto one = a->getParentOfType<RoleOp>();
      auto other = b->getParentOfType<RoleOp>();
      if (one == other || !certainlyMeet(a, b) || isOrdered(a, b) ||
          isOrdered(b, a))
        continue;
      InFlightDiagnostic error =
          b.emitOpError() << "writes to the same elements of '"
                          << getViewName(b.getView()) << "' as a store of @"
                          << one.getSymName() << ", and nothing says whether @"
                          << one.getSymName() << " or @" << other.getSymName()
                          << " comes last; store from one role, or hand "
                             "something over in between [store-race]";
      error.attachNote(a.getLoc()) << "the other store is here";
      return error;
    }
  return success();
}
