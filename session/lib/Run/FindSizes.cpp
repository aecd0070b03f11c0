//===- FindSizes.cpp - Which sizes of a program belong together -----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Run/FindSizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::run;

namespace {

/// A number that the program knows: a dimension of a view, or a value (with
/// dimension -1).
using Key = std::pair<void *, int64_t>;

/// Where a tile is: at `value`, which is the sum of the terms and the constant.
struct Offset {
  Value value;
  SmallVector<Value> terms = {};
  int64_t constant = 0;
  /// Something is subtracted that is no constant.
  bool isLess = false;
};

class SizeFinder {
public:
  std::vector<SizeClass> find(tile::KernelOp kernel);

private:
  static Key keyOf(Value value) { return {value.getAsOpaquePointer(), -1}; }
  static Key keyOf(Value view, int64_t dimension) {
    return {view.getAsOpaquePointer(), dimension};
  }

  void visit(Operation *op);
  void walk(Value offset, int64_t step, bool isItem) {
    auto &[steps, item] = walked[offset];
    steps = std::max(steps, step);
    item |= isItem;
  }
  /// A tile of `extent` elements is at this offset of the dimension.
  void access(Value view, int64_t dimension, OpFoldResult offset,
              int64_t extent);
  /// Makes dimensions and what they are walked with one class, where they are.
  void relateOffsets();
  /// How far accesses of a dimension reach, as far as sizes of arguments say.
  SmallVector<Reach> findReaches(const Key &key, tile::KernelOp kernel);

  llvm::EquivalenceClasses<Key> classes;
  llvm::MapVector<Value, std::pair<int64_t, bool>> walked;
  llvm::MapVector<Key, SmallVector<Offset>> offsets;
  /// Dimensions that are not walked with the size of what walks them.
  llvm::DenseSet<Key> own;
  llvm::DenseMap<Key, int64_t> more;
  /// A dimension of a view, and the same of a part of it: what walks the part
  /// walks the whole.
  SmallVector<std::pair<Key, Value>> parts;
};

} // namespace

/// Adds what the value is the sum of.
static void addTerms(Value value, Offset &offset) {
  llvm::APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    offset.constant += constant.getSExtValue();
  } else if (auto sum = value.getDefiningOp<arith::AddIOp>()) {
    addTerms(sum.getLhs(), offset);
    addTerms(sum.getRhs(), offset);
  } else if (auto difference = value.getDefiningOp<arith::SubIOp>()) {
    addTerms(difference.getLhs(), offset);
    if (matchPattern(difference.getRhs(), m_ConstantInt(&constant)))
      offset.constant -= constant.getSExtValue();
    else
      offset.isLess = true;
  } else {
    offset.terms.push_back(value);
  }
}

void SizeFinder::access(Value view, int64_t dimension, OpFoldResult at,
                        int64_t extent) {
  auto value = dyn_cast<Value>(at);
  if (!value)
    return;
  Offset offset{value};
  addTerms(value, offset);
  if (offset.terms.empty())
    return;
  if (extent > 1)
    for (Value walker : {value, offset.terms.front()})
      walk(walker, extent, /*isItem=*/false);
  offsets[keyOf(view, dimension)].push_back(std::move(offset));
}

void SizeFinder::relateOffsets() {
  for (auto &[key, accesses] : offsets) {
    // Only one offset, perhaps with a constant: offsets of groups have one more
    // than there are groups.
    int64_t most = 0;
    bool isOwn = false, isPlain = false;
    for (const Offset &offset : accesses) {
      isOwn |= offset.terms.size() > 1 || offset.isLess;
      isPlain |= offset.constant >= 0;
      most = std::max(most, offset.constant);
    }
    if (isOwn || !isPlain) {
      own.insert(key);
      for (const Offset &offset : accesses)
        if (offset.value != offset.terms.front())
          classes.unionSets(key, keyOf(offset.value));
      continue;
    }
    more[key] = most;
    for (const Offset &offset : accesses)
      classes.unionSets(key, keyOf(offset.terms.front()));
  }
}

void SizeFinder::visit(Operation *op) {
  if (auto forEach = dyn_cast<tile::ForEachOp>(op)) {
    for (auto [i, offset] : llvm::enumerate(forEach.getOffsets())) {
      walk(offset, forEach.getTiles()[i], /*isItem=*/true);
      if (forEach.getView())
        classes.unionSets(keyOf(offset), keyOf(forEach.getView(), i));
      else
        classes.unionSets(keyOf(offset), keyOf(forEach.getExtents()[i]));
    }
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    llvm::APInt step;
    if (matchPattern(loop.getStep(), m_ConstantInt(&step)))
      walk(loop.getInductionVar(), step.getSExtValue(), /*isItem=*/false);
    classes.unionSets(keyOf(loop.getInductionVar()),
                      keyOf(loop.getUpperBound()));
  } else if (auto dim = dyn_cast<tile::DimOp>(op)) {
    classes.unionSets(keyOf(dim.getResult()),
                      keyOf(dim.getView(), dim.getIndex()));
  } else if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
    classes.unionSets(keyOf(op->getResult(0)), keyOf(op->getOperand(0)));
  } else if (auto subview = dyn_cast<tile::SubviewOp>(op)) {
    auto sizes = subview.getMixedSizes();
    for (auto [d, offset] : llvm::enumerate(subview.getMixedOffsets())) {
      auto size = dyn_cast<Value>(sizes[d]);
      if (size)
        classes.unionSets(keyOf(subview.getResult(), d), keyOf(size));
      if (size && isConstantIntValue(offset, 0))
        classes.unionSets(keyOf(subview.getView(), d), keyOf(size));
      access(subview.getView(), d, offset, 1);
      if (size)
        parts.push_back({keyOf(subview.getView(), d), size});
    }
  }
  // Of loads and stores: dimension tileDims[i] of the view is the tile's i.
  auto accessTile = [&](Value view, ArrayRef<OpFoldResult> offsets,
                        ArrayRef<int64_t> tileDims, Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    for (auto [d, offset] : llvm::enumerate(offsets)) {
      const auto *at = llvm::find(tileDims, int64_t(d));
      bool isTileDim = tensor && at != tileDims.end();
      access(view, d, offset,
             isTileDim ? tensor.getDimSize(at - tileDims.begin()) : 1);
    }
  };
  if (auto load = dyn_cast<tile::LoadOp>(op))
    accessTile(load.getView(), load.getMixedOffsets(), load.getTileDims(),
               load.getType());
  else if (auto store = dyn_cast<tile::StoreOp>(op))
    accessTile(store.getView(), store.getMixedOffsets(), store.getTileDims(),
               store.getValue().getType());
}

SmallVector<Reach> SizeFinder::findReaches(const Key &key,
                                           tile::KernelOp kernel) {
  // A dimension of another class that has the value's size.
  auto addDimension = [&](Value term, Reach &reach) {
    for (BlockArgument argument : kernel.getBody().getArguments()) {
      auto view = dyn_cast<tile::ViewType>(argument.getType());
      for (int64_t d = 0; view && d < view.getRank(); ++d) {
        Key other = keyOf(argument, d);
        if (!classes.isEquivalent(other, keyOf(term)) ||
            classes.isEquivalent(other, key))
          continue;
        reach.dimensions.push_back(
            {argument.getArgNumber(), static_cast<unsigned>(d)});
        return;
      }
    }
  };
  SmallVector<Reach> reaches;
  for (const Offset &offset : offsets.lookup(key)) {
    Reach reach;
    reach.more = std::max<int64_t>(offset.constant, 0);
    for (Value term : offset.terms)
      addDimension(term, reach);
    if (!reach.dimensions.empty())
      reaches.push_back(std::move(reach));
  }
  return reaches;
}

std::vector<SizeClass> SizeFinder::find(tile::KernelOp kernel) {
  kernel.walk([&](Operation *op) { visit(op); });
  relateOffsets();
  llvm::MapVector<const Key *, SizeClass> found;
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    auto view = dyn_cast<tile::ViewType>(argument.getType());
    for (int64_t d = 0; view && d < view.getRank(); ++d) {
      Key key = keyOf(argument, d);
      const Key &leader = classes.getOrInsertLeaderValue(key);
      SizeClass &into = found[&leader];
      into.members.push_back({argument.getArgNumber(), static_cast<unsigned>(d),
                              more.lookup(key)});
      into.isInnermost |= d == view.getRank() - 1 && view.getRank() > 1;
      if (own.contains(key))
        into.reaches = findReaches(key, kernel);
    }
  }
  auto note = [&](const Key &key, std::pair<int64_t, bool> how) {
    auto leader = classes.findLeader(key);
    auto *at =
        leader == classes.member_end() ? found.end() : found.find(&*leader);
    if (at == found.end())
      return;
    at->second.tile = std::max(at->second.tile, how.first);
    at->second.isItem |= how.second;
  };
  for (auto &[offset, how] : walked) {
    note(keyOf(offset), how);
    for (auto &[whole, part] : parts)
      if (classes.isEquivalent(keyOf(part), keyOf(offset)))
        note(whole, how);
  }
  std::vector<SizeClass> result;
  for (auto &entry : found)
    result.push_back(std::move(entry.second));
  return result;
}

std::vector<SizeClass> run::findSizes(tile::KernelOp kernel) {
  return SizeFinder().find(kernel);
}

int64_t SizeClass::chooseSize() const {
  // A row of a matrix takes a multiple of 16 bytes, whatever the type.
  int64_t ragged = isInnermost ? 48 : tile / 3;
  if (tile <= 1)
    return isInnermost ? 64 : 3;
  // More than any tensor has; who makes one says so.
  if (tile > INT64_MAX / 8)
    return INT64_MAX / 2;
  if (isItem)
    return 2 * tile + std::max<int64_t>(ragged, 1);
  return 3 * tile + (isInnermost ? 16 : std::max<int64_t>(ragged, 1));
}

/// The argument that a view is, or is a part of.
static BlockArgument findArgument(Value view) {
  while (auto subview = view.getDefiningOp<tile::SubviewOp>())
    view = subview.getView();
  return dyn_cast<BlockArgument>(view);
}

std::vector<OffsetTensor> run::findOffsets(tile::KernelOp kernel) {
  std::vector<OffsetTensor> result;
  kernel.walk([&](tile::SubviewOp subview) {
    auto add = [&](ArrayRef<OpFoldResult> numbers) {
      for (auto [d, number] : llvm::enumerate(numbers)) {
        auto value = dyn_cast<Value>(number);
        if (!value)
          continue;
        if (auto cast = value.getDefiningOp<arith::IndexCastOp>())
          value = cast.getIn();
        auto load = value.getDefiningOp<tile::LoadOp>();
        if (!load || isa<RankedTensorType>(load.getType()))
          continue;
        BlockArgument from = findArgument(load.getView());
        BlockArgument into = findArgument(subview.getView());
        if (from && into)
          result.push_back({from.getArgNumber(), into.getArgNumber(),
                            static_cast<unsigned>(d)});
      }
    };
    add(subview.getMixedOffsets());
    add(subview.getMixedSizes());
  });
  return result;
}

Accesses run::findAccesses(tile::KernelOp kernel) {
  Accesses result;
  result.loaded.assign(kernel.getArgumentTypes().size(), false);
  result.stored = result.loaded;
  auto mark = [&](Value view, SmallVector<bool> &marks) {
    if (BlockArgument argument = findArgument(view))
      if (argument.getOwner()->getParentOp() == kernel)
        marks[argument.getArgNumber()] = true;
  };
  kernel.walk([&](Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op))
      mark(load.getView(), result.loaded);
    else if (auto store = dyn_cast<tile::StoreOp>(op))
      mark(store.getView(), result.stored);
  });
  return result;
}
