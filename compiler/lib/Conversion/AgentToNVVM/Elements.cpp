//===- Elements.cpp - Elements in registers and in memory -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace drawloom;

Type codegen::getRegisterType(Type element) {
  if (element.isIndex())
    return IntegerType::get(element.getContext(), 32);
  if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() <= 8)
    return IntegerType::get(element.getContext(), 8);
  return element;
}

Type codegen::getMemoryType(Type element) {
  Type type = getRegisterType(element);
  return type.isInteger(1) ? IntegerType::get(type.getContext(), 8) : type;
}

int64_t codegen::getElementBytes(Type element) {
  int64_t bits = getMemoryType(element).getIntOrFloatBitWidth();
  return bits % 8 == 0 && llvm::isPowerOf2_64(bits) ? bits / 8 : 0;
}

Value codegen::toMemory(ImplicitLocOpBuilder &b, Value value) {
  Type type = value.getType();
  if (!getElementTypeOrSelf(type).isInteger(1))
    return value;
  Type byte = b.getI8Type();
  if (auto vector = dyn_cast<VectorType>(type))
    byte = vector.clone(byte);
  return arith::ExtUIOp::create(b, byte, value);
}

Value codegen::fromMemory(ImplicitLocOpBuilder &b, Value value, Type type) {
  if (!getElementTypeOrSelf(type).isInteger(1))
    return value;
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(value.getType()));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, value, zero);
}

/// LLVM sees no dependence between a load and its wait, and moves uses above
/// the wait. So the words go through it.
SmallVector<Value> codegen::waitForLoad(ImplicitLocOpBuilder &b,
                                        ArrayRef<Value> words) {
  std::string constraints;
  for (size_t i = 0; i < words.size(); ++i)
    constraints += "=r,";
  for (size_t i = 0; i < words.size(); ++i)
    constraints += std::to_string(i) + ",";
  constraints += "~{memory}";
  auto all = LLVM::LLVMStructType::getLiteral(
      b.getContext(), SmallVector<Type>(words.size(), b.getI32Type()));
  bool isOne = words.size() == 1;
  auto waited = LLVM::InlineAsmOp::create(
      b, isOne ? b.getI32Type() : Type(all), words,
      "tcgen05.wait::ld.sync.aligned;", constraints,
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
      ArrayAttr());
  if (isOne)
    return {waited.getRes()};
  SmallVector<Value> loaded;
  for (size_t i = 0; i < words.size(); ++i)
    loaded.push_back(LLVM::ExtractValueOp::create(b, waited.getRes(), i));
  return loaded;
}
