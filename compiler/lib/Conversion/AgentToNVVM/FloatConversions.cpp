//===- FloatConversions.cpp - Between floats, and floats of eight bits ----===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FloatConversions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::codegen;

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

Type codegen::withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(element);
  return element;
}

Value codegen::convertFloat(ImplicitLocOpBuilder &b, Value value,
                            Type element) {
  Type from = getElementTypeOrSelf(value.getType());
  Type to = withElement(value.getType(), element);
  if (from == element)
    return value;
  if (from.getIntOrFloatBitWidth() < element.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(b, to, value);
  return arith::TruncFOp::create(b, to, value);
}

Value codegen::extendPairs(ImplicitLocOpBuilder &b, Value value) {
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type || !type.getElementType().isBF16() || type.getNumElements() % 2)
    return {};
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  Value packed = vector::BitCastOp::create(
      b, VectorType::get(type.getNumElements() / 2, i32), value);
  Value half = arith::ConstantOp::create(b, b.getI32IntegerAttr(16));
  Value upper = arith::ConstantOp::create(
      b, b.getI32IntegerAttr(static_cast<int32_t>(0xffff0000)));
  SmallVector<Value> elements;
  for (Value word : vector::ToElementsOp::create(b, packed).getResults())
    for (Value bits : {arith::ShLIOp::create(b, word, half).getResult(),
                       arith::AndIOp::create(b, word, upper).getResult()})
      elements.push_back(arith::BitcastOp::create(b, f32, bits));
  return vector::FromElementsOp::create(b, type.clone(f32), elements);
}

/// A scalar as a vector of one.
static Value toVector(ImplicitLocOpBuilder &b, Value value) {
  if (isa<VectorType>(value.getType()))
    return value;
  return vector::FromElementsOp::create(b, VectorType::get(1, value.getType()),
                                        value);
}

Value codegen::convertShortFloat(ImplicitLocOpBuilder &b, Operation *op,
                                 Value operand) {
  Type from = getElementTypeOrSelf(op->getOperand(0).getType());
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  if (getShortFloat(from).empty() && getShortFloat(to).empty())
    return {};
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

Value codegen::convertShortInteger(ImplicitLocOpBuilder &b, Operation *op,
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
