//===- Elementwise.cpp - Operations that keep elements where they are -----===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::codegen;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// `index` has 32 bits, so a conversion from or to it may be nothing.
static Value resize(ImplicitLocOpBuilder &b, Value value, Type to,
                    bool isSigned) {
  unsigned from = getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
  unsigned bits = getElementTypeOrSelf(to).getIntOrFloatBitWidth();
  if (from == bits)
    return value;
  if (from > bits)
    return arith::TruncIOp::create(b, to, value);
  if (isSigned)
    return arith::ExtSIOp::create(b, to, value);
  return arith::ExtUIOp::create(b, to, value);
}

/// The nearest number of 32 bits. An index that has none is outside every
/// view, and so is that one.
static Value saturate(ImplicitLocOpBuilder &b, Value number, bool isSigned) {
  auto constant = [&](int64_t value) {
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
  };
  if (isSigned) {
    number = arith::MaxSIOp::create(b, number, constant(INT32_MIN));
    number = arith::MinSIOp::create(b, number, constant(INT32_MAX));
  } else {
    number = arith::MinUIOp::create(b, number, constant(INT32_MAX));
  }
  return arith::TruncIOp::create(b, b.getI32Type(), number);
}

/// Whether a number is made of sizes of views: how many tiles there are. It has
/// no more factors than work tiles have dimensions.
static bool isCount(Value number, unsigned factors = 8) {
  Operation *op = number.getDefiningOp();
  if (auto product = dyn_cast_if_present<arith::MulIOp>(op))
    return factors > 1 && isCount(product.getLhs(), factors / 2) &&
           isCount(product.getRhs(), factors / 2);
  return isa_and_present<tile::DimOp, arith::CeilDivUIOp, arith::ConstantOp>(
      op);
}

/// Whether a product of indices may have more than 32 bits. The number of work
/// tiles has not: a launch counts them. A small factor is the size of a tile or
/// of a row.
static bool isWide(Operation *op) {
  constexpr int64_t small = 1 << 16;
  if (!op->getResult(0).getType().isIndex())
    return false;
  if (auto shift = dyn_cast<arith::ShLIOp>(op)) {
    std::optional<int64_t> bits = getConstantIntValue(shift.getRhs());
    return !bits || *bits > 16;
  }
  if (!isa<arith::MulIOp>(op) || isCount(op->getResult(0)))
    return false;
  return llvm::none_of(op->getOperands(), [](Value factor) {
    std::optional<int64_t> constant = getConstantIntValue(factor);
    return constant && *constant >= -small && *constant <= small;
  });
}

/// Whether a tile is one number, or rows of them: a few registers.
static bool isRepeated(Value tile) {
  Attribute constant;
  return matchPattern(tile, m_Constant(&constant)) ||
         isa_and_present<tile::BroadcastOp, tensor::SplatOp>(
             tile.getDefiningOp());
}

/// The number that all elements of an f32 tile are; null if it isn't known.
static std::optional<APFloat> getConstant(Value tile) {
  DenseElementsAttr all;
  if (!matchPattern(tile, m_Constant(&all)) || !all.isSplat())
    return std::nullopt;
  return all.getSplatValue<APFloat>();
}

/// A number that is scaled twice, by constants, is scaled once: their product
/// is rounded in place of a product of the number. The first one must not make
/// numbers larger, so that nothing overflows that did not, or the other way
/// round.
static void joinFactors(ImplicitLocOpBuilder &b, arith::MulFOp product,
                        Value &x, Value &y,
                        ConversionPatternRewriter &rewriter) {
  auto inner = product.getLhs().getDefiningOp<arith::MulFOp>();
  if (!inner || !inner->hasOneUse())
    return;
  std::optional<APFloat> first = getConstant(inner.getRhs());
  std::optional<APFloat> second = getConstant(product.getRhs());
  Value number = rewriter.getRemappedValue(inner.getLhs());
  if (!first || !second || !number || abs(*first) > APFloat(1.0f))
    return;
  APFloat both = *first * *second;
  if (!both.isNormal())
    return;
  x = number;
  y = arith::ConstantOp::create(
      b, DenseElementsAttr::get(cast<ShapedType>(y.getType()), both));
}

/// A product that only a sum reads is part of an FMA, which rounds once: the
/// product may be in front of a wait that the sum is behind, where nothing else
/// finds the two. One factor has to be a few registers, since both live until
/// then. Null if there is no such product, or it is a row itself.
static Value fuse(ImplicitLocOpBuilder &b, Operation *op,
                  ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) {
  if (!isa<arith::AddFOp, arith::SubFOp>(op) ||
      !getElementTypeOrSelf(op->getResult(0).getType()).isF32())
    return Value();
  for (unsigned i : {0, 1}) {
    auto product = op->getOperand(i).getDefiningOp<arith::MulFOp>();
    auto type = dyn_cast_or_null<RankedTensorType>(op->getOperand(i).getType());
    if (!product || !product->hasOneUse() || !type || type.getRank() < 2 ||
        llvm::none_of(product->getOperands(), isRepeated))
      continue;
    Value x = rewriter.getRemappedValue(product.getLhs());
    Value y = rewriter.getRemappedValue(product.getRhs());
    if (!x || !y)
      continue;
    joinFactors(b, product, x, y, rewriter);
    Value z = operands[1 - i];
    if (isa<arith::SubFOp>(op)) {
      // Of a row, which is one register, the sign changes there.
      Value &factor = isRepeated(product.getRhs()) ? y : x;
      Value &negated = i == 0 ? z : factor;
      negated = LLVM::FNegOp::create(b, negated);
    }
    return LLVM::FMAOp::create(b, x, y, z);
  }
  return Value();
}

/// The short floats that a tile of f32 is, and which of them each element is.
struct Extended {
  Value tile;
  SmallVector<int64_t> numbers;
};

/// What a tile is extended from, through operations that only name elements
/// anew; nothing if it isn't.
static std::optional<Extended> findExtended(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (auto extension = dyn_cast_if_present<arith::ExtFOp>(op)) {
    Type from = getElementTypeOrSelf(extension.getIn().getType());
    if (!from.isBF16() && !from.isF16())
      return std::nullopt;
    int64_t count = getVectorType(extension.getType()).getNumElements();
    return Extended{extension.getIn(),
                    llvm::to_vector(llvm::seq<int64_t>(0, count))};
  }
  if (!isa_and_present<tile::ExpandDimsOp, tile::BroadcastOp>(op))
    return std::nullopt;
  std::optional<Extended> extended = findExtended(op->getOperand(0));
  if (!extended)
    return std::nullopt;
  std::optional<SmallVector<int64_t>> numbers =
      plan::findRegisters(getLayout(op->getOperand(0).getType()),
                          getLayout(tile.getType()), plan::getReshape(op));
  for (int64_t &number : *numbers)
    number = extended->numbers[number];
  extended->numbers = std::move(*numbers);
  return extended;
}

/// Blackwell adds a short float to f32 with one instruction for each element,
/// where two are extended with two and added with one. Null where that is not
/// what `op` does, and where a short float is added more than once.
static Value addShort(ImplicitLocOpBuilder &b, Operation *op,
                      ArrayRef<Value> operands,
                      ConversionPatternRewriter &rewriter) {
  auto kernel = op->getParentOfType<tile::KernelOp>();
  const target::Architecture *arch = kernel ? tile::getTarget(kernel) : nullptr;
  if (!isa<arith::AddFOp>(op) ||
      !isa<RankedTensorType>(op->getOperand(0).getType()) || !arch ||
      arch->mma != target::MmaInstruction::Tcgen05)
    return Value();
  for (unsigned i : {0, 1}) {
    std::optional<Extended> extended = findExtended(op->getOperand(i));
    Value shorts =
        extended ? rewriter.getRemappedValue(extended->tile) : Value();
    auto type = dyn_cast<VectorType>(operands[i].getType());
    if (!shorts || !type || !isa<VectorType>(shorts.getType()) ||
        cast<VectorType>(shorts.getType()).getNumElements() <
            type.getNumElements())
      continue;
    SmallVector<Value> sums;
    for (auto [at, number] : llvm::enumerate(extended->numbers)) {
      Value one = vector::ExtractOp::create(b, shorts, number);
      Value other = vector::ExtractOp::create(b, operands[1 - i], int64_t(at));
      Value wide = arith::ExtFOp::create(b, b.getF32Type(), one);
      sums.push_back(arith::AddFOp::create(b, other, wide));
    }
    return vector::FromElementsOp::create(b, type, sums);
  }
  return Value();
}

namespace {
/// Scalars, and operations on each element of tiles in registers: the same
/// operation on other types, or a function. Which of them there are is asked
/// before (drawloom/Dialect/Tile/IR/Code.h).
class ElementwisePattern : public ConversionPattern {
public:
  ElementwisePattern(const TypeConverter &types, MLIRContext *context)
      : ConversionPattern(types, MatchAnyOpTypeTag(), /*benefit=*/0, context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    StringRef dialect = op->getName().getDialectNamespace();
    if ((dialect != "arith" && dialect != "math") || operands.empty())
      return failure();
    SmallVector<Type> types;
    if (failed(typeConverter->convertTypes(op->getResultTypes(), types)))
      return failure();
    ImplicitLocOpBuilder b(op->getLoc(), rewriter);
    if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
      bool isSigned = isa<arith::IndexCastOp>(op);
      bool isNarrowed = op->getResult(0).getType().isIndex() &&
                        operands.front().getType().isInteger(64);
      rewriter.replaceOp(
          op, isNarrowed
                  ? saturate(b, operands.front(), isSigned)
                  : resize(b, operands.front(), types.front(), isSigned));
      return success();
    }
    if (isWide(op)) {
      Type i64 = b.getI64Type();
      SmallVector<Value> wide;
      for (Value operand : operands)
        wide.push_back(arith::ExtSIOp::create(b, i64, operand));
      Value product =
          b.create(op->getLoc(), op->getName().getIdentifier(), wide, i64)
              ->getResult(0);
      rewriter.replaceOp(op, saturate(b, product, /*isSigned=*/true));
      return success();
    }
    if (Value result = makeFunction(b, op, operands)) {
      rewriter.replaceOp(op, result);
      return success();
    }
    if (Value result = fuse(b, op, operands, rewriter)) {
      rewriter.replaceOp(op, result);
      return success();
    }
    if (Value result = addShort(b, op, operands, rewriter)) {
      rewriter.replaceOp(op, result);
      return success();
    }
    rewriter.replaceOp(op, b.create(op->getLoc(), op->getName().getIdentifier(),
                                    operands, types, op->getAttrs()));
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Tiles from nothing
//===----------------------------------------------------------------------===//

static Values splat(tensor::SplatOp op, tensor::SplatOp::Adaptor operands,
                    CodeWriter &w) {
  return {vector::BroadcastOp::create(w.b, getVectorType(op.getType()),
                                      operands.getInput())};
}

static Values countUp(tile::IotaOp op, tile::IotaOp::Adaptor, CodeWriter &w) {
  // A coordinate of a fragment is made of digits that never meet.
  plan::Offsets offsets =
      llvm::cantFail(plan::Offsets::get(getLayout(op.getType()), 0));
  ThreadOffset thread = w.getThreadOffset(offsets);
  VectorType vector = getVectorType(op.getType());
  Type type = vector.getElementType();
  SmallVector<Value> elements;
  for (int64_t i = 0; i < offsets.getRegisters(); ++i) {
    Value number = arith::AddIOp::create(w.b, w.getOffset(thread, offsets, i),
                                         w.constant(offsets.getAdded(i)));
    if (type.getIntOrFloatBitWidth() > 32)
      number = arith::ExtUIOp::create(w.b, type, number);
    else if (type.getIntOrFloatBitWidth() < 32)
      number = arith::TruncIOp::create(w.b, type, number);
    elements.push_back(number);
  }
  return {vector::FromElementsOp::create(w.b, vector, elements)};
}

//===----------------------------------------------------------------------===//
// Other names for registers
//===----------------------------------------------------------------------===//

/// The result of `op`, whose element at some coordinates is that of the operand
/// at `map(coordinates)`. Threads keep what they have: that was asked before
/// (CheckLayouts.cpp).
static Value
gather(Operation *op, Value fragment, CodeWriter &w,
       llvm::function_ref<SmallVector<int64_t>(ArrayRef<int64_t>)> map) {
  const tile::Layout &from = getLayout(op->getOperand(0).getType());
  SmallVector<int64_t> numbers =
      *plan::findRegisters(from, getLayout(op->getResult(0).getType()), map);
  bool isWhole = llvm::equal(
      numbers, llvm::seq<int64_t>(0, from.getInputSize(plan::inRegister)));
  if (isWhole)
    return fragment;
  return vector::ShuffleOp::create(w.b, fragment, fragment, numbers);
}

/// New axes of size one, repetitions along them, and permutations of axes.
template <typename OpT>
static Values reshape(OpT op, typename OpT::Adaptor operands, CodeWriter &w) {
  return {gather(op, operands.getSource(), w, plan::getReshape(op))};
}

/// Some of the registers.
template <typename OpT>
static Values slice(OpT op, typename OpT::Adaptor operands, CodeWriter &w) {
  return {gather(op, operands.getSource(), w, plan::getSlice(op))};
}

void codegen::addElementwise(PatternList &list) {
  list.patterns.add<ElementwisePattern>(list.types, list.patterns.getContext());
  list.add<tensor::SplatOp>(splat);
  list.add<tile::IotaOp>(countUp);
  list.add<tile::ExpandDimsOp>(reshape<tile::ExpandDimsOp>);
  list.add<tile::BroadcastOp>(reshape<tile::BroadcastOp>);
  list.add<tile::TransposeOp>(reshape<tile::TransposeOp>);
  list.add<tensor::ExtractSliceOp>(slice<tensor::ExtractSliceOp>);
  list.add<tile::ExtractSliceOp>(slice<tile::ExtractSliceOp>);
}
