//===- Angles.cpp - Sine and cosine ---------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Functions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <numbers>

using namespace mlir;
using namespace drawloom;
using namespace drawloom::codegen;

/// x - n pi/2, with pi/2 in three parts, is exact to 2^-57 of n. Beyond 2^16
/// that is not enough; then, and in a branch because it is rare and long, the
/// digits of 2/pi are multiplied that matter for x.
Functions::Angle Functions::reduceAngle(Value x) {
  static constexpr double parts[] = {1.5707963705062866, -4.371138828673793e-08,
                                     -1.7151245100058819e-15};
  static constexpr double limit = 0x1p16;
  // To this number an integer is added in the low bits of a float.
  static constexpr double shift = 0x1.8p23;
  Value shifted = fma(x, number(2 / std::numbers::pi), number(shift));
  Value quadrant = arith::BitcastOp::create(b, getIntegerType(), shifted);
  Value n = sub(shifted, number(shift));
  Value rest = x;
  for (double part : parts)
    rest = fma(n, number(-part), rest);

  Value magnitude = abs(x);
  Value isAnyLarge = arith::CmpFOp::create(
      b, arith::CmpFPredicate::OGT, largest(magnitude),
      arith::ConstantOp::create(b, b.getF32FloatAttr(limit)));
  auto branch = scf::IfOp::create(b, {quadrant.getType(), type}, isAnyLarge,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Angle large = reduceLargeAngle(x);
  Value isLarge = compare(arith::CmpFPredicate::OGT, magnitude, number(limit));
  scf::YieldOp::create(b, ValueRange{select(isLarge, large.quadrant, quadrant),
                                     select(isLarge, large.rest, rest)});
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, ValueRange{quadrant, rest});
  return {branch.getResult(0), branch.getResult(1)};
}

/// Three words with the digits of 2/pi from number `first` on, counted from
/// that of weight 2^31.
SmallVector<Value> Functions::findDigits(Value first) {
  // After 32 digits before the point.
  static constexpr uint32_t digits[] = {0,          0xa2f9836e, 0x4e441529,
                                        0xfc2757d1, 0xf534ddc0, 0xdb629599,
                                        0x3c439041, 0xfe5163ab};
  SmallVector<Value> words;
  for (uint32_t word : digits)
    words.push_back(integer(static_cast<int32_t>(word)));
  for (int32_t step : {4, 2, 1}) {
    Value bit = arith::AndIOp::create(b, first, integer(32 * step));
    Value isSet =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ne, bit, integer(0));
    // No window begins after the fourth word.
    size_t count = step == 4 ? words.size() - step : 3 + step;
    for (size_t i = 0; i < count; ++i)
      words[i] = select(isSet, words[i + step], words[i]);
  }
  for (size_t i = 0; i < 3; ++i)
    words[i] = LLVM::FshlOp::create(b, words[i], words[i + 1], first);
  words.truncate(3);
  return words;
}

/// |x| = 2^e m with an integer m of 24 bits. Digits of 2/pi that give multiples
/// of four quadrants don't matter, and of those that follow 96 are enough: no
/// float is closer than 2^-30 to a multiple of pi/2.
///
///   2/pi:  0 ... 0 1 0 1 0 0 0 1 0 1 ...
///                  [ words[0] | words[1] | words[2] ]  the first has weight 2
///   times m, without the carry, and without the lowest 32 bits:
///                  [ quadrant, 2 bits | fraction, 62 bits ]
Functions::Angle Functions::reduceLargeAngle(Value x) {
  Type narrow = getIntegerType();
  Type wide = withElement(type, b.getI64Type());
  auto extend = [&](Value value) -> Value {
    return arith::ExtUIOp::create(b, wide, value);
  };
  auto wideInteger = [&](int64_t value) -> Value {
    Attribute element = b.getI64IntegerAttr(value);
    if (auto vector = dyn_cast<VectorType>(wide))
      return arith::ConstantOp::create(b,
                                       DenseElementsAttr::get(vector, element));
    return arith::ConstantOp::create(b, cast<TypedAttr>(element));
  };
  Value bits = arith::BitcastOp::create(b, narrow, abs(x));
  // The first digit that matters.
  Value first = arith::SubIOp::create(
      b, arith::ShRUIOp::create(b, bits, integer(23)), integer(120));
  SmallVector<Value> words = findDigits(first);

  Value m = arith::AndIOp::create(b, bits, integer(0x7fffff));
  m = extend(arith::OrIOp::create(b, m, integer(0x800000)));
  auto multiply = [&](Value word) -> Value {
    return arith::MulIOp::create(b, m, extend(word));
  };
  Value product = arith::ShLIOp::create(b, multiply(words[0]), wideInteger(32));
  product = arith::AddIOp::create(b, product, multiply(words[1]));
  product = arith::AddIOp::create(
      b, product,
      arith::ShRUIOp::create(b, multiply(words[2]), wideInteger(32)));
  Value rounded =
      arith::AddIOp::create(b, product, wideInteger(int64_t(1) << 61));
  Value quadrant = arith::ShRUIOp::create(b, rounded, wideInteger(62));
  Value fraction = arith::SubIOp::create(
      b, product, arith::ShLIOp::create(b, quadrant, wideInteger(62)));
  quadrant = arith::TruncIOp::create(b, narrow, quadrant);
  // In f64, so that it is rounded once.
  Functions exact(b, withElement(type, b.getF64Type()));
  Value rest = exact.mul(arith::SIToFPOp::create(b, exact.type, fraction),
                         exact.number(std::numbers::pi / 2 * 0x1p-62));
  rest = arith::TruncFOp::create(b, type, rest);

  Value negative = compare(arith::CmpFPredicate::OLT, x, number(0));
  Value opposite = arith::SubIOp::create(b, integer(0), quadrant);
  quadrant = select(negative, opposite, quadrant);
  rest = select(negative, LLVM::FNegOp::create(b, rest), rest);
  Value finite = compare(arith::CmpFPredicate::OLT, abs(x), number(infinity));
  return {quadrant, select(finite, rest, number(notANumber))};
}

/// The sine `more` quadrants further: r + r^3 p(r^2) in even ones,
/// 1 - r^2/2 + r^4 q(r^2) in odd ones, and less than zero in every other two.
Value Functions::takeQuadrant(Angle angle, int32_t more) {
  static constexpr float p[] = {-0.16666653752326965f, 0.008332141675055027f,
                                -0.0001951225713128224f};
  static constexpr float q[] = {0.04166664555668831f, -0.0013887319946661592f,
                                2.4432796635665e-05f};
  Value r = angle.rest;
  Value square = mul(r, r);
  Value sine = fma(mul(evaluate(p, square), square), r, r);
  Value cosine = fma(evaluate(q, square), square, number(-0.5));
  cosine = fma(cosine, square, number(1));
  Value quadrant = arith::AddIOp::create(b, angle.quadrant, integer(more));
  Value odd = arith::AndIOp::create(b, quadrant, integer(1));
  Value isOdd =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, odd, integer(0));
  Value sign = arith::AndIOp::create(b, quadrant, integer(2));
  sign = arith::ShLIOp::create(b, sign, integer(30));
  Value result = arith::BitcastOp::create(b, getIntegerType(),
                                          select(isOdd, cosine, sine));
  return arith::BitcastOp::create(b, type,
                                  arith::XOrIOp::create(b, result, sign));
}
