//===- SharedTiles.cpp - Whether CTAs load the same tile ------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedTiles.h"
#include "Owners.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

namespace {
/// A bit for each dimension of the cluster.
using Dims = unsigned;

class Places {
public:
  explicit Places(SwitchOp roles)
      : roles(roles),
        cluster(roles.getCluster().value_or(ArrayRef<int64_t>())) {}

  /// The dimensions along which what an operation does differs: its operands,
  /// and how often it comes.
  Dims ofOperation(Operation *op);

private:
  Dims of(Value value);
  Dims compute(Value value);
  void settle();
  Dims ofControl(Operation *op);
  std::optional<size_t> getLevel(Value value);
  size_t findNext(size_t level) const;

  SwitchOp roles;
  ArrayRef<int64_t> cluster;
  /// What is known so far; less than all until nothing changes any more.
  llvm::MapVector<Value, Dims> known;
};
} // namespace

/// The first dimension from `level` on that has several CTAs.
size_t Places::findNext(size_t level) const {
  while (level < cluster.size() && cluster[level] == 1)
    ++level;
  return level;
}

/// How many dimensions are taken off the number of an item; nothing if it is
/// another number.
std::optional<size_t> Places::getLevel(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isa<ItemsOp>(argument.getOwner()->getParentOp())
               ? std::optional<size_t>(0)
               : std::nullopt;
  auto split = value.getDefiningOp<affine::AffineDelinearizeIndexOp>();
  if (!split || split.getNumResults() != 2 || value != split.getResult(0) ||
      split.hasOuterBound())
    return std::nullopt;
  std::optional<size_t> level = getLevel(split.getLinearIndex());
  size_t next = level ? findNext(*level) : cluster.size();
  if (next == cluster.size() ||
      getConstantIntValue(split.getMixedBasis().front()) != cluster[next])
    return std::nullopt;
  return next + 1;
}

Dims Places::of(Value value) {
  auto [found, isNew] = known.try_emplace(value, 0);
  if (!isNew)
    return found->second;
  Dims dims = compute(value);
  known[value] = dims;
  return dims;
}

Dims Places::compute(Value value) {
  const Dims all = (1u << cluster.size()) - 1;
  if (std::optional<size_t> level = getLevel(value))
    return all & ~((1u << *level) - 1);
  auto unite = [&](auto &&values) {
    Dims dims = 0;
    for (Value one : values)
      dims |= of(one);
    return dims;
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    unsigned number = argument.getArgNumber();
    if (isa<tile::KernelOp>(parent))
      return 0;
    if (auto loop = dyn_cast<ForEachItemOp>(parent)) {
      auto items = loop.getStream() ? loop.getStream().getDefiningOp<ItemsOp>()
                                    : nullptr;
      if (!items)
        return all;
      return of(items.getBody().front().getTerminator()->getOperand(number));
    }
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      Dims dims = of(loop.getLowerBound()) | of(loop.getStep());
      if (number > 0)
        dims |= of(loop.getInitArgs()[number - 1]) |
                of(loop.getYieldedValues()[number - 1]);
      return dims;
    }
    return all;
  }
  Operation *op = value.getDefiningOp();
  if (auto split = dyn_cast<affine::AffineDelinearizeIndexOp>(op)) {
    // The digit itself; the rest was a number.
    if (getLevel(split.getResult(0)))
      return 1u << findNext(*getLevel(split.getLinearIndex()));
  }
  Dims dims = unite(op->getOperands());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (block.mightHaveTerminator())
        dims |= unite(block.getTerminator()->getOperands());
  return dims;
}

/// What a loop carries depends on itself.
void Places::settle() {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < known.size(); ++i) {
      auto [value, before] = *(known.begin() + i);
      Dims dims = compute(value);
      (known.begin() + i)->second = dims;
      changed |= dims != before;
    }
  }
}

Dims Places::ofOperation(Operation *op) {
  auto unite = [&] {
    Dims dims = 0;
    for (Value operand : op->getOperands())
      dims |= of(operand);
    return dims | ofControl(op);
  };
  unite();
  settle();
  return unite();
}

/// The dimensions that decide how often an operation comes.
Dims Places::ofControl(Operation *op) {
  Dims dims = 0;
  for (Operation *parent = op->getParentOp(); !isa<RoleOp>(parent);
       parent = parent->getParentOp()) {
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      dims |= of(loop.getLowerBound()) | of(loop.getUpperBound()) |
              of(loop.getStep());
    else if (auto branch = dyn_cast<scf::IfOp>(parent))
      dims |= of(branch.getCondition());
  }
  return dims;
}

/// Whether a number of work tiles is made of whole clusters.
static bool isMultiple(Value count, int64_t ctas, unsigned depth = 8) {
  if (std::optional<int64_t> constant = getConstantIntValue(count))
    return *constant % ctas == 0;
  auto product = count.getDefiningOp<arith::MulIOp>();
  return product && depth > 0 &&
         (isMultiple(product.getLhs(), ctas, depth - 1) ||
          isMultiple(product.getRhs(), ctas, depth - 1));
}

/// CTAs that wait for each other take equally many items.
static LogicalResult checkCounts(SwitchOp roles) {
  int64_t ctas = roles.getClusterSize();
  if (ctas == 1 || roles.getItems() != Scope::cta)
    return success();
  bool areTied =
      llvm::any_of(roles->getBlock()->getOps<PipeOp>(), [&](PipeOp pipe) {
        return pipe.getSwitch() == roles && pipe.getScope() == Scope::cluster;
      });
  for (ItemsOp items : roles->getBlock()->getOps<ItemsOp>())
    if ((areTied || items.getStream() == Stream::dynamic) &&
        !isMultiple(items.getCount(), ctas))
      return items.emitOpError()
             << "numbers work tiles of which the " << ctas
             << " CTAs of a cluster take neighbors, and nothing shows that "
                "their number is a multiple of "
             << ctas
             << ", so that some CTAs would wait for others that have none; "
                "round it up with arith.ceildivui, and multiply by "
             << ctas << " [cluster-items]";
  return success();
}

LogicalResult agent::checkSharedTiles(SwitchOp roles) {
  if (failed(checkCounts(roles)))
    return failure();
  Places places(roles);
  WalkResult result = roles.walk([&](tile::LoadOp load) -> WalkResult {
    for (int64_t dim : load.getMulticast().value_or(ArrayRef<int64_t>())) {
      // Where CTAs of a cluster take an item together, nothing says who is who.
      if (roles.getItems() == Scope::cta &&
          !(places.ofOperation(load) & (1u << dim)))
        continue;
      return load.emitOpError()
             << "has multicast [" << dim
             << "], but nothing shows that the CTAs along dimension " << dim
             << " of the cluster load the same tile of '"
             << getViewName(load.getView())
             << "', equally often: it depends on the number of the work tile, "
                "whose innermost digits are the places in the cluster; take "
                "these off with affine.delinearize_index, or leave multicast "
                "out [multicast]";
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
