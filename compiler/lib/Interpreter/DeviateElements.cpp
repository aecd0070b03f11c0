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
// error of what the hardware has for the function. From these
//
//   |machine - v| <= spread + error * (|f| + spread) + u * |f|
//
// where f is the exact function of the interpreter's operands and u is the
// rounding of v: |f| <= |v| / (1 - u).
//
//===----------------------------------------------------------------------===//

#include "Deviate.h"
#include "drawloom/Interpreter/Interpreter.h"

using namespace drawloom::interp;
using llvm::LogicalResult;
using mlir::Operation;

// Relative errors of what PTX has for f32, as the PTX ISA states them for the
// approximations that may be used. Add, multiply and fma round to nearest.
static constexpr double exp2Error = 0x1p-22;   // ex2.approx.ftz
static constexpr double log2Error = 0x1p-22;   // lg2.approx.ftz
static constexpr double divideError = 0x1p-22; // div.full: 2 ulp
static constexpr double rootError = 0x1p-22;   // sqrt.approx, rsqrt.approx
static constexpr double tanhError = 0x1p-10;   // tanh.approx: 2^-10.987
// No instruction is good enough for these: polynomials, in f32, to 2 ulp.
static constexpr double polynomialError = 0x1p-22;
/// Results below this may be flushed to zero.
static constexpr double smallestNormal = 0x1p-126;

namespace {

struct Movement {
  double spread = 0;
  double error = 0;
  /// In addition, absolute.
  double flushed = 0;
};

} // namespace

/// Puts the parts together; `v` is the interpreter's result, `largest` the
/// largest number of its format, beyond which the hardware has an infinity.
static double combine(double v, const Movement &movement, double u,
                      double largest) {
  double f = std::abs(v) * (1 + 2 * u);
  double total = movement.spread + movement.error * (f + movement.spread) +
                 u * f + movement.flushed;
  // This arithmetic rounds, too.
  total *= 1 + 0x1p-40;
  return f + total <= largest ? total : infinity;
}

/// Whether an infinity or a NaN is also one on the hardware. One that was there
/// before is, and what exact numbers have: 0 / 0, the logarithm of 0. One that
/// is an overflow may not be. A root or a logarithm has none if the number is
/// below the least one that has, wherever it is.
template <unsigned count, int least>
static bool isCertain(const std::array<Operand, count> &operands, double v,
                      bool hasInfinity) {
  bool isExact = true, hasZero = false;
  for (const Operand &operand : operands) {
    if (!std::isfinite(operand.value) && operand.off == 0)
      return true;
    isExact &= operand.off == 0;
    hasZero |= operand.value == 0;
  }
  if (!std::isnan(v))
    return isExact && hasZero;
  // Without infinities a NaN may be an overflow.
  return hasInfinity &&
         (isExact ||
          (count == 1 && operands[0].value + operands[0].off < least));
}

/// The rule of a function of one, two or three floats. The function gets the
/// operands, the result and the rounding of the result's format. Numbers below
/// `least` have no value.
template <auto fn, unsigned count, int least = 0>
static LogicalResult elements(Operation *op, Evaluator &eval) {
  TensorRef result = eval.get(op->getResult(0));
  std::array<TensorRef, count> values, offs;
  for (unsigned i = 0; i != count; ++i) {
    values[i] = eval.get(op->getOperand(i));
    offs[i] = eval.getDeviation(op->getOperand(i));
  }
  Format format = result->getFormat();
  double u = getUnitRoundoff(format);
  double largest =
      decode(format, encode(format, std::numeric_limits<double>::max(),
                            llvm::RoundingMode::TowardZero));
  bool hasInfinity = getInfo(format).specials == Specials::Ieee;
  HostTensor deviation(Format::F64, result->getShape());
  for (int64_t i = 0; i < result->getNumElements(); ++i) {
    std::array<Operand, count> operands;
    for (unsigned k = 0; k != count; ++k)
      operands[k] = {values[k]->getFloat(i),
                     offs[k] ? offs[k]->getFloat(i) : 0};
    double v = result->getFloat(i);
    double off;
    if (std::isfinite(v))
      off = combine(v, fn(operands, v, u), u, largest);
    else
      off = isCertain<count, least>(operands, v, hasInfinity) ? 0 : infinity;
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

/// Kernels have x - trunc(x / y) y. The quotient is approximate, so that its
/// integer is another one where the quotient is next to an integer, and each
/// step is a y. The product may be rounded before it is subtracted.
static Movement floatRemainder(const Two &x, double, double u) {
  double least = std::abs(x[1].value) - x[1].off;
  if (least <= 0)
    return {infinity};
  double smallest = std::max(std::abs(x[0].value) - x[0].off, 0.0);
  double low = smallest / x[1].magnitude() * (1 - divideError);
  double high = x[0].magnitude() / least * (1 + divideError);
  double steps = std::floor(high) - std::floor(low);
  return {x[0].off + times(std::floor(high), x[1].off) +
              times(steps, x[1].magnitude()) + u * x[0].magnitude(),
          u};
}

/// A power whose exponent is x, and somewhere from `low` to `high` on the
/// hardware. The function is monotonic, so its values at the ends say how far
/// it moves. A factor times v would not do: of e^-1000, which is 0 here, it is
/// 0 or not a number, whatever the exponent does.
static Movement power(double (*function)(double), double x, double low,
                      double high) {
  double f = function(x), top = function(high), bottom = function(low);
  // The function itself is off by units in the last place of double.
  return {std::max(top - f, f - bottom) + 0x1p-50 * top, exp2Error,
          smallestNormal};
}

static Movement powerOfTwo(const One &x, double, double) {
  return power(std::exp2, x[0].value, x[0].value - x[0].off,
               x[0].value + x[0].off);
}

/// e^x as 2^(x log2 e): the product is rounded, and so is the constant. An
/// infinity stays one.
static Movement exponential(const One &x, double, double) {
  auto rounded = [](double end, double towards) {
    double error =
        std::isinf(end) ? 0 : std::abs(end) * 2 * 0x1p-24 * (1 + 0x1p-20);
    return end + towards * error;
  };
  return power(std::exp, x[0].value, rounded(x[0].value - x[0].off, -1),
               rounded(x[0].value + x[0].off, 1));
}

static Movement logarithm(const One &x, double v, double) {
  double least = x[0].value - x[0].off;
  if (least <= 0)
    return {infinity};
  // Near 1 the error of lg2.approx is absolute.
  return {std::log1p(x[0].off / least) * M_LOG2E, 2 * log2Error, log2Error};
}

/// Near 0 its own value is the scale, unlike that of the logarithm near 1.
static Movement logarithmOfMore(const One &x, double, double) {
  double least = 1 + x[0].value - x[0].off;
  if (least <= 0)
    return {infinity};
  return {std::log1p(x[0].off / least), polynomialError};
}

static Movement exponentialLess(const One &x, double, double) {
  double f = std::expm1(x[0].value);
  double top = std::expm1(x[0].value + x[0].off);
  double bottom = std::expm1(x[0].value - x[0].off);
  // The function itself is off by units in the last place of double.
  return {std::max(top - f, f - bottom) + 0x1p-50 * std::abs(f),
          polynomialError};
}

/// The slope is at most 1, and the distance of two values at most 2.
static Movement sineOrCosine(const One &x, double, double) {
  return {std::min(x[0].off, 2.0), polynomialError};
}

/// x^y as 2^(y log2 x), with a logarithm in f64. y log2 x is largest and least
/// at ends of x and y. For a number that may be zero or less the exponent has
/// to be an exact integer; the slope is steepest then where |x| is largest.
static Movement powerOf(const Two &x, double v, double) {
  double error = 2 * exp2Error;
  if (x[0].off == 0 && x[1].off == 0)
    return {0, error, smallestNormal};
  double y = x[1].value;
  if (x[1].off == 0 && y >= 1 && std::trunc(y) == y)
    return {std::pow(x[0].magnitude(), y) - std::abs(v) * (1 - 0x1p-23), error,
            smallestNormal};
  if (x[0].value - x[0].off <= 0)
    return {infinity};
  double spread = 0;
  for (double base : {x[0].value - x[0].off, x[0].value + x[0].off})
    for (double exponent : {y - x[1].off, y + x[1].off})
      spread = std::max(spread, std::abs(std::pow(base, exponent) - v));
  return {spread, error, smallestNormal};
}

/// It is steeper below, but there it ends at 0.
static Movement squareRoot(const One &x, double v, double) {
  auto root = [](double y) { return std::sqrt(std::max(y, 0.0)); };
  double at = root(x[0].value);
  double below = at - root(x[0].value - x[0].off);
  double above = root(x[0].value + x[0].off) - at;
  return {std::max(below, above), rootError, smallestNormal};
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
    {"math.expm1", elements<exponentialLess, 1>},
    {"math.log1p", elements<logarithmOfMore, 1, -1>},
    {"math.powf", elements<powerOf, 2>},
    {"math.sin", elements<sineOrCosine, 1>},
    {"math.cos", elements<sineOrCosine, 1>},
    {"math.sqrt", elements<squareRoot, 1>},
    {"math.rsqrt", elements<reciprocalRoot, 1>},
    {"math.tanh", elements<hyperbolicTangent, 1>},
    {"math.erf", elements<errorFunction, 1>},
    {"arith.remf", elements<floatRemainder, 2>},
};

llvm::ArrayRef<NamedRule> drawloom::interp::getElementDeviations() {
  return rules;
}
