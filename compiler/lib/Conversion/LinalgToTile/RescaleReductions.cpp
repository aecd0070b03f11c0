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

#include "TileEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/RegionUtils.h"
#include <cmath>

using namespace mlir;
using namespace drawloom;
using namespace drawloom::linalg_to_tile;

namespace {
/// How a tile depends on the rows that the first loop computes, which are one
/// element for each place along `dims` of the tile.
struct Form {
  enum Kind {
    Same,  // it doesn't
    Row,   // it is such rows
    Shift, // x + slope * maximum
    Scale, // x * exp(slope * maximum) / divisor, each of the two if it is there
    Other, // in another way
  };
  Kind kind = Same;
  SmallVector<int64_t> dims = {};
  /// Numbers of results of the first loop.
  std::optional<unsigned> maximum = {}, divisor = {};
  double slope = 0;
  bool isBase2 = false;
  /// Of a Shift: x is what the maximum is of. Of a Scale: at most 1 then.
  bool isBounded = false;
  /// Of a Scale: by powers of 2, though the function has others (LoopMerger).
  bool becomesBase2 = false;
};

/// A sum that the second loop carries and that depends on the rows.
struct RescaledSum {
  Operation *combine;
  OpOperand *sum;
  Form form;
};

/// The same as a result of the loop that is both: what it still lacks.
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

/// The number that every element is.
static std::optional<double> matchNumber(Value value) {
  FloatAttr number;
  DenseFPElementsAttr elements;
  if (matchPattern(value, m_Constant(&number)))
    return number.getValueAsDouble();
  if (matchPattern(value, m_Constant(&elements)) && elements.isSplat())
    return elements.getSplatValue<FloatAttr>().getValueAsDouble();
  return std::nullopt;
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

static int64_t getRank(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getRank() : 0;
}

//===----------------------------------------------------------------------===//
// The rules
//===----------------------------------------------------------------------===//

namespace {
/// Decides whether the second loop can go into the first, which comes before
/// it in the same block.
class Dependence {
public:
  Dependence(scf::ForOp first, scf::ForOp second)
      : first(first), second(second) {}

  bool isCovered();

  /// Between the loops: what doesn't depend on the first, and what does.
  SmallVector<Operation *> independent, between;
  SmallVector<RescaledSum> sums;
  /// Differences to a maximum that is one of the same numbers, masked: those.
  DenseMap<Operation *, arith::SelectOp> maskedNumbers;

  const Form &getForm(Value value) const {
    static const Form same;
    auto it = forms.find(value);
    return it == forms.end() ? same : it->second;
  }

  /// Whether a value of the first loop is one of the second, at the same place
  /// of the loop.
  bool isSameInBoth(Value a, Value b);

private:
  bool hasMaximum(unsigned result);
  bool isBounded(Operation &difference, unsigned maximum);
  bool depends(Operation &op) const;
  bool visitSum(Operation &op);
  std::optional<Form> derive(Operation &op);
  std::optional<Form> deriveReshape(Operation &op) const;
  std::optional<Form> deriveBinary(Operation &op);
  std::optional<Form> deriveSelect(arith::SelectOp op) const;
  std::optional<Form> deriveMma(tile::MmaOp op) const;

  scf::ForOp first, second;
  DenseMap<Value, Form> forms;
  DenseMap<std::pair<Value, Value>, bool> same;
};
} // namespace

static bool isMaximum(Operation *op) {
  return isa_and_nonnull<arith::MaximumFOp, arith::MaxNumFOp>(op);
}

bool Dependence::hasMaximum(unsigned result) {
  Operation *op = first.getYieldedValues()[result].getDefiningOp();
  return isMaximum(op) &&
         llvm::is_contained(op->getOperands(), first.getRegionIterArg(result));
}

bool Dependence::isSameInBoth(Value a, Value b) {
  if (a == b)
    return true;
  if (auto known = same.find({a, b}); known != same.end())
    return known->second;
  Operation *opA = a.getDefiningOp(), *opB = b.getDefiningOp();
  bool result = a == first.getInductionVar() && b == second.getInductionVar();
  if (opA && opB &&
      cast<OpResult>(a).getResultNumber() ==
          cast<OpResult>(b).getResultNumber())
    result = OperationEquivalence::isEquivalentTo(
        opA, opB, [&](Value x, Value y) { return success(isSameInBoth(x, y)); },
        [&](Value x, Value y) { same[{x, y}] = true; },
        OperationEquivalence::IgnoreLocations);
  return same[{a, b}] = result;
}

/// Whether the maximum is one of what it is subtracted from, so that the
/// difference is at most 0.
bool Dependence::isBounded(Operation &difference, unsigned maximum) {
  Operation *combine = first.getYieldedValues()[maximum].getDefiningOp();
  Value part = combine->getOperand(combine->getOperand(0) ==
                                   first.getRegionIterArg(maximum));
  if (auto reduce = part.getDefiningOp<tile::ReduceOp>())
    part = reduce.getSource();
  if (isSameInBoth(part, difference.getOperand(0)))
    return true;
  auto masked = part.getDefiningOp<arith::SelectOp>();
  if (!masked || matchNumber(masked.getFalseValue()) != -INFINITY ||
      !isSameInBoth(masked.getTrueValue(), difference.getOperand(0)))
    return false;
  maskedNumbers[&difference] = masked;
  return true;
}

/// Where the rows lie in the result of an operation that moves dimensions.
std::optional<Form> Dependence::deriveReshape(Operation &op) const {
  Form form = getForm(op.getOperand(0));
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op))
    for (int64_t &dim : form.dims)
      dim += dim >= int64_t(expand.getAxis());
  if (auto transpose = dyn_cast<tile::TransposeOp>(op))
    for (int64_t &dim : form.dims)
      dim = llvm::find(transpose.getPermutation(), dim) -
            transpose.getPermutation().begin();
  if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    int64_t axis = reduce.getAxis();
    if (form.kind != Form::Scale || reduce.getKind() != tile::Reduction::AddF ||
        llvm::is_contained(form.dims, axis))
      return std::nullopt;
    for (int64_t &dim : form.dims)
      dim -= dim > axis;
    form.isBounded = false;
  }
  return form;
}

std::optional<Form> Dependence::deriveBinary(Operation &op) {
  Form left = getForm(op.getOperand(0)), right = getForm(op.getOperand(1));
  std::optional<double> number = matchNumber(op.getOperand(1));
  if (isa<arith::MulFOp>(op) && left.kind == Form::Same) {
    std::swap(left, right);
    number = matchNumber(op.getOperand(0));
  }
  bool isProduct = isa<arith::MulFOp>(op);
  if (isa<arith::AddFOp, arith::SubFOp>(op)) {
    bool isSub = isa<arith::SubFOp>(op);
    // The maximum is one of the terms, and is in none of the others.
    if (left.kind == Form::Same && right.kind == Form::Shift) {
      right.slope *= isSub ? -1 : 1;
      right.isBounded =
          isSub && right.slope == -1 && isBounded(op, *right.maximum);
      return right;
    }
    left.isBounded = false;
    if (left.kind == Form::Shift && right.kind == Form::Same)
      return left;
    return std::nullopt;
  }
  if (right.kind == Form::Row && !isProduct) {
    if (left.kind == Form::Same)
      left = {Form::Scale, right.dims};
    if (left.kind != Form::Scale || left.divisor || left.dims != right.dims)
      return std::nullopt;
    left.divisor = right.divisor;
    return left;
  }
  // A reciprocal.
  if (isProduct && left.kind == Form::Scale && right.kind == Form::Scale &&
      left.dims == right.dims && left.maximum && !left.divisor &&
      !right.maximum) {
    left.divisor = right.divisor;
    left.isBounded = false;
    return left;
  }
  if (right.kind != Form::Same)
    return std::nullopt;
  if (left.kind == Form::Shift && number && *number > 0 && *number < INFINITY) {
    left.slope = isProduct ? left.slope * *number : left.slope / *number;
    return left;
  }
  left.isBounded = false;
  return left.kind == Form::Scale ? std::optional(left) : std::nullopt;
}

/// A mask: zero, or what has an exponential of zero, where it is not set.
std::optional<Form> Dependence::deriveSelect(arith::SelectOp op) const {
  Form form = getForm(op.getTrueValue());
  double none = form.kind == Form::Shift ? -INFINITY : 0;
  if (getForm(op.getCondition()).kind != Form::Same ||
      (form.kind != Form::Shift && form.kind != Form::Scale) ||
      matchNumber(op.getFalseValue()) != none)
    return std::nullopt;
  return form;
}

/// Rows of the result are rows of a, its columns are rows of b.
std::optional<Form> Dependence::deriveMma(tile::MmaOp op) const {
  Form a = getForm(op.getA()), b = getForm(op.getB());
  if (b.kind == Form::Scale)
    for (int64_t &dim : b.dims)
      dim = dim == 0 ? 1 : -1;
  bool hasA = a.kind == Form::Scale && b.kind == Form::Same;
  bool hasB = b.kind == Form::Scale && a.kind == Form::Same;
  Form form = hasA ? a : b;
  form.isBounded = false;
  // Rows along what is added up can't be taken out of the sum.
  bool isAlongSum =
      hasA ? llvm::is_contained(a.dims, 1) : llvm::is_contained(b.dims, -1);
  if ((!hasA && !hasB) || isAlongSum || op->getNumOperands() != 3)
    return std::nullopt;
  return form;
}

std::optional<Form> Dependence::derive(Operation &op) {
  Form form = getForm(op.getOperand(0));
  if (isa<tile::ExpandDimsOp, tile::BroadcastOp, tile::TransposeOp,
          tile::ReduceOp, tensor::SplatOp>(op))
    return deriveReshape(op);
  if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp>(op))
    return deriveBinary(op);
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return deriveSelect(select);
  // The larger of -infinity and the maximum is that.
  if (isa<arith::MaximumFOp>(op) && form.kind == Form::Same &&
      matchNumber(op.getOperand(0)) == -INFINITY)
    form = getForm(op.getOperand(1));
  if (isa<arith::MaximumFOp>(op) && form.kind == Form::Shift &&
      (matchNumber(op.getOperand(0)) == -INFINITY ||
       matchNumber(op.getOperand(1)) == -INFINITY))
    return form;
  if (auto mma = dyn_cast<tile::MmaOp>(op)) {
    if (matchNumber(mma.getAcc()) != 0.0)
      return std::nullopt;
    return deriveMma(mma);
  }
  if (isa<math::ExpOp, math::Exp2Op>(op) && form.kind == Form::Shift &&
      form.slope < 0) {
    form.kind = Form::Scale;
    form.isBase2 = isa<math::Exp2Op>(op);
    form.becomesBase2 =
        isa<math::ExpOp>(op) && form.isBounded &&
        isa_and_nonnull<arith::SubFOp>(op.getOperand(0).getDefiningOp());
    return form;
  }
  // What isn't divided yet may be too large for fewer bits of the exponent.
  if (isa<arith::TruncFOp, arith::ExtFOp>(op) && form.kind == Form::Scale &&
      (form.isBounded || isa<BFloat16Type, Float32Type, Float64Type>(
                             getElementTypeOrSelf(op.getResult(0).getType()))))
    return form;
  return std::nullopt;
}

/// The operation adds to a sum that the second loop carries, and does nothing
/// else with it.
bool Dependence::visitSum(Operation &op) {
  if (!isa<arith::AddFOp, tile::MmaOp>(op) || op.getBlock() != second.getBody())
    return false;
  OpOperand *sum = llvm::find_if(op.getOpOperands(), [&](OpOperand &operand) {
    auto argument = dyn_cast<BlockArgument>(operand.get());
    return argument && argument.getOwner() == second.getBody() &&
           argument != second.getInductionVar();
  });
  if (sum == op.getOpOperands().end() || !sum->get().hasOneUse())
    return false;
  OpOperand *init = second.getTiedLoopInit(cast<BlockArgument>(sum->get()));
  OpOperand *yielded =
      second.getTiedLoopYieldedValue(cast<BlockArgument>(sum->get()));
  if (yielded->get() != op.getResult(0) || !op.getResult(0).hasOneUse() ||
      matchNumber(init->get()) != 0.0)
    return false;
  std::optional<Form> form;
  if (auto mma = dyn_cast<tile::MmaOp>(op)) {
    if (mma.getAcc() == sum->get())
      form = deriveMma(mma);
  } else {
    form = getForm(op.getOperand(1 - sum->getOperandNumber()));
  }
  if (!form || form->kind != Form::Scale)
    return false;
  sums.push_back({&op, sum, *form});
  return true;
}

bool Dependence::depends(Operation &op) const {
  bool result = false;
  op.walk([&](Operation *inner) {
    result |= llvm::any_of(inner->getOperands(), [&](Value operand) {
      return getForm(operand).kind != Form::Same;
    });
  });
  return result;
}

/// Whether the operation may be executed earlier, or in another order.
static bool isMovable(Operation &op) {
  bool movable = true;
  op.walk([&](Operation *inner) {
    movable &= isPure(inner) || isa<tile::LoadOp, scf::ForOp>(inner) ||
               inner->hasTrait<OpTrait::IsTerminator>();
  });
  return movable;
}

bool Dependence::isCovered() {
  auto getBounds = [](scf::ForOp loop) {
    return std::tuple(loop.getLowerBound(), loop.getUpperBound(),
                      loop.getStep());
  };
  if (getBounds(first) != getBounds(second) || !isMovable(*first) ||
      !isMovable(*second))
    return false;
  for (OpResult result : first.getResults()) {
    SmallVector<int64_t> dims(getRank(result.getType()));
    std::iota(dims.begin(), dims.end(), 0);
    unsigned number = result.getResultNumber();
    if (!isa<FloatType>(getElementTypeOrSelf(result.getType())))
      forms[result] = {Form::Other};
    else if (hasMaximum(number))
      forms[result] = {Form::Shift, dims, number, {}, 1};
    else
      forms[result] = {Form::Row, dims, {}, number};
  }
  for (Operation *op = first->getNextNode(); op != second;
       op = op->getNextNode()) {
    if (!isMovable(*op))
      return false;
    if (!depends(*op)) {
      independent.push_back(op);
      continue;
    }
    between.push_back(op);
    std::optional<Form> form = derive(*op);
    for (Value result : op->getResults())
      forms[result] = form.value_or(Form{Form::Other});
  }
  for (Operation &op : second.getBody()->without_terminator()) {
    if (!depends(op) || visitSum(op))
      continue;
    std::optional<Form> form = derive(op);
    if (!form)
      return false;
    forms[op.getResult(0)] = *form;
  }
  // Rows come out of the loop through sums only.
  return !sums.empty() &&
         llvm::all_of(second.getYieldedValues(), [&](Value yielded) {
           return getForm(yielded).kind == Form::Same;
         });
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
