//===- EvalFloat.cpp - Floating-point operations of arith -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results are correctly rounded, to nearest with ties to even; subnormal
// numbers are kept. Fast-math flags allow more than this and change nothing
// here.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"
#include "Numbers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace drawloom::interp;
using llvm::LogicalResult;
using mlir::Operation;

/// Whether x and y compare as the predicate says.
static bool holds(mlir::arith::CmpFPredicate predicate, double x, double y) {
  using mlir::arith::CmpFPredicate;
  bool unordered = std::isnan(x) || std::isnan(y);
  switch (predicate) {
  case CmpFPredicate::AlwaysFalse:
    return false;
  case CmpFPredicate::OEQ:
    return x == y;
  case CmpFPredicate::OGT:
    return x > y;
  case CmpFPredicate::OGE:
    return x >= y;
  case CmpFPredicate::OLT:
    return x < y;
  case CmpFPredicate::OLE:
    return x <= y;
  case CmpFPredicate::ONE:
    return !unordered && x != y;
  case CmpFPredicate::ORD:
    return !unordered;
  case CmpFPredicate::UEQ:
    return unordered || x == y;
  case CmpFPredicate::UGT:
    return unordered || x > y;
  case CmpFPredicate::UGE:
    return unordered || x >= y;
  case CmpFPredicate::ULT:
    return unordered || x < y;
  case CmpFPredicate::ULE:
    return unordered || x <= y;
  case CmpFPredicate::UNE:
    return x != y;
  case CmpFPredicate::UNO:
    return unordered;
  case CmpFPredicate::AlwaysTrue:
    return true;
  }
  llvm_unreachable("all predicates are above");
}

static LogicalResult compareFloats(Operation *op, Evaluator &eval) {
  auto result = eval.makeResult(op);
  if (failed(result))
    return llvm::failure();
  auto predicate = mlir::cast<mlir::arith::CmpFOp>(op).getPredicate();
  TensorRef a = eval.get(op->getOperand(0)), b = eval.get(op->getOperand(1));
  for (int64_t i = 0; i < result->getNumElements(); ++i)
    result->setInt(i, holds(predicate, a->getFloat(i), b->getFloat(i)));
  eval.set(op->getResult(0), std::move(*result));
  return llvm::success();
}

static constexpr NamedRule floatRules[] = {
    {"arith.addf",
     elementwise<As::Float, [](double a, double b) { return a + b; }>},
    {"arith.subf",
     elementwise<As::Float, [](double a, double b) { return a - b; }>},
    {"arith.mulf",
     elementwise<As::Float, [](double a, double b) { return a * b; }>},
    {"arith.divf",
     elementwise<As::Float, [](double a, double b) { return a / b; }>},
    {"arith.remf",
     elementwise<As::Float,
                 [](double a, double b) { return std::fmod(a, b); }>},
    {"arith.negf", elementwise<As::Float, [](double a) { return -a; }>},
    {"arith.maximumf", elementwise<As::Float, maximum>},
    {"arith.minimumf", elementwise<As::Float, minimum>},
    {"arith.maxnumf", elementwise<As::Float, maxNum>},
    {"arith.minnumf", elementwise<As::Float, minNum>},
    {"arith.cmpf", compareFloats},
};

llvm::ArrayRef<NamedRule> drawloom::interp::getFloatRules() {
  return floatRules;
}
