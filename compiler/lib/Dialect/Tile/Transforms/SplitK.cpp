//===- SplitK.cpp - Split-K within a cluster ------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The CTAs take the steps of a loop in turns, so each has a part of the sum, as
// large as the whole. Each hands the others their columns of it, adds up what
// it gets for its own, in the order of the CTAs, and goes on with these:
//
//   steps      0 3 6 ..          1 4 7 ..          2 5 8 ..
//   has        all columns       all columns       all columns
//   adds up    the first third   the second one    the last one
//
// Invariant: CTAs do equally many steps. A step beyond the last one loads
// zeros, because the loop ends where a view of each MMA does.

#include "DivideTiles.h"
#include "drawloom/Dialect/Tile/IR/Accesses.h"
#include "drawloom/Dialect/Tile/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::tile;
using llvm::formatv;

bool Divider::findSums() {
  items.walk([&](MmaOp mma) {
    if (auto loop = dyn_cast<scf::ForOp>(mma->getParentOp()))
      steps.insert(loop);
  });
  return !steps.empty();
}

/// How tiles of a type are added up.
static Reduction getAddition(Type type) {
  return getElementTypeOrSelf(type).isInteger() ? Reduction::AddI
                                                : Reduction::AddF;
}

/// The load that is an operand as it is, or transposed.
static LoadOp getLoad(Value operand) {
  while (auto transpose = operand.getDefiningOp<TransposeOp>())
    operand = transpose.getSource();
  return operand.getDefiningOp<LoadOp>();
}

/// The dimension of a load's view along which a loop walks; none if it doesn't,
/// or if it pads with anything but zeros.
static std::optional<int64_t> getWalked(LoadOp load, scf::ForOp loop) {
  if (!load || load.getPadOrZero() !=
                   LoadOp::getDefaultPad(load.getPadOrZero().getType()))
    return std::nullopt;
  for (auto [dim, offset] : llvm::enumerate(load.getMixedOffsets()))
    if (dyn_cast<Value>(offset) == loop.getInductionVar())
      return dim;
  return std::nullopt;
}

/// An error unless each CTA can do some of the steps.
LogicalResult Divider::checkSteps(scf::ForOp loop) {
  auto reject = [&](Operation *op, const llvm::Twine &why) {
    return op->emitOpError() << "is in a loop whose steps " << count
                             << " CTAs of the cluster divide, and " << why
                             << "; use 1 along dimension " << along
                             << " of the cluster [cluster-split-k]";
  };
  if (loop->getParentOp() != items)
    return reject(loop, "is not a work tile's own");
  for (OpResult result : loop.getResults()) {
    unsigned number = result.getResultNumber();
    auto mma = loop.getYieldedValues()[number].getDefiningOp<MmaOp>();
    if (!mma || mma.getAcc() != loop.getRegionIterArgs()[number] ||
        !mma.getAcc().hasOneUse() || !mma->hasOneUse() ||
        !isNeutral(loop.getInitArgs()[number], getAddition(result.getType())))
      return reject(loop, "carries more than sums of MMAs from zero on");
    std::optional<int64_t> a = getWalked(getLoad(mma.getA()), loop);
    std::optional<int64_t> b = getWalked(getLoad(mma.getB()), loop);
    if (!a || !b)
      return reject(mma, "reads a tile that is not loaded along it");
    if (!isSize(loop.getUpperBound(), getLoad(mma.getA()).getView(), *a) &&
        !isSize(loop.getUpperBound(), getLoad(mma.getB()).getView(), *b))
      return reject(mma, "ends before the views of its operands do");
    sums.insert(result);
  }
  for (Operation *user : loop.getInductionVar().getUsers())
    if (!isa<LoadOp>(user))
      return reject(user, "asks which one it is");
  return success();
}

LogicalResult Divider::spreadSums() {
  for (scf::ForOp loop : steps)
    if (failed(checkSteps(loop)))
      return failure();
  for (Value sum : sums)
    if (failed(mark(sum, 1, sum.getDefiningOp())))
      return failure();
  if (failed(follow()))
    return failure();
  if (row % count == 0)
    return success();
  return steps.front()->emitOpError()
         << "adds up MMAs of " << row << " columns that " << count
         << " CTAs of the cluster divide: " << row << " % " << count << " = "
         << row % count
         << "; use fewer CTAs, or a larger tile [cluster-split-k]";
}

/// Each CTA gets the parts of its own columns, and adds them up.
void Divider::addUp(Value sum) {
  OpBuilder b(items.getContext());
  b.setInsertionPointAfterValue(sum);
  Location loc = sum.getLoc();
  auto type = cast<RankedTensorType>(sum.getType());
  auto own = RankedTensorType::get({type.getDimSize(0), row / count},
                                   type.getElementType());
  SmallVector<Value> slices;
  llvm::SmallPtrSet<Operation *, 8> slicing;
  for (int64_t place = 0; place < count; ++place) {
    auto slice = ExtractSliceOp::create(
        b, loc, own, sum, ArrayRef<int64_t>{0, place * (row / count)});
    slices.push_back(slice);
    slicing.insert(slice);
  }
  auto gather =
      AllGatherOp::create(b, loc, SmallVector<Type>(count, own), slices, along);
  sum.replaceAllUsesExcept(combineParts(b, gather, getAddition(type)), slicing);
}

/// CTA c of C does the steps c, c + C, ...
void Divider::divideSteps() {
  for (scf::ForOp loop : steps) {
    OpBuilder b(loop);
    Location loc = loop.getLoc();
    auto constant = [&](int64_t number) -> Value {
      return arith::ConstantIndexOp::create(b, loc, number);
    };
    Value place =
        b.createOrFold<arith::DivUIOp>(loc, part, constant(row / count));
    Value first = b.createOrFold<arith::MulIOp>(loc, place, loop.getStep());
    loop.getStepMutable().assign(
        b.createOrFold<arith::MulIOp>(loc, loop.getStep(), constant(count)));
    b.setInsertionPointToStart(loop.getBody());
    auto own = arith::AddIOp::create(b, loc, loop.getInductionVar(), first);
    loop.getInductionVar().replaceAllUsesExcept(own, own);
  }
}

std::vector<std::string> Divider::explainSums() const {
  return {
      formatv("divide-tiles: split-K within a cluster: {0} CTAs along "
              "dimension {1} take the K tiles of each accumulator in turns; "
              "each adds up {3} of its {2} columns",
              count, along, row, row / count),
      formatv("order: the order in which MMAs are added up depends on the "
              "tile and on the {0} CTAs, whose parts are combined from the "
              "first to the last; it does not depend on the grid",
              count)};
}
