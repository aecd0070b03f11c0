//===- DivideTiles.cpp - Rows that the CTAs of a cluster divide -----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A row that is reduced is cut into as many parts as the cluster has CTAs, and
// the part becomes a dimension of the work tiles. From the reductions along
// rows it goes backward to loads and forward to stores, through loops: what has
// the row's dimension gets shorter. A reduction along it gives a part of the
// result; all CTAs gather the parts and combine them in the order of the CTAs,
// so that all have the same bits.
//
// Invariant: CTAs of a cluster do the same steps. The place of a CTA reaches
// nothing but the offsets of loads and stores and the numbers of an iota.

#include "DivideTiles.h"
#include "SliceEpilogue.h"
#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "drawloom/Dialect/Tile/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/FormatVariadic.h"

namespace drawloom::tile {
#define GEN_PASS_DEF_DIVIDETILES
#include "drawloom/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace drawloom::tile

using namespace mlir;
using namespace drawloom;
using namespace drawloom::tile;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// What is divided
//===----------------------------------------------------------------------===//

/// A reduction along the rows of a tile.
static bool reducesRows(ReduceOp reduce) {
  return reduce.getSource().getType().getRank() == 2 && reduce.getAxis() == 1;
}

bool Divider::findRows() {
  return items
      .walk([](ReduceOp reduce) {
        return reducesRows(reduce) ? WalkResult::interrupt()
                                   : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult Divider::reject(Operation *op) {
  return op->emitOpError()
         << "works on rows that " << count
         << " CTAs of the cluster divide, and needs them whole; use 1 along "
            "dimension "
         << along << " of the cluster [cluster-rows]";
}

LogicalResult Divider::mark(Value value, int64_t dim, Operation *because) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return reject(because);
  auto [found, isNew] = divided.insert({value, dim});
  if (!isNew)
    return found->second == dim ? success() : reject(because);
  int64_t size = type.getDimSize(dim);
  if (row == 0)
    row = size;
  if (size != row)
    return because->emitOpError()
           << "works on rows of " << size << " elements, and others have "
           << row << ": the cluster divides rows of one length [cluster-rows]";
  open.push_back(value);
  return success();
}

/// What a loop carries is the same tile in four places.
LogicalResult Divider::tieLoop(scf::ForOp loop, unsigned number, int64_t dim) {
  for (Value value :
       {loop.getInitArgs()[number], Value(loop.getRegionIterArgs()[number]),
        loop.getYieldedValues()[number], Value(loop.getResult(number))})
    if (failed(mark(value, dim, loop)))
      return failure();
  return success();
}

/// Columns of an MMA are rows of B. A is the same in all CTAs.
LogicalResult Divider::divideMma(MmaOp mma, int64_t dim) {
  if (dim != 1)
    return reject(mma);
  if (failed(mark(mma.getB(), 0, mma)))
    return failure();
  return mark(mma.getAcc(), 1, mma);
}

LogicalResult Divider::goBackward(Value value, int64_t dim) {
  Operation *op = value.getDefiningOp();
  if (!op) {
    auto argument = cast<BlockArgument>(value);
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      return tieLoop(loop, argument.getArgNumber() - 1, dim);
    return reject(parent);
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return tieLoop(loop, cast<OpResult>(value).getResultNumber(), dim);
  if (isa<LoadOp, IotaOp, tensor::SplatOp>(op))
    return success();
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue()) ? success() : reject(op);
  if (auto mma = dyn_cast<MmaOp>(op))
    return divideMma(mma, dim);
  if (!isSliceable(op))
    return reject(op);
  for (OpOperand &operand : op->getOpOperands())
    if (std::optional<int64_t> from = getOperandDim(operand, dim))
      if (failed(mark(operand.get(), *from, op)))
        return failure();
  return success();
}

LogicalResult Divider::goForward(Value value, int64_t dim) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (isa<StoreOp>(user))
      continue;
    if (auto reduce = dyn_cast<ReduceOp>(user);
        reduce && int64_t(reduce.getAxis()) == dim) {
      // A scalar is not a row.
      if (!isa<RankedTensorType>(reduce.getType()))
        return reject(user);
      crossing.insert(reduce);
      continue;
    }
    if (auto loop = dyn_cast<scf::ForOp>(user)) {
      // Zeros that a sum begins with, all of them.
      if (steps.contains(loop))
        continue;
      unsigned first = loop.getNumControlOperands();
      if (failed(tieLoop(loop, use.getOperandNumber() - first, dim)))
        return failure();
      continue;
    }
    if (auto loop = dyn_cast<scf::ForOp>(user->getParentOp());
        loop && isa<scf::YieldOp>(user)) {
      if (failed(tieLoop(loop, use.getOperandNumber(), dim)))
        return failure();
      continue;
    }
    // Of B, the rows are columns of the MMA; of an accumulator, its own.
    if (auto mma = dyn_cast<MmaOp>(user)) {
      bool isB = &use == &mma.getBMutable();
      if (&use == &mma.getAMutable() || dim != (isB ? 0 : 1))
        return reject(user);
      if (failed(mark(mma.getResult(), 1, user)))
        return failure();
      continue;
    }
    if (!isSliceable(user))
      return reject(user);
    auto result = cast<RankedTensorType>(user->getResultTypes()[0]);
    for (int64_t d = 0; d < result.getRank(); ++d)
      if (getOperandDim(use, d) == dim &&
          failed(mark(user->getResult(0), d, user)))
        return failure();
  }
  return success();
}

LogicalResult Divider::follow() {
  while (!open.empty()) {
    Value value = open.pop_back_val();
    int64_t dim = divided[value];
    // A sum is made of whole tiles.
    if (!sums.contains(value) && failed(goBackward(value, dim)))
      return failure();
    if (failed(goForward(value, dim)))
      return failure();
  }
  return success();
}

LogicalResult Divider::spread() {
  WalkResult seeds = items.walk([&](ReduceOp reduce) -> WalkResult {
    if (!reducesRows(reduce))
      return success();
    return mark(reduce.getSource(), reduce.getAxis(), reduce);
  });
  // Rows of the same length that are stored: the CTA that has reduced a part
  // stores that part.
  WalkResult stores = items.walk([&](StoreOp store) -> WalkResult {
    auto type = dyn_cast<RankedTensorType>(store.getValue().getType());
    if (!type || type.getRank() != 2 || type.getDimSize(1) != row)
      return success();
    return mark(store.getValue(), 1, store);
  });
  if (seeds.wasInterrupted() || stores.wasInterrupted() || failed(follow()))
    return failure();
  if (row % count == 0)
    return success();
  return crossing.front()->emitOpError()
         << "reduces rows of " << row << " elements that " << count
         << " CTAs of the cluster divide: " << row << " % " << count << " = "
         << row % count << "; use fewer CTAs, or a larger tile [cluster-rows]";
}

//===----------------------------------------------------------------------===//
// Dividing it
//===----------------------------------------------------------------------===//

/// The part is the last dimension of the work tiles; its offset is that of the
/// part in the row.
void Divider::addDimension() {
  OpBuilder b(items);
  Location loc = items.getLoc();
  SmallVector<Value> extents(items.getExtents());
  if (Value view = items.getView())
    for (int64_t dim = 0; dim < items.getRank(); ++dim)
      extents.push_back(b.createOrFold<DimOp>(loc, b.getIndexType(), view,
                                              b.getI64IntegerAttr(dim)));
  extents.push_back(arith::ConstantIndexOp::create(b, loc, row));
  SmallVector<int64_t> tiles(items.getTiles());
  tiles.push_back(row / count);
  auto longer = ForEachOp::create(b, loc, extents, tiles);
  longer.getBody().takeBody(items.getBody());
  part = longer.getBody().addArgument(b.getIndexType(), loc);
  items.erase();
  items = longer;
}

template <typename AccessT>
void Divider::moveAccess(AccessT access, int64_t dim) {
  OpBuilder b(access);
  SmallVector<OpFoldResult> offsets = access.getMixedOffsets();
  OpFoldResult &offset = offsets[access.getTileDims()[dim]];
  if (isConstantIntValue(offset, 0))
    offset = part;
  else
    offset =
        arith::AddIOp::create(
            b, access.getLoc(),
            getValueOrCreateConstantIndexOp(b, access.getLoc(), offset), part)
            .getResult();
  SmallVector<Value> values;
  SmallVector<int64_t> numbers;
  dispatchIndexOpFoldResults(offsets, values, numbers);
  access.getOffsetsMutable().assign(values);
  access.setStaticOffsets(numbers);
}

/// Whether a use of a constant is one of the part.
bool Divider::isDivided(OpOperand &use) {
  auto loop = dyn_cast<scf::ForOp>(use.getOwner());
  return items->isAncestor(use.getOwner()) && !(loop && steps.contains(loop));
}

void Divider::shorten(Value value, int64_t dim) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] /= count;
  auto shorter = RankedTensorType::get(shape, type.getElementType());
  Operation *op = value.getDefiningOp();
  OpBuilder b(items.getContext());
  // Others may want it whole.
  if (auto constant = dyn_cast_if_present<arith::ConstantOp>(op)) {
    b.setInsertionPoint(constant);
    auto all = cast<SplatElementsAttr>(constant.getValue());
    Value own = arith::ConstantOp::create(b, constant.getLoc(),
                                          all.resizeSplat(shorter));
    value.replaceUsesWithIf(own,
                            [&](OpOperand &use) { return isDivided(use); });
    return;
  }
  if (auto splat = dyn_cast_if_present<tensor::SplatOp>(op)) {
    b.setInsertionPoint(splat);
    Value own =
        tensor::SplatOp::create(b, splat.getLoc(), shorter, splat.getInput());
    value.replaceUsesWithIf(own,
                            [&](OpOperand &use) { return isDivided(use); });
    return;
  }
  value.setType(shorter);
  if (auto load = dyn_cast_if_present<LoadOp>(op))
    moveAccess(load, dim);
  if (auto iota = dyn_cast_if_present<IotaOp>(op)) {
    b.setInsertionPointAfter(iota);
    Location loc = iota.getLoc();
    Type number = type.getElementType();
    Value first =
        number.isIndex()
            ? part
            : arith::IndexCastOp::create(b, loc, number, part).getResult();
    Value firsts = tensor::SplatOp::create(b, loc, shorter, first);
    auto moved = arith::AddIOp::create(b, loc, iota.getResult(), firsts);
    value.replaceAllUsesExcept(moved, moved);
  }
}

/// What all CTAs have, the first one stores: that of the others falls outside
/// the view.
void Divider::storeOnce(StoreOp store) {
  OpBuilder b(store);
  Location loc = store.getLoc();
  SmallVector<OpFoldResult> offsets = store.getMixedOffsets();
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value isFirst =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, part, zero);
  Value end = b.createOrFold<DimOp>(loc, b.getIndexType(), store.getView(),
                                    b.getI64IntegerAttr(0));
  offsets.front() =
      arith::SelectOp::create(
          b, loc, isFirst,
          getValueOrCreateConstantIndexOp(b, loc, offsets.front()), end)
          .getResult();
  SmallVector<Value> values;
  SmallVector<int64_t> numbers;
  dispatchIndexOpFoldResults(offsets, values, numbers);
  store.getOffsetsMutable().assign(values);
  store.setStaticOffsets(numbers);
}

bool tile::isNeutral(Value tile, Reduction kind) {
  SplatElementsAttr all;
  if (!matchPattern(tile, m_Constant(&all)))
    return false;
  Type element = all.getElementType();
  if (kind == Reduction::AddF)
    return all.getSplatValue<APFloat>().isZero();
  return all.getSplatValue<Attribute>() == getNeutral(kind, element) ||
         all.getSplatValue<Attribute>() == ReduceOp::getIdentity(kind, element);
}

/// The result of the loop that does nothing with a part of a reduction but
/// combine it with those of other iterations; null if there is none.
static Value getTotal(Value partial, Reduction kind) {
  auto loop = dyn_cast<scf::ForOp>(partial.getParentBlock()->getParentOp());
  if (!loop || !partial.hasOneUse())
    return {};
  Operation *add = *partial.user_begin();
  if (add->getName().getStringRef() !=
          ("arith." + stringifyReduction(kind)).str() ||
      add->getBlock() != loop.getBody() || !add->hasOneUse() ||
      !isa<scf::YieldOp>(*add->user_begin()))
    return {};
  unsigned number = add->use_begin()->getOperandNumber();
  Value carried = loop.getRegionIterArgs()[number];
  if (!carried.hasOneUse() ||
      !llvm::is_contained(add->getOperands(), carried) ||
      !tile::isNeutral(loop.getInitArgs()[number], kind))
    return {};
  return loop.getResult(number);
}

/// From the first CTA's part to the last one's.
Value Divider::combineParts(OpBuilder &b, AllGatherOp gather, Reduction kind) {
  Value all = gather.getParts().front();
  for (Value next : gather.getParts().drop_front()) {
    // The kinds are named after the operations that combine two elements.
    OperationState state(gather.getLoc(),
                         ("arith." + stringifyReduction(kind)).str(),
                         {all, next}, all.getType());
    all = b.create(state)->getResult(0);
  }
  return all;
}

/// Every CTA combines the parts of all, in the order of the CTAs; of a loop
/// that adds up parts, when it is over.
void Divider::combine(ReduceOp reduce) {
  Value partial = reduce.getResult();
  while (Value total = getTotal(partial, reduce.getKind()))
    partial = total;
  OpBuilder b(items.getContext());
  b.setInsertionPointAfterValue(partial);
  Location loc = reduce.getLoc();
  auto gather =
      AllGatherOp::create(b, loc, SmallVector<Type>(count, partial.getType()),
                          ValueRange(partial), along);
  partial.replaceAllUsesExcept(combineParts(b, gather, reduce.getKind()),
                               gather);
}

void Divider::divide() {
  addDimension();
  SmallVector<StoreOp> stores;
  items.walk([&](StoreOp store) { stores.push_back(store); });
  for (StoreOp store : stores) {
    auto found = divided.find(store.getValue());
    if (found == divided.end())
      storeOnce(store);
    else
      moveAccess(store, found->second);
  }
  for (auto [value, dim] : divided)
    if (sums.contains(value))
      addUp(value);
    else
      shorten(value, dim);
  for (ReduceOp reduce : crossing)
    combine(reduce);
  divideSteps();
}

namespace {
struct DivideTilesPass : tile::impl::DivideTilesBase<DivideTilesPass> {
  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }

  LogicalResult run();
};
} // namespace

LogicalResult DivideTilesPass::run() {
  KernelOp kernel = getOperation();
  ForEachOp items = kernel.getForEach();
  while (items && items.getNested())
    items = items.getNested();
  Schedule schedule = getSchedule(kernel);
  if (!items)
    return success();
  int64_t along = items.getRank();
  if (int64_t(schedule.cluster.size()) <= along || schedule.cluster[along] == 1)
    return success();
  int64_t count = schedule.cluster[along];
  Divider divider(items, count, along);
  if (!divider.findRows()) {
    // Nothing to divide: 'plan-cta' says what is wrong.
    if (!divider.findSums())
      return success();
    if (failed(divider.spreadSums()))
      return failure();
    divider.divide();
    addReasons(kernel, divider.explainSums());
    return success();
  }
  if (failed(divider.spread()))
    return failure();
  divider.divide();
  addReasons(
      kernel,
      {formatv("divide-tiles: cluster-wide reduction through distributed "
               "shared memory (DSMEM): {0} CTAs along dimension {1} of the "
               "cluster divide rows of {2} elements, {3} each, and exchange "
               "what they have reduced",
               count, along, divider.getRow(), divider.getRow() / count)
           .str(),
       formatv("order: the order in which a row is reduced depends on the "
               "tile, on the warps and on the {0} CTAs, whose parts are "
               "combined from the first to the last; it does not depend on the "
               "number of rows, nor on the grid",
               count)
           .str()});
  return success();
}
