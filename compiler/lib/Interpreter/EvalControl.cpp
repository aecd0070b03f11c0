//===- EvalControl.cpp - Loops and branches of scf ------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace drawloom::interp;
using llvm::LogicalResult;
using mlir::Operation;

static void setResults(Operation *op, Evaluator &eval,
                       llvm::ArrayRef<RuntimeValue> values) {
  for (auto [result, value] : llvm::zip_equal(op->getResults(), values))
    eval.setValue(result, value);
}

/// What the block hands to its parent.
static llvm::SmallVector<RuntimeValue> yielded(mlir::Block &block,
                                               Evaluator &eval) {
  return eval.collect(block.getTerminator()->getOperands());
}

/// The counter after so many iterations; work tiles that run together may begin
/// with numbers of their own.
static RuntimeValue getCounter(mlir::scf::ForOp loop, Evaluator &eval,
                               uint64_t done) {
  auto inLane = [&](unsigned lane) {
    HostTensor counter = *eval.getLane(loop.getLowerBound(), lane).tensor;
    uint64_t step = eval.getLane(loop.getStep(), lane).tensor->getUInt(0);
    counter.setInt(0, static_cast<int64_t>(counter.getUInt(0) + done * step));
    RuntimeValue value;
    value.tensor = std::make_shared<const HostTensor>(std::move(counter));
    return value;
  };
  if (eval.getWidth() == 1)
    return inLane(0);
  std::vector<RuntimeValue> lanes;
  for (unsigned lane = 0; lane < eval.getWidth(); ++lane)
    lanes.push_back(inLane(lane));
  return Values::join(std::move(lanes));
}

static LogicalResult runFor(Operation *op, Evaluator &eval) {
  auto loop = mlir::cast<mlir::scf::ForOp>(op);
  bool isUnsigned = loop.getUnsignedCmp();
  TensorRef upper = eval.get(loop.getUpperBound());
  HostTensor counter = *eval.get(loop.getLowerBound());
  int64_t step = eval.getIndex(loop.getStep());
  if (isUnsigned ? step == 0 : step <= 0)
    return op->emitError() << "the step of the loop is " << step
                           << "; it must be positive [interpreter]";

  auto values = eval.collect(loop.getInitArgs());
  uint64_t done = 0;
  unsigned bits = getInfo(counter.getFormat()).bits;
  while (isUnsigned ? counter.getUInt(0) < upper->getUInt(0)
                    : counter.getInt(0) < upper->getInt(0)) {
    llvm::SmallVector<RuntimeValue> arguments{getCounter(loop, eval, done++)};
    llvm::append_range(arguments, values);
    if (failed(eval.run(*loop.getBody(), arguments)))
      return llvm::failure();
    values = yielded(*loop.getBody(), eval);
    // The next value may lie past the end of the type: then the loop is over.
    uint64_t left = static_cast<uint64_t>(upper->getInt(0)) -
                    static_cast<uint64_t>(counter.getInt(0));
    left &= llvm::maskTrailingOnes<uint64_t>(bits);
    if (left <= (eval.get(loop.getStep())->getUInt(0)))
      break;
    counter.setInt(
        0, static_cast<int64_t>(static_cast<uint64_t>(counter.getInt(0)) +
                                static_cast<uint64_t>(step)));
  }
  setResults(op, eval, values);
  return llvm::success();
}

static LogicalResult runWhile(Operation *op, Evaluator &eval) {
  auto loop = mlir::cast<mlir::scf::WhileOp>(op);
  auto values = eval.collect(loop.getInits());
  while (true) {
    if (failed(eval.run(*loop.getBeforeBody(), values)))
      return llvm::failure();
    mlir::scf::ConditionOp condition = loop.getConditionOp();
    if (failed(eval.checkDefined(condition.getCondition())))
      return llvm::failure();
    values = eval.collect(condition.getArgs());
    if (!eval.get(condition.getCondition())->getUInt(0))
      break;
    if (failed(eval.run(*loop.getAfterBody(), values)))
      return llvm::failure();
    values = yielded(*loop.getAfterBody(), eval);
  }
  setResults(op, eval, values);
  return llvm::success();
}

static LogicalResult runIf(Operation *op, Evaluator &eval) {
  auto branch = mlir::cast<mlir::scf::IfOp>(op);
  bool taken = eval.get(branch.getCondition())->getUInt(0);
  mlir::Block *block = taken ? branch.thenBlock() : branch.elseBlock();
  if (!block)
    return llvm::success();
  if (failed(eval.run(*block, {})))
    return llvm::failure();
  setResults(op, eval, yielded(*block, eval));
  return llvm::success();
}

static constexpr NamedRule controlRules[] = {
    {"scf.for", runFor},
    {"scf.while", runWhile},
    {"scf.if", runIf},
};

llvm::ArrayRef<NamedRule> drawloom::interp::getControlRules() {
  return controlRules;
}
