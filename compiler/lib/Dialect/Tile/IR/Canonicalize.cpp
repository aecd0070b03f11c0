//===- Canonicalize.cpp - Folders and canonical forms ---------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What the simplest form of a tile program is:
//
//   - numbers that are known stand in the operation, not in an operand;
//   - what is the default is not written;
//   - a tile that is the same everywhere stays a splat through every change of
//     shape;
//   - broadcasts come last: slices, transposes and new dimensions are taken of
//     the small tile;
//   - what is negated is small;
//   - conversions of layouts do not follow one another.
//
// CanonicalizeArithmetic.cpp has what MMAs and reductions add to that.

#include "Canonicalize.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace drawloom::tile;

//===----------------------------------------------------------------------===//
// Numbers that are known
//===----------------------------------------------------------------------===//

namespace {
/// Offsets that are constants become numbers.
template <typename OpTy>
struct FoldOffsets : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
    if (failed(foldDynamicIndexList(offsets)))
      return failure();
    SmallVector<int64_t> numbers;
    SmallVector<Value> values;
    dispatchIndexOpFoldResults(offsets, values, numbers);
    rewriter.modifyOpInPlace(op, [&] {
      op.getOffsetsMutable().assign(values);
      op.setStaticOffsets(numbers);
    });
    return success();
  }
};

/// `dims` that are the last dimensions of the view say nothing.
template <typename OpTy>
struct DropDefaultDims : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    std::optional<ArrayRef<int64_t>> dims = op.getDims();
    int64_t rank = op.getView().getType().getRank();
    if (!dims ||
        !llvm::equal(*dims, llvm::seq<int64_t>(rank - dims->size(), rank)))
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.removeDimsAttr(); });
    return success();
  }
};

/// The pad that a load has anyway says nothing.
struct DropDefaultPad : OpRewritePattern<LoadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LoadOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<TypedAttr> pad = op.getPad();
    if (!pad || *pad != LoadOp::getDefaultPad(pad->getType()))
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.removePadAttr(); });
    return success();
  }
};

/// Sizes of a subview that are constants become part of its type. Users that
/// are not of this dialect (a loop that carries the view) keep the old type, so
/// the pattern waits until there are none.
struct FoldSubviewSizes : OpRewritePattern<SubviewOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SubviewOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<OpFoldResult> sizes = op.getMixedSizes();
    if (failed(foldDynamicIndexList(sizes, /*onlyNonNegative=*/true)))
      return failure();
    if (!llvm::all_of(
            op->getUsers(),
            llvm::IsaPred<DimOp, SubviewOp, LoadOp, StoreOp, ForEachOp>))
      return failure();
    SmallVector<int64_t> numbers;
    SmallVector<Value> values;
    dispatchIndexOpFoldResults(sizes, values, numbers);
    rewriter.replaceOpWithNewOp<SubviewOp>(op, op.getView(), op.getOffsets(),
                                           values, op.getStaticOffsets(),
                                           numbers);
    return success();
  }
};
} // namespace

OpFoldResult DimOp::fold(FoldAdaptor) {
  Builder builder(getContext());
  int64_t size = getView().getType().getDimSize(getIndex());
  if (!ShapedType::isDynamic(size))
    return builder.getIndexAttr(size);
  if (auto subview = getView().getDefiningOp<SubviewOp>())
    return subview.getMixedSizes()[getIndex()];
  return {};
}

OpFoldResult SubviewOp::fold(FoldAdaptor) {
  // The whole of a view of known shape.
  if (getView().getType() == getType() && getType().hasStaticShape() &&
      llvm::all_of(getStaticOffsets(), [](int64_t o) { return o == 0; }))
    return getView();
  return {};
}

void SubviewOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<FoldOffsets<SubviewOp>, FoldSubviewSizes>(context);
}

void LoadOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<FoldOffsets<LoadOp>, DropDefaultDims<LoadOp>, DropDefaultPad>(
      context);
}

void StoreOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *context) {
  patterns.add<FoldOffsets<StoreOp>, DropDefaultDims<StoreOp>>(context);
}

void ReadOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<FoldOffsets<ReadOp>>(context);
}

void WriteOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *context) {
  patterns.add<FoldOffsets<WriteOp>>(context);
}

bool drawloom::tile::hasLayout(Operation *op) {
  auto carries = [](Type type) {
    auto tile = dyn_cast<RankedTensorType>(type);
    return tile && tile.getEncoding();
  };
  return llvm::any_of(op->getOperandTypes(), carries) ||
         llvm::any_of(op->getResultTypes(), carries);
}

//===----------------------------------------------------------------------===//
// Splats
//===----------------------------------------------------------------------===//

/// A constant that is the same everywhere has any shape.
static OpFoldResult foldSplat(Attribute source, RankedTensorType result) {
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(source))
    return DenseElementsAttr::get(result, splat.getSplatValue<Attribute>());
  return {};
}

namespace {
/// The same for a splat of a value.
template <typename OpTy>
struct ShapeOfSplat : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto splat = op.getSource().template getDefiningOp<tensor::SplatOp>();
    if (!splat)
      return failure();
    rewriter.replaceOpWithNewOp<tensor::SplatOp>(op, op.getType(),
                                                 splat.getInput());
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// tile.broadcast
//===----------------------------------------------------------------------===//

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  if (auto inner = getSource().getDefiningOp<BroadcastOp>()) {
    getSourceMutable().assign(inner.getSource());
    return getResult();
  }
  return foldSplat(adaptor.getSource(), getType());
}

namespace {
/// Negate the small tile, then give it its shape.
template <typename OpTy>
struct NegateBefore : OpRewritePattern<arith::NegFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::NegFOp op,
                                PatternRewriter &rewriter) const override {
    auto shape = op.getOperand().template getDefiningOp<OpTy>();
    if (!shape || !shape->hasOneUse() || hasLayout(op) || hasLayout(shape))
      return failure();
    Value small = arith::NegFOp::create(rewriter, op.getLoc(),
                                        shape.getSource(), op.getFastmath());
    IRMapping map;
    map.map(shape.getSource(), small);
    rewriter.replaceOp(op, rewriter.clone(*shape, map));
    return success();
  }
};
} // namespace

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<ShapeOfSplat<BroadcastOp>, NegateBefore<BroadcastOp>>(context);
}

//===----------------------------------------------------------------------===//
// tile.expand_dims
//===----------------------------------------------------------------------===//

namespace {
/// Expand the small tile, then broadcast.
struct ExpandBeforeBroadcast : OpRewritePattern<ExpandDimsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ExpandDimsOp op,
                                PatternRewriter &rewriter) const override {
    auto broadcast = op.getSource().getDefiningOp<BroadcastOp>();
    if (!broadcast || hasLayout(op) || hasLayout(broadcast))
      return failure();
    Value small = ExpandDimsOp::create(rewriter, op.getLoc(),
                                       broadcast.getSource(), op.getAxis());
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), small);
    return success();
  }
};
} // namespace

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) {
  return foldSplat(adaptor.getSource(), getType());
}

void ExpandDimsOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                               MLIRContext *context) {
  patterns.add<ShapeOfSplat<ExpandDimsOp>, ExpandBeforeBroadcast,
               NegateBefore<ExpandDimsOp>>(context);
}

//===----------------------------------------------------------------------===//
// tile.transpose
//===----------------------------------------------------------------------===//

namespace {
/// Two permutations are one.
struct MergeTransposes : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getSource().getDefiningOp<TransposeOp>();
    if (!inner)
      return failure();
    SmallVector<int64_t> permutation;
    for (int64_t dim : op.getPermutation())
      permutation.push_back(inner.getPermutation()[dim]);
    rewriter.replaceOpWithNewOp<TransposeOp>(op, op.getType(),
                                             inner.getSource(), permutation);
    return success();
  }
};

/// Transpose the small tile, then broadcast.
struct TransposeBeforeBroadcast : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto broadcast = op.getSource().getDefiningOp<BroadcastOp>();
    if (!broadcast || hasLayout(op) || hasLayout(broadcast))
      return failure();
    Value small = TransposeOp::create(
        rewriter, op.getLoc(), broadcast.getSource(), op.getPermutation());
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), small);
    return success();
  }
};

/// A column that is transposed is a row: a vector gets its axis elsewhere.
struct ExpandTransposed : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto expand = op.getSource().getDefiningOp<ExpandDimsOp>();
    if (!expand || op.getType().getRank() != 2 || hasLayout(op) ||
        hasLayout(expand) || llvm::is_sorted(op.getPermutation()))
      return failure();
    rewriter.replaceOpWithNewOp<ExpandDimsOp>(
        op, op.getType(), expand.getSource(), 1 - expand.getAxis());
    return success();
  }
};
} // namespace

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType() && llvm::is_sorted(getPermutation()))
    return getSource();
  return foldSplat(adaptor.getSource(), getType());
}

void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<ShapeOfSplat<TransposeOp>, MergeTransposes,
               TransposeBeforeBroadcast, ExpandTransposed>(context);
}

//===----------------------------------------------------------------------===//
// tile.extract_slice
//===----------------------------------------------------------------------===//

namespace {
/// A slice of a slice is a slice.
struct MergeSlices : OpRewritePattern<ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getSource().getDefiningOp<ExtractSliceOp>();
    if (!inner)
      return failure();
    SmallVector<int64_t> offsets;
    for (auto [a, b] : llvm::zip_equal(inner.getOffsets(), op.getOffsets()))
      offsets.push_back(a + b);
    rewriter.replaceOpWithNewOp<ExtractSliceOp>(op, op.getType(),
                                                inner.getSource(), offsets);
    return success();
  }
};

/// Slice the small tile, then broadcast.
struct SliceBeforeBroadcast : OpRewritePattern<ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    auto broadcast = op.getSource().getDefiningOp<BroadcastOp>();
    if (!broadcast || hasLayout(op) || hasLayout(broadcast))
      return failure();
    RankedTensorType source = broadcast.getSource().getType();
    SmallVector<int64_t> shape, offsets;
    for (auto [from, to, offset, size] :
         llvm::zip_equal(source.getShape(), broadcast.getType().getShape(),
                         op.getOffsets(), op.getType().getShape())) {
      bool grew = from != to;
      shape.push_back(grew ? 1 : size);
      offsets.push_back(grew ? 0 : offset);
    }
    Value small = ExtractSliceOp::create(
        rewriter, op.getLoc(),
        RankedTensorType::get(shape, source.getElementType()),
        broadcast.getSource(), offsets);
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), small);
    return success();
  }
};
} // namespace

OpFoldResult ExtractSliceOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  return foldSplat(adaptor.getSource(), getType());
}

void ExtractSliceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                 MLIRContext *context) {
  patterns.add<ShapeOfSplat<ExtractSliceOp>, MergeSlices, SliceBeforeBroadcast>(
      context);
}

//===----------------------------------------------------------------------===//
// tile.convert_layout
//===----------------------------------------------------------------------===//

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  if (auto inner = getSource().getDefiningOp<ConvertLayoutOp>()) {
    getSourceMutable().assign(inner.getSource());
    return getResult();
  }
  return foldSplat(adaptor.getSource(), getType());
}

void ConvertLayoutOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                  MLIRContext *context) {
  patterns.add<ShapeOfSplat<ConvertLayoutOp>>(context);
}
