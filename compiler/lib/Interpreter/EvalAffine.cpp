//===- EvalAffine.cpp - Index arithmetic of affine ------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations that turn the number of a work tile into coordinates, and
// back, and the maps that tiling leaves behind.
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace drawloom::interp;
using llvm::LogicalResult;
using mlir::Operation;
namespace affine = mlir::affine;

static LogicalResult checkBasis(Operation *op, llvm::ArrayRef<int64_t> basis) {
  for (int64_t size : basis)
    if (size <= 0)
      return op->emitError() << "a basis element is " << size
                             << "; it must be positive [interpreter]";
  return llvm::success();
}

static LogicalResult delinearize(Operation *op, Evaluator &eval) {
  auto delinearize = mlir::cast<affine::AffineDelinearizeIndexOp>(op);
  auto basis = eval.getIndices(delinearize.getEffectiveBasis());
  if (failed(checkBasis(op, basis)))
    return llvm::failure();
  int64_t rest = eval.getIndex(delinearize.getLinearIndex());
  for (unsigned i = op->getNumResults(); i-- > 0;) {
    int64_t part = i == 0 ? rest : llvm::mod(rest, basis[i - 1]);
    eval.set(op->getResult(i), HostTensor::scalar(Format::Index, part));
    if (i != 0)
      rest = llvm::divideFloorSigned(rest, basis[i - 1]);
  }
  return llvm::success();
}

static LogicalResult linearize(Operation *op, Evaluator &eval) {
  auto linearize = mlir::cast<affine::AffineLinearizeIndexOp>(op);
  auto basis = eval.getIndices(linearize.getEffectiveBasis());
  uint64_t sum = 0;
  for (auto [i, index] : llvm::enumerate(linearize.getMultiIndex())) {
    if (i != 0)
      sum *= static_cast<uint64_t>(basis[i - 1]);
    sum += static_cast<uint64_t>(eval.getIndex(index));
  }
  eval.set(op->getResult(0),
           HostTensor::scalar(Format::Index, static_cast<int64_t>(sum)));
  return llvm::success();
}

/// What the map gives for the operation's operands.
static llvm::FailureOr<llvm::SmallVector<int64_t>>
evaluate(Operation *op, mlir::AffineMap map, Evaluator &eval) {
  llvm::SmallVector<mlir::Attribute> operands, results;
  for (mlir::Value operand : op->getOperands())
    operands.push_back(
        mlir::IntegerAttr::get(operand.getType(), eval.getIndex(operand)));
  if (failed(map.constantFold(operands, results)))
    return op->emitError() << "the map divides by a number that is not "
                              "positive [interpreter]";
  return llvm::map_to_vector(results, [](mlir::Attribute result) {
    return mlir::cast<mlir::IntegerAttr>(result).getInt();
  });
}

/// The rule of an operation whose result is chosen among those of its map.
template <typename OpT, auto choose>
static LogicalResult applyMap(Operation *op, Evaluator &eval) {
  auto values = evaluate(op, mlir::cast<OpT>(op).getMap(), eval);
  if (failed(values))
    return llvm::failure();
  eval.set(op->getResult(0),
           HostTensor::scalar(Format::Index,
                              *choose(values->begin(), values->end())));
  return llvm::success();
}

using Iterator = int64_t *;
static Iterator first(Iterator begin, Iterator) { return begin; }
static Iterator smallest(Iterator begin, Iterator end) {
  return std::min_element(begin, end);
}
static Iterator largest(Iterator begin, Iterator end) {
  return std::max_element(begin, end);
}

static constexpr NamedRule affineRules[] = {
    {"affine.delinearize_index", delinearize},
    {"affine.linearize_index", linearize},
    {"affine.apply", applyMap<affine::AffineApplyOp, first>},
    {"affine.min", applyMap<affine::AffineMinOp, smallest>},
    {"affine.max", applyMap<affine::AffineMaxOp, largest>},
};

llvm::ArrayRef<NamedRule> drawloom::interp::getAffineRules() {
  return affineRules;
}
