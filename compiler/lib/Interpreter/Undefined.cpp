//===- Undefined.cpp - Elements that have no meaning ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A quotient by zero has no meaning, nor has a float that the integer type
// can't hold. At the edge of a tensor a tile computes such elements all the
// time: what lies outside was loaded as zeros, and the store drops what became
// of it. So an element without a meaning is no error by itself. It makes those
// without a meaning that are computed from it, and the run ends with an error
// when something depends on it: an element that a store writes, an index, a
// condition. The error stands at the operation that the element comes from.
//
// arith.select is where one can end: the element that isn't chosen has no
// effect.
//
//===----------------------------------------------------------------------===//

#include "Mma.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Diagnostics.h"

using namespace drawloom::interp;
using namespace drawloom;
using llvm::LogicalResult;
using mlir::Operation;

void Evaluator::markUndefined(Operation *op,
                              llvm::function_ref<std::string(int64_t)> why) {
  llvm::ArrayRef<int64_t> shape = get(op->getResult(0))->getShape();
  std::optional<HostTensor> marks;
  int64_t count = get(op->getResult(0))->getNumElements();
  for (int64_t i = 0; i < count; ++i) {
    std::string words = why(i);
    if (words.empty())
      continue;
    if (!marks)
      marks.emplace(Format::I32, shape);
    int64_t &number = reasonNumbers[{op, words}];
    if (number == 0) {
      reasons.emplace_back(op, std::move(words));
      number = static_cast<int64_t>(reasons.size());
    }
    marks->setInt(i, number);
  }
  if (marks)
    setUndefined(op->getResult(0), std::move(*marks));
}

LogicalResult Evaluator::reportUndefined(int64_t reason,
                                         llvm::ArrayRef<int64_t> shape,
                                         int64_t element) const {
  auto &[op, words] = reasons[reason - 1];
  return op->emitError() << words << formatPosition(shape, element)
                         << " [undefined-value]";
}

LogicalResult Evaluator::checkDefined(mlir::Value value) const {
  TensorRef undefined = getUndefined(value);
  for (int64_t i = 0; undefined && i < undefined->getNumElements(); ++i)
    if (int64_t reason = undefined->getInt(i))
      return reportUndefined(reason, undefined->getShape(), i);
  return llvm::success();
}

static bool isElementwise(Operation *op) {
  llvm::StringRef dialect = op->getName().getDialectNamespace();
  return dialect == "arith" || dialect == "math";
}

/// Whether the operation moves elements between registers and slots.
static bool isMovedInRole(Operation *op) {
  static constexpr llvm::StringLiteral movers[] = {
      "tile.write", "agent.as_in_flight", "agent.await", "agent.send",
      "agent.or_zero"};
  return llvm::is_contained(movers, op->getName().getStringRef());
}

LogicalResult Evaluator::checkUses(Operation *op) const {
  static constexpr llvm::StringLiteral products[] = {
      "tile.mma", "agent.multiply", "agent.issue", "agent.add_mma"};
  if (isElementwise(op) || mlir::isa<tile::AxisOpInterface>(op) ||
      llvm::is_contained(products, op->getName().getStringRef()))
    return llvm::success();
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    // What is moved is not looked at, nor what a loop carries.
    bool isData = isMover(op) || isMovedInRole(op)
                      ? i == 0 || op->getName().getStringRef() == "agent.await"
                      : op->getNumRegions() != 0 &&
                            mlir::isa<mlir::ShapedType>(operand.getType());
    if (!isData && failed(checkDefined(operand)))
      return llvm::failure();
  }
  return llvm::success();
}

/// The first reason among those of a row of elements.
static int64_t findReason(const TensorRef &marks, int64_t first,
                          int64_t count = 1, int64_t stride = 1) {
  for (int64_t i = 0; marks && i < count; ++i)
    if (int64_t reason = marks->getInt(first + i * stride))
      return reason;
  return 0;
}

/// For each element of the result the reason why it has no meaning, or 0.
static std::vector<int64_t> throughElements(Operation *op, int64_t count,
                                            const Evaluator &eval) {
  std::vector<int64_t> reasons(count, 0);
  for (mlir::Value operand : op->getOperands()) {
    TensorRef marks = eval.getUndefined(operand);
    for (int64_t i = 0; i < count; ++i)
      if (reasons[i] == 0)
        reasons[i] = findReason(marks, i);
  }
  return reasons;
}

static std::vector<int64_t> throughSelect(Operation *op, int64_t count,
                                          const Evaluator &eval) {
  TensorRef condition = eval.get(op->getOperand(0));
  TensorRef ofCondition = eval.getUndefined(op->getOperand(0));
  TensorRef ofTrue = eval.getUndefined(op->getOperand(1));
  TensorRef ofFalse = eval.getUndefined(op->getOperand(2));
  std::vector<int64_t> reasons(count, 0);
  for (int64_t i = 0; i < count; ++i) {
    int64_t at = condition->getRank() == 0 ? 0 : i;
    reasons[i] = findReason(ofCondition, at);
    if (reasons[i] == 0)
      reasons[i] = findReason(condition->getUInt(at) ? ofTrue : ofFalse, i);
  }
  return reasons;
}

static std::vector<int64_t> throughAxis(tile::AxisOpInterface op, int64_t count,
                                        const Evaluator &eval) {
  TensorRef marks = eval.getUndefined(op.getSource());
  std::vector<int64_t> reasons(count, 0);
  for (int64_t i = 0; i < count; ++i) {
    tile::ElementRange combined = op.getCombined(i);
    reasons[i] =
        findReason(marks, combined.first, combined.count, combined.stride);
  }
  return reasons;
}

TensorRef drawloom::interp::spreadProduct(const MmaOperands &operands) {
  int64_t m = operands.a.tensor->getShape()[0];
  int64_t n = operands.b.tensor->getShape()[0];
  const RuntimeValue *all[] = {&operands.a, &operands.aScale, &operands.b,
                               &operands.bScale, &operands.acc};
  if (llvm::none_of(all, [](const RuntimeValue *one) {
        return one->undefined != nullptr;
      }))
    return nullptr;
  HostTensor reasons(Format::I32, {m, n});
  for (int64_t i = 0; i < m * n; ++i)
    reasons.setInt(i, findReason(operands.acc.undefined, i));
  auto spread = [&](const TensorRef &marks, bool isA) {
    int64_t columns = marks ? marks->getShape()[1] : 0;
    for (int64_t row = 0; marks && row < (isA ? m : n); ++row)
      if (int64_t reason = findReason(marks, row * columns, columns))
        for (int64_t i = 0; i < (isA ? n : m); ++i)
          reasons.setInt(isA ? row * n + i : i * n + row, reason);
  };
  spread(operands.a.undefined, /*isA=*/true);
  spread(operands.aScale.undefined, /*isA=*/true);
  spread(operands.b.undefined, /*isA=*/false);
  spread(operands.bScale.undefined, /*isA=*/false);
  return std::make_shared<const HostTensor>(std::move(reasons));
}

void Evaluator::spreadUndefined(Operation *op) {
  auto along = mlir::dyn_cast<tile::AxisOpInterface>(op);
  // Products have spread theirs.
  if (!isElementwise(op) && !along)
    return;
  int64_t count = get(op->getResult(0))->getNumElements();
  std::vector<int64_t> reasons = along ? throughAxis(along, count, *this)
                                 : mlir::isa<mlir::arith::SelectOp>(op)
                                     ? throughSelect(op, count, *this)
                                     : throughElements(op, count, *this);
  for (mlir::Value result : op->getResults()) {
    // The operation may have marked some itself.
    TensorRef own = getUndefined(result);
    HostTensor marks(Format::I32, get(result)->getShape());
    bool any = false;
    for (int64_t i = 0; i < count; ++i) {
      int64_t reason = reasons[i] ? reasons[i] : findReason(own, i);
      marks.setInt(i, reason);
      any |= reason != 0;
    }
    find(result).undefined = nullptr;
    if (any)
      setUndefined(result, std::move(marks));
  }
}
