//===- DescribeMma.cpp - MMAs of tiles as the target names them -----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Dialect/Tile/IR/DescribeMma.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::tile;
using target::ElementType;

namespace {
/// One row of the table that names element types as the instructions do.
struct TypeRow {
  bool (*is)(Type);
  ElementType type;
};
} // namespace

static const TypeRow typeRows[] = {
    {[](Type t) { return t.isF16(); }, ElementType::F16},
    {[](Type t) { return t.isBF16(); }, ElementType::BF16},
    {[](Type t) { return t.isF32(); }, ElementType::F32},
    {[](Type t) { return isa<Float8E4M3FNType>(t); }, ElementType::E4M3},
    {[](Type t) { return isa<Float8E5M2Type>(t); }, ElementType::E5M2},
    {[](Type t) { return isa<Float6E2M3FNType>(t); }, ElementType::E2M3},
    {[](Type t) { return isa<Float6E3M2FNType>(t); }, ElementType::E3M2},
    {[](Type t) { return isa<Float4E2M1FNType>(t); }, ElementType::E2M1},
    {[](Type t) { return t.isSignlessInteger(8); }, ElementType::S8},
    {[](Type t) { return t.isSignlessInteger(32); }, ElementType::S32},
    {[](Type t) { return isa<Float8E8M0FNUType>(t); }, ElementType::UE8M0},
};

static std::optional<ElementType> translate(Type type) {
  for (const TypeRow &row : typeRows)
    if (row.is(type))
      return row.type;
  return std::nullopt;
}

target::Mma tile::makeMma(int64_t m, int64_t n, int64_t k, Type a, Type b,
                          Type accumulator, Type scale, bool tf32) {
  target::Mma mma;
  mma.m = m;
  mma.n = n;
  mma.k = k;
  mma.a = translate(a);
  mma.b = translate(b);
  mma.accumulator = translate(accumulator);
  if (mma.a == ElementType::F32 && tf32)
    mma.a = mma.b = ElementType::TF32;
  mma.hasScale = static_cast<bool>(scale);
  // The same type is an operand and a scale, under two names.
  if (scale)
    mma.scale =
        isa<Float8E4M3FNType>(scale) ? ElementType::UE4M3 : translate(scale);
  llvm::raw_string_ostream os(mma.types);
  os << a << " and " << b << " into " << accumulator;
  if (scale)
    os << " with scales of " << scale;
  return mma;
}

bool tile::isZero(Value value) {
  return matchPattern(value, m_Zero()) || matchPattern(value, m_AnyZeroFloat());
}

target::Mma tile::describeMma(MmaOp op) {
  target::Mma mma = makeMma(
      op.getM(), op.getN(), op.getK(), op.getA().getType().getElementType(),
      op.getB().getType().getElementType(),
      op.getAcc().getType().getElementType(),
      op.getAScale() ? op.getAScale().getType().getElementType() : Type(),
      op.getTf32());
  return op.getPair() ? target::ofPair(std::move(mma)) : mma;
}
