//===- Functions.cpp - Exponentials, logarithms, powers, and the rest -----===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The coefficients are minimax polynomials of the stated functions on the
// stated ranges, found by Lawson's iteration and rounded to f32.

#include "Functions.h"
#include "Patterns.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::codegen;

Value Functions::largest(Value x) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return x;
  Value result = vector::ExtractOp::create(b, x, 0);
  for (int64_t i = 1; i < vector.getNumElements(); ++i)
    result =
        arith::MaxNumFOp::create(b, result, vector::ExtractOp::create(b, x, i));
  return result;
}

Value Functions::call(StringRef name, ValueRange operands) {
  StringAttr intrinsic = b.getStringAttr(name);
  Type f32 = b.getF32Type();
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return LLVM::CallIntrinsicOp::create(b, f32, intrinsic, operands)
        .getResult(0);
  SmallVector<Value> results;
  for (int64_t i = 0; i < vector.getNumElements(); ++i) {
    SmallVector<Value> elements;
    for (Value operand : operands)
      elements.push_back(vector::ExtractOp::create(b, operand, i));
    results.push_back(LLVM::CallIntrinsicOp::create(b, f32, intrinsic, elements)
                          .getResult(0));
  }
  return vector::FromElementsOp::create(b, vector, results);
}

static constexpr double log2OfE = 1.4426950408889634;
static constexpr double logOf2 = 0.6931471805599453;

/// 2^n 2^f, where n is the integer nearest to x log2(e), and f the rest, with
/// log2(e) in two parts. n stays in the range of exponents: what is beyond it
/// is in f, and so are infinities.
Value Functions::exp(Value x) {
  static constexpr auto high = static_cast<float>(log2OfE);
  Value n = LLVM::RoundEvenOp::create(b, mul(x, number(high)));
  n = arith::MaxNumFOp::create(b, n, number(-126));
  n = arith::MinNumFOp::create(b, n, number(127));
  Value f = fma(x, number(high), LLVM::FNegOp::create(b, n));
  f = fma(x, number(log2OfE - high), f);
  Value exponent = arith::FPToSIOp::create(b, getIntegerType(), n);
  Value scale = powerOfTwo(exponent);
  return mul(exp2(f), scale);
}

/// 2^(x log2(e)): what the product is rounded by grows with x.
Value Functions::approximateExp(Value x) {
  return exp2(mul(x, number(log2OfE)));
}

/// 2^n (1 + q(r)) - 1, where n is the integer nearest to x / log(2), r the rest
/// in [-log(2)/2, log(2)/2] and q(r) = e^r - 1; below one half nothing is taken
/// away. Half of it is computed, because 2^128 is no number; n stops there, and
/// what is beyond it overflows.
Value Functions::expm1(Value x) {
  static constexpr float p[] = {0.5f,
                                0.1666666716337204f,
                                0.04166635498404503f,
                                0.008333273231983185f,
                                0.001394110033288598f,
                                0.00019914298900403082f};
  static constexpr auto high = static_cast<float>(logOf2);
  Value n = LLVM::RoundEvenOp::create(b, mul(x, number(log2OfE)));
  n = arith::MaxNumFOp::create(b, n, number(-30));
  n = arith::MinNumFOp::create(b, n, number(128));
  Value r = fma(n, number(-high), x);
  r = fma(n, number(high - logOf2), r);
  Value q = fma(evaluate(p, r), mul(r, r), r);
  Value exponent = arith::FPToSIOp::create(b, getIntegerType(), n);
  Value half = powerOfTwo(arith::SubIOp::create(b, exponent, integer(1)));
  Value result = fma(half, q, sub(half, number(0.5)));
  result = add(result, result);
  Value least = compare(arith::CmpFPredicate::OLT, x, number(-20));
  return select(least, number(-1), result);
}

Functions::Parts Functions::split(Value x) {
  // Subnormal numbers become normal ones.
  Value tiny = compare(arith::CmpFPredicate::OLT, x, number(0x1p-126));
  Value scaled = select(tiny, mul(x, number(0x1p23)), x);
  Value less = select(tiny, number(-23), number(0));
  Value bits = arith::BitcastOp::create(b, getIntegerType(), scaled);
  Value exponent = arith::SubIOp::create(b, bits, integer(0x3f2aaaab));
  exponent = arith::AndIOp::create(b, exponent, integer(0xff800000));
  Value m = arith::BitcastOp::create(b, type,
                                     arith::SubIOp::create(b, bits, exponent));
  Value e = arith::SIToFPOp::create(b, type, exponent);
  return {exponent, m, fma(e, number(0x1p-23), less)};
}

/// log(1 + f) = f - f^2/2 + f^3 p(f) for f in [-1/3, 1/3).
Value Functions::logOfMantissa(Value f) {
  static constexpr float p[] = {0.3333321511745453f,  -0.24999797344207764f,
                                0.20010405778884888f, -0.16680486500263214f,
                                0.14005862176418304f, -0.12184277921915054f,
                                0.13984467089176178f, -0.12891601026058197f};
  Value sum = fma(evaluate(p, f), f, number(-0.5));
  return fma(sum, mul(f, f), f);
}

/// Infinity and NaN are their own logarithms, it is -infinity at `pole`, and
/// numbers below have none.
Value Functions::finishLog(Value x, Value pole, Value result) {
  Value finite = compare(arith::CmpFPredicate::OLT, x, number(infinity));
  result = select(finite, result, x);
  Value zero = compare(arith::CmpFPredicate::OEQ, x, pole);
  result = select(zero, number(-infinity), result);
  Value negative = compare(arith::CmpFPredicate::OLT, x, pole);
  return select(negative, number(notANumber), result);
}

Value Functions::log(Value x, bool binary) {
  Parts parts = split(x);
  Value e = parts.exponent;
  Value sum = logOfMantissa(sub(parts.mantissa, number(1)));
  Value result =
      binary ? fma(sum, number(log2OfE), e) : fma(e, number(logOf2), sum);
  return finishLog(x, number(0), result);
}

/// With 1 + x = 2^e (1 + f), f = 2^-e x + (2^-e - 1) has the digits of x that
/// 1 + x has lost. Large numbers lose nothing that counts, and 2^-e may be no
/// number.
Value Functions::log1p(Value x) {
  Parts parts = split(add(x, number(1)));
  Value scale = arith::BitcastOp::create(
      b, type, arith::SubIOp::create(b, integer(0x3f800000), parts.bits));
  Value f = fma(x, scale, sub(scale, number(1)));
  Value large = compare(arith::CmpFPredicate::OGT, x, number(0x1p30));
  f = select(large, sub(parts.mantissa, number(1)), f);
  Value result = fma(parts.exponent, number(logOf2), logOfMantissa(f));
  return finishLog(x, number(-1), result);
}

/// 2^(y log2 |x|). The product has up to seven digits before the point and
/// needs 24 after it, so the logarithm is in f64: q(f) is log2(1 + f) / f to
/// 2^-38. The sign and special numbers are as in the C library.
Value Functions::pow(Value x, Value y) {
  static constexpr double q[] = {
      1.44269504089257,     -0.7213475204690967, 0.4808983438071272,
      -0.3606737519065489,  0.28853945790355906, -0.24044998137728882,
      0.20607535401006874,  -0.1803024954818721, 0.16090196004583251,
      -0.14501402245589617, 0.12347708334666456, -0.11172785089761479,
      0.1577986367526233,   -0.15057529350898802};
  using Predicate = arith::CmpFPredicate;
  Functions wide(b, withElement(type, b.getF64Type()));
  auto extend = [&](Value value) -> Value {
    return arith::ExtFOp::create(b, wide.type, value);
  };
  Value magnitude = abs(x);
  Parts parts = split(magnitude);
  Value f = extend(sub(parts.mantissa, number(1)));
  Value log = wide.fma(wide.evaluate(q, f), f, extend(parts.exponent));
  Value finite = compare(Predicate::OLT, magnitude, number(infinity));
  log = select(finite, log, extend(magnitude));
  Value zero = compare(Predicate::OEQ, x, number(0));
  log = select(zero, wide.number(-infinity), log);

  // Beyond 160 the power is zero or infinity. It is scaled in two steps, the
  // second of which may overflow or round to a subnormal number.
  Value exact = wide.mul(extend(y), log);
  Value t = arith::MaxNumFOp::create(b, exact, wide.number(-160));
  t = arith::MinNumFOp::create(b, t, wide.number(160));
  Value n = LLVM::RoundEvenOp::create(b, t);
  Value rest = arith::TruncFOp::create(b, type, wide.sub(t, n));
  Value exponent = arith::FPToSIOp::create(b, getIntegerType(), n);
  Value first = arith::ShRSIOp::create(b, exponent, integer(1));
  Value second = arith::SubIOp::create(b, exponent, first);
  Value result = mul(mul(exp2(rest), powerOfTwo(first)), powerOfTwo(second));
  Value nan = number(notANumber);
  result = select(compare(Predicate::UNO, exact, exact), nan, result);

  // An odd integer keeps the sign; a fraction has no power of less than zero.
  Value isFraction = compare(Predicate::UNE, trunc(y), y);
  Value half = mul(y, number(0.5));
  Value isOdd = compare(Predicate::UNE, trunc(half), half);
  Value withSign = LLVM::CopySignOp::create(b, result, x);
  result = select(isFraction, result, select(isOdd, withSign, result));
  Value negative = bothOf(finite, compare(Predicate::OLT, x, number(0)));
  result = select(bothOf(isFraction, negative), nan, result);
  // 1^y and x^0 are 1, whatever the other is, and so is (-1)^infinity.
  Value isOne = eitherOf(compare(Predicate::OEQ, x, number(1)),
                         compare(Predicate::OEQ, y, number(0)));
  Value endless = bothOf(compare(Predicate::OEQ, magnitude, number(1)),
                         compare(Predicate::OEQ, abs(y), number(infinity)));
  return select(eitherOf(isOne, endless), number(1), result);
}

/// tanh.approx, within 2^-11 of the value.
Value Functions::approximateTanh(Value x) {
  return LLVM::TanhOp::create(b, x.getType(), x, LLVM::FastmathFlags::afn);
}

/// Below 5/8, x + x^3 p(x^2); above, 1 - 2 / (e^2x + 1).
Value Functions::tanh(Value x) {
  static constexpr float p[] = {-0.3333328366279602f, 0.13331490755081177f,
                                -0.05374349653720856f, 0.020650578662753105f,
                                -0.005717036779969931f};
  Value square = mul(x, x);
  Value small = fma(mul(evaluate(p, square), square), x, x);
  Value magnitude = abs(x);
  Value power = exp2(mul(magnitude, number(2 * log2OfE)));
  Value part = call("llvm.nvvm.rcp.approx.ftz.f", add(power, number(1)));
  Value large = fma(part, number(-2), number(1));
  large = LLVM::CopySignOp::create(b, large, x);
  // NaN is not above, so it takes the polynomial, which carries it on.
  Value above = compare(arith::CmpFPredicate::OGT, magnitude, number(0.625));
  return select(above, large, small);
}

/// Below 0.9, x + x p(x^2); above, 1 - 2^q(|x|), which is 1 from 4 on.
Value Functions::erf(Value x) {
  static constexpr float p[] = {0.12837916612625122f,  -0.37612634897232056f,
                                0.11283719539642334f,  -0.026860753074288368f,
                                0.005204435903578997f, -0.0008181927260011435f,
                                8.53883902891539e-05f};
  static constexpr float q[] = {
      -0.00024012084759306163f, -1.6270675659179688f,  -0.9189621210098267f,
      -0.1502043902873993f,     0.032194096595048904f, -0.004422581288963556f,
      0.00028597202617675066f};
  Value small = fma(evaluate(p, mul(x, x)), x, x);
  Value magnitude = abs(x);
  Value at = arith::MinNumFOp::create(b, magnitude, number(4));
  Value large = sub(number(1), exp2(evaluate(q, at)));
  large = LLVM::CopySignOp::create(b, large, x);
  Value above = compare(arith::CmpFPredicate::OGT, magnitude, number(0.9));
  return select(above, large, small);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// A function with many intermediate values, of a few elements at a time, so
/// that the values of one piece need no registers when the next one comes.
static Value inPieces(ImplicitLocOpBuilder &b, Type type, ValueRange operands,
                      function_ref<Value(Functions &, ValueRange)> compute) {
  constexpr int64_t length = 4;
  auto vector = dyn_cast<VectorType>(type);
  if (!vector) {
    Functions functions(b, type);
    return compute(functions, operands);
  }
  SmallVector<Value> results;
  for (int64_t first = 0; first < vector.getNumElements(); first += length) {
    int64_t size = std::min(length, vector.getNumElements() - first);
    auto piece = VectorType::get(size, vector.getElementType());
    auto take = [&](Value operand) -> Value {
      return vector::ExtractStridedSliceOp::create(
          b, operand, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{size},
          ArrayRef<int64_t>{1});
    };
    Functions functions(b, piece);
    Value part = compute(functions, llvm::map_to_vector(operands, take));
    llvm::append_range(results,
                       vector::ToElementsOp::create(b, part).getResults());
  }
  return vector::FromElementsOp::create(b, vector, results);
}

bool codegen::isFunction(Operation *op) {
  if (isa<arith::DivFOp>(op))
    return !getElementTypeOrSelf(op->getResult(0).getType()).isF64();
  return op->getName().getDialectNamespace() == "math";
}

/// Rounds to an integer, which f32 has instructions for.
static Value roundToInteger(ImplicitLocOpBuilder &b, Operation *op, Value x) {
  if (isa<math::FloorOp>(op))
    return LLVM::FFloorOp::create(b, x);
  if (isa<math::CeilOp>(op))
    return LLVM::FCeilOp::create(b, x);
  if (isa<math::TruncOp>(op))
    return LLVM::FTruncOp::create(b, x);
  if (isa<math::RoundOp>(op))
    return LLVM::RoundOp::create(b, x);
  return LLVM::RoundEvenOp::create(b, x);
}

/// Whether the program or its schedule lets the hardware's approximation stand
/// for a function. approximate-functions has the same two.
static bool mayApproximate(Operation *op) {
  auto flags = dyn_cast<arith::ArithFastMathInterface>(op);
  return flags &&
         arith::bitEnumContainsAll(flags.getFastMathFlagsAttr().getValue(),
                                   arith::FastMathFlags::afn);
}

/// A quotient, or a function of math, of f32 or vectors of f32.
static Value computeInF32(ImplicitLocOpBuilder &b, Operation *op, Type f32,
                          ArrayRef<Value> operands) {
  Functions functions(b, f32);
  Value x = operands[0];
  if (mayApproximate(op) && isa<math::TanhOp>(op))
    return functions.approximateTanh(x);
  if (mayApproximate(op) && isa<math::ExpOp>(op))
    return functions.approximateExp(x);
  if (isa<arith::DivFOp>(op))
    return functions.divide(x, operands[1]);
  if (isa<math::ExpOp>(op))
    return functions.exp(x);
  if (isa<math::Exp2Op>(op))
    return functions.exp2(x);
  if (isa<math::ExpM1Op>(op))
    return functions.expm1(x);
  if (isa<math::LogOp, math::Log2Op>(op))
    return functions.log(x, isa<math::Log2Op>(op));
  if (isa<math::Log1pOp>(op))
    return functions.log1p(x);
  if (isa<math::PowFOp>(op))
    return inPieces(b, f32, operands, [](Functions &f, ValueRange x) {
      return f.pow(x[0], x[1]);
    });
  if (isa<math::SinOp>(op))
    return inPieces(b, f32, operands,
                    [](Functions &f, ValueRange x) { return f.sin(x[0]); });
  if (isa<math::CosOp>(op))
    return inPieces(b, f32, operands,
                    [](Functions &f, ValueRange x) { return f.cos(x[0]); });
  if (isa<math::TanhOp>(op))
    return functions.tanh(x);
  if (isa<math::ErfOp>(op))
    return functions.erf(x);
  if (isa<math::RsqrtOp>(op))
    return functions.rsqrt(x);
  if (isa<math::SqrtOp>(op))
    return LLVM::SqrtOp::create(b, x);
  return roundToInteger(b, op, x);
}

Value codegen::makeFunction(ImplicitLocOpBuilder &b, Operation *op,
                            ValueRange operands) {
  Type type = operands.front().getType();
  Type element = getElementTypeOrSelf(type);
  if (isa<arith::ExtFOp>(op) &&
      getElementTypeOrSelf(op->getResult(0).getType()).isF32())
    if (Value extended = extendPairs(b, operands[0]))
      return extended;
  if (isa<arith::ExtFOp, arith::TruncFOp>(op))
    return convertShortFloat(b, op, operands[0]);
  if (isa<arith::FPToSIOp, arith::FPToUIOp, arith::SIToFPOp, arith::UIToFPOp>(
          op))
    return convertShortInteger(b, op, operands[0]);
  // What the hardware has instructions for, in any type.
  if (isa<math::FmaOp>(op))
    return LLVM::FMAOp::create(b, operands[0], operands[1], operands[2]);
  if (isa<math::CopySignOp>(op))
    return LLVM::CopySignOp::create(b, operands[0], operands[1]);
  if (isa<math::AbsFOp>(op))
    return LLVM::FAbsOp::create(b, operands[0]);
  if (isa<math::AbsIOp>(op))
    return LLVM::AbsOp::create(b, type, operands[0],
                               /*is_int_min_poison=*/false);
  if (!isa<arith::DivFOp>(op) && op->getName().getDialectNamespace() != "math")
    return Value();

  // Quotients of f64 have an instruction; functions of f64 have no code.
  if (element.isF64())
    return Value();
  Type f32 = withElement(type, b.getF32Type());
  SmallVector<Value> wide;
  for (Value operand : operands)
    wide.push_back(convertFloat(b, operand, b.getF32Type()));
  return convertFloat(b, computeInF32(b, op, f32, wide), element);
}
