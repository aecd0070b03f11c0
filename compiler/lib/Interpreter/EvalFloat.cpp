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

static LogicalResult compareFloats(Operation *op, Evaluator &eval) {
  auto result = eval.makeResult(op);
  if (failed(result))
    return llvm::failure();
  using mlir::arith::CmpFPredicate;
  CmpFPredicate predicate = mlir::cast<mlir::arith::CmpFOp>(op).getPredicate();
  TensorRef a = eval.get(op->getOperand(0)), b = eval.get(op->getOperand(1));
  for (int64_t i = 0; i < result->getNumElements(); ++i) {
    double x = a->getFloat(i), y = b->getFloat(i);
    bool unordered = std::isnan(x) || std::isnan(y);
    bool holds = false;
    switch (predicate) {
    case CmpFPredicate::AlwaysFalse:
      holds = false;
      break;
    case CmpFPredicate::OEQ:
      holds = x == y;
      break;
    case CmpFPredicate::OGT:
      holds = x > y;
      break;
    case CmpFPredicate::OGE:
      holds = x >= y;
      break;
    case CmpFPredicate::OLT:
      holds = x < y;
      break;
    case CmpFPredicate::OLE:
      holds = x <= y;
      break;
    case CmpFPredicate::ONE:
      holds = !unordered && x != y;
      break;
    case CmpFPredicate::ORD:
      holds = !unordered;
      break;
    case CmpFPredicate::UEQ:
      holds = unordered || x == y;
      break;
    case CmpFPredicate::UGT:
      holds = unordered || x > y;
      break;
    case CmpFPredicate::UGE:
      holds = unordered || x >= y;
      break;
    case CmpFPredicate::ULT:
      holds = unordered || x < y;
      break;
    case CmpFPredicate::ULE:
      holds = unordered || x <= y;
      break;
    case CmpFPredicate::UNE:
      holds = x != y;
      break;
    case CmpFPredicate::UNO:
      holds = unordered;
      break;
    case CmpFPredicate::AlwaysTrue:
      holds = true;
      break;
    }
    result->setInt(i, holds);
  }
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
