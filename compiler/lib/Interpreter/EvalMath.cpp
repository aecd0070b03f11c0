//===- EvalMath.cpp - Operations of math ----------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of the C library, in double, rounded once to the format of the
// result. absf, copysign, the roundings, sqrt and fma are exact or correctly
// rounded. The others inherit the C library's error, a few units in the last
// place of double, which a result of f32 or narrower shows only when the exact
// value is that close to the middle of two numbers.
//
// math.clampf has no rule: upstream describes it as max(min(x, min), max),
// which is no clamp. arith.maximumf and arith.minimumf say it without doubt.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"
#include "Numbers.h"
#include "llvm/ADT/bit.h"

using namespace drawloom::interp;
using llvm::LogicalResult;
using mlir::Operation;

static LogicalResult fusedMultiplyAdd(Operation *op, Evaluator &eval) {
  auto format = eval.getFormat(op, op->getResult(0).getType());
  if (failed(format))
    return llvm::failure();
  if (*format == Format::F64)
    return elementwise<As::Float, [](double a, double b, double c) {
      return std::fma(a, b, c);
    }>(op, eval);
  return elementwise<As::Float, fusedMultiplyAddToOdd>(op, eval);
}

static LogicalResult sincos(Operation *op, Evaluator &eval) {
  auto sine = eval.makeResult(op, 0), cosine = eval.makeResult(op, 1);
  if (failed(sine) || failed(cosine))
    return llvm::failure();
  TensorRef a = eval.get(op->getOperand(0));
  for (int64_t i = 0; i < sine->getNumElements(); ++i) {
    sine->setFloat(i, std::sin(a->getFloat(i)));
    cosine->setFloat(i, std::cos(a->getFloat(i)));
  }
  eval.set(op->getResult(0), std::move(*sine));
  eval.set(op->getResult(1), std::move(*cosine));
  return llvm::success();
}

static LogicalResult isNormal(Operation *op, Evaluator &eval) {
  auto result = eval.makeResult(op);
  if (failed(result))
    return llvm::failure();
  TensorRef a = eval.get(op->getOperand(0));
  const FormatInfo &info = getInfo(a->getFormat());
  double smallest = std::ldexp(1.0, (info.hasZero ? 1 : 0) - info.bias);
  for (int64_t i = 0; i < result->getNumElements(); ++i) {
    double value = a->getFloat(i);
    result->setInt(i, std::isfinite(value) && std::fabs(value) >= smallest);
  }
  eval.set(op->getResult(0), std::move(*result));
  return llvm::success();
}

static LogicalResult floatToIntPower(Operation *op, Evaluator &eval) {
  auto result = eval.makeResult(op);
  if (failed(result))
    return llvm::failure();
  TensorRef a = eval.get(op->getOperand(0)), b = eval.get(op->getOperand(1));
  for (int64_t i = 0; i < result->getNumElements(); ++i)
    result->setFloat(
        i, std::pow(a->getFloat(i), static_cast<double>(b->getInt(i))));
  eval.set(op->getResult(0), std::move(*result));
  return llvm::success();
}

/// Wraps. A negative exponent gives the quotient 1 / base^n rounded to zero; of
/// base 0 it is a division by zero.
static LogicalResult intPower(Operation *op, Evaluator &eval) {
  auto result = eval.makeResult(op);
  if (failed(result))
    return llvm::failure();
  TensorRef a = eval.get(op->getOperand(0)), b = eval.get(op->getOperand(1));
  for (int64_t i = 0; i < result->getNumElements(); ++i) {
    int64_t base = a->getInt(i), exponent = b->getInt(i);
    uint64_t power = 1;
    if (exponent < 0) {
      bool odd = exponent & 1;
      power = base == 1 ? 1 : base == -1 ? (odd ? uint64_t(-1) : 1) : 0;
    } else {
      uint64_t square = base;
      for (; exponent != 0; exponent >>= 1, square *= square)
        if (exponent & 1)
          power *= square;
    }
    result->setInt(i, static_cast<int64_t>(power));
  }
  eval.set(op->getResult(0), std::move(*result));
  eval.markUndefined(op, [&](int64_t i) -> std::string {
    if (a->getInt(i) != 0 || b->getInt(i) >= 0)
      return "";
    return "division by zero: 0 to the power of " +
           std::to_string(b->getInt(i));
  });
  return llvm::success();
}

/// Counts in a number that has the width of the type.
template <auto fn>
static LogicalResult countBits(Operation *op, Evaluator &eval) {
  auto result = eval.makeResult(op);
  if (failed(result))
    return llvm::failure();
  TensorRef a = eval.get(op->getOperand(0));
  int bits = getInfo(result->getFormat()).bits;
  for (int64_t i = 0; i < result->getNumElements(); ++i)
    result->setInt(i, fn(a->getUInt(i), bits));
  eval.set(op->getResult(0), std::move(*result));
  return llvm::success();
}

using D = double;
using S = int64_t;
using U = uint64_t;

/// A row for a function of the C library.
#define DRAWLOOM_UNARY(NAME, FUNCTION)                                         \
  {"math." NAME, elementwise<As::Float, [](D a) { return FUNCTION(a); }>}
#define DRAWLOOM_BINARY(NAME, FUNCTION)                                        \
  {"math." NAME,                                                               \
   elementwise<As::Float, [](D a, D b) { return FUNCTION(a, b); }>}

static constexpr NamedRule mathRules[] = {
    DRAWLOOM_UNARY("absf", std::fabs),
    DRAWLOOM_UNARY("acos", std::acos),
    DRAWLOOM_UNARY("acosh", std::acosh),
    DRAWLOOM_UNARY("asin", std::asin),
    DRAWLOOM_UNARY("asinh", std::asinh),
    DRAWLOOM_UNARY("atan", std::atan),
    DRAWLOOM_UNARY("atanh", std::atanh),
    DRAWLOOM_UNARY("cbrt", std::cbrt),
    DRAWLOOM_UNARY("ceil", std::ceil),
    DRAWLOOM_UNARY("cos", std::cos),
    DRAWLOOM_UNARY("cosh", std::cosh),
    DRAWLOOM_UNARY("erf", std::erf),
    DRAWLOOM_UNARY("erfc", std::erfc),
    DRAWLOOM_UNARY("exp", std::exp),
    DRAWLOOM_UNARY("exp2", std::exp2),
    DRAWLOOM_UNARY("expm1", std::expm1),
    DRAWLOOM_UNARY("floor", std::floor),
    DRAWLOOM_UNARY("log", std::log),
    DRAWLOOM_UNARY("log10", std::log10),
    DRAWLOOM_UNARY("log1p", std::log1p),
    DRAWLOOM_UNARY("log2", std::log2),
    DRAWLOOM_UNARY("round", std::round),
    DRAWLOOM_UNARY("roundeven", std::nearbyint),
    DRAWLOOM_UNARY("rsqrt", 1.0 / std::sqrt),
    DRAWLOOM_UNARY("sin", std::sin),
    DRAWLOOM_UNARY("sinh", std::sinh),
    DRAWLOOM_UNARY("sqrt", std::sqrt),
    DRAWLOOM_UNARY("tan", std::tan),
    DRAWLOOM_UNARY("tanh", std::tanh),
    DRAWLOOM_UNARY("trunc", std::trunc),
    DRAWLOOM_BINARY("atan2", std::atan2),
    DRAWLOOM_BINARY("copysign", std::copysign),
    DRAWLOOM_BINARY("powf", std::pow),
    {"math.fma", fusedMultiplyAdd},
    {"math.fpowi", floatToIntPower},
    {"math.sincos", sincos},
    {"math.isfinite",
     elementwise<As::Float, [](D a) { return S(std::isfinite(a)); }>},
    {"math.isinf",
     elementwise<As::Float, [](D a) { return S(std::isinf(a)); }>},
    {"math.isnan",
     elementwise<As::Float, [](D a) { return S(std::isnan(a)); }>},
    {"math.isnormal", isNormal},
    {"math.absi",
     elementwise<As::Signed, [](S a) { return a < 0 ? -U(a) : U(a); }>},
    {"math.ipowi", intPower},
    {"math.ctlz", countBits<[](U a, int bits) {
       return llvm::countl_zero(a) - (64 - bits);
     }>},
    {"math.cttz", countBits<[](U a, int bits) {
       return a == 0 ? bits : llvm::countr_zero(a);
     }>},
    {"math.ctpop", countBits<[](U a, int) { return llvm::popcount(a); }>},
};

#undef DRAWLOOM_UNARY
#undef DRAWLOOM_BINARY

llvm::ArrayRef<NamedRule> drawloom::interp::getMathRules() { return mathRules; }
