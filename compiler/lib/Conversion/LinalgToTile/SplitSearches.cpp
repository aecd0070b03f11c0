//===- SplitSearches.cpp - The largest number, and then its place ---------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A search goes through a row, and keeps a number and its position:
//
//   better = v > best;  best = better ? v : best;  at = better ? i : at
//
// Tiles are not searched in order, so it becomes three operations that need no
// order. `best0` and `at0` are what the search began with:
//
//   best = max(best0, v ...)
//   first = min(v == best ? i : the largest integer, ...)
//   at = best > best0 ? first : at0
//
// What is no number is never better, so the maximum is the one that passes over
// NaN.

#include "LinalgFunction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::linalg_to_tile;

namespace {
/// The parts of the body of a search.
struct Search {
  linalg::GenericOp op;
  /// A cmpf or cmpi, and the choices of the number and of the position.
  Operation *better;
  arith::SelectOp best, at;

  static std::optional<Search> match(linalg::GenericOp op);

  Value getNumber() { return best.getTrueValue(); }
  Value getPosition() { return at.getTrueValue(); }
  bool isFloat() { return isa<arith::CmpFOp>(better); }
  bool isMaximum() {
    if (auto compare = dyn_cast<arith::CmpFOp>(better))
      return compare.getPredicate() == arith::CmpFPredicate::OGT;
    return cast<arith::CmpIOp>(better).getPredicate() ==
           arith::CmpIPredicate::sgt;
  }
  /// Copies what the number and its position are computed of.
  IRMapping copyBody(OpBuilder &b, ValueRange arguments);
};
} // namespace

/// Whether it says that the first operand is better, and not as good.
static bool isStrict(Operation *op) {
  if (auto compare = dyn_cast_or_null<arith::CmpFOp>(op))
    return compare.getPredicate() == arith::CmpFPredicate::OGT ||
           compare.getPredicate() == arith::CmpFPredicate::OLT;
  auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
  return compare && (compare.getPredicate() == arith::CmpIPredicate::sgt ||
                     compare.getPredicate() == arith::CmpIPredicate::slt);
}

std::optional<Search> Search::match(linalg::GenericOp op) {
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  if (!op.hasPureTensorSemantics() || op.getNumResults() != 2 ||
      reduced.size() != 1)
    return std::nullopt;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (maps[maps.size() - 1] != maps[maps.size() - 2])
    return std::nullopt;
  Operation *end = op.getBody()->getTerminator();
  Search search{op, nullptr,
                end->getOperand(0).getDefiningOp<arith::SelectOp>(),
                end->getOperand(1).getDefiningOp<arith::SelectOp>()};
  Value best = op.getRegionOutputArgs()[0], at = op.getRegionOutputArgs()[1];
  if (!search.best || !search.at ||
      search.best.getCondition() != search.at.getCondition() ||
      search.best.getFalseValue() != best || search.at.getFalseValue() != at)
    return std::nullopt;
  search.better = search.best.getCondition().getDefiningOp();
  if (!isStrict(search.better) ||
      search.better->getOperand(0) != search.getNumber() ||
      search.better->getOperand(1) != best ||
      !llvm::hasNItems(best.getUses(), 2) || !at.hasOneUse())
    return std::nullopt;
  Value position = search.getPosition();
  if (auto cast = position.getDefiningOp<arith::IndexCastOp>())
    position = cast.getIn();
  auto index = position.getDefiningOp<linalg::IndexOp>();
  if (!index || index.getDim() != reduced.front() ||
      !isa<IntegerType>(at.getType()))
    return std::nullopt;
  return search;
}

IRMapping Search::copyBody(OpBuilder &b, ValueRange arguments) {
  IRMapping map;
  for (auto [from, to] : llvm::zip(op.getBody()->getArguments(), arguments))
    map.map(from, to);
  for (Operation &inner : op.getBody()->without_terminator())
    if (&inner != better && &inner != best && &inner != at)
      b.clone(inner, map);
  return map;
}

static Value compare(OpBuilder &b, Location loc, Search &search,
                     arith::CmpFPredicate floats, arith::CmpIPredicate integers,
                     Value x, Value y) {
  if (search.isFloat())
    return arith::CmpFOp::create(b, loc, floats, x, y);
  return arith::CmpIOp::create(b, loc, integers, x, y);
}

/// max(best0, v ...), or the minimum.
static Value findBest(IRRewriter &rewriter, Search &search) {
  linalg::GenericOp op = search.op;
  Value best0 = op.getOutputs()[0];
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps.pop_back();
  bool isMaximum = search.isMaximum();
  StringRef name = search.isFloat()
                       ? (isMaximum ? "arith.maxnumf" : "arith.minnumf")
                       : (isMaximum ? "arith.maxsi" : "arith.minsi");
  return linalg::GenericOp::create(
             rewriter, op.getLoc(), best0.getType(), op.getInputs(), best0,
             maps, op.getIteratorTypesArray(),
             [&](OpBuilder &b, Location where, ValueRange arguments) {
               Value v = search.copyBody(b, arguments)
                             .lookupOrDefault(search.getNumber());
               Operation *next = b.create(where, b.getStringAttr(name),
                                          {v, arguments.back()}, v.getType());
               linalg::YieldOp::create(b, where, next->getResults());
             })
      .getResult(0);
}

/// min(v == best ? i : largest, ...), in the tensor `empty`.
static Value findFirst(IRRewriter &rewriter, Search &search, Value best,
                       Value largest, Value empty) {
  linalg::GenericOp op = search.op;
  Value none = linalg::FillOp::create(rewriter, op.getLoc(), largest, empty)
                   .getResult(0);
  // Of the inputs, of `best` and of the result: the outputs have one map.
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<Value> inputs(op.getInputs());
  inputs.push_back(best);
  return linalg::GenericOp::create(
             rewriter, op.getLoc(), op.getOutputs()[1].getType(), inputs, none,
             maps, op.getIteratorTypesArray(),
             [&](OpBuilder &b, Location where, ValueRange arguments) {
               IRMapping copy = search.copyBody(b, arguments.drop_back(2));
               Value isIt = compare(b, where, search, arith::CmpFPredicate::OEQ,
                                    arith::CmpIPredicate::eq,
                                    copy.lookupOrDefault(search.getNumber()),
                                    arguments[arguments.size() - 2]);
               Value here = arith::SelectOp::create(
                   b, where, isIt, copy.lookupOrDefault(search.getPosition()),
                   largest);
               Value least =
                   arith::MinSIOp::create(b, where, here, arguments.back());
               linalg::YieldOp::create(b, where, least);
             })
      .getResult(0);
}

/// best > best0 ? first : at0, in the tensor `empty`.
static Value choosePosition(IRRewriter &rewriter, Search &search, Value best,
                            Value first, Value empty) {
  linalg::GenericOp op = search.op;
  Value best0 = op.getOutputs()[0], at0 = op.getOutputs()[1];
  bool isMaximum = search.isMaximum();
  int64_t rank = op.getIndexingMapsArray().back().getNumResults();
  AffineMap same = rewriter.getMultiDimIdentityMap(rank);
  return linalg::GenericOp::create(
             rewriter, op.getLoc(), at0.getType(),
             ValueRange{best, first, best0, at0}, empty,
             SmallVector<AffineMap>(5, same),
             SmallVector<utils::IteratorType>(rank,
                                              utils::IteratorType::parallel),
             [&](OpBuilder &b, Location where, ValueRange arguments) {
               Value better = compare(b, where, search,
                                      isMaximum ? arith::CmpFPredicate::OGT
                                                : arith::CmpFPredicate::OLT,
                                      isMaximum ? arith::CmpIPredicate::sgt
                                                : arith::CmpIPredicate::slt,
                                      arguments[0], arguments[2]);
               Value chosen = arith::SelectOp::create(
                   b, where, better, arguments[1], arguments[3]);
               linalg::YieldOp::create(b, where, chosen);
             })
      .getResult(0);
}

static void split(IRRewriter &rewriter, Search search) {
  linalg::GenericOp op = search.op;
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  Value best = findBest(rewriter, search);
  Value at0 = op.getOutputs()[1];
  auto integer =
      cast<IntegerType>(cast<RankedTensorType>(at0.getType()).getElementType());
  Value largest = arith::ConstantOp::create(
      rewriter, loc,
      rewriter.getIntegerAttr(integer,
                              APInt::getSignedMaxValue(integer.getWidth())));
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, at0), integer);
  Value first = findFirst(rewriter, search, best, largest, empty);
  Value at = choosePosition(rewriter, search, best, first, empty);
  rewriter.replaceOp(op, {best, at});
}

void linalg_to_tile::splitSearches(func::FuncOp func) {
  IRRewriter rewriter(func.getContext());
  for (auto op : llvm::to_vector(func.front().getOps<linalg::GenericOp>()))
    if (std::optional<Search> search = Search::match(op))
      split(rewriter, *search);
}
