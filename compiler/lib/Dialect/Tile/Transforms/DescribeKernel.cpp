//===- DescribeKernel.cpp - What a kernel moves and holds -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Dialect/Tile/Transforms/Planner.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace drawloom::tile;

/// The name of the argument that a view is cut from.
static std::string getViewName(Value view) {
  while (auto cut = view.getDefiningOp<SubviewOp>())
    view = cut.getView();
  auto argument = dyn_cast<BlockArgument>(view);
  return argument ? getArgumentName(argument) : "view";
}

/// A tile as rows, all dimensions but the last, and columns.
static Problem::Tile describeTile(RankedTensorType type) {
  int64_t rows = 1;
  for (int64_t size : type.getShape().drop_back())
    if (llvm::MulOverflow(rows, size, rows))
      rows = INT64_MAX;
  Type element = type.getElementType();
  int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  return {rows, type.getShape().back(), std::max<int64_t>(bits, 4)};
}

/// Visits the operands of MMAs that are a tile as it is: transposed or cut
/// at most, because a descriptor can say that.
static void forEachReader(Value tile,
                          llvm::function_ref<void(OpOperand &)> visit) {
  for (OpOperand &use : tile.getUses()) {
    if (isa<MmaOp>(use.getOwner()))
      visit(use);
    else if (isa<TransposeOp, ExtractSliceOp>(use.getOwner()))
      forEachReader(use.getOwner()->getResult(0), visit);
  }
}

static void findReaders(Value tile, SmallVectorImpl<MmaOp> &mmas) {
  forEachReader(tile, [&](OpOperand &use) {
    mmas.push_back(cast<MmaOp>(use.getOwner()));
  });
}

/// Whether MMAs take a tile as B only.
static bool isB(Value tile) {
  bool result = true;
  forEachReader(tile, [&](OpOperand &use) {
    result &= use.get() == cast<MmaOp>(use.getOwner()).getB() &&
              use.get() != cast<MmaOp>(use.getOwner()).getA();
  });
  return result;
}

/// The outermost block of a work tile; a kernel without items is one item.
static Block *getItemBody(KernelOp kernel) {
  Block *body = &kernel.getBody().front();
  for (ForEachOp items = kernel.getForEach(); items; items = items.getNested())
    body = &items.getBody().front();
  return body;
}

/// Whether a loop carries the accumulator, and something else than MMAs changes
/// it on the way.
static bool isChangedInLoop(MmaOp op) {
  Value acc = op.getAcc();
  while (auto other = acc.getDefiningOp<MmaOp>())
    acc = other.getAcc();
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  return loop && acc.getParentBlock() == loop.getBody() &&
         acc.getDefiningOp() &&
         llvm::is_contained(loop.getYieldedValues(), op.getResult());
}

namespace {
class Describer {
public:
  explicit Describer(KernelOp kernel)
      : kernel(kernel), itemBody(getItemBody(kernel)) {}

  Problem describe() {
    kernel.walk([&](Operation *op) {
      if (auto mma = dyn_cast<MmaOp>(op))
        addMma(mma);
      else if (auto load = dyn_cast<LoadOp>(op))
        addLoad(load);
      else if (auto store = dyn_cast<StoreOp>(op))
        addStore(store);
      else if (auto loop = dyn_cast<scf::ForOp>(op))
        addCarried(loop);
      else if (auto gather = dyn_cast<AllGatherOp>(op))
        addGather(gather);
    });
    addOperands();
    // Where the epilogue begins with sums of parts, it has whole tiles.
    if (addsUpParts || problem.mmas.empty())
      problem.epilogue.clear();
    for (ForEachOp loop = kernel.getForEach(); loop; loop = loop.getNested())
      llvm::append_range(problem.items, getOwnTiles(loop));
    addCounts();
    for (BlockArgument argument : kernel.getBody().getArguments())
      if (isa<ViewType>(argument.getType()))
        problem.views.push_back(getArgumentName(argument));
    return std::move(problem);
  }

private:
  void addMma(MmaOp op) {
    Problem::Mma mma = {
        op.getM(),
        op.getN(),
        op.getK(),
        op.getA().getType().getElementType(),
        op.getB().getType().getElementType(),
        op.getAcc().getType().getElementType(),
        op.getAScale() ? op.getAScale().getType().getElementType() : Type(),
        op.getTf32(),
        op.getAcc().getDefiningOp<MmaOp>() && op.getAcc().hasOneUse(),
        isChangedInLoop(op),
        op};
    problem.mmas.push_back(mma);
  }

  void addLoad(LoadOp load) {
    // Scalars and vectors are read where they are used.
    auto type = dyn_cast<RankedTensorType>(load.getResult().getType());
    if (!type || type.getRank() < 2)
      return;
    SmallVector<MmaOp> mmas;
    findReaders(load.getResult(), mmas);
    if (!mmas.empty()) {
      operands[load] = mmas;
      return;
    }
    bool inLoop = load->getBlock() != itemBody;
    (inLoop ? problem.converted : problem.epilogue)
        .push_back(describeTile(type));
  }

  void addStore(StoreOp store) {
    auto type = dyn_cast<RankedTensorType>(store.getValue().getType());
    if (type && type.getRank() > 1 && store->getBlock() == itemBody)
      problem.epilogue.push_back(describeTile(type));
  }

  void addCarried(scf::ForOp loop) {
    for (auto [value, result] :
         llvm::zip_equal(loop.getYieldedValues(), loop.getResults())) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      if (type && type.getRank() > 0 && !value.getDefiningOp<MmaOp>())
        problem.carried.push_back(describeTile(type));
    }
  }

  void addGather(AllGatherOp op) {
    dividedDim = op.getAlong();
    problem.gathers = true;
    addsUpParts |= describeTile(op.getPartType()).rows > 1;
  }

  /// Without the dimension that divide-tiles adds for a tile split across a
  /// cluster; no schedule gives its size.
  ArrayRef<int64_t> getOwnTiles(ForEachOp loop) const {
    ArrayRef<int64_t> tiles = loop.getTiles();
    bool isDivided = !loop.getNested() && dividedDim == loop.getRank() - 1;
    return isDivided ? tiles.drop_back() : tiles;
  }

  void addCounts() {
    ForEachOp loop = kernel.getForEach();
    if (!loop || loop.getNested())
      return;
    for (auto [dim, tile] : llvm::enumerate(loop.getTiles())) {
      std::optional<int64_t> size;
      if (loop.getView()) {
        int64_t known = loop.getView().getType().getDimSize(dim);
        if (!ShapedType::isDynamic(known))
          size = known;
      } else {
        size = getConstantIntValue(loop.getExtents()[dim]);
      }
      problem.counts.push_back(size ? llvm::divideCeilSigned(*size, tile)
                                    : ShapedType::kDynamic);
    }
  }

  /// The dimensions of the work tiles that decide which tile is loaded, and how
  /// often.
  unsigned findDims(LoadOp load) {
    SmallVector<Value> work;
    llvm::DenseSet<Value> seen;
    auto add = [&](auto values) {
      for (Value value : values)
        if (seen.insert(value).second)
          work.push_back(value);
    };
    add(load->getOperands());
    auto addBounds = [&](scf::ForOp loop) {
      add(ArrayRef<Value>{loop.getLowerBound(), loop.getUpperBound(),
                          loop.getStep()});
    };
    for (Operation *op = load->getParentOp(); !isa<KernelOp, ForEachOp>(op);
         op = op->getParentOp()) {
      if (auto loop = dyn_cast<scf::ForOp>(op))
        addBounds(loop);
      else
        add(op->getOperands());
    }
    unsigned dims = 0;
    while (!work.empty()) {
      Value value = work.pop_back_val();
      auto argument = dyn_cast<BlockArgument>(value);
      Operation *op =
          argument ? argument.getOwner()->getParentOp() : value.getDefiningOp();
      if (argument && isa<KernelOp, ForEachOp>(op)) {
        if (argument.getOwner() == itemBody && isa<ForEachOp>(op))
          dims |= 1u << argument.getArgNumber();
        continue;
      }
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        // What a loop carries, and how often it runs.
        addBounds(loop);
        OpOperand *init = argument
                              ? loop.getTiedLoopInit(argument)
                              : loop.getTiedLoopInit(cast<OpResult>(value));
        if (init)
          add(ArrayRef<Value>{
              init->get(),
              loop.getTiedLoopYieldedValue(loop.getTiedLoopRegionIterArg(init))
                  ->get()});
        continue;
      }
      add(op->getOperands());
      // Of what has regions, everything depends on everything.
      for (Region &region : op->getRegions())
        for (Block &block : region)
          if (block.mightHaveTerminator())
            add(block.getTerminator()->getOperands());
    }
    return dims;
  }

  /// Operands that one MMA reads and one loop loads travel together.
  void addOperands() {
    llvm::EquivalenceClasses<Operation *> groups;
    for (auto &[load, mmas] : operands) {
      groups.insert(load);
      for (auto &[other, otherMmas] : operands) {
        auto reads = [&, &others = otherMmas](MmaOp mma) {
          return llvm::is_contained(others, mma);
        };
        if (other->getBlock() == load->getBlock() && llvm::any_of(mmas, reads))
          groups.unionSets(load, other);
      }
    }
    llvm::MapVector<Operation *, size_t> indexOf;
    for (auto &[op, mmas] : operands) {
      auto load = cast<LoadOp>(op);
      auto [entry, isNew] = indexOf.try_emplace(groups.getLeaderValue(op),
                                                problem.operands.size());
      if (isNew)
        problem.operands.push_back({load->getBlock() != itemBody, {}, {}});
      Problem::Operands &group = problem.operands[entry->second];
      group.views.push_back(getViewName(load.getView()));
      group.tiles.push_back(
          describeTile(cast<RankedTensorType>(load.getResult().getType())));
      group.tiles.back().isB = isB(load.getResult());
      group.tiles.back().dims = findDims(load);
    }
  }

  KernelOp kernel;
  Block *itemBody;
  Problem problem;
  llvm::MapVector<Operation *, SmallVector<MmaOp>> operands;
  /// CTAs hand each other parts of accumulators.
  bool addsUpParts = false;
  /// The dimension of the work tiles along which parts are gathered.
  std::optional<int64_t> dividedDim;
};
} // namespace

Problem drawloom::tile::describe(KernelOp kernel) {
  return Describer(kernel).describe();
}
