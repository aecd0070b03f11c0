//===- EvalTensor.cpp - Operations of tensor ------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/MathExtras.h"

using namespace drawloom::interp;
using llvm::LogicalResult;
using mlir::Operation;

static LogicalResult splat(Operation *op, Evaluator &eval) {
  auto result = eval.makeResult(op);
  if (failed(result))
    return llvm::failure();
  TensorRef value = eval.get(op->getOperand(0));
  for (int64_t i = 0; i < result->getNumElements(); ++i)
    result->copyElement(i, *value, 0);
  StridedRange from;
  from.strides.assign(result->getRank(), 0);
  eval.set(op->getResult(0), std::move(*result));
  eval.moveAlong(op, from);
  return llvm::success();
}

static LogicalResult fromElements(Operation *op, Evaluator &eval) {
  auto result = eval.makeResult(op);
  if (failed(result))
    return llvm::failure();
  int64_t at = 0;
  for (mlir::Value operand : op->getOperands())
    result->copyElement(at++, *eval.get(operand), 0);
  eval.set(op->getResult(0), std::move(*result));
  return llvm::success();
}

static LogicalResult extract(Operation *op, Evaluator &eval) {
  TensorRef source = eval.get(op->getOperand(0));
  auto result = eval.makeResult(op);
  if (failed(result))
    return llvm::failure();
  int64_t linear = 0;
  for (auto [d, index] : llvm::enumerate(op->getOperands().drop_front())) {
    int64_t at = eval.getIndex(index), extent = source->getShape()[d];
    if (at < 0 || at >= extent)
      return op->emitError() << "index " << at << " of dimension " << d
                             << " is outside the tensor, which has " << extent
                             << " [interpreter]";
    linear = linear * extent + at;
  }
  result->copyElement(0, *source, linear);
  eval.set(op->getResult(0), std::move(*result));
  return llvm::success();
}

static LogicalResult extractSlice(Operation *op, Evaluator &eval) {
  auto slice = mlir::cast<mlir::tensor::ExtractSliceOp>(op);
  TensorRef source = eval.get(slice.getSource());
  auto result = eval.makeResult(op);
  if (failed(result))
    return llvm::failure();
  auto offsets = eval.getIndices(slice.getMixedOffsets());
  auto sizes = eval.getIndices(slice.getMixedSizes());
  auto steps = eval.getIndices(slice.getMixedStrides());
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  StridedRange from;
  for (auto [d, stride] : llvm::enumerate(getStrides(source->getShape()))) {
    int64_t extent = source->getShape()[d], last;
    if (llvm::MulOverflow(sizes[d] - 1, steps[d], last) ||
        llvm::AddOverflow(offsets[d], last, last) || offsets[d] < 0 ||
        offsets[d] >= extent || last < 0 || last >= extent)
      return op->emitError()
             << "dimension " << d << ": " << sizes[d] << " elements from "
             << offsets[d] << " in steps of " << steps[d]
             << " are not inside the tensor, which has " << extent
             << " [interpreter]";
    from.start += offsets[d] * stride;
    if (!dropped.test(d))
      from.strides.push_back(steps[d] * stride);
  }
  copyBox(result->getShape(), *result, {0, getStrides(result->getShape())},
          *source, from);
  eval.set(op->getResult(0), std::move(*result));
  eval.moveAlong(op, from);
  return llvm::success();
}

static LogicalResult empty(Operation *op, Evaluator &eval) {
  auto result = eval.makeResult(op);
  if (failed(result))
    return llvm::failure();
  fillUninitialized(*result);
  eval.set(op->getResult(0), std::move(*result));
  return llvm::success();
}

static constexpr NamedRule tensorRules[] = {
    {"tensor.splat", splat},     {"tensor.from_elements", fromElements},
    {"tensor.extract", extract}, {"tensor.extract_slice", extractSlice},
    {"tensor.empty", empty},
};

llvm::ArrayRef<NamedRule> drawloom::interp::getTensorRules() {
  return tensorRules;
}
