//===- DeviateElements.cpp - Rounding through functions of elements -------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rule knows the operands and the result v that the interpreter computed, and
// how far the operands may be off. It answers with `spread`, how far the exact
// function moves when its operands move that far, and `error`, the relative
// error of what the machine has for the function. From these
//
//   |machine - v| <= spread + error * (|f| + spread) + u * |f|
//
// where f is the exact function of the interpreter's operands and u is the
// rounding of v: |f| <= |v| / (1 - u).
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "drawloom/Interpreter/Interpreter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cmath>
#include <limits>

using namespace drawloom::interp;
using llvm::LogicalResult;
using mlir::Operation;

static constexpr double infinity = std::numeric_limits<double>::infinity();

// Relative errors of what PTX has for f32, as the PTX ISA states them for the
// approximations that may be used. Add, multiply and fma round to nearest.
static constexpr double exp2Error = 0x1p-22;   // ex2.approx.ftz
static constexpr double log2Error = 0x1p-22;   // lg2.approx.ftz
static constexpr double divideError = 0x1p-22; // div.full: 2 ulp
static constexpr double rootError = 0x1p-22;   // sqrt.approx, rsqrt.approx
static constexpr double tanhError = 0x1p-10;   // tanh.approx: 2^-10.987
/// Results below this may be flushed to zero.
static constexpr double smallestNormal = 0x1p-126;

namespace {

/// An operand of an element.
struct Operand {
  double value;
  double off; ///< At most.

  double magnitude() const { return std::abs(value) + off; }
};

struct Movement {
  double spread = 0;
  double error = 0;
  /// In addition, absolute.
  double flushed = 0;
};

} // namespace

/// x * y, where 0 times infinity is 0: what does not move moves nothing.
static double times(double x, double y) { return x == 0 || y == 0 ? 0 : x * y; }

/// Puts the parts together; `v` is the interpreter's result.
static double combine(double v, const Movement &movement, Format format) {
  double u = getUnitRoundoff(format);
  double f = std::abs(v) * (1 + 2 * u);
  double total = movement.spread + movement.error * (f + movement.spread) +
                 u * f + movement.flushed;
  // This arithmetic rounds, too.
  return std::isnan(total) ? infinity : total * (1 + 0x1p-40);
}

/// The rule of a function of one, two or three floats. The function gets the
/// operands, the result and the rounding of the result's format.
template <auto fn, unsigned count>
static LogicalResult elements(Operation *op, Evaluator &eval) {
  TensorRef result = eval.get(op->getResult(0));
  std::array<TensorRef, count> values, offs;
  for (unsigned i = 0; i != count; ++i) {
    values[i] = eval.get(op->getOperand(i));
    offs[i] = eval.getDeviation(op->getOperand(i));
  }
  Format format = result->getFormat();
  double u = getUnitRoundoff(format);
  HostTensor deviation(Format::F64, result->getShape());
  for (int64_t i = 0; i < result->getNumElements(); ++i) {
    std::array<Operand, count> operands;
    bool isSpecial = false;
    for (unsigned k = 0; k != count; ++k) {
      operands[k] = {values[k]->getFloat(i),
                     offs[k] ? offs[k]->getFloat(i) : 0};
      isSpecial |= !std::isfinite(operands[k].value) && operands[k].off == 0;
    }
    double v = result->getFloat(i);
    double off;
    if (!std::isfinite(v))
      // An infinity or a NaN that was there before is one on the machine too;
      // one that arises here may not be.
      off = isSpecial ? 0 : infinity;
    else
      off = combine(v, fn(operands, v, u), format);
    deviation.setFloat(i, off);
  }
  eval.setDeviation(op->getResult(0), std::move(deviation));
  return llvm::success();
}

using One = std::array<Operand, 1>;
using Two = std::array<Operand, 2>;
using Three = std::array<Operand, 3>;

static Movement addition(const Two &x, double, double u) {
  return {x[0].off + x[1].off, u};
}

static double productSpread(const Operand &a, const Operand &b) {
  return times(std::abs(a.value), b.off) + times(std::abs(b.value), a.off) +
         times(a.off, b.off);
}

static Movement product(const Two &x, double, double u) {
  return {productSpread(x[0], x[1]), u};
}

static Movement fusedProduct(const Three &x, double, double u) {
  return {productSpread(x[0], x[1]) + x[2].off, u};
}

static Movement quotient(const Two &x, double v, double u) {
  double least = std::abs(x[1].value) - x[1].off;
  if (least <= 0)
    return {x[0].off == 0 && x[1].off == 0 ? 0 : infinity, divideError};
  double f = std::abs(v) * (1 + 2 * u);
  return {(x[0].off + times(f, x[1].off)) / least, divideError + u,
          smallestNormal};
}

static Movement powerOfTwo(const One &x, double v, double u) {
  return {times(v * (1 + 2 * u), std::expm1(x[0].off * M_LN2)), exp2Error,
          smallestNormal};
}

/// e^x as 2^(x log2 e): the product is rounded, and so is the constant.
static Movement exponential(const One &x, double v, double u) {
  double exponent = times(x[0].magnitude(), 2 * 0x1p-24 * (1 + 0x1p-20));
  return {times(v * (1 + 2 * u), std::expm1(x[0].off)),
          std::expm1(exponent) + exp2Error * (1 + std::expm1(exponent)),
          smallestNormal};
}

static Movement logarithm(const One &x, double v, double) {
  double least = x[0].value - x[0].off;
  if (least <= 0)
    return {infinity};
  // Near 1 the error of lg2.approx is absolute.
  return {std::log1p(x[0].off / least) * M_LOG2E, 2 * log2Error, log2Error};
}

static Movement squareRoot(const One &x, double v, double) {
  double least = std::max(x[0].value - x[0].off, 0.0);
  return {std::sqrt(std::max(x[0].value, 0.0)) - std::sqrt(least), rootError,
          smallestNormal};
}

static Movement reciprocalRoot(const One &x, double v, double) {
  double least = x[0].value - x[0].off;
  if (least <= 0)
    return {infinity};
  return {1 / std::sqrt(least) - 1 / std::sqrt(x[0].value), rootError};
}

static Movement hyperbolicTangent(const One &x, double, double) {
  return {x[0].off, tanhError};
}

/// Its slope is at most 2 / sqrt(pi). A kernel has it as a polynomial times an
/// exponential, to a few units of f32 in absolute terms.
static Movement errorFunction(const One &x, double, double) {
  return {x[0].off * M_2_SQRTPI, exp2Error, 0x1p-21};
}

/// Functions whose result is one of the operands, or its opposite: nothing is
/// rounded.
static LogicalResult selection(Operation *op, Evaluator &eval) {
  llvm::SmallVector<TensorRef> offs;
  for (mlir::Value operand : op->getOperands())
    if (TensorRef off = eval.getDeviation(operand))
      offs.push_back(off);
  if (offs.empty())
    return llvm::success();
  HostTensor deviation = *offs.front();
  for (const TensorRef &off : llvm::drop_begin(offs))
    for (int64_t i = 0; i < deviation.getNumElements(); ++i)
      deviation.setFloat(i, std::max(deviation.getFloat(i), off->getFloat(i)));
  eval.setDeviation(op->getResult(0), std::move(deviation));
  return llvm::success();
}

/// The distance from the interpreter's result to the furthest number that the
/// machine's operand may be rounded to. Rounding never changes an order.
static LogicalResult truncation(Operation *op, Evaluator &eval) {
  TensorRef off = eval.getDeviation(op->getOperand(0));
  if (!off)
    return llvm::success();
  TensorRef value = eval.get(op->getOperand(0));
  TensorRef result = eval.get(op->getResult(0));
  Format format = result->getFormat();
  HostTensor deviation(Format::F64, result->getShape());
  for (int64_t i = 0; i < result->getNumElements(); ++i) {
    double x = value->getFloat(i), d = off->getFloat(i);
    double v = result->getFloat(i), furthest = 0;
    if (d != 0)
      for (double end : {x - d, x + d}) {
        double distance = std::abs(decode(format, encode(format, end)) - v);
        furthest =
            std::max(furthest, std::isnan(distance) ? infinity : distance);
      }
    deviation.setFloat(i, furthest);
  }
  eval.setDeviation(op->getResult(0), std::move(deviation));
  return llvm::success();
}

/// A comparison is the same on the machine if the operands are further apart
/// than they may be off. Otherwise the answer is open, which is written as 1.
static LogicalResult comparison(Operation *op, Evaluator &eval) {
  TensorRef offA = eval.getDeviation(op->getOperand(0));
  TensorRef offB = eval.getDeviation(op->getOperand(1));
  if (!offA && !offB)
    return llvm::success();
  TensorRef a = eval.get(op->getOperand(0)), b = eval.get(op->getOperand(1));
  HostTensor deviation(Format::F64, a->getShape());
  for (int64_t i = 0; i < a->getNumElements(); ++i) {
    double off =
        (offA ? offA->getFloat(i) : 0) + (offB ? offB->getFloat(i) : 0);
    double distance = std::abs(a->getFloat(i) - b->getFloat(i));
    deviation.setFloat(i, off != 0 && !(distance > off) ? 1 : 0);
  }
  eval.setDeviation(op->getResult(0), std::move(deviation));
  return llvm::success();
}

/// Where the condition is open, the machine may have taken the other one.
static LogicalResult choice(Operation *op, Evaluator &eval) {
  std::array<TensorRef, 3> values, offs;
  for (unsigned k = 0; k != 3; ++k) {
    values[k] = eval.get(op->getOperand(k));
    offs[k] = eval.getDeviation(op->getOperand(k));
  }
  if (!offs[0] && !offs[1] && !offs[2])
    return llvm::success();
  TensorRef result = eval.get(op->getResult(0));
  bool isScalarCondition = values[0]->getRank() != result->getRank();
  bool holdsFloats = isFloat(result->getFormat());
  HostTensor deviation(Format::F64, result->getShape());
  for (int64_t i = 0; i < result->getNumElements(); ++i) {
    int64_t at = isScalarCondition ? 0 : i;
    auto off = [&](unsigned k) {
      return offs[k] ? offs[k]->getFloat(k == 0 ? at : i) : 0;
    };
    unsigned taken = values[0]->getUInt(at) ? 1 : 2, other = 3 - taken;
    double result = off(taken);
    if (off(0) != 0) {
      double apart =
          !holdsFloats
              ? infinity
              : std::abs(values[1]->getFloat(i) - values[2]->getFloat(i));
      result =
          std::max(result, (std::isnan(apart) ? infinity : apart) + off(other));
    }
    deviation.setFloat(i, result);
  }
  eval.setDeviation(op->getResult(0), std::move(deviation));
  return llvm::success();
}

static constexpr NamedRule rules[] = {
    {"arith.addf", elements<addition, 2>},
    {"arith.subf", elements<addition, 2>},
    {"arith.mulf", elements<product, 2>},
    {"arith.divf", elements<quotient, 2>},
    {"math.fma", elements<fusedProduct, 3>},
    {"math.exp", elements<exponential, 1>},
    {"math.exp2", elements<powerOfTwo, 1>},
    {"math.log2", elements<logarithm, 1>},
    {"math.log", elements<logarithm, 1>},
    {"math.sqrt", elements<squareRoot, 1>},
    {"math.rsqrt", elements<reciprocalRoot, 1>},
    {"math.tanh", elements<hyperbolicTangent, 1>},
    {"math.erf", elements<errorFunction, 1>},
    {"arith.negf", selection},
    {"math.absf", selection},
    {"arith.extf", selection},
    {"arith.maximumf", selection},
    {"arith.minimumf", selection},
    {"arith.maxnumf", selection},
    {"arith.minnumf", selection},
    // Of i1, where 1 says that the bit is open.
    {"arith.andi", selection},
    {"arith.ori", selection},
    {"arith.xori", selection},
    {"arith.truncf", truncation},
    {"arith.cmpf", comparison},
    {"arith.select", choice},
};

llvm::ArrayRef<NamedRule> drawloom::interp::getElementDeviations() {
  return rules;
}
