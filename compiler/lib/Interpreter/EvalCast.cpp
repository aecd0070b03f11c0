//===- EvalCast.cpp - Constants, casts and select of arith ----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every cast rounds once, from the exact value. Where arith leaves the result
// undefined (a float that the integer type cannot hold) the element has no
// meaning; Undefined.cpp says what follows.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"
#include "Numbers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/FormatVariadic.h"

using namespace drawloom::interp;
using llvm::LogicalResult;
using llvm::RoundingMode;
using mlir::Operation;

static LogicalResult constant(Operation *op, Evaluator &eval) {
  auto result = eval.makeResult(op);
  if (failed(result))
    return llvm::failure();
  Format format = result->getFormat();
  mlir::Attribute value = mlir::cast<mlir::arith::ConstantOp>(op).getValue();
  if (mlir::isa<mlir::FloatAttr, mlir::IntegerAttr>(value)) {
    result->setBits(0, getConstantBits(format, value));
  } else if (auto attr = mlir::dyn_cast<mlir::DenseElementsAttr>(value)) {
    int64_t at = 0;
    if (isFloat(format)) {
      for (const llvm::APFloat &element : attr.getValues<llvm::APFloat>())
        result->setBits(at++, fromAPFloat(format, element));
    } else {
      for (const llvm::APInt &element : attr.getValues<llvm::APInt>())
        result->setBits(at++, element.getZExtValue());
    }
  } else {
    return op->emitError() << "the interpreter cannot read the constant "
                           << value << "; write it as dense<...> [interpreter]";
  }
  eval.set(op->getResult(0), std::move(*result));
  return llvm::success();
}

static RoundingMode getRounding(Operation *op) {
  auto rounding = mlir::cast<mlir::arith::ArithRoundingModeInterface>(op)
                      .getRoundingModeAttr();
  if (!rounding)
    return RoundingMode::NearestTiesToEven;
  switch (rounding.getValue()) {
  case mlir::arith::RoundingMode::to_nearest_even:
    return RoundingMode::NearestTiesToEven;
  case mlir::arith::RoundingMode::downward:
    return RoundingMode::TowardNegative;
  case mlir::arith::RoundingMode::upward:
    return RoundingMode::TowardPositive;
  case mlir::arith::RoundingMode::toward_zero:
    return RoundingMode::TowardZero;
  case mlir::arith::RoundingMode::to_nearest_away:
    return RoundingMode::NearestTiesToAway;
  }
  llvm_unreachable("every rounding mode is listed");
}

static LogicalResult truncateFloat(Operation *op, Evaluator &eval) {
  auto result = eval.makeResult(op);
  if (failed(result))
    return llvm::failure();
  RoundingMode rounding = getRounding(op);
  TensorRef a = eval.get(op->getOperand(0));
  for (int64_t i = 0; i < result->getNumElements(); ++i)
    result->setBits(i, encode(result->getFormat(), a->getFloat(i), rounding));
  eval.set(op->getResult(0), std::move(*result));
  return llvm::success();
}

/// The scales of scaling_extf and scaling_truncf. Upstream casts others to
/// f8E8M0FNU first, and its passes do not agree on how.
static llvm::FailureOr<TensorRef> getScales(Operation *op, Evaluator &eval) {
  TensorRef scales = eval.get(op->getOperand(1));
  if (scales->getFormat() == Format::F8E8M0FNU)
    return scales;
  op->emitError()
      << "a scale of type " << getInfo(scales->getFormat()).name
      << "; only f8E8M0FNU has one meaning, cast to it first [interpreter]";
  return llvm::failure();
}

/// in * scale. Both are extended to the result's type first.
static LogicalResult scalingExtend(Operation *op, Evaluator &eval) {
  auto result = eval.makeResult(op);
  auto scales = getScales(op, eval);
  if (failed(result) || failed(scales))
    return llvm::failure();
  TensorRef a = eval.get(op->getOperand(0));
  Format format = result->getFormat();
  auto extend = [&](double value) {
    return decode(format, encode(format, value));
  };
  for (int64_t i = 0; i < result->getNumElements(); ++i)
    result->setFloat(i,
                     extend(a->getFloat(i)) * extend((*scales)->getFloat(i)));
  eval.set(op->getResult(0), std::move(*result));
  return llvm::success();
}

/// in / scale, divided in the input's type, then rounded to the result's.
static LogicalResult scalingTruncate(Operation *op, Evaluator &eval) {
  auto result = eval.makeResult(op);
  auto scales = getScales(op, eval);
  if (failed(result) || failed(scales))
    return llvm::failure();
  RoundingMode rounding = getRounding(op);
  TensorRef a = eval.get(op->getOperand(0));
  Format format = a->getFormat();
  auto round = [&](double value) {
    return decode(format, encode(format, value));
  };
  for (int64_t i = 0; i < result->getNumElements(); ++i) {
    double quotient = round(a->getFloat(i) / round((*scales)->getFloat(i)));
    result->setBits(i, encode(result->getFormat(), quotient, rounding));
  }
  eval.set(op->getResult(0), std::move(*result));
  return llvm::success();
}

/// Integers reach a float format in one rounding: f64 by the host's own
/// conversion, narrower ones through a double that is rounded to odd.
static double toFloat(Format format, bool negative, uint64_t magnitude) {
  double value = format == Format::F64 ? static_cast<double>(magnitude)
                                       : toDoubleToOdd(magnitude);
  return negative ? -value : value;
}

template <As as>
static LogicalResult intToFloat(Operation *op, Evaluator &eval) {
  auto result = eval.makeResult(op);
  if (failed(result))
    return llvm::failure();
  TensorRef a = eval.get(op->getOperand(0));
  for (int64_t i = 0; i < result->getNumElements(); ++i) {
    auto value = readElement<as>(*a, i);
    bool negative = as == As::Signed && static_cast<int64_t>(value) < 0;
    uint64_t magnitude = static_cast<uint64_t>(value);
    result->setFloat(i, toFloat(result->getFormat(), negative,
                                negative ? -magnitude : magnitude));
  }
  eval.set(op->getResult(0), std::move(*result));
  return llvm::success();
}

template <As as>
static LogicalResult floatToInt(Operation *op, Evaluator &eval) {
  auto result = eval.makeResult(op);
  if (failed(result))
    return llvm::failure();
  TensorRef a = eval.get(op->getOperand(0));
  int bits = getInfo(result->getFormat()).bits;
  double low = as == As::Signed ? -std::ldexp(1.0, bits - 1) : 0.0;
  double high = std::ldexp(1.0, as == As::Signed ? bits - 1 : bits);
  llvm::StringRef name = getInfo(result->getFormat()).name;
  auto fits = [&](double value) { return value >= low && value < high; };
  for (int64_t i = 0; i < result->getNumElements(); ++i) {
    double value = std::trunc(a->getFloat(i));
    if (!fits(value))
      continue;
    if constexpr (as == As::Signed)
      result->setInt(i, static_cast<int64_t>(value));
    else
      result->setInt(i, static_cast<int64_t>(static_cast<uint64_t>(value)));
  }
  eval.set(op->getResult(0), std::move(*result));
  eval.markUndefined(op, [&](int64_t i) -> std::string {
    if (fits(std::trunc(a->getFloat(i))))
      return "";
    return llvm::formatv("{0:e} does not fit {1} {2}", a->getFloat(i),
                         as == As::Signed ? "signed" : "unsigned", name);
  });
  return llvm::success();
}

static LogicalResult bitcast(Operation *op, Evaluator &eval) {
  auto result = eval.makeResult(op);
  if (failed(result))
    return llvm::failure();
  TensorRef a = eval.get(op->getOperand(0));
  for (int64_t i = 0; i < result->getNumElements(); ++i)
    result->setBits(i, a->getBits(i));
  eval.set(op->getResult(0), std::move(*result));
  return llvm::success();
}

/// The condition is a scalar, or a tensor with one answer for each element.
static LogicalResult select(Operation *op, Evaluator &eval) {
  TensorRef condition = eval.get(op->getOperand(0));
  if (condition->getRank() == 0) {
    eval.setValue(op->getResult(0),
                  eval.getValue(op->getOperand(condition->getUInt(0) ? 1 : 2)));
    return llvm::success();
  }
  auto result = eval.makeResult(op);
  if (failed(result))
    return llvm::failure();
  TensorRef a = eval.get(op->getOperand(1)), b = eval.get(op->getOperand(2));
  for (int64_t i = 0; i < result->getNumElements(); ++i)
    result->copyElement(i, condition->getUInt(i) ? *a : *b, i);
  eval.set(op->getResult(0), std::move(*result));
  return llvm::success();
}

using U = uint64_t;
using S = int64_t;

static constexpr NamedRule castRules[] = {
    {"arith.constant", constant},
    {"arith.extf", elementwise<As::Float, [](double a) { return a; }>},
    {"arith.truncf", truncateFloat},
    {"arith.scaling_extf", scalingExtend},
    {"arith.scaling_truncf", scalingTruncate},
    {"arith.extsi", elementwise<As::Signed, [](S a) { return a; }>},
    {"arith.extui", elementwise<As::Unsigned, [](U a) { return a; }>},
    {"arith.trunci", elementwise<As::Unsigned, [](U a) { return a; }>},
    {"arith.index_cast", elementwise<As::Signed, [](S a) { return a; }>},
    {"arith.index_castui", elementwise<As::Unsigned, [](U a) { return a; }>},
    {"arith.sitofp", intToFloat<As::Signed>},
    {"arith.uitofp", intToFloat<As::Unsigned>},
    {"arith.fptosi", floatToInt<As::Signed>},
    {"arith.fptoui", floatToInt<As::Unsigned>},
    {"arith.bitcast", bitcast},
    {"arith.select", select},
};

llvm::ArrayRef<NamedRule> drawloom::interp::getCastRules() { return castRules; }
