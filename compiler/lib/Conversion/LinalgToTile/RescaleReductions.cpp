//===- RescaleReductions.cpp - Sums that follow a maximum as it grows -----===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The maximum of a row of scores s, the sum of exp(s - maximum), and the sum of
// exp(s - maximum) / sum times the rows of V are three loops over the columns,
// because each needs the end of the one before. Each computes s again, with its
// MMAs. Two rules of arithmetic make one loop of them:
//
//   exp(s - new) = exp(s - old) * exp(old - new)   what was added up under an
//                                                  older maximum is rescaled
//   sum of (x / l) = (sum of x) / l                a divisor waits for the end
//
// A Form says how a tile of the later loop depends on rows that the earlier one
// computes. Where all of them are forms that the rules cover, up to the sums
// that the later loop carries, its body goes into the earlier loop.
//
// Rows with nothing but -infinity so far have no exponentials: exp(-inf - -inf)
// is NaN. In the loop their maximum counts as 0, so that what they add
// is 0; at the end, such a row is NaN, as it is by the formula.

#include "LinalgFunction.h"
#include "LoopDependence.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/RegionUtils.h"
#include <cmath>

using namespace mlir;
using namespace drawloom;
using namespace drawloom::linalg_to_tile;

namespace {
/// A sum that was rescaled, as a result of the loop: what it still lacks.
struct Unfinished {
  unsigned result;
  Form form;
};
} // namespace

//===----------------------------------------------------------------------===//
// Constants and layouts of rows
//===----------------------------------------------------------------------===//

static Value makeConstant(OpBuilder &builder, Location loc, Type type,
                          double number) {
  auto element = cast<FloatType>(getElementTypeOrSelf(type));
  TypedAttr attr = builder.getFloatAttr(element, number);
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    attr = DenseElementsAttr::get(tensor, attr);
  return arith::ConstantOp::create(builder, loc, attr);
}

/// Repeats rows that lie along `dims` of a tile of this type.
static Value layOut(OpBuilder &builder, Location loc, Value rows,
                    ArrayRef<int64_t> dims, Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  if (rows.getType() == type || !tile)
    return rows;
  Type element = getElementTypeOrSelf(rows.getType());
  auto full = RankedTensorType::get(tile.getShape(), element);
  if (!isa<RankedTensorType>(rows.getType()))
    return tensor::SplatOp::create(builder, loc, rows, full);
  for (int64_t dim = 0; dim < tile.getRank(); ++dim)
    if (!llvm::is_contained(dims, dim))
      rows = tile::ExpandDimsOp::create(builder, loc, rows, dim);
  return rows.getType() == full
             ? rows
             : Value(tile::BroadcastOp::create(builder, loc, full, rows));
}

//===----------------------------------------------------------------------===//
// One loop
//===----------------------------------------------------------------------===//

namespace {
/// Makes one loop of two.
class LoopMerger {
public:
  LoopMerger(scf::ForOp first, scf::ForOp second, Dependence &dependence)
      : first(first), second(second), dependence(dependence), builder(first) {}

  scf::ForOp run(SmallVectorImpl<Unfinished> &unfinished);

private:
  /// A maximum before and after the tiles of an iteration.
  struct Growth {
    Value before, after;
  };
  Growth &grow(unsigned maximum);
  Value rescale(const RescaledSum &sum, Value before);
  Value inBits(Location loc, Value number);
  Value exponential(Operation *exp, Value x, Value maximum);
  bool mapMasked(arith::SelectOp mask);
  void cloneSecond();

  scf::ForOp first, second, merged;
  Dependence &dependence;
  OpBuilder builder;
  IRMapping map;
  DenseMap<unsigned, Growth> growths;
};
} // namespace

/// The maximum so far, as what is subtracted from scores: 0 where there was
/// nothing but -infinity.
LoopMerger::Growth &LoopMerger::grow(unsigned maximum) {
  auto [it, isNew] = growths.try_emplace(maximum);
  if (!isNew)
    return it->second;
  Value after = map.lookup(first.getYieldedValues()[maximum]);
  Location loc = after.getLoc();
  Value lowest = makeConstant(builder, loc, after.getType(), -INFINITY);
  Value zero = makeConstant(builder, loc, after.getType(), 0);
  Value isLowest = arith::CmpFOp::create(
      builder, loc, arith::CmpFPredicate::OEQ, after, lowest);
  after = arith::SelectOp::create(builder, loc, isLowest, zero, after);
  return it->second = {merged.getRegionIterArg(maximum), after};
}

/// What the second loop has added up, under the maximum that there is now.
Value LoopMerger::rescale(const RescaledSum &sum, Value before) {
  const Form &form = sum.form;
  if (!form.maximum)
    return before;
  Location loc = sum.combine->getLoc();
  Growth &growth = grow(*form.maximum);
  Type type = growth.after.getType();
  Value drop =
      form.becomesBase2
          ? arith::SubFOp::create(builder, loc, inBits(loc, growth.before),
                                  inBits(loc, growth.after))
          : arith::SubFOp::create(builder, loc, growth.before, growth.after);
  if (form.slope != -1)
    drop = arith::MulFOp::create(builder, loc, drop,
                                 makeConstant(builder, loc, type, -form.slope));
  Value factor = form.isBase2 || form.becomesBase2
                     ? math::Exp2Op::create(builder, loc, drop).getResult()
                     : math::ExpOp::create(builder, loc, drop).getResult();
  // maxnumf has no number until it has seen one.
  Operation *combine = first.getYieldedValues()[*form.maximum].getDefiningOp();
  if (isa<arith::MaxNumFOp>(combine)) {
    Value isNumber = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::ORD, growth.before, growth.before);
    Value zero = makeConstant(builder, loc, type, 0);
    factor = arith::SelectOp::create(builder, loc, isNumber, factor, zero);
  }
  factor = layOut(builder, loc, factor, form.dims, before.getType());
  return arith::MulFOp::create(builder, loc, before, factor);
}

/// The number times log2(e).
Value LoopMerger::inBits(Location loc, Value number) {
  return arith::MulFOp::create(
      builder, loc, number,
      makeConstant(builder, loc, number.getType(), 1.4426950408889634));
}

/// exp(x - maximum), where x is at most the maximum. As a power of 2 it is one
/// FMA and one instruction. The weights of a row are off by the same factor
/// where the maximum times log2(e) is rounded, and otherwise by less than half
/// a unit of 1, which one of them is.
Value LoopMerger::exponential(Operation *exp, Value x, Value maximum) {
  Location loc = exp->getLoc();
  return math::Exp2Op::create(builder, loc,
                              arith::SubFOp::create(builder, loc,
                                                    inBits(loc, x),
                                                    inBits(loc, maximum)));
}

/// The exponential of a masked number is 0 already, so that no mask behind it
/// is needed. False if the mask is another one.
bool LoopMerger::mapMasked(arith::SelectOp mask) {
  SmallVector<Operation *> chain;
  Operation *op = mask.getTrueValue().getDefiningOp();
  for (; op && !dependence.maskedNumbers.contains(op);
       op = op->getOperand(0).getDefiningOp()) {
    // Divisors wait for the end.
    if (isa<arith::TruncFOp, arith::ExtFOp, math::ExpOp, math::Exp2Op>(op))
      chain.push_back(op);
    else if (!isa<arith::DivFOp>(op) ||
             dependence.getForm(op->getOperand(1)).kind != Form::Row)
      return false;
  }
  if (!op || chain.empty())
    return false;
  arith::SelectOp masked = dependence.maskedNumbers.lookup(op);
  if (!dependence.isSameInBoth(masked.getCondition(), mask.getCondition()))
    return false;
  Value x = map.lookup(masked.getResult());
  Value maximum = map.lookupOrDefault(op->getOperand(1));
  bool becomesBase2 =
      dependence.getForm(chain.back()->getResult(0)).becomesBase2;
  Value value = becomesBase2
                    ? exponential(chain.pop_back_val(), x, maximum)
                    : arith::SubFOp::create(builder, op->getLoc(), x, maximum);
  for (Operation *next : llvm::reverse(chain)) {
    IRMapping operand;
    operand.map(next->getOperand(0), value);
    value = builder.clone(*next, operand)->getResult(0);
  }
  map.map(mask.getResult(), value);
  return true;
}

void LoopMerger::cloneSecond() {
  auto clone = [&](Operation *op) {
    if (op->getNumResults() == 1) {
      Value result = op->getResult(0);
      Form::Kind kind = dependence.getForm(result).kind;
      if (kind == Form::Row || kind == Form::Other)
        return;
      // The divisor waits for the end.
      if (auto quotient = dyn_cast<arith::DivFOp>(op);
          quotient && dependence.getForm(quotient.getRhs()).kind == Form::Row) {
        map.map(result, map.lookupOrDefault(quotient.getLhs()));
        return;
      }
    }
    if (auto mask = dyn_cast<arith::SelectOp>(op); mask && mapMasked(mask))
      return;
    if (isa<math::ExpOp>(op) &&
        dependence.getForm(op->getResult(0)).becomesBase2) {
      Operation *difference = op->getOperand(0).getDefiningOp();
      map.map(op->getResult(0),
              exponential(op, map.lookupOrDefault(difference->getOperand(0)),
                          map.lookupOrDefault(difference->getOperand(1))));
      return;
    }
    const auto *sum = llvm::find_if(
        dependence.sums, [&](auto &sum) { return sum.combine == op; });
    if (sum != dependence.sums.end()) {
      Value before = sum->sum->get();
      map.map(before, rescale(*sum, map.lookup(before)));
    }
    builder.clone(*op, map);
  };
  llvm::for_each(dependence.between, clone);
  for (Operation &op : second.getBody()->without_terminator())
    clone(&op);
}

scf::ForOp LoopMerger::run(SmallVectorImpl<Unfinished> &unfinished) {
  for (Operation *op : dependence.independent)
    op->moveBefore(first);
  SmallVector<Value> inits(first.getInits());
  llvm::append_range(inits, second.getInits());
  builder.setInsertionPoint(first);
  merged = scf::ForOp::create(builder, first.getLoc(), first.getLowerBound(),
                              first.getUpperBound(), first.getStep(), inits);
  size_t count = first.getNumResults();
  builder.setInsertionPointToStart(merged.getBody());
  for (scf::ForOp loop : {first, second})
    map.map(loop.getInductionVar(), merged.getInductionVar());
  map.map(first.getRegionIterArgs(),
          merged.getRegionIterArgs().take_front(count));
  map.map(second.getRegionIterArgs(),
          merged.getRegionIterArgs().drop_front(count));
  for (Operation &op : first.getBody()->without_terminator())
    builder.clone(op, map);
  SmallVector<Value> yielded;
  for (Value value : first.getYieldedValues())
    yielded.push_back(map.lookupOrDefault(value));
  for (const RescaledSum &sum : dependence.sums)
    if (sum.form.maximum)
      map.map(first.getResult(*sum.form.maximum),
              grow(*sum.form.maximum).after);
  cloneSecond();
  for (Value value : second.getYieldedValues())
    yielded.push_back(map.lookupOrDefault(value));
  scf::YieldOp::create(builder, second.getLoc(), yielded);
  for (const RescaledSum &sum : dependence.sums)
    unfinished.push_back(
        {unsigned(count) + cast<BlockArgument>(sum.sum->get()).getArgNumber() -
             second.getNumInductionVars(),
         sum.form});
  first.replaceAllUsesWith(merged.getResults().take_front(count));
  second.replaceAllUsesWith(merged.getResults().drop_front(count));
  second.erase();
  first.erase();
  return merged;
}

namespace {
/// What is left to do behind a loop that was merged: divisors, and rows of
/// nothing but -infinity.
class LoopFinisher {
public:
  explicit LoopFinisher(scf::ForOp loop) : loop(loop), builder(loop) {
    builder.setInsertionPointAfter(loop);
  }

  void finish(const Unfinished &sum);

private:
  /// A value for loops that are executed, and another for those that aren't.
  Value choose(Location loc, Value executed, double otherwise);

  scf::ForOp loop;
  OpBuilder builder;
  /// Of the results that are finished, and those of them that are NaN where a
  /// row has nothing but -infinity.
  DenseMap<unsigned, Value> finished;
  llvm::SmallDenseSet<unsigned> haveNan;
};
} // namespace

Value LoopFinisher::choose(Location loc, Value executed, double otherwise) {
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound()),
                         upper = getConstantIntValue(loop.getUpperBound());
  if (lower && upper && *lower < *upper)
    return executed;
  Value isExecuted =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                            loop.getLowerBound(), loop.getUpperBound());
  if (auto tensor = dyn_cast<RankedTensorType>(executed.getType()))
    isExecuted = tensor::SplatOp::create(
        builder, loc, isExecuted,
        RankedTensorType::get(tensor.getShape(), builder.getI1Type()));
  return arith::SelectOp::create(
      builder, loc, isExecuted, executed,
      makeConstant(builder, loc, executed.getType(), otherwise));
}

void LoopFinisher::finish(const Unfinished &sum) {
  const Form &form = sum.form;
  Value result = loop.getResult(sum.result), value = result;
  Location loc = loop.getLoc();
  auto layOutLike = [&](Value rows) {
    return layOut(builder, loc, rows, form.dims, value.getType());
  };
  Value divisor = form.divisor ? finished.lookup(*form.divisor) : Value();
  bool divisorHasNan = form.divisor && haveNan.contains(*form.divisor);
  if (form.maximum)
    haveNan.insert(sum.result);
  if (form.maximum && !divisorHasNan) {
    Value maximum = loop.getResult(*form.maximum);
    Value zeroOrNan = arith::SubFOp::create(builder, loc, maximum, maximum);
    value = arith::AddFOp::create(builder, loc, value,
                                  layOutLike(choose(loc, zeroOrNan, 0)));
  }
  if (form.divisor) {
    if (!divisor)
      divisor = loop.getResult(*form.divisor);
    value = arith::DivFOp::create(builder, loc, value,
                                  layOutLike(choose(loc, divisor, 1)));
  }
  finished[sum.result] = value;
  // The chain from the result to the value is right behind the loop.
  result.replaceUsesWithIf(value, [&](OpOperand &use) {
    Operation *user = loop->getBlock()->findAncestorOpInBlock(*use.getOwner());
    return value.getDefiningOp()->isBeforeInBlock(user);
  });
}

/// A maximum that only sums depend on may begin with -infinity instead of no
/// number: rows of NaN are NaN either way. Then it always is a number.
static void beginWithLowest(scf::ForOp loop) {
  for (OpResult result : loop.getResults()) {
    BlockArgument before = loop.getTiedLoopRegionIterArg(result);
    OpOperand *init = loop.getTiedLoopInit(result);
    std::optional<double> number = matchNumber(init->get());
    SmallVector<arith::CmpFOp> guards;
    for (Operation *user : before.getUsers())
      if (auto guard = dyn_cast<arith::CmpFOp>(user);
          guard && guard.getPredicate() == arith::CmpFPredicate::ORD)
        guards.push_back(guard);
    bool isOnlyForSums = llvm::all_of(result.getUsers(), [](Operation *user) {
      return isa<arith::SubFOp>(user) &&
             user->getOperand(0) == user->getOperand(1);
    });
    if (guards.empty() || !number || !std::isnan(*number) || !isOnlyForSums)
      continue;
    OpBuilder builder(loop);
    init->set(
        makeConstant(builder, loop.getLoc(), before.getType(), -INFINITY));
    for (arith::CmpFOp guard : guards)
      for (Operation *user : llvm::to_vector(guard->getUsers()))
        if (auto choice = dyn_cast<arith::SelectOp>(user))
          choice.replaceAllUsesWith(choice.getTrueValue());
  }
}

/// Loops that are equal and only load are one; CSE leaves them.
static void mergeEqualLoops(Block &block) {
  SmallVector<scf::ForOp> different;
  for (scf::ForOp loop : llvm::to_vector(block.getOps<scf::ForOp>())) {
    if (!isMovable(*loop))
      continue;
    auto *equal = llvm::find_if(different, [&](scf::ForOp other) {
      return OperationEquivalence::isEquivalentTo(
          other, loop, OperationEquivalence::IgnoreLocations);
    });
    if (equal == different.end()) {
      different.push_back(loop);
      continue;
    }
    loop.replaceAllUsesWith(equal->getResults());
    loop.erase();
  }
}

static unsigned mergeLoops(Block &block) {
  unsigned count = 0;
  SmallVector<scf::ForOp> loops(block.getOps<scf::ForOp>());
  for (size_t i = 0; i < loops.size(); ++i) {
    SmallVector<Unfinished> unfinished;
    for (size_t j = i + 1; j < loops.size();) {
      Dependence dependence(loops[i], loops[j]);
      if (!dependence.isCovered()) {
        ++j;
        continue;
      }
      loops[i] = LoopMerger(loops[i], loops[j], dependence).run(unfinished);
      loops.erase(loops.begin() + j);
      ++count;
    }
    if (unfinished.empty())
      continue;
    LoopFinisher finisher(loops[i]);
    for (const Unfinished &sum : unfinished)
      finisher.finish(sum);
    beginWithLowest(loops[i]);
  }
  for (scf::ForOp loop : loops)
    count += mergeLoops(*loop.getBody());
  return count;
}

unsigned linalg_to_tile::rescaleReductions(tile::KernelOp kernel) {
  unsigned count = 0;
  kernel.walk([&](tile::ForEachOp items) {
    count += mergeLoops(items.getBody().front());
  });
  if (count == 0)
    return 0;
  IRRewriter rewriter(kernel.getContext());
  DominanceInfo dominance(kernel);
  eliminateCommonSubExpressions(rewriter, dominance, kernel);
  kernel.walk([](Block *block) { mergeEqualLoops(*block); });
  eliminateCommonSubExpressions(rewriter, dominance, kernel);
  (void)runRegionDCE(rewriter, kernel->getRegions());
  return count;
}
