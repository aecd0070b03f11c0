//===- EvalShape.cpp - Shapes of tile -----------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// They move elements and never change one.
//
//===----------------------------------------------------------------------===//

#include "Box.h"
#include "Evaluator.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"

using namespace drawloom::interp;
using namespace drawloom;
using llvm::LogicalResult;
using mlir::Operation;

/// Fills the result from the elements of the source at `from`.
static LogicalResult gather(Operation *op, Evaluator &eval,
                            const StridedRange &from) {
  auto result = eval.makeResult(op);
  if (failed(result))
    return llvm::failure();
  TensorRef source = eval.get(op->getOperand(0));
  copyBox(result->getShape(), *result, {0, getStrides(result->getShape())},
          *source, from);
  eval.set(op->getResult(0), std::move(*result));
  eval.moveAlong(op, from);
  return llvm::success();
}

static LogicalResult broadcast(Operation *op, Evaluator &eval) {
  llvm::ArrayRef<int64_t> shape = eval.get(op->getOperand(0))->getShape();
  StridedRange from{0, getStrides(shape)};
  for (auto [d, extent] : llvm::enumerate(shape))
    if (extent == 1)
      from.strides[d] = 0;
  return gather(op, eval, from);
}

static LogicalResult transpose(Operation *op, Evaluator &eval) {
  auto transpose = mlir::cast<tile::TransposeOp>(op);
  // Of a tile that is named where it is, the transpose is there, too.
  if (std::shared_ptr<const Window> named = eval.getWindow(op->getOperand(0))) {
    Window window = *named;
    if (transpose.getPermutation()[0] == 1) {
      std::swap(window.sizes[0], window.sizes[1]);
      std::swap(window.origin[0], window.origin[1]);
      window.isTransposed = !window.isTransposed;
    }
    eval.setWindow(op->getResult(0), std::move(window));
    return llvm::success();
  }
  auto strides = getStrides(eval.get(op->getOperand(0))->getShape());
  StridedRange from;
  for (int64_t d : transpose.getPermutation())
    from.strides.push_back(strides[d]);
  return gather(op, eval, from);
}

static LogicalResult extractSlice(Operation *op, Evaluator &eval) {
  auto slice = mlir::cast<tile::ExtractSliceOp>(op);
  StridedRange from{0, getStrides(eval.get(op->getOperand(0))->getShape())};
  for (auto [offset, stride] :
       llvm::zip_equal(slice.getOffsets(), from.strides))
    from.start += offset * stride;
  return gather(op, eval, from);
}

static LogicalResult expandDims(Operation *op, Evaluator &eval) {
  auto type = mlir::cast<mlir::ShapedType>(op->getResult(0).getType());
  return gather(op, eval, {0, getStrides(type.getShape())});
}

static LogicalResult allGather(Operation *op, Evaluator &eval) {
  auto gather = mlir::cast<tile::AllGatherOp>(op);
  for (auto [which, part] : llvm::enumerate(gather.getParts()))
    eval.setValue(part,
                  eval.getLane(gather.getGivenTo(eval.getPlace()), which));
  return llvm::success();
}

static LogicalResult iota(Operation *op, Evaluator &eval) {
  auto result = eval.makeResult(op);
  if (failed(result))
    return llvm::failure();
  for (int64_t i = 0; i < result->getNumElements(); ++i)
    result->setInt(i, i);
  eval.set(op->getResult(0), std::move(*result));
  return llvm::success();
}

/// Layouts say where elements are, not what they are.
static LogicalResult convertLayout(Operation *op, Evaluator &eval) {
  eval.setValue(op->getResult(0), eval.getValue(op->getOperand(0)));
  return llvm::success();
}

static constexpr NamedRule shapeRules[] = {
    {"tile.all_gather", allGather},
    {"tile.broadcast", broadcast},
    {"tile.transpose", transpose},
    {"tile.extract_slice", extractSlice},
    {"tile.expand_dims", expandDims},
    {"tile.iota", iota},
    {"tile.convert_layout", convertLayout},
};

llvm::ArrayRef<NamedRule> drawloom::interp::getShapeRules() {
  return shapeRules;
}
