//===- Mma.cpp - Which matrix products there are --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace drawloom::tile;

namespace {
/// One row of the table of MMAs in the description of tile.mma.
struct Mma {
  bool (*operand)(Type);
  bool (*accumulator)(Type);
  /// The operands may have different types of this row.
  bool mixed;
  StringLiteral operandNames;
  StringLiteral accumulatorNames;
};

/// One row of the table of block scales.
struct BlockScale {
  bool (*operand)(Type);
  bool (*scale)(Type);
  int64_t block;
};
} // namespace

static bool isNarrow(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type, Float6E2M3FNType,
             Float6E3M2FNType, Float4E2M1FNType>(type);
}
static bool isF4(Type type) { return isa<Float4E2M1FNType>(type); }
static bool isF16(Type type) { return type.isF16(); }
static bool isBF16(Type type) { return type.isBF16(); }
static bool isF32(Type type) { return type.isF32(); }
static bool isF32OrF16(Type type) { return type.isF32() || type.isF16(); }
static bool isI8(Type type) { return type.isSignlessInteger(8); }
static bool isI32(Type type) { return type.isSignlessInteger(32); }
static bool isE8M0(Type type) { return isa<Float8E8M0FNUType>(type); }
static bool isE4M3(Type type) { return isa<Float8E4M3FNType>(type); }

static const Mma mmas[] = {
    {isF16, isF32OrF16, false, "'f16'", "'f32' or 'f16'"},
    {isBF16, isF32, false, "'bf16'", "'f32'"},
    {isF32, isF32, false, "'f32'", "'f32'"},
    {isNarrow, isF32OrF16, true, "any of the 8-, 6- and 4-bit floats",
     "'f32' or 'f16'"},
    {isI8, isI32, false, "'i8'", "'i32'"},
};

static const BlockScale blockScales[] = {
    {isNarrow, isE8M0, 32},
    {isF4, isE8M0, 16},
    {isF4, isE4M3, 16},
};

void MmaOp::build(OpBuilder &builder, OperationState &state, Value a, Value b,
                  Value acc) {
  build(builder, state, acc.getType(), a, b, acc, /*a_scale=*/Value(),
        /*b_scale=*/Value(), /*tf32=*/false, /*negated=*/false,
        /*pair=*/false);
}

int64_t MmaOp::getScaleBlock() {
  return getAScale() ? getK() / getAScale().getType().getDimSize(1) : 0;
}

static std::string shapeText(RankedTensorType type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(type.getShape(), os, "x");
  return text;
}

static LogicalResult verifyShapes(MmaOp op) {
  RankedTensorType a = op.getA().getType(), b = op.getB().getType(),
                   acc = op.getAcc().getType();
  for (auto [name, type] : {std::pair("a", a), {"b", b}, {"acc", acc}})
    if (type.getRank() != 2)
      return op.emitOpError() << "'" << name << "' is " << type
                              << ": it must be a matrix, of rank 2";
  if (op.getK() != b.getDimSize(1))
    return op.emitOpError()
           << "sums over K, but a (M x K) is " << shapeText(a)
           << " and b (N x K) is " << shapeText(b) << ": " << op.getK()
           << " and " << b.getDimSize(1)
           << " must be equal; if b is K x N, use tile.transpose";
  if (acc.getDimSize(0) != op.getM() || acc.getDimSize(1) != op.getN())
    return op.emitOpError()
           << "has a (M x K) of " << shapeText(a) << " and b (N x K) of "
           << shapeText(b) << ", so the accumulator (M x N) must be "
           << op.getM() << "x" << op.getN() << ", but it is " << shapeText(acc);
  return success();
}

static LogicalResult verifyTypes(MmaOp op) {
  Type a = op.getA().getType().getElementType();
  Type b = op.getB().getType().getElementType();
  Type acc = op.getAcc().getType().getElementType();
  const auto *row =
      llvm::find_if(mmas, [&](const Mma &mma) { return mma.operand(a); });
  if (row == std::end(mmas))
    return op.emitOpError()
           << "has operands of type " << a
           << ", which no tensor core multiplies: convert them to 'bf16', "
              "'f16' or another type of the table of tile.mma";
  if (!row->operand(b) || (a != b && !row->mixed))
    return op.emitOpError() << "multiplies " << a << " and " << b << ": with a "
                            << a << ", b must be " << row->operandNames;
  if (!row->accumulator(acc))
    return op.emitOpError()
           << "adds MMAs of " << a << " in " << acc
           << ": the accumulator must be " << row->accumulatorNames;
  if (a.isF32() && !op.getTf32())
    return op.emitOpError()
           << "has 'f32' operands, which tensor cores read as TF32, without "
              "the 13 low bits of the mantissa: accept that with 'tf32', or "
              "convert them";
  if (!a.isF32() && op.getTf32())
    return op.emitOpError() << "says 'tf32', which is for 'f32' operands, but "
                               "they are "
                            << a;
  if (op.getNegated() && (op.getAScale() || acc.isInteger()))
    return op.emitOpError()
           << "is 'negated', which MMAs of "
           << (acc.isInteger() ? "integers" : "operands with scales")
           << " are not: negate what is added to them, or the result";
  return success();
}

static LogicalResult verifyScale(MmaOp op, StringRef name,
                                 RankedTensorType operand,
                                 RankedTensorType scale) {
  if (scale.getRank() != 2 || scale.getDimSize(0) != operand.getDimSize(0) ||
      operand.getDimSize(1) % scale.getDimSize(1) != 0)
    return op.emitOpError()
           << "has scales " << scale << " for " << name << ", which is "
           << operand << ": they must be " << operand.getDimSize(0)
           << " by K / block, with K = " << operand.getDimSize(1);
  Type element = operand.getElementType(), scaleType = scale.getElementType();
  int64_t block = operand.getDimSize(1) / scale.getDimSize(1);
  for (const BlockScale &row : blockScales)
    if (row.operand(element) && row.scale(scaleType) && row.block == block)
      return success();
  InFlightDiagnostic diagnostic =
      op.emitOpError() << "has one " << scaleType << " scale for " << block
                       << " elements of " << element << " of " << name << " ("
                       << operand.getDimSize(1) << " / " << scale.getDimSize(1)
                       << "): ";
  if (!isNarrow(element))
    return diagnostic << "only 8-, 6- and 4-bit floats take scales";
  diagnostic << "give one 'f8E8M0FNU' for 32";
  if (isF4(element))
    diagnostic << ", or one 'f8E8M0FNU' or 'f8E4M3FN' for 16";
  return diagnostic;
}

static LogicalResult verifyScales(MmaOp op) {
  auto aScale = op.getAScale(), bScale = op.getBScale();
  if (!aScale && !bScale)
    return success();
  if (!aScale || !bScale)
    return op.emitOpError() << "has scales for " << (aScale ? "a" : "b")
                            << " only: give both or none";
  if (failed(verifyScale(op, "a", op.getA().getType(), aScale.getType())) ||
      failed(verifyScale(op, "b", op.getB().getType(), bScale.getType())))
    return failure();
  if (aScale.getType().getElementType() != bScale.getType().getElementType() ||
      aScale.getType().getDimSize(1) != bScale.getType().getDimSize(1))
    return op.emitOpError()
           << "has scales " << aScale.getType() << " and " << bScale.getType()
           << ": type and block must be the same for a and b";
  if (!op.getAcc().getType().getElementType().isF32())
    return op.emitOpError() << "has scales and adds in "
                            << op.getAcc().getType().getElementType()
                            << ": with scales the accumulator must be 'f32'";
  return success();
}

LogicalResult MmaOp::verify() {
  return failure(failed(verifyShapes(*this)) || failed(verifyTypes(*this)) ||
                 failed(verifyScales(*this)));
}
