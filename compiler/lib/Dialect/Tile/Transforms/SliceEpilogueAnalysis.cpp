//===- SliceEpilogueAnalysis.cpp - What of an epilogue can be cut ---------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SliceEpilogue.h"
#include "drawloom/Dialect/Tile/IR/Accesses.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::tile;

//===----------------------------------------------------------------------===//
// Dimensions of operations
//===----------------------------------------------------------------------===//

/// The type of a tile that can be cut. One with a layout has its place already.
static RankedTensorType getTileType(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && !type.getEncoding() ? type : RankedTensorType();
}

static bool isElementwise(Operation *op) {
  if (!OpTrait::hasElementwiseMappableTraits(op) || op->getNumRegions() != 0)
    return false;
  auto result = getTileType(op->getResult(0));
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    auto type = getTileType(operand);
    return type ? type.getShape() == result.getShape()
                : !isa<ShapedType>(operand.getType());
  });
}

bool tile::isSliceable(Operation *op) {
  if (op->getNumResults() != 1 || !getTileType(op->getResult(0)))
    return false;
  if (!llvm::all_of(op->getOperands(), [](Value operand) {
        return !isa<RankedTensorType>(operand.getType()) ||
               getTileType(operand);
      }))
    return false;
  return isa<BroadcastOp, ExpandDimsOp, TransposeOp, ReduceOp, LoadOp>(op) ||
         isElementwise(op);
}

std::optional<int64_t> tile::getOperandDim(OpOperand &operand, int64_t dim) {
  Operation *op = operand.getOwner();
  auto source = getTileType(operand.get());
  if (!source || isa<LoadOp>(op))
    return std::nullopt;
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return transpose.getPermutation()[dim];
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return dim < static_cast<int64_t>(reduce.getAxis()) ? dim : dim + 1;
  if (auto expand = dyn_cast<ExpandDimsOp>(op)) {
    auto axis = static_cast<int64_t>(expand.getAxis());
    if (dim == axis)
      return std::nullopt;
    return dim < axis ? dim : dim - 1;
  }
  if (isa<BroadcastOp>(op) && source.getDimSize(dim) == 1)
    return std::nullopt;
  return dim;
}

std::optional<int64_t> tile::getResultDim(OpOperand &operand, int64_t dim) {
  if (!isSliceable(operand.getOwner()))
    return std::nullopt;
  auto result = cast<RankedTensorType>(operand.getOwner()->getResultTypes()[0]);
  for (int64_t d = 0; d < result.getRank(); ++d)
    if (getOperandDim(operand, d) == dim)
      return d;
  return std::nullopt;
}

TypedAttr tile::getNeutral(Reduction kind, Type elementType) {
  auto type = dyn_cast<FloatType>(elementType);
  if (!type)
    return ReduceOp::getIdentity(kind, elementType);
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  // Plus zero would turn minus zero into plus zero.
  if (kind == Reduction::AddF && APFloat::semanticsHasZero(semantics) &&
      APFloat::semanticsHasSignedRepr(semantics))
    return FloatAttr::get(type, APFloat::getZero(semantics, /*Negative=*/true));
  // Infinity would take the place of a row of NaNs.
  if ((kind == Reduction::MaxNumF || kind == Reduction::MinNumF) &&
      APFloat::semanticsHasNaN(semantics))
    return FloatAttr::get(type, APFloat::getNaN(semantics));
  return ReduceOp::getIdentity(kind, elementType);
}

Value tile::getRootView(Value view) {
  while (auto subview = view.getDefiningOp<SubviewOp>())
    view = subview.getView();
  return view;
}

//===----------------------------------------------------------------------===//
// Analysis
//===----------------------------------------------------------------------===//

namespace {

/// A tile that depends on a matrix product: the dimension along which it is cut
/// if it is, and the number of its class. Or the operation that is in the way.
struct Cut {
  int64_t dim = 0;
  unsigned group = 0;
  Operation *obstacle = nullptr;
};

class Analysis {
public:
  Analysis(Block &item, int64_t columns, Epilogue &epilogue)
      : item(item), columns(columns), epilogue(epilogue) {}
  void run();

private:
  void findCuts();
  void closeSegment();

  std::string findConflict(StoreOp store, Operation *last);
  std::string findObstacle(ReduceOp reduce, Operation *last);
  void dropRoots(llvm::function_ref<std::string(const Root &)> findReason);
  void demand(Value value, int64_t dim);
  std::optional<int64_t> getSlicedDim(OpOperand &use) const;
  bool isNeededWhole(Value value, std::optional<int64_t> dim) const;
  bool dropWholeOps();
  bool dropUnsafeLoads();
  bool dropWholeReductions();
  void findStages();

  Operation *getLastRoot() const { return segment.roots.back().op; }
  const Root *findRoot(Operation *op) const {
    return const_cast<Analysis *>(this)->findRoot(op);
  }
  Root *findRoot(Operation *op);
  void reject(Operation *op, std::string reason) {
    epilogue.rejected.push_back({op, std::move(reason)});
  }

  Block &item;
  int64_t columns;
  Epilogue &epilogue;
  llvm::DenseMap<Value, Cut> cuts;
  llvm::IntEqClasses groups;
  unsigned numGroups = 0;
  /// The segment that is being looked at, and operations that would have to be
  /// cut in two ways.
  Segment segment;
  llvm::SmallPtrSet<Operation *, 4> ambiguous;
  /// Roots of segments before it, which are gone when this one is cut.
  llvm::SmallPtrSet<Operation *, 4> earlier;
};

} // namespace

/// Whether the operation is a matrix product or has one inside.
static bool hasMma(Operation *op) {
  return op->walk([](MmaOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

void Analysis::run() {
  findCuts();
  for (Operation &op : item) {
    // The next MMA's results come after this stretch.
    if (hasMma(&op) && !segment.roots.empty())
      closeSegment();
    auto cut = op.getNumOperands() ? cuts.find(op.getOperand(0)) : cuts.end();
    if (cut == cuts.end() || !isa<StoreOp, ReduceOp>(op))
      continue;
    if (cut->second.obstacle) {
      if (isa<StoreOp>(op))
        reject(&op, ("'" + cut->second.obstacle->getName().getStringRef() +
                     "' needs a whole tile")
                        .str());
      continue;
    }
    auto reduce = dyn_cast<ReduceOp>(op);
    if (reduce && static_cast<int64_t>(reduce.getAxis()) != cut->second.dim)
      continue;
    Root root{&op, cut->second.dim, groups[cut->second.group]};
    if (root.getExtent() <= columns)
      continue;
    segment.roots.push_back(root);
  }
  if (!segment.roots.empty())
    closeSegment();
}

/// Finds the tiles that depend on an MMA, and which of their dimensions are
/// its columns.
void Analysis::findCuts() {
  for (Operation &op : item) {
    if (hasMma(&op)) {
      for (Value result : op.getResults())
        if (auto type = getTileType(result); type && type.getRank() == 2) {
          cuts[result] = {1, numGroups++};
          groups.grow(numGroups);
        }
      continue;
    }
    std::optional<Cut> result;
    for (OpOperand &operand : op.getOpOperands()) {
      auto known = cuts.find(operand.get());
      if (known == cuts.end())
        continue;
      Cut cut = known->second;
      if (!cut.obstacle) {
        // What a reduction along the columns gives has no columns.
        auto reduce = dyn_cast<ReduceOp>(op);
        if (reduce && static_cast<int64_t>(reduce.getAxis()) == cut.dim)
          continue;
        std::optional<int64_t> dim = getResultDim(operand, cut.dim);
        if (!dim || (result && result->dim != *dim))
          cut.obstacle = &op;
        else
          cut.dim = *dim;
      }
      if (result && !result->obstacle && !cut.obstacle)
        groups.join(result->group, cut.group);
      if (!result || !result->obstacle)
        result = cut;
    }
    if (result)
      for (Value value : op.getResults())
        cuts[value] = *result;
  }
  groups.compress();
}

/// Drops the roots that have a reason to stay whole.
void Analysis::dropRoots(
    llvm::function_ref<std::string(const Root &)> findReason) {
  llvm::SmallVector<Root> kept;
  for (const Root &root : segment.roots)
    if (std::string reason = findReason(root); reason.empty())
      kept.push_back(root);
    else
      reject(root.op, std::move(reason));
  segment.roots = std::move(kept);
}

void Analysis::closeSegment() {
  Operation *last = getLastRoot();
  dropRoots([&](const Root &root) {
    if (auto store = dyn_cast<StoreOp>(root.op))
      return findConflict(store, last);
    return findObstacle(cast<ReduceOp>(root.op), last);
  });
  for (const Root &root : segment.roots)
    demand(root.getTile(), root.dim);
  while (dropWholeOps() || dropUnsafeLoads() || dropWholeReductions())
    ;
  if (!segment.roots.empty()) {
    findStages();
    for (const Root &root : segment.roots)
      earlier.insert(root.op);
    epilogue.segments.push_back(std::move(segment));
  }
  segment = Segment();
  ambiguous.clear();
}

/// Calls `visit` for each load and store between two operations of the item,
/// also those in regions.
template <typename Visit>
static void visitAccesses(Operation *first, Operation *last, Visit visit) {
  for (Operation *op = first->getNextNode(); op && op != last->getNextNode();
       op = op->getNextNode())
    op->walk([&](Operation *inner) {
      if (auto load = dyn_cast<LoadOp>(inner))
        visit(inner, getRootView(load.getView()));
      else if (auto store = dyn_cast<StoreOp>(inner))
        visit(inner, getRootView(store.getView()));
    });
}

/// Why the store cannot move after the segment's last root; nothing if it can.
std::string Analysis::findConflict(StoreOp store, Operation *last) {
  std::string reason;
  auto check = [&](Operation *other, Value view) {
    auto otherStore = dyn_cast<StoreOp>(other);
    if (view == getRootView(store.getView()) && other != store &&
        !(otherStore && areApart(store, otherStore)))
      reason =
          ("'" + other->getName().getStringRef() + "' touches the same view")
              .str();
  };
  visitAccesses(store, last, check);
  // An earlier store of the same stretch would be cut as well, and the order of
  // their parts would be another one.
  for (const Root &root : segment.roots)
    if (auto other = dyn_cast<StoreOp>(root.op))
      check(other, getRootView(other.getView()));
  return reason;
}

/// Why what needs the reduction's result cannot move after the last root.
std::string Analysis::findObstacle(ReduceOp reduce, Operation *last) {
  if (!getNeutral(reduce.getKind(),
                  reduce.getSource().getType().getElementType()))
    return "its type has no neutral element";
  llvm::SmallPtrSet<Operation *, 8> dependent = {reduce};
  for (Operation *op = reduce->getNextNode(); op && op->isBeforeInBlock(last);
       op = op->getNextNode()) {
    bool depends = false;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        depends |= dependent.contains(operand.getDefiningOp());
    });
    if (!depends)
      continue;
    dependent.insert(op);
    std::string reason;
    if (auto store = dyn_cast<StoreOp>(op))
      reason = findConflict(store, last);
    else if (!isPure(op))
      reason = ("'" + op->getName().getStringRef() +
                "' needs it before the last store")
                   .str();
    if (!reason.empty())
      return reason;
  }
  return "";
}

/// Notes that a part of the value is needed, and of what it is made of.
void Analysis::demand(Value value, int64_t dim) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != &item || !isSliceable(op) || findRoot(op) ||
      earlier.contains(op))
    return;
  auto [entry, isNew] = segment.sliced.insert({op, dim});
  if (!isNew) {
    if (entry->second != dim)
      ambiguous.insert(op);
    return;
  }
  for (OpOperand &operand : op->getOpOperands())
    if (std::optional<int64_t> itsDim = getOperandDim(operand, dim))
      demand(operand.get(), *itsDim);
}

Root *Analysis::findRoot(Operation *op) {
  Root *root =
      llvm::find_if(segment.roots, [&](const Root &r) { return r.op == op; });
  return root == segment.roots.end() ? nullptr : root;
}

/// The dimension in which this use takes a part; none if it takes the whole.
std::optional<int64_t> Analysis::getSlicedDim(OpOperand &use) const {
  if (const Root *root = findRoot(use.getOwner()))
    return use.getOperandNumber() == 0 ? std::optional(root->dim)
                                       : std::nullopt;
  auto sliced = segment.sliced.find(use.getOwner());
  if (sliced == segment.sliced.end())
    return std::nullopt;
  return getOperandDim(use, sliced->second);
}

bool Analysis::isNeededWhole(Value value, std::optional<int64_t> dim) const {
  return llvm::any_of(value.getUses(), [&](OpOperand &use) {
    std::optional<int64_t> itsDim = getSlicedDim(use);
    return !itsDim || (dim && *itsDim != *dim);
  });
}

/// Takes out operations whose result is needed whole; their operands are then
/// needed whole too.
bool Analysis::dropWholeOps() {
  bool changed = false;
  for (bool again = true; again;) {
    llvm::SmallVector<Operation *> whole;
    for (auto [op, dim] : segment.sliced)
      if (ambiguous.contains(op) || isNeededWhole(op->getResult(0), dim))
        whole.push_back(op);
    for (Operation *op : whole)
      segment.sliced.erase(op);
    again = !whole.empty();
    changed |= again;
  }
  return changed;
}

/// A load moves into the loop, where parts of the segment's stores come before
/// it. That is right if they store what the load has read: the same part of the
/// same box.
bool Analysis::dropUnsafeLoads() {
  for (auto [op, dim] : segment.sliced) {
    auto load = dyn_cast<LoadOp>(op);
    if (!load)
      continue;
    Operation *conflict = nullptr;
    visitAccesses(load, getLastRoot(), [&](Operation *other, Value view) {
      auto store = dyn_cast<StoreOp>(other);
      if (!store || view != getRootView(load.getView()))
        return;
      const Root *root = findRoot(other);
      bool isSameBox = root && root->dim == dim &&
                       store.getView() == load.getView() &&
                       store.getMixedOffsets() == load.getMixedOffsets() &&
                       store.getTileDims() == load.getTileDims() &&
                       store.getValue().getType() == load.getType();
      // A later stage would load again, after the store.
      bool hasStages = llvm::any_of(
          segment.roots, [](const Root &other) { return other.isReduction(); });
      if (!isSameBox || hasStages)
        conflict = other;
    });
    if (conflict) {
      reject(op, "a store to the same view follows");
      segment.sliced.erase(op);
      return true;
    }
  }
  return false;
}

/// A reduction of a tile that is there as a whole stays whole.
bool Analysis::dropWholeReductions() {
  size_t before = segment.roots.size();
  dropRoots([&](const Root &root) -> std::string {
    Operation *source = root.getTile().getDefiningOp();
    if (!root.isReduction() || segment.sliced.contains(source) ||
        !isNeededWhole(root.getTile(), std::nullopt))
      return "";
    return "its tile is needed whole anyway";
  });
  return segment.roots.size() != before;
}

/// Orders the roots by the reductions that they need.
void Analysis::findStages() {
  llvm::DenseMap<Operation *, unsigned> stages;
  for (Operation &op : item) {
    unsigned stage = 0;
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *source = operand.getDefiningOp();
        stage = std::max(stage, stages.lookup(source));
        const Root *root = findRoot(source);
        if (root && root->isReduction())
          stage = std::max(stage, root->stage + 1);
      }
    });
    stages[&op] = stage;
    if (Root *root = findRoot(&op))
      root->stage = stage;
    else if (stage != 0 && !segment.sliced.contains(&op) &&
             op.isBeforeInBlock(getLastRoot()))
      segment.moved.emplace_back(&op, stage);
  }
}

Epilogue::Epilogue(Block &item, int64_t columns) {
  Analysis(item, columns, *this).run();
}
