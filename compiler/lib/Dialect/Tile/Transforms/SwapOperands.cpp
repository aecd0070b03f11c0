//===- SwapOperands.cpp - MMAs with few rows ------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// An instruction takes 64 or 128 rows of D, and from 8 columns on. A tile with
// few rows and many columns, as of a decode step, is the transpose of one that
// has an instruction:
//
//   D = A B^T     16x128      D^T = B A^T     128x16
//
// Both operands have K as their last dimension, so that they change places as
// they are. The accumulator is transposed where it leaves the loops.

#include "drawloom/Dialect/Tile/IR/DescribeMma.h"
#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "drawloom/Dialect/Tile/Transforms/Passes.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

namespace drawloom::tile {
#define GEN_PASS_DEF_SWAPOPERANDS
#include "drawloom/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace drawloom::tile

using namespace mlir;
using namespace drawloom;
using namespace drawloom::tile;

static TransposeOp transpose(OpBuilder &b, Location loc, Value tile) {
  return TransposeOp::create(b, loc, tile, ArrayRef<int64_t>{1, 0});
}

/// The transpose of an accumulator, computed from what it is computed from, so
/// that nothing is transposed between two MMAs.
static Value getTransposed(OpBuilder &b, Value tile) {
  Operation *op = tile.getDefiningOp();
  if (!op || !tile.hasOneUse() || op->getNumResults() != 1 ||
      op->getNumRegions() != 0 || !OpTrait::hasElementwiseMappableTraits(op))
    return transpose(b, tile.getLoc(), tile);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(isa<RankedTensorType>(operand.getType())
                           ? getTransposed(b, operand)
                           : operand);
  auto type = cast<RankedTensorType>(tile.getType());
  int64_t shape[] = {type.getDimSize(1), type.getDimSize(0)};
  Operation *turned = b.clone(*op);
  turned->setOperands(operands);
  turned->getResult(0).setType(type.clone(shape));
  return turned->getResult(0);
}

/// Whether there is code for the transposed MMA only.
static bool isBetterSwapped(MmaOp op, const target::Architecture &arch) {
  target::Mma mma = describeMma(op);
  if (mma.hasScale || target::whyNoCode(mma, arch).empty())
    return false;
  std::swap(mma.m, mma.n);
  std::swap(mma.a, mma.b);
  return target::whyNoCode(mma, arch).empty();
}

/// Erases what has computed a value for nothing else.
static void eraseUnused(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !isOpTriviallyDead(op))
    return;
  llvm::SmallSetVector<Value, 4> operands(op->operand_begin(),
                                          op->operand_end());
  op->erase();
  llvm::for_each(operands, eraseUnused);
}

static void swapOperands(MmaOp op) {
  OpBuilder b(op);
  Value start = getTransposed(b, op.getAcc());
  auto swapped = cast<MmaOp>(b.clone(*op));
  swapped.getAMutable().assign(op.getB());
  swapped.getBMutable().assign(op.getA());
  swapped.getAccMutable().assign(start);
  swapped.getResult().setType(cast<RankedTensorType>(start.getType()));
  op.replaceAllUsesWith(
      transpose(b, op.getLoc(), swapped.getResult()).getResult());
  Value acc = op.getAcc();
  op.erase();
  eraseUnused(acc);
}

/// What a loop carries is transposed around the loop instead of in it, if that
/// is all that happens to it where the loop's body begins and ends.
static void carryTransposed(scf::ForOp loop, unsigned number) {
  BlockArgument carried = loop.getRegionIterArg(number);
  OpOperand &yielded = loop.getBody()->getTerminator()->getOpOperand(number);
  auto last = yielded.get().getDefiningOp<TransposeOp>();
  if (!last || carried.use_empty() ||
      !llvm::all_of(carried.getUsers(), llvm::IsaPred<TransposeOp>))
    return;
  OpBuilder b(loop);
  OpOperand &init = loop.getInitArgsMutable()[number];
  Value start = transpose(b, loop.getLoc(), init.get());
  init.set(start);
  for (Operation *user : llvm::make_early_inc_range(carried.getUsers())) {
    user->getResult(0).replaceAllUsesWith(carried);
    user->erase();
  }
  carried.setType(start.getType());
  yielded.set(last.getSource());
  OpResult result = loop->getResult(number);
  result.setType(start.getType());
  b.setInsertionPointAfter(loop);
  TransposeOp back = transpose(b, loop.getLoc(), result);
  result.replaceAllUsesExcept(back.getResult(), back);
}

namespace {
struct SwapOperandsPass : tile::impl::SwapOperandsBase<SwapOperandsPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    const target::Architecture *arch = getTarget(kernel);
    if (!arch)
      return;
    std::vector<std::string> reasons;
    SmallVector<MmaOp> mmas;
    kernel.walk([&](MmaOp op) {
      if (isBetterSwapped(op, *arch))
        mmas.push_back(op);
    });
    for (MmaOp op : mmas) {
      std::string reason = llvm::formatv(
          "swap-operands: an MMA of {0}x{1}x{2} is one of {1}x{0}x{2}, of D "
          "transposed, because {3} has none with {0} rows",
          op.getM(), op.getN(), op.getK(), arch->name);
      if (!llvm::is_contained(reasons, reason))
        reasons.push_back(std::move(reason));
      swapOperands(op);
    }
    if (reasons.empty())
      return;
    addReasons(kernel, reasons);
    // Loops inside others come first.
    kernel.walk([](scf::ForOp loop) {
      for (unsigned number : llvm::seq(loop.getNumRegionIterArgs()))
        carryTransposed(loop, number);
    });
  }
};
} // namespace
