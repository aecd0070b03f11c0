//===- Normalize.cpp - Few forms of what a function may say ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgFunction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::linalg_to_tile;

/// A softmax is shorthand for several linalg operations.
static void expandSoftmax(func::FuncOp func) {
  IRRewriter rewriter(func.getContext());
  for (auto op : llvm::to_vector(func.getOps<linalg::SoftmaxOp>())) {
    // Upstream expands those of numbers that have an exponential.
    auto type = dyn_cast<RankedTensorType>(op.getInput().getType());
    if (!type || !isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(
                     type.getElementType()))
      continue;
    rewriter.setInsertionPoint(op);
    if (FailureOr<SmallVector<Value>> values = op.decomposeOperation(rewriter);
        succeeded(values))
      rewriter.replaceOp(op, *values);
  }
}

/// The number in f32.
static Value extend(OpBuilder &builder, Location loc, Value number) {
  FloatAttr constant;
  if (!matchPattern(number, m_Constant(&constant)))
    return arith::ExtFOp::create(builder, loc, builder.getF32Type(), number);
  return arith::ConstantOp::create(
      builder, loc, builder.getF32FloatAttr(constant.getValueAsDouble()));
}

/// Products of matrices that add up in f16 or bf16 add up in f32 instead, and
/// the result is rounded once. That is never less exact, and on these machines
/// as fast: tensor cores have no sums in bf16, and those in f16 save registers
/// only.
static void widenSums(func::FuncOp func) {
  IRRewriter rewriter(func.getContext());
  Type f32 = rewriter.getF32Type();
  for (auto op : llvm::to_vector(func.front().getOps<linalg::LinalgOp>())) {
    std::optional<Contraction> product = matchContraction(op);
    if (!product || !op.hasPureTensorSemantics())
      continue;
    auto isShort = [](Type element) {
      return isa<Float16Type, BFloat16Type>(element);
    };
    auto isOperand = [&](OpOperand *operand) {
      Type element = getElementTypeOrSelf(operand->get().getType());
      return isa<FloatType>(element) && element.getIntOrFloatBitWidth() <= 16;
    };
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    FailureOr<linalg::ContractionDimensions> dims =
        linalg::inferContractionDims(op);
    if (!isShort(type.getElementType()) || !isOperand(product->lhs) ||
        !isOperand(product->rhs) || failed(dims) || dims->m.empty() ||
        dims->n.empty())
      continue;
    Location loc = op.getLoc();
    rewriter.setInsertionPoint(op);
    Value init = op.getDpsInits().front();
    RankedTensorType wide = type.clone(f32);
    if (auto fill = init.getDefiningOp<linalg::FillOp>()) {
      Value number = extend(rewriter, loc, fill.getInputs().front());
      Value empty = tensor::EmptyOp::create(
          rewriter, loc,
          tensor::getMixedSizes(rewriter, loc, fill.getOutputs().front()), f32);
      init = linalg::FillOp::create(rewriter, loc, number, empty).getResult(0);
    } else {
      init = arith::ExtFOp::create(rewriter, loc, wide, init);
    }
    Value sum = linalg::ContractOp::create(
                    rewriter, loc, wide,
                    ValueRange{product->lhs->get(), product->rhs->get()}, init,
                    rewriter.getAffineMapArrayAttr(op.getIndexingMapsArray()))
                    ->getResult(0);
    auto narrow = op.getDpsInits().front().getDefiningOp<linalg::FillOp>();
    rewriter.replaceOp(op, arith::TruncFOp::create(rewriter, loc, type, sum));
    if (narrow && narrow->use_empty())
      rewriter.eraseOp(narrow);
  }
}

/// Moves indices that are the same for all elements out of the bodies, and
/// what is computed of numbers of tensors (`tensor.extract`) into those that
/// use it: a number is loaded where it is needed.
static void placeNumbers(func::FuncOp func) {
  IRRewriter rewriter(func.getContext());
  Block &block = func.front();
  for (auto op : block.getOps<linalg::GenericOp>())
    for (Operation &inner :
         llvm::make_early_inc_range(op.getBody()->without_terminator())) {
      auto isOutside = [&](Value operand) {
        return operand.getParentBlock() != op.getBody();
      };
      if (!isa<linalg::IndexOp>(inner) && isPure(&inner) &&
          llvm::all_of(inner.getResultTypes(), llvm::IsaPred<IndexType>) &&
          llvm::all_of(inner.getOperands(), isOutside))
        rewriter.moveOpBefore(&inner, op);
    }

  SetVector<Operation *> ofTensors;
  for (Operation &op : block) {
    auto isOfTensor = [&](Value operand) {
      return ofTensors.contains(operand.getDefiningOp());
    };
    bool isScalar =
        op.getNumRegions() == 0 && isPure(&op) &&
        !op.hasTrait<OpTrait::IsTerminator>() &&
        llvm::none_of(op.getResultTypes(), llvm::IsaPred<TensorType>);
    if (isa<tensor::ExtractOp>(op) ||
        (isScalar && llvm::any_of(op.getOperands(), isOfTensor)))
      ofTensors.insert(&op);
  }
  // Users before what they use.
  for (Operation *op : llvm::reverse(ofTensors.getArrayRef())) {
    DenseMap<Block *, Operation *> clones;
    for (OpOperand &use : llvm::make_early_inc_range(op->getUses())) {
      Block *body = use.getOwner()->getBlock();
      if (body == &block)
        continue;
      Operation *&clone = clones[body];
      if (!clone) {
        rewriter.setInsertionPointToStart(body);
        clone = rewriter.clone(*op);
      }
      use.set(clone->getResult(cast<OpResult>(use.get()).getResultNumber()));
    }
    if (op->use_empty())
      rewriter.eraseOp(op);
  }
}

/// A result that is a tensor in another shape: the kernel gives the tensor as
/// it is computed, since rows without gaps are the same memory in both shapes.
static void giveUnshaped(func::FuncOp func) {
  auto end = func.getBody().hasOneBlock()
                 ? dyn_cast<func::ReturnOp>(func.front().getTerminator())
                 : nullptr;
  if (!end)
    return;
  for (OpOperand &operand : end->getOpOperands()) {
    Operation *reshape = operand.get().getDefiningOp();
    if (!isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
            reshape) ||
        !reshape->hasOneUse() ||
        !reshape->getOperand(0).getDefiningOp<linalg::LinalgOp>())
      continue;
    operand.set(reshape->getOperand(0));
    reshape->erase();
  }
  func.setFunctionType(FunctionType::get(
      func.getContext(), func.getArgumentTypes(), end->getOperandTypes()));
}

LogicalResult linalg_to_tile::normalize(func::FuncOp func) {
  expandSoftmax(func);
  splitSearches(func);
  if (func.getBody().hasOneBlock())
    widenSums(func);
  // arith and math on whole tensors.
  RewritePatternSet patterns(func.getContext());
  linalg::populateElementwiseToLinalgConversionPatterns(patterns);
  if (failed(applyPatternsGreedily(func, std::move(patterns))))
    return failure();
  // Now that whatever computes a result is a linalg operation.
  giveUnshaped(func);
  placeNumbers(func);
  return success();
}
