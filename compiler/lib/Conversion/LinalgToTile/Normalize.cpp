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
#include "mlir/IR/IRMapping.h"
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

namespace {
/// A sum, or another reduction, along loop `along` of what comes no later than
/// loop `place`: a scan.
struct ScanForm {
  tile::Reduction kind;
  /// What is combined.
  Value element;
  unsigned place, along;
};
} // namespace

/// The loops of a condition that is true if one comes no later than the other.
static std::optional<std::pair<unsigned, unsigned>>
matchOrder(Value condition) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return std::nullopt;
  auto along = compare.getLhs().getDefiningOp<linalg::IndexOp>();
  auto place = compare.getRhs().getDefiningOp<linalg::IndexOp>();
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::uge:
  case arith::CmpIPredicate::sge:
    std::swap(along, place);
    break;
  case arith::CmpIPredicate::ule:
  case arith::CmpIPredicate::sle:
    break;
  default:
    return std::nullopt;
  }
  if (!along || !place)
    return std::nullopt;
  return std::pair<unsigned, unsigned>(place.getDim(), along.getDim());
}

static std::optional<ScanForm> matchScan(linalg::GenericOp op) {
  if (op->getNumResults() != 1 || op.getNumReductionLoops() != 1)
    return std::nullopt;
  std::optional<Combiner> combiner = matchCombiner(op, 0);
  if (!combiner)
    return std::nullopt;
  auto choice = combiner->value.getDefiningOp<arith::SelectOp>();
  TypedAttr identity = tile::ReduceOp::getIdentity(
      combiner->kind, getElementTypeOrSelf(op->getResult(0).getType()));
  auto isIdentity = [&](Value value) {
    Attribute constant;
    return matchPattern(value, m_Constant(&constant)) && constant == identity;
  };
  if (!identity || !choice || !isIdentity(choice.getFalseValue()))
    return std::nullopt;
  auto order = matchOrder(choice.getCondition());
  auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  if (!order || !fill || !isIdentity(fill.getInputs()[0]))
    return std::nullopt;
  auto [place, along] = *order;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  if (iterators[along] != utils::IteratorType::reduction ||
      iterators[place] != utils::IteratorType::parallel ||
      ranges[along] != ranges[place])
    return std::nullopt;
  // What is combined is at the reduced loop, and not at its own place.
  for (OpOperand *input : op.getDpsInputOperands())
    if (op.getMatchingIndexingMap(input).isFunctionOfDim(place))
      return std::nullopt;
  return ScanForm{combiner->kind, choice.getTrueValue(), place, along};
}

/// Makes one loop of the two of a scan: an operation on elements that stands
/// for one along an axis.
static void joinScan(linalg::GenericOp op, const ScanForm &form) {
  IRRewriter rewriter(op.getContext());
  rewriter.setInsertionPoint(op);
  unsigned loops = op.getNumLoops();
  auto renumber = [&](unsigned loop) {
    loop = loop == form.along ? form.place : loop;
    return loop - (loop > form.along);
  };
  SmallVector<AffineExpr> dims;
  for (unsigned loop = 0; loop < loops; ++loop)
    dims.push_back(rewriter.getAffineDimExpr(renumber(loop)));
  SmallVector<AffineMap> maps;
  for (AffineMap map : op.getIndexingMapsArray())
    maps.push_back(map.replaceDimsAndSymbols(dims, {}, loops - 1, 0));
  SmallVector<utils::IteratorType> iterators(loops - 1,
                                             utils::IteratorType::parallel);
  auto joined = linalg::GenericOp::create(
      rewriter, op.getLoc(), op->getResultTypes(), op.getInputs(),
      op.getOutputs(), maps, iterators,
      [&](OpBuilder &builder, Location loc, ValueRange arguments) {
        IRMapping map;
        map.map(op.getBody()->getArguments(), arguments);
        for (Operation &inner : op.getBody()->without_terminator()) {
          Operation *clone = builder.clone(inner, map);
          if (auto index = dyn_cast<linalg::IndexOp>(clone))
            index.setDim(renumber(index.getDim()));
        }
        linalg::YieldOp::create(builder, loc,
                                map.lookupOrDefault(form.element));
      });
  // What was to choose and to combine is not used any more.
  SmallVector<Operation *> copied;
  for (Operation &inner : joined.getBody()->without_terminator())
    copied.push_back(&inner);
  for (Operation *inner : llvm::reverse(copied))
    if (isOpTriviallyDead(inner))
      rewriter.eraseOp(inner);
  auto name = [&](StringRef text) { return rewriter.getStringAttr(text); };
  joined->setAttr(
      alongAttrName,
      rewriter.getDictionaryAttr(
          {{name("name"), name(tile::ScanOp::getOperationName())},
           {name("loop"), rewriter.getI64IntegerAttr(renumber(form.place))},
           {name("attributes"),
            rewriter.getDictionaryAttr(
                {{name("kind"),
                  tile::ReductionAttr::get(op.getContext(), form.kind)}})}}));
  rewriter.replaceOp(op, joined);
}

static void joinScans(func::FuncOp func) {
  for (auto op : llvm::to_vector(func.front().getOps<linalg::GenericOp>()))
    if (std::optional<ScanForm> form = matchScan(op))
      joinScan(op, *form);
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
  if (func.getBody().hasOneBlock())
    joinScans(func);
  placeNumbers(func);
  return success();
}
