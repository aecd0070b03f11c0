//===- WidenLoads.cpp - Load past edges that only stores would see --------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A load of a part of a view pads at the part's edges, which no tensor map
// knows. The pass follows each dimension of a loaded tile forward, to the
// stores. If what comes of the elements past the edge is dropped by each of
// them, the load needs no edge there:
//
//   A of a group       a tile of A       the accumulators      stored
//   +----------+       +----------+       +----------+        +----------+
//   | rows     |  ->   | rows     |  ->   | rows     |   ->   | rows     |
//   +----------+       | the next |       | anything |        +----------+
//                      | group's  |       |          |
//                      +----------+       +----------+
//
// Invariant: what a kernel stores doesn't depend on what lies past an edge that
// was taken away.

#include "SliceEpilogue.h"
#include "drawloom/Dialect/Tile/IR/Accesses.h"
#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "drawloom/Dialect/Tile/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

namespace drawloom::tile {
#define GEN_PASS_DEF_WIDENLOADS
#include "drawloom/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace drawloom::tile

using namespace mlir;
using namespace drawloom;
using namespace drawloom::tile;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Who sees what lies past an edge
//===----------------------------------------------------------------------===//

namespace {
/// A dimension of a tile.
using TileDim = std::pair<Value, int64_t>;

/// The edge of a part of a view, as a tile of it meets it: where the tile
/// begins in the part, and the size of the part.
struct Edge {
  OpFoldResult offset, size;

  /// Whether a box of a view meets the same edge along one of its dimensions.
  template <typename AccessT>
  bool isOf(AccessT access, int64_t dim) const {
    int64_t viewDim = access.getTileDims()[dim];
    return isEqualConstantIntOrValue(access.getMixedOffsets()[viewDim],
                                     offset) &&
           isSize(size, access.getView(), viewDim);
  }
  bool operator==(const Edge &other) const = default;
  bool isSameThroughout(scf::ForOp loop) const {
    return llvm::all_of(ArrayRef{offset, size}, [&](OpFoldResult number) {
      auto value = dyn_cast<Value>(number);
      return !value || !loop.getRegion().isAncestor(value.getParentRegion());
    });
  }
};

/// What the elements past an edge reach.
class Reach {
public:
  Reach(LoadOp load, int64_t dim, Edge edge)
      : edge(edge), load(load), dim(dim) {}

  /// Follows them up to the stores that drop them, with `masking` only up to
  /// accumulators that can be masked. False if something else sees them, which
  /// is the obstacle.
  bool follow(bool masking);

  Edge edge;
  Operation *obstacle = nullptr;
  SmallVector<TileDim> masked;

private:
  bool goThrough(OpOperand &use, int64_t dim);
  bool goRound(OpOperand &use, int64_t dim);
  bool isZero(Value operand, int64_t dim) const;
  bool addsNothing(MmaOp mma, int64_t dim) const;
  bool canMask(Value value, int64_t dim) const;

  LoadOp load;
  int64_t dim;
  llvm::SmallSetVector<TileDim, 8> reached;
};
} // namespace

bool Reach::follow(bool masking) {
  reached.clear();
  masked.clear();
  reached.insert({load.getResult(), dim});
  for (size_t i = 0; i < reached.size(); ++i) {
    auto [value, dim] = reached[i];
    if (masking && canMask(value, dim)) {
      masked.push_back({value, dim});
      continue;
    }
    for (OpOperand &use : value.getUses())
      if (!goThrough(use, dim)) {
        obstacle = use.getOwner();
        return false;
      }
  }
  return true;
}

/// The dimension of an MMA's result that a dimension of an operand becomes;
/// none if it is summed.
static std::optional<int64_t> getMmaDim(OpOperand &use, int64_t dim) {
  auto mma = cast<MmaOp>(use.getOwner());
  if (use.get() == mma.getAcc())
    return dim;
  bool isOfA = use.get() == mma.getA() || use.get() == mma.getAScale();
  bool isOfB = use.get() == mma.getB() || use.get() == mma.getBScale();
  if (dim != 0 || isOfA == isOfB)
    return std::nullopt;
  return isOfA ? 0 : 1;
}

/// A loop carries a tile from one iteration to the next: the edge must be the
/// same in all of them.
bool Reach::goRound(OpOperand &use, int64_t dim) {
  Operation *op = use.getOwner();
  bool isYield = isa<scf::YieldOp>(op);
  auto loop = dyn_cast<scf::ForOp>(isYield ? op->getParentOp() : op);
  if (!loop || !edge.isSameThroughout(loop))
    return false;
  unsigned number = use.getOperandNumber();
  if (!isYield)
    number -= loop.getNumControlOperands();
  reached.insert({loop.getRegionIterArg(number), dim});
  reached.insert({loop.getResult(number), dim});
  return true;
}

bool Reach::goThrough(OpOperand &use, int64_t dim) {
  Operation *op = use.getOwner();
  if (auto store = dyn_cast<StoreOp>(op))
    return edge.isOf(store, dim);
  if (isa<scf::ForOp, scf::YieldOp>(op))
    return goRound(use, dim);
  std::optional<int64_t> next =
      isa<MmaOp>(op) ? getMmaDim(use, dim) : getResultDim(use, dim);
  if (next)
    reached.insert({op->getResult(0), *next});
  return next.has_value();
}

//===----------------------------------------------------------------------===//
// Accumulators that can be masked
//===----------------------------------------------------------------------===//

/// Whether an operand is zero past the edge, as the program says it.
bool Reach::isZero(Value operand, int64_t dim) const {
  while (auto transpose = operand.getDefiningOp<TransposeOp>()) {
    dim = transpose.getPermutation()[dim];
    operand = transpose.getSource();
  }
  auto load = operand.getDefiningOp<LoadOp>();
  return load && edge.isOf(load, dim) &&
         load.getPadOrZero() ==
             LoadOp::getDefaultPad(load.getPadOrZero().getType());
}

bool Reach::addsNothing(MmaOp mma, int64_t dim) const {
  return isZero(dim == 0 ? mma.getA() : mma.getB(), 0);
}

/// What accumulators hold before the first MMA, if they are complete in the
/// work tile's own block; null if not.
static Value getInit(Value sum) {
  Operation *op = sum.getDefiningOp();
  if (!op || !isa<ForEachOp>(op->getParentOp()))
    return Value();
  if (auto mma = dyn_cast<MmaOp>(op))
    return mma.getAcc();
  auto loop = dyn_cast<scf::ForOp>(op);
  return loop ? loop.getInitArgs()[cast<OpResult>(sum).getResultNumber()]
              : Value();
}

/// Whether past the edge a value is the constant that a sum of MMAs begins
/// with.
bool Reach::canMask(Value value, int64_t dim) const {
  Value init = getInit(value);
  auto offset = dyn_cast<Value>(edge.offset);
  auto first = dyn_cast_if_present<BlockArgument>(offset);
  if (!init || !matchPattern(init, m_Constant()) || !first ||
      !isa<ForEachOp>(first.getOwner()->getParentOp()))
    return false;
  Value sum = value, start = init;
  if (auto loop = value.getDefiningOp<scf::ForOp>()) {
    unsigned number = cast<OpResult>(value).getResultNumber();
    sum = loop.getYieldedValues()[number];
    start = loop.getRegionIterArg(number);
  }
  while (auto mma = sum.getDefiningOp<MmaOp>()) {
    if (!addsNothing(mma, dim))
      return false;
    sum = mma.getAcc();
  }
  return sum == start;
}

/// Past the edge, accumulators become what they were before the first MMA.
static void mask(Value sum, int64_t dim, const Edge &edge) {
  ImplicitLocOpBuilder b(sum.getLoc(), sum.getContext());
  b.setInsertionPointAfterValue(sum);
  auto type = cast<RankedTensorType>(sum.getType());
  auto numbers = RankedTensorType::get(type.getDimSize(dim), b.getI32Type());
  auto splat = [&](OpFoldResult number) -> Value {
    Value value = getValueOrCreateConstantIndexOp(b, b.getLoc(), number);
    value = arith::IndexCastOp::create(b, b.getI32Type(), value);
    return tensor::SplatOp::create(b, value, numbers);
  };
  Value positions =
      arith::AddIOp::create(b, IotaOp::create(b, numbers), splat(edge.offset));
  Value inside = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, positions,
                                       splat(edge.size));
  inside = ExpandDimsOp::create(b, inside, /*axis=*/1 - dim);
  inside = BroadcastOp::create(
      b, RankedTensorType::get(type.getShape(), b.getI1Type()), inside);
  auto select = arith::SelectOp::create(b, inside, sum, getInit(sum));
  sum.replaceAllUsesExcept(select, select);
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

namespace {
class Widener {
public:
  explicit Widener(KernelOp kernel) : kernel(kernel) {}
  void run();

private:
  bool canWiden(LoadOp load, int64_t dim);
  void addMasks(const Reach &reach);
  void explain(std::string reason) {
    if (!llvm::is_contained(reasons, reason))
      reasons.push_back(std::move(reason));
  }

  KernelOp kernel;
  llvm::DenseSet<Value> written;
  /// Accumulators, and the edges past which they are masked.
  SmallVector<std::pair<TileDim, Edge>> masks;
  std::vector<std::string> reasons;
};
} // namespace

/// Whether a part ends where its view does along a dimension of the view, or
/// the load is known to be inside the part.
static bool hasNoEdge(LoadOp load, int64_t dim) {
  auto part = load.getView().getDefiningOp<SubviewOp>();
  OpFoldResult start = part.getMixedOffsets()[dim];
  OpFoldResult size = part.getMixedSizes()[dim];
  if (isConstantIntValue(start, 0) && isSize(size, part.getView(), dim))
    return true;
  std::optional<int64_t> at = getConstantIntValue(load.getMixedOffsets()[dim]);
  std::optional<int64_t> count = getConstantIntValue(size);
  return !llvm::is_contained(load.getTileDims(), dim) && at && count &&
         *at >= 0 && *at < *count;
}

void Widener::addMasks(const Reach &reach) {
  for (TileDim sum : reach.masked)
    if (llvm::none_of(masks, [&](const auto &known) {
          return known.first == sum && known.second == reach.edge;
        }))
      masks.push_back({sum, reach.edge});
}

/// Whether the load may go past the part's edge along a dimension of the view.
bool Widener::canWiden(LoadOp load, int64_t dim) {
  auto part = load.getView().getDefiningOp<SubviewOp>();
  SmallVector<int64_t> dims = load.getTileDims();
  const int64_t *found = llvm::find(dims, dim);
  if (found == dims.end())
    return false;
  Value argument = getRootView(part);
  std::string name = getArgumentName(cast<BlockArgument>(argument));
  auto keep = [&](const Twine &why) {
    explain(formatv("widen-loads: tiles of '{0}' end at the edge of "
                    "their part along dimension {1}, because {2}",
                    name, dim, why.str()));
    return false;
  };
  if (written.contains(argument))
    return keep("the kernel writes to '" + name + "'");
  Reach reach(load, found - dims.begin(),
              {load.getMixedOffsets()[dim], part.getMixedSizes()[dim]});
  bool isSeen = !reach.follow(/*masking=*/false);
  Operation *reader = reach.obstacle;
  if (isSeen && !reach.follow(/*masking=*/true))
    return keep("'" + reach.obstacle->getName().getStringRef() +
                "' reads what lies past it");
  addMasks(reach);
  std::string reason =
      formatv("widen-loads: tiles of '{0}' reach past the edge of their part "
              "along dimension {1}, in elements that no store writes",
              name, dim);
  if (isSeen)
    reason += formatv(", and '{0}' gets zeros for them",
                      reader->getName().getStringRef());
  explain(std::move(reason));
  return true;
}

/// Values, and numbers where there are none.
static std::pair<SmallVector<Value>, SmallVector<int64_t>>
split(ArrayRef<OpFoldResult> mixed) {
  SmallVector<Value> values;
  SmallVector<int64_t> numbers;
  dispatchIndexOpFoldResults(mixed, values, numbers);
  return {values, numbers};
}

/// Takes the ends of some dimensions of the view away.
static void widen(LoadOp load, ArrayRef<bool> wide) {
  auto part = load.getView().getDefiningOp<SubviewOp>();
  ImplicitLocOpBuilder b(load.getLoc(), load);
  auto value = [&](OpFoldResult number) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), number);
  };
  SmallVector<OpFoldResult> starts = part.getMixedOffsets();
  if (!llvm::is_contained(wide, false)) {
    SmallVector<OpFoldResult> offsets = load.getMixedOffsets();
    for (auto [start, offset] : llvm::zip_equal(starts, offsets))
      if (!isConstantIntValue(start, 0))
        offset = b.createOrFold<arith::AddIOp>(value(start), value(offset));
    auto [values, numbers] = split(offsets);
    load.getOffsetsMutable().assign(values);
    load.setStaticOffsets(numbers);
    load.getViewMutable().assign(part.getView());
    return;
  }
  b.setInsertionPoint(part);
  SmallVector<OpFoldResult> sizes = part.getMixedSizes();
  for (auto [dim, isWide] : llvm::enumerate(wide))
    if (isWide) {
      Value size = b.createOrFold<DimOp>(part.getView(), dim);
      sizes[dim] = b.createOrFold<arith::SubIOp>(size, value(starts[dim]));
    }
  auto [first, firstNumbers] = split(starts);
  auto [count, countNumbers] = split(sizes);
  load.getViewMutable().assign(SubviewOp::create(
      b, part.getView(), first, count, firstNumbers, countNumbers));
}

void Widener::run() {
  kernel.walk(
      [&](StoreOp store) { written.insert(getRootView(store.getView())); });
  // All is decided before anything changes, because edges are compared.
  SmallVector<std::pair<LoadOp, SmallVector<bool>>> loads;
  kernel.walk([&](LoadOp load) {
    if (!load.getView().getDefiningOp<SubviewOp>() ||
        !isa<RankedTensorType>(load.getType()) ||
        !isa<BlockArgument>(getRootView(load.getView())))
      return;
    SmallVector<bool> wide;
    bool gains = false;
    for (int64_t dim : llvm::seq(load.getView().getType().getRank())) {
      bool hasEdge = !hasNoEdge(load, dim);
      wide.push_back(!hasEdge || canWiden(load, dim));
      gains |= hasEdge && wide.back();
    }
    if (gains || !llvm::is_contained(wide, false))
      loads.push_back({load, wide});
  });
  for (const auto &[load, wide] : loads)
    widen(load, wide);
  for (const auto &[sum, edge] : masks)
    mask(sum.first, sum.second, edge);
  if (!reasons.empty())
    addReasons(kernel, reasons);
}

namespace {
struct WidenLoadsPass : tile::impl::WidenLoadsBase<WidenLoadsPass> {
  using Base::Base;

  void runOnOperation() override { Widener(getOperation()).run(); }
};
} // namespace
