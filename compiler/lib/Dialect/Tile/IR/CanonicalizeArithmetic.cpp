//===- CanonicalizeArithmetic.cpp - MMAs and reductions, simplified -------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What the simplest form of arithmetic on tiles is:
//
//   - an MMA of a negated operand is one that subtracts;
//   - a maximum is scaled, and not what it is the maximum of.

#include "Canonicalize.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace drawloom::tile;

//===----------------------------------------------------------------------===//
// tile.mma
//===----------------------------------------------------------------------===//

OpFoldResult MmaOp::fold(FoldAdaptor adaptor) {
  // Zero times anything is zero for integers. It is not for floats: the other
  // operand may hold an infinity or a NaN.
  if (!getType().getElementType().isInteger())
    return {};
  if (matchPattern(adaptor.getA(), m_Zero()) ||
      matchPattern(adaptor.getB(), m_Zero()))
    return getAcc();
  return {};
}

/// What an operand of an MMA is the negation of, or null. A transpose stands
/// between them where the operand is stored the other way round.
static Value findNegated(Value operand, PatternRewriter &rewriter) {
  if (auto negation = operand.getDefiningOp<arith::NegFOp>())
    return negation.getOperand();
  auto transpose = operand.getDefiningOp<TransposeOp>();
  if (!transpose)
    return {};
  Value source = findNegated(transpose.getSource(), rewriter);
  if (!source)
    return {};
  return TransposeOp::create(rewriter, transpose.getLoc(), transpose.getType(),
                             source, transpose.getPermutation());
}

namespace {
/// An MMA of a negated operand is one that is subtracted.
struct SubtractMma : OpRewritePattern<MmaOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MmaOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getAScale())
      return failure();
    for (OpOperand *operand : {&op.getAMutable(), &op.getBMutable()})
      if (Value source = findNegated(operand->get(), rewriter)) {
        rewriter.modifyOpInPlace(op, [&] {
          operand->set(source);
          op.setNegated(!op.getNegated());
        });
        return success();
      }
    return failure();
  }
};
} // namespace

void MmaOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns.add<SubtractMma>(context);
}

//===----------------------------------------------------------------------===//
// tile.reduce
//===----------------------------------------------------------------------===//

/// The number that all elements of a floating-point tile are known to be.
static std::optional<APFloat> getSplat(Value tile) {
  SplatElementsAttr all;
  if (!matchPattern(tile, m_Constant(&all)) ||
      !isa<FloatType>(all.getElementType()))
    return std::nullopt;
  return all.getSplatValue<APFloat>();
}

static bool isExtremum(Reduction kind) {
  return kind == Reduction::MaximumF || kind == Reduction::MinimumF ||
         kind == Reduction::MaxNumF || kind == Reduction::MinNumF;
}

namespace {
/// A factor above zero keeps the order of numbers, also of what is rounded
/// after it: the largest `x * c` is the largest `x` times `c`. So `x` is scaled
/// where else it is used, as a part of an FMA. A mask that leaves infinity
/// elsewhere may stand in between.
struct ScaleExtremum : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getResult().getType());
    Value source = op.getSource();
    auto masked = source.getDefiningOp<arith::SelectOp>();
    auto product = (masked ? masked.getTrueValue() : source)
                       .getDefiningOp<arith::MulFOp>();
    if (!type || !isExtremum(op.getKind()) || !product || hasLayout(op))
      return failure();
    std::optional<APFloat> factor = getSplat(product.getRhs());
    if (!factor || !factor->isFiniteNonZero() || factor->isNegative())
      return failure();
    Value unscaled = product.getLhs();
    rewriter.setInsertionPointAfterValue(source);
    if (masked) {
      std::optional<APFloat> elsewhere = getSplat(masked.getFalseValue());
      if (!elsewhere || !elsewhere->isInfinity() || !product->hasOneUse())
        return failure();
      unscaled = arith::SelectOp::create(rewriter, masked.getLoc(),
                                         masked.getCondition(), unscaled,
                                         masked.getFalseValue());
    }
    Value scaled =
        arith::MulFOp::create(rewriter, product.getLoc(), unscaled,
                              product.getRhs(), product.getFastmathAttr());
    rewriter.replaceAllUsesExcept(source, scaled, op);
    rewriter.setInsertionPointAfter(op);
    Value factors = arith::ConstantOp::create(
        rewriter, op.getLoc(), DenseElementsAttr::get(type, *factor));
    Value extremum = ReduceOp::create(rewriter, op.getLoc(), type, op.getKind(),
                                      unscaled, op.getAxis());
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, extremum, factors);
    return success();
  }
};
} // namespace

void ReduceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<ScaleExtremum>(context);
}

OpFoldResult ReduceOp::fold(FoldAdaptor) {
  // Of one element each, which tile.expand_dims put there.
  if (auto expand = getSource().getDefiningOp<ExpandDimsOp>())
    if (expand.getAxis() == getAxis() &&
        expand.getSource().getType() == getType())
      return expand.getSource();
  return {};
}
