//===- Functions.cpp - Functions, and conversions without an instruction -===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// There is no library of functions to call, so what the machine has no
// instruction for is written down here. All of it computes in f32; other types
// are converted, and the result is rounded once more. The errors are in
// docs/CodeGeneration.md, and a test measures them.
//
// The coefficients are minimax polynomials of the stated functions on the
// stated ranges, found by Lawson's iteration and rounded to f32.

#include "Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::codegen;

namespace {
/// Writes functions of f32, or of a vector of f32.
class Functions {
public:
  Functions(ImplicitLocOpBuilder &b, Type type) : b(b), type(type) {}

  Value exp(Value x);
  Value exp2(Value x) { return call("llvm.nvvm.ex2.approx.ftz.f32", x); }
  Value log(Value x, bool binary);
  Value tanh(Value x);
  Value erf(Value x);
  Value rsqrt(Value x) { return call("llvm.nvvm.rsqrt.approx.f", x); }
  Value divide(Value x, Value y) { return call("llvm.nvvm.div.full", {x, y}); }

private:
  Value number(double value) {
    return arith::ConstantOp::create(b, getAttr(b.getF32FloatAttr(value)));
  }
  Value integer(int32_t value) {
    return arith::ConstantOp::create(b, getAttr(b.getI32IntegerAttr(value)));
  }
  TypedAttr getAttr(TypedAttr element) {
    if (auto vector = dyn_cast<VectorType>(type))
      return DenseElementsAttr::get(vector.clone(element.getType()),
                                    Attribute(element));
    return element;
  }
  Type getIntegerType() {
    Type i32 = b.getI32Type();
    if (auto vector = dyn_cast<VectorType>(type))
      return vector.clone(i32);
    return i32;
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value fma(Value x, Value y, Value z) {
    return LLVM::FMAOp::create(b, x, y, z);
  }
  Value abs(Value x) { return LLVM::FAbsOp::create(b, x); }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  /// c[0] + c[1] x + ...
  Value evaluate(ArrayRef<float> coefficients, Value x) {
    Value sum = number(coefficients.back());
    for (float coefficient : llvm::reverse(coefficients.drop_back()))
      sum = fma(sum, x, number(coefficient));
    return sum;
  }
  /// An intrinsic of scalars, on each element.
  Value call(StringRef name, ValueRange operands) {
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
      results.push_back(
          LLVM::CallIntrinsicOp::create(b, f32, intrinsic, elements)
              .getResult(0));
    }
    return vector::FromElementsOp::create(b, vector, results);
  }

  ImplicitLocOpBuilder &b;
  Type type;
};
} // namespace

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
  exponent = arith::AddIOp::create(b, exponent, integer(127));
  exponent = arith::ShLIOp::create(b, exponent, integer(23));
  return mul(exp2(f), arith::BitcastOp::create(b, type, exponent));
}

/// x = 2^e m with m in [2/3, 4/3), so that a number near 1 has e = 0 and keeps
/// all its digits. log(1 + f) = f - f^2/2 + f^3 p(f).
Value Functions::log(Value x, bool binary) {
  static constexpr float p[] = {0.3333321511745453f,  -0.24999797344207764f,
                                0.20010405778884888f, -0.16680486500263214f,
                                0.14005862176418304f, -0.12184277921915054f,
                                0.13984467089176178f, -0.12891601026058197f};
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
  e = fma(e, number(0x1p-23), less);
  Value f = sub(m, number(1));
  Value sum = fma(evaluate(p, f), f, number(-0.5));
  sum = fma(sum, mul(f, f), f);
  Value result =
      binary ? fma(sum, number(log2OfE), e) : fma(e, number(logOf2), sum);
  // Infinity and NaN are their own logarithms; others have none.
  Value finite = compare(arith::CmpFPredicate::OLT, x,
                         number(std::numeric_limits<float>::infinity()));
  result = select(finite, result, x);
  Value zero = compare(arith::CmpFPredicate::OEQ, x, number(0));
  result =
      select(zero, number(-std::numeric_limits<float>::infinity()), result);
  Value negative = compare(arith::CmpFPredicate::OLT, x, number(0));
  return select(negative, number(std::numeric_limits<float>::quiet_NaN()),
                result);
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
// Types of eight bits
//===----------------------------------------------------------------------===//

/// "e4m3" or "e5m2"; empty for all other types.
static StringRef getShortFloat(Type type) {
  return isa<Float8E4M3FNType>(type) ? "e4m3"
         : isa<Float8E5M2Type>(type) ? "e5m2"
                                     : "";
}

static Value assemble(ImplicitLocOpBuilder &b, Type result, const Twine &text,
                      StringRef constraints, ValueRange operands) {
  return LLVM::InlineAsmOp::create(b, result, operands, text.str(), constraints,
                                   /*has_side_effects=*/false,
                                   /*is_align_stack=*/false,
                                   LLVM::tailcallkind::TailCallKind::None,
                                   LLVM::AsmDialectAttr(), ArrayAttr())
      .getRes();
}

/// The instructions convert two numbers. A last one alone goes twice.
template <typename Function>
static Value convertPairs(ImplicitLocOpBuilder &b, Value vector, Type element,
                          Function convert) {
  int64_t count = cast<VectorType>(vector.getType()).getNumElements();
  SmallVector<Value> results;
  for (int64_t i = 0; i < count; i += 2) {
    Value low = vector::ExtractOp::create(b, vector, i);
    Value high =
        vector::ExtractOp::create(b, vector, std::min(i + 1, count - 1));
    auto [first, second] = convert(low, high);
    results.push_back(first);
    if (i + 1 < count)
      results.push_back(second);
  }
  return vector::FromElementsOp::create(b, VectorType::get(count, element),
                                        results);
}

/// f32 of the bytes of a short float.
static Value extendShort(ImplicitLocOpBuilder &b, Value bytes, StringRef name) {
  auto pair = VectorType::get(2, b.getF16Type());
  return convertPairs(b, bytes, b.getF32Type(), [&](Value low, Value high) {
    Type i16 = b.getI16Type();
    Value upper = arith::ShLIOp::create(
        b, arith::ExtUIOp::create(b, i16, high),
        arith::ConstantOp::create(b, b.getI16IntegerAttr(8)));
    Value both =
        arith::OrIOp::create(b, arith::ExtUIOp::create(b, i16, low), upper);
    Value halves = assemble(
        b, b.getI32Type(), "cvt.rn.f16x2." + name + "x2 $0, $1;", "=r,h", both);
    Value numbers = LLVM::BitcastOp::create(b, pair, halves);
    auto get = [&](int64_t index) -> Value {
      Value half = vector::ExtractOp::create(b, numbers, index);
      return arith::ExtFOp::create(b, b.getF32Type(), half);
    };
    return std::pair(get(0), get(1));
  });
}

/// The bytes of a short float that is nearest to f32. The instruction stops at
/// the largest number; the type goes on to what it has beyond: NaN or infinity.
static Value truncateShort(ImplicitLocOpBuilder &b, Value numbers,
                           StringRef name) {
  int64_t count = cast<VectorType>(numbers.getType()).getNumElements();
  Type i8 = b.getI8Type();
  Value bytes = convertPairs(b, numbers, i8, [&](Value low, Value high) {
    // The first source is the upper half.
    Value both = assemble(b, b.getI16Type(),
                          "cvt.rn.satfinite." + name + "x2.f32 $0, $1, $2;",
                          "=h,f,f", {high, low});
    Value upper = arith::ShRUIOp::create(
        b, both, arith::ConstantOp::create(b, b.getI16IntegerAttr(8)));
    return std::pair<Value, Value>(arith::TruncIOp::create(b, i8, both),
                                   arith::TruncIOp::create(b, i8, upper));
  });
  bool hasInfinity = name == "e5m2";
  auto wide = VectorType::get(count, b.getI32Type());
  auto narrow = VectorType::get(count, i8);
  auto splat = [&](VectorType type, TypedAttr element) -> Value {
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(type, Attribute(element)));
  };
  // Half way to the next number: that one is even in e5m2, and rounded to; in
  // e4m3 the largest one is.
  Value edge = splat(cast<VectorType>(numbers.getType()),
                     b.getF32FloatAttr(hasInfinity ? 61440 : 464));
  Value beyond = arith::CmpFOp::create(
      b, hasInfinity ? arith::CmpFPredicate::OGE : arith::CmpFPredicate::OGT,
      LLVM::FAbsOp::create(b, numbers), edge);
  Value bits = arith::BitcastOp::create(b, wide, numbers);
  bits = arith::ShRUIOp::create(b, bits, splat(wide, b.getI32IntegerAttr(24)));
  Value sign = arith::TruncIOp::create(b, narrow, bits);
  sign = arith::AndIOp::create(
      b, sign, splat(narrow, b.getI8IntegerAttr(static_cast<int8_t>(0x80))));
  Value last = arith::OrIOp::create(
      b, sign, splat(narrow, b.getI8IntegerAttr(hasInfinity ? 0x7c : 0x7f)));
  return arith::SelectOp::create(b, beyond, last, bytes);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// `type` with another element.
static Type withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(element);
  return element;
}

static Value convertFloat(ImplicitLocOpBuilder &b, Value value, Type element) {
  Type from = getElementTypeOrSelf(value.getType());
  Type to = withElement(value.getType(), element);
  if (from == element)
    return value;
  if (from.getIntOrFloatBitWidth() < element.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(b, to, value);
  return arith::TruncFOp::create(b, to, value);
}

/// A scalar as a vector of one.
static Value toVector(ImplicitLocOpBuilder &b, Value value) {
  if (isa<VectorType>(value.getType()))
    return value;
  return vector::FromElementsOp::create(b, VectorType::get(1, value.getType()),
                                        value);
}

static Value convertShortFloat(ImplicitLocOpBuilder &b, Operation *op,
                               Value operand) {
  Type from = getElementTypeOrSelf(op->getOperand(0).getType());
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  bool scalar = !isa<VectorType>(operand.getType());
  operand = toVector(b, operand);
  Value result;
  if (StringRef name = getShortFloat(from); !name.empty())
    operand = extendShort(b, operand, name);
  if (StringRef name = getShortFloat(to); !name.empty())
    result = truncateShort(b, convertFloat(b, operand, b.getF32Type()), name);
  else
    result = convertFloat(b, operand, to);
  if (scalar)
    result = vector::ExtractOp::create(b, result, 0);
  return result;
}

/// Between integers and floats of eight bits, by way of f32: it has every
/// integer that the latter have, so nothing is rounded twice. Null if neither
/// side is such a float.
static Value convertShortInteger(ImplicitLocOpBuilder &b, Operation *op,
                                 Value operand) {
  StringRef from =
      getShortFloat(getElementTypeOrSelf(op->getOperand(0).getType()));
  StringRef to =
      getShortFloat(getElementTypeOrSelf(op->getResult(0).getType()));
  if (from.empty() && to.empty())
    return {};
  bool scalar = !isa<VectorType>(operand.getType());
  Value value = toVector(b, operand);
  if (!from.empty())
    value = extendShort(b, value, from);
  Type element = from.empty()
                     ? b.getF32Type()
                     : getElementTypeOrSelf(op->getResult(0).getType());
  value = b.create(op->getLoc(), op->getName().getIdentifier(), value,
                   withElement(value.getType(), element))
              ->getResult(0);
  if (!to.empty())
    value = truncateShort(b, value, to);
  return scalar ? vector::ExtractOp::create(b, value, 0).getResult() : value;
}

bool codegen::isFunction(Operation *op) {
  if (isa<arith::DivFOp>(op))
    return !getElementTypeOrSelf(op->getResult(0).getType()).isF64();
  return op->getName().getDialectNamespace() == "math";
}

Value codegen::makeFunction(ImplicitLocOpBuilder &b, Operation *op,
                            ValueRange operands) {
  Type type = operands.front().getType();
  Type element = getElementTypeOrSelf(type);
  if (isa<arith::ExtFOp, arith::TruncFOp>(op)) {
    Type from = getElementTypeOrSelf(op->getOperand(0).getType());
    Type to = getElementTypeOrSelf(op->getResult(0).getType());
    if (!getShortFloat(from).empty() || !getShortFloat(to).empty())
      return convertShortFloat(b, op, operands[0]);
    return Value();
  }
  if (isa<arith::FPToSIOp, arith::FPToUIOp, arith::SIToFPOp, arith::UIToFPOp>(
          op))
    return convertShortInteger(b, op, operands[0]);
  // What the machine has instructions for, in any type.
  if (isa<math::FmaOp>(op))
    return LLVM::FMAOp::create(b, operands[0], operands[1], operands[2]);
  if (isa<math::CopySignOp>(op))
    return LLVM::CopySignOp::create(b, operands[0], operands[1]);
  if (isa<math::AbsFOp>(op))
    return LLVM::FAbsOp::create(b, operands[0]);
  if (isa<math::AbsIOp>(op))
    return LLVM::AbsOp::create(b, type, operands[0],
                               /*is_int_min_poison=*/false);
  bool isDivision = isa<arith::DivFOp>(op);
  if (!isDivision && op->getName().getDialectNamespace() != "math")
    return Value();

  // Quotients of f64 have an instruction; functions of f64 have no code.
  if (element.isF64())
    return Value();
  Type f32 = withElement(type, b.getF32Type());
  SmallVector<Value> wide;
  for (Value operand : operands)
    wide.push_back(convertFloat(b, operand, b.getF32Type()));
  Functions functions(b, f32);
  Value x = wide[0], result;
  if (isDivision)
    result = functions.divide(x, wide[1]);
  else if (isa<math::ExpOp>(op))
    result = functions.exp(x);
  else if (isa<math::Exp2Op>(op))
    result = functions.exp2(x);
  else if (isa<math::LogOp, math::Log2Op>(op))
    result = functions.log(x, isa<math::Log2Op>(op));
  else if (isa<math::TanhOp>(op))
    result = functions.tanh(x);
  else if (isa<math::ErfOp>(op))
    result = functions.erf(x);
  else if (isa<math::RsqrtOp>(op))
    result = functions.rsqrt(x);
  else if (isa<math::SqrtOp>(op))
    result = LLVM::SqrtOp::create(b, x);
  else if (isa<math::FloorOp>(op))
    result = LLVM::FFloorOp::create(b, x);
  else if (isa<math::CeilOp>(op))
    result = LLVM::FCeilOp::create(b, x);
  else if (isa<math::TruncOp>(op))
    result = LLVM::FTruncOp::create(b, x);
  else if (isa<math::RoundOp>(op))
    result = LLVM::RoundOp::create(b, x);
  else
    result = LLVM::RoundEvenOp::create(b, x);
  return convertFloat(b, result, element);
}
