//===- CheckProgram.cpp - What has a form in a tile program ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgFunction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::linalg_to_tile;

//===----------------------------------------------------------------------===//
// Products and reductions
//===----------------------------------------------------------------------===//

/// The value before it was extended for the product.
static Value skipExtension(Value value) {
  Operation *op = value.getDefiningOp();
  return isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp>(op) ? op->getOperand(0)
                                                            : value;
}

std::optional<Contraction>
linalg_to_tile::matchContraction(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op->getNumResults() != 1 ||
      !op.getNumReductionLoops())
    return std::nullopt;
  std::optional<Combiner> sum = matchCombiner(op, 0);
  if (!sum || (sum->kind != tile::Reduction::AddF &&
               sum->kind != tile::Reduction::AddI))
    return std::nullopt;
  Operation *product = sum->value.getDefiningOp();
  if (!isa_and_nonnull<arith::MulFOp, arith::MulIOp>(product))
    return std::nullopt;
  OpOperand *lhs = op.getDpsInputOperand(0), *rhs = op.getDpsInputOperand(1);
  std::pair<Value, Value> factors = {skipExtension(product->getOperand(0)),
                                     skipExtension(product->getOperand(1))};
  std::pair<Value, Value> inputs = {op.getMatchingBlockArgument(lhs),
                                    op.getMatchingBlockArgument(rhs)};
  if (factors != inputs && factors != std::pair(inputs.second, inputs.first))
    return std::nullopt;
  if (!isa<RankedTensorType>(lhs->get().getType()) ||
      !isa<RankedTensorType>(rhs->get().getType()))
    return std::nullopt;
  return Contraction{lhs, rhs};
}

FailureOr<linalg::ContractionDimensions>
linalg_to_tile::matchMatrixProduct(linalg::LinalgOp op) {
  if (!matchContraction(op))
    return failure();
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  if (failed(dims) || dims->m.empty() || dims->n.empty() || dims->k.empty())
    return failure();
  return dims;
}

std::optional<Combiner> linalg_to_tile::matchCombiner(linalg::LinalgOp op,
                                                      unsigned result) {
  OpOperand *init = op.getDpsInitOperand(result);
  BlockArgument previous = op.getMatchingBlockArgument(init);
  Operation *combiner = op.getMatchingYieldValue(init)->get().getDefiningOp();
  if (!previous.hasOneUse() || !combiner || combiner->getNumOperands() != 2 ||
      combiner->getBlock() != op.getBlock())
    return std::nullopt;
  StringRef name = combiner->getName().getStringRef();
  if (!name.consume_front("arith."))
    return std::nullopt;
  std::optional<tile::Reduction> kind = tile::symbolizeReduction(name);
  if (!kind)
    return std::nullopt;
  for (unsigned i : {0, 1})
    if (combiner->getOperand(i) == previous)
      return Combiner{*kind, combiner->getOperand(1 - i)};
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Rejections
//===----------------------------------------------------------------------===//

static bool isNumber(Type type) {
  return isa<FloatType>(type) || type.isSignlessInteger();
}

static LogicalResult checkSignature(func::FuncOp func) {
  auto check = [&](Type type, StringRef what, unsigned number, Location loc) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor && what == "argument" && (isNumber(type) || type.isIndex()))
      return success();
    if (tensor && (tensor.getRank() > 0 || what == "argument") &&
        !tensor.getEncoding() && isNumber(tensor.getElementType()))
      return success();
    return LogicalResult(emitError(loc)
                         << "@" << func.getSymName() << ": " << what << " "
                         << number << " is a " << type
                         << ": a kernel takes scalars and tensors of floats or "
                            "signless integers without an encoding, and gives "
                            "such tensors of rank one or more "
                            "[linalg-unsupported]");
  };
  for (BlockArgument argument : func.getArguments())
    if (failed(check(argument.getType(), "argument", argument.getArgNumber(),
                     argument.getLoc())))
      return failure();
  for (auto [i, type] : llvm::enumerate(func.getResultTypes()))
    if (failed(check(type, "result", i, func.getLoc())))
      return failure();
  if (func.getNumResults() == 0)
    return func.emitOpError()
           << "gives no tensor: a kernel is made of a function that returns "
              "what it computes [linalg-unsupported]";
  if (!func.getBody().hasOneBlock())
    return func.getBody().front().getTerminator()->emitOpError()
           << "branches, and control flow is unsupported in linalg functions; "
              "choose between kernels outside, or write a tile.kernel "
              "[linalg-control-flow]";
  return success();
}

static LogicalResult checkMaps(linalg::LinalgOp op) {
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    bool isInit = op.isDpsInit(&operand);
    if (map.isProjectedPermutation(/*allowZeroInResults=*/!isInit))
      continue;
    return op.emitOpError()
           << "indexes " << (isInit ? "result " : "operand ")
           << (isInit ? operand.getOperandNumber() - op.getNumDpsInputs()
                      : operand.getOperandNumber())
           << " by " << AffineMapAttr::get(map)
           << ": convolution windows and diagonals are unsupported, each index "
              "must be a distinct loop. Apply im2col before the kernel, or "
              "write a tile.kernel"
           << " [linalg-indexing]";
  }
  return success();
}

/// Whether it is one number of an argument, the same for all elements.
static bool isNumberOfArgument(Operation &inner) {
  auto extract = dyn_cast<tensor::ExtractOp>(inner);
  return extract && isa<BlockArgument>(extract.getTensor()) &&
         llvm::all_of(extract.getIndices(), [&](Value index) {
           return index.getParentBlock() != inner.getBlock();
         });
}

static LogicalResult checkBody(linalg::LinalgOp op) {
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (isa<linalg::IndexOp>(inner) || isNumberOfArgument(inner) ||
        inner.hasTrait<OpTrait::ConstantLike>() ||
        OpTrait::hasElementwiseMappableTraits(&inner))
      continue;
    return inner.emitOpError()
           << "does not work on whole tiles: the body of a linalg operation "
              "may hold 'arith' and 'math' operations that work element by "
              "element. For a lookup, gather before the kernel; for a choice, "
              "use 'arith.select' [linalg-unsupported]";
  }
  return success();
}

static LogicalResult checkReductions(linalg::LinalgOp op) {
  if (!op.getNumReductionLoops())
    return success();
  for (OpResult result : op->getResults()) {
    std::optional<Combiner> combiner =
        matchCombiner(op, result.getResultNumber());
    if (!combiner)
      return op.emitOpError()
             << "reduces with a body that is no single 'arith' operation on "
                "the previous value, used once: end it with 'arith.addf', "
                "'arith.maximumf' or another kind of tile.reduce "
                "[linalg-unsupported]";
    Type element = getElementTypeOrSelf(result.getType());
    if (!tile::ReduceOp::getIdentity(combiner->kind, element))
      return op.emitOpError() << "reduces numbers of type " << element
                              << ", which has no neutral element for 'arith."
                              << tile::stringifyReduction(combiner->kind)
                              << "' to pad with: extend them to 'f32' first "
                                 "[linalg-unsupported]";
  }
  return success();
}

static LogicalResult checkInits(linalg::LinalgOp op) {
  for (OpOperand &init : op.getDpsInitsMutable())
    if (op.payloadUsesValueFromOperand(&init) &&
        init.get().getDefiningOp<tensor::EmptyOp>())
      return op.emitOpError()
             << "reads its init, which is a 'tensor.empty' without content: "
                "fill it first, with 0 for a sum or the least number for a "
                "maximum [linalg-init]";
  return success();
}

static LogicalResult checkProduct(linalg::LinalgOp op) {
  if (op->hasAttr("tf32") || failed(matchMatrixProduct(op)))
    return success();
  Value lhs = matchContraction(op)->lhs->get();
  if (!getElementTypeOrSelf(lhs.getType()).isF32())
    return success();
  return op.emitOpError()
         << "multiplies matrices of 'f32', which tensor cores read as TF32, "
            "without the 13 low bits of the mantissa: accept that with the "
            "attribute {tf32} on this operation, or truncate the operands to "
            "'bf16' or 'f16' [tf32]";
}

static LogicalResult checkLinalgOp(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics())
    return op.emitOpError() << "works on memory: a kernel is made of linalg "
                               "operations on tensors, before bufferization "
                               "[linalg-unsupported]";
  return failure(failed(checkMaps(op)) || failed(checkBody(op)) ||
                 failed(checkReductions(op)) || failed(checkInits(op)) ||
                 failed(checkProduct(op)));
}

static bool isTensor(Type type) { return isa<TensorType>(type); }

static LogicalResult checkSlice(tensor::ExtractSliceOp op) {
  if (isa<BlockArgument>(op.getSource()) && op.hasUnitStride() &&
      op.getSourceType().getRank() == op.getType().getRank())
    return success();
  return op.emitOpError()
         << "is no box of an argument: cut arguments only, with steps of 1 and "
            "all their dimensions, or write a tile.kernel [linalg-unsupported]";
}

static LogicalResult checkOp(Operation &op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return checkLinalgOp(linalgOp);
  if (isa<tensor::EmptyOp, func::ReturnOp>(op))
    return success();
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return checkSlice(slice);
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    std::optional<int64_t> index = dim.getConstantIndex();
    int64_t rank = cast<RankedTensorType>(dim.getSource().getType()).getRank();
    if (index && *index >= 0 && *index < rank)
      return success();
    return op.emitOpError() << "asks for a dimension that is not a constant "
                               "from 0 to "
                            << rank - 1 << " [linalg-unsupported]";
  }
  DenseElementsAttr elements;
  if (llvm::any_of(op.getResultTypes(), isTensor) &&
      matchPattern(&op, m_Constant(&elements))) {
    if (elements.isSplat())
      return success();
    return op.emitOpError()
           << "holds different numbers: pass the tensor as an argument. A "
              "constant may be one number everywhere [linalg-unsupported]";
  }
  bool isScalar = !llvm::any_of(op.getOperandTypes(), isTensor) &&
                  !llvm::any_of(op.getResultTypes(), isTensor);
  if (isScalar && op.getNumRegions() == 0 && isPure(&op))
    return success();
  if (isa<RegionBranchOpInterface>(op))
    return op.emitOpError()
           << "is control flow, which is unsupported in linalg functions; "
              "write a tile.kernel instead [linalg-control-flow]";
  return op.emitOpError()
         << "is unsupported: a kernel is made of linalg operations on tensors "
            "and of scalar arithmetic. Do this before or after the kernel, or "
            "write a tile.kernel [linalg-unsupported]";
}

static LogicalResult checkReturn(func::FuncOp func) {
  Operation *terminator = func.front().getTerminator();
  for (OpOperand &operand : terminator->getOpOperands())
    if (!operand.get().getDefiningOp<linalg::LinalgOp>())
      return terminator->emitOpError()
             << "gives as result " << operand.getOperandNumber()
             << " what no linalg operation computes: return computed tensors "
                "only; 'linalg.copy' makes a copy of an argument "
                "[linalg-unsupported]";
  return success();
}

LogicalResult linalg_to_tile::checkProgram(func::FuncOp func) {
  if (failed(checkSignature(func)))
    return failure();
  for (Operation &op : func.front())
    if (failed(checkOp(op)))
      return failure();
  return checkReturn(func);
}
