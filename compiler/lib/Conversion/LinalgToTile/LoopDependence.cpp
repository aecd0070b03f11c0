//===- LoopDependence.cpp - Loops that depend on a maximum ----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopDependence.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OperationSupport.h"
#include <cmath>

using namespace mlir;
using namespace drawloom;
using namespace drawloom::linalg_to_tile;

std::optional<double> linalg_to_tile::matchNumber(Value value) {
  FloatAttr number;
  DenseFPElementsAttr elements;
  if (matchPattern(value, m_Constant(&number)))
    return number.getValueAsDouble();
  if (matchPattern(value, m_Constant(&elements)) && elements.isSplat())
    return elements.getSplatValue<FloatAttr>().getValueAsDouble();
  return std::nullopt;
}

static int64_t getRank(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getRank() : 0;
}

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

bool linalg_to_tile::isMovable(Operation &op) {
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
