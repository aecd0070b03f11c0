//===- BranchOnMasks.cpp - Masks that only edge tiles need ----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A mask compares positions with sizes: it is set for all elements of most
// tiles, and computing it for each element may take as long as the rest. The
// positions of a tile lie between two sums of scalars, so two comparisons of
// scalars say whether all elements are set.

#include "drawloom/Analysis/RoleTiles/Fragments.h"
#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/Dialect/Agent/Transforms/Passes.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace drawloom::agent {
#define GEN_PASS_DEF_BRANCHONMASKS
#include "drawloom/Dialect/Agent/Transforms/Passes.h.inc"
} // namespace drawloom::agent

using namespace mlir;
using namespace drawloom;

/// Masks of fewer elements in a thread cost no more than a branch.
static constexpr int64_t leastRegisters = 64;
/// Masks that are made of more operations are left as they are.
static constexpr unsigned mostSteps = 64;

namespace {
/// Where the integers of a tile lie: from `low` to `high`, plus scalars, minus
/// others.
struct Interval {
  SmallVector<Value> plus, minus;
  int64_t low = 0, high = 0;
};

/// Writes the condition under which a mask is set everywhere.
class MaskTest {
public:
  explicit MaskTest(ImplicitLocOpBuilder &builder) : b(builder) {}

  /// Null if there is none.
  Value isAllSet(Value mask);

private:
  std::optional<Interval> getInterval(Value value);
  Value compare(arith::CmpIOp op);
  /// The scalars of an interval plus a constant, in 64 bits.
  Value sum(const Interval &interval, int64_t number);
  Value constant(int64_t number) {
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(number));
  }

  ImplicitLocOpBuilder &b;
  /// What is used twice is looked at twice.
  unsigned steps = 0;
};
} // namespace

/// Operations that only move or repeat elements.
static bool movesElements(Operation *op) {
  return isa_and_nonnull<tile::ExpandDimsOp, tile::BroadcastOp,
                         tile::TransposeOp, tile::ConvertLayoutOp>(op);
}

std::optional<Interval> MaskTest::getInterval(Value value) {
  if (++steps > mostSteps)
    return std::nullopt;
  Interval interval;
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number))) {
    interval.low = interval.high = number.getSExtValue();
    return interval;
  }
  if (!isa<RankedTensorType>(value.getType())) {
    interval.plus.push_back(value);
    return interval;
  }
  Operation *op = value.getDefiningOp();
  if (auto iota = dyn_cast_or_null<tile::IotaOp>(op)) {
    interval.high = iota.getType().getNumElements() - 1;
    return interval;
  }
  // An index has 32 bits. More than these are cut off.
  bool isCast = isa_and_nonnull<arith::IndexCastOp>(op) &&
                !getElementTypeOrSelf(op->getOperand(0)).isInteger(64);
  if (movesElements(op) || isa_and_nonnull<tensor::SplatOp>(op) || isCast)
    return getInterval(op->getOperand(0));
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op))
    return std::nullopt;
  std::optional<Interval> x = getInterval(op->getOperand(0));
  std::optional<Interval> y = getInterval(op->getOperand(1));
  if (!x || !y)
    return std::nullopt;
  bool isSum = isa<arith::AddIOp>(op);
  x->plus.append(isSum ? y->plus : y->minus);
  x->minus.append(isSum ? y->minus : y->plus);
  if (isSum ? llvm::AddOverflow(x->low, y->low, x->low) ||
                  llvm::AddOverflow(x->high, y->high, x->high)
            : llvm::SubOverflow(x->low, y->high, x->low) ||
                  llvm::SubOverflow(x->high, y->low, x->high))
    return std::nullopt;
  return x;
}

Value MaskTest::sum(const Interval &interval, int64_t number) {
  Value result = constant(number);
  auto widen = [&](Value scalar) -> Value {
    if (scalar.getType().isIndex())
      return arith::IndexCastOp::create(b, b.getI64Type(), scalar);
    return arith::ExtSIOp::create(b, b.getI64Type(), scalar);
  };
  for (Value scalar : interval.plus)
    result = arith::AddIOp::create(b, result, widen(scalar));
  for (Value scalar : interval.minus)
    result = arith::SubIOp::create(b, result, widen(scalar));
  return result;
}

Value MaskTest::compare(arith::CmpIOp op) {
  Value left = op.getLhs(), right = op.getRhs();
  bool isStrict = true;
  switch (op.getPredicate()) {
  case arith::CmpIPredicate::slt:
    break;
  case arith::CmpIPredicate::sle:
    isStrict = false;
    break;
  case arith::CmpIPredicate::sgt:
    std::swap(left, right);
    break;
  case arith::CmpIPredicate::sge:
    std::swap(left, right);
    isStrict = false;
    break;
  default:
    return Value();
  }
  if (!getElementTypeOrSelf(left.getType()).isInteger(32))
    return Value();
  std::optional<Interval> x = getInterval(left), y = getInterval(right);
  if (!x || !y)
    return Value();
  // Sums of 32 bits that wrap around are not what the intervals say.
  Value largest = sum(*x, x->high), least = sum(*y, y->low);
  Value result = arith::CmpIOp::create(
      b, isStrict ? arith::CmpIPredicate::slt : arith::CmpIPredicate::sle,
      largest, least);
  auto demand = [&](Value condition) {
    result = arith::AndIOp::create(b, result, condition);
  };
  for (const Interval &interval : {*x, *y}) {
    // One scalar has 32 bits already.
    bool isOne = interval.plus.size() <= 1 && interval.minus.empty();
    if (!isOne || interval.high > 0)
      demand(arith::CmpIOp::create(b, arith::CmpIPredicate::sle,
                                   sum(interval, interval.high),
                                   constant(INT32_MAX)));
    if (!isOne || interval.low < 0)
      demand(arith::CmpIOp::create(b, arith::CmpIPredicate::sge,
                                   sum(interval, interval.low),
                                   constant(INT32_MIN)));
  }
  return result;
}

Value MaskTest::isAllSet(Value mask) {
  Operation *op = mask.getDefiningOp();
  if (!op || ++steps > mostSteps)
    return Value();
  if (!isa<RankedTensorType>(mask.getType()))
    return mask;
  if (movesElements(op) || isa<tensor::SplatOp>(op))
    return isAllSet(op->getOperand(0));
  if (auto comparison = dyn_cast<arith::CmpIOp>(op))
    return compare(comparison);
  if (!isa<arith::AndIOp, arith::OrIOp>(op))
    return Value();
  Value x = isAllSet(op->getOperand(0));
  Value y = x ? isAllSet(op->getOperand(1)) : Value();
  if (!y)
    return Value();
  if (isa<arith::AndIOp>(op))
    return arith::AndIOp::create(b, x, y);
  return arith::OrIOp::create(b, x, y);
}

/// Copies what computes a mask of scalars to where it is needed.
static Value cloneMask(Value value, OpBuilder &builder, IRMapping &map) {
  Operation *op = value.getDefiningOp();
  if (!op || !isa<RankedTensorType>(value.getType()))
    return value;
  if (Value known = map.lookupOrNull(value))
    return known;
  for (Value operand : op->getOperands())
    cloneMask(operand, builder, map);
  return builder.clone(*op, map)->getResult(0);
}

static void branchOn(arith::SelectOp select) {
  ImplicitLocOpBuilder b(select.getLoc(), select);
  Value isAllSet = MaskTest(b).isAllSet(select.getCondition());
  if (!isAllSet)
    return;
  auto choice = scf::IfOp::create(
      b, isAllSet,
      [&](OpBuilder &builder, Location loc) {
        scf::YieldOp::create(builder, loc, select.getTrueValue());
      },
      [&](OpBuilder &builder, Location loc) {
        IRMapping map;
        map.map(select.getCondition(),
                cloneMask(select.getCondition(), builder, map));
        Operation *masked = builder.clone(*select, map);
        scf::YieldOp::create(builder, loc, masked->getResults());
      });
  select.replaceAllUsesWith(choice.getResult(0));
  // What computed the mask is used no more, unless by others.
  SetVector<Operation *> unused;
  unused.insert(select);
  while (!unused.empty()) {
    Operation *op = unused.pop_back_val();
    if (!isOpTriviallyDead(op))
      continue;
    for (Value operand : op->getOperands())
      if (Operation *definition = operand.getDefiningOp())
        unused.insert(definition);
    op->erase();
  }
}

/// The elements that a thread has.
static int64_t countRegisters(RankedTensorType type) {
  auto layout = dyn_cast_or_null<tile::LayoutAttr>(type.getEncoding());
  return layout ? layout.getLayout().getInputSize(plan::inRegister)
                : type.getNumElements();
}

namespace {
class BranchOnMasks : public agent::impl::BranchOnMasksBase<BranchOnMasks> {
  using BranchOnMasksBase::BranchOnMasksBase;

  void runOnOperation() override {
    SmallVector<arith::SelectOp> selects;
    getOperation().walk([&](arith::SelectOp select) {
      auto type = dyn_cast<RankedTensorType>(select.getType());
      if (type && countRegisters(type) >= leastRegisters &&
          isa<RankedTensorType>(select.getCondition().getType()))
        selects.push_back(select);
    });
    llvm::for_each(selects, branchOn);
  }
};
} // namespace
