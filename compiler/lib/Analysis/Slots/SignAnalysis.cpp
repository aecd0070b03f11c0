//===- SignAnalysis.cpp - Which indices are not negative ------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Analysis/Slots/SignAnalysis.h"
#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/Dialect/Agent/IR/MessageOps.h"
#include "drawloom/Dialect/Agent/IR/ProtocolOps.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::plan;

/// A constant that sums with sizes don't overflow by.
static constexpr int64_t mostConstant = 1 << 24;

SignAnalysis::SignAnalysis(tile::KernelOp kernel) {
  SmallVector<Value> numbers;
  auto add = [&](ValueRange values) {
    for (Value value : values)
      if (value.getType().isIntOrIndex())
        numbers.push_back(value);
  };
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    add(op->getResults());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        add(block.getArguments());
  });
  // What a loop carries depends on itself.
  known.insert(numbers.begin(), numbers.end());
  for (bool changed = true; changed;) {
    changed = false;
    for (Value number : numbers)
      if (known.contains(number) && !transfer(number)) {
        known.erase(number);
        changed = true;
      }
  }
}

bool SignAnalysis::isNonNegative(OpFoldResult number) const {
  if (auto value = dyn_cast<Value>(number))
    return known.contains(value);
  return *getConstantIntValue(number) >= 0 &&
         *getConstantIntValue(number) <= mostConstant;
}

bool SignAnalysis::transfer(Value value) const {
  if (auto result = dyn_cast<OpResult>(value))
    return transferResult(result);
  auto argument = cast<BlockArgument>(value);
  unsigned number = argument.getArgNumber();
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    if (number == 0)
      return isNonNegative(loop.getLowerBound());
    return isNonNegative(loop.getInitArgs()[number - 1]) &&
           isNonNegative(loop.getYieldedValues()[number - 1]);
  }
  if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
    if (argument.getOwner() == loop.getAfterBody())
      return isNonNegative(loop.getConditionOp().getArgs()[number]);
    return isNonNegative(loop.getInits()[number]) &&
           isNonNegative(loop.getYieldOp().getOperand(number));
  }
  // The values of an item, and its number, which counts from zero.
  if (auto loop = dyn_cast<agent::ForEachItemOp>(parent)) {
    Value stream = loop.getStream();
    auto items = stream ? stream.getDefiningOp<agent::ItemsOp>() : nullptr;
    return items &&
           isNonNegative(
               items.getBody().front().getTerminator()->getOperand(number));
  }
  return isa<agent::ItemsOp>(parent);
}

/// What is written where a message is read: the values with this number.
static SmallVector<Value> findWritten(Value pipe, unsigned number) {
  SmallVector<Value> written;
  for (Operation *user : pipe.getUsers())
    if (auto write = dyn_cast<agent::WriteMessageOp>(user))
      written.push_back(write.getValues()[number]);
    else if (auto publish = dyn_cast<agent::PublishOp>(user))
      written.push_back(publish.getValues()[number]);
  return written;
}

bool SignAnalysis::transferResult(OpResult result) const {
  Operation *op = result.getOwner();
  unsigned number = result.getResultNumber();
  auto isKnown = [&](Value value) { return isNonNegative(value); };
  if (std::optional<int64_t> constant = getConstantIntValue(Value(result)))
    return *constant >= 0 && *constant <= mostConstant;
  // Sizes, and numbers of items, which are compared without a sign.
  if (isa<tile::DimOp, gpu::BlockIdOp, gpu::GridDimOp, agent::ClcQueryOp,
          agent::AtomicNextTileOp, agent::ClusterReceiveOp, agent::NextTileOp,
          arith::ExtUIOp>(op))
    return true;
  if (isa<arith::AddIOp, arith::MulIOp, arith::DivSIOp, arith::CeilDivUIOp,
          arith::MinSIOp, arith::OrIOp, arith::IndexCastOp, arith::ExtSIOp>(op))
    return llvm::all_of(op->getOperands(), isKnown);
  // Not larger than what is divided.
  if (isa<arith::DivUIOp, arith::RemUIOp, arith::RemSIOp,
          affine::AffineDelinearizeIndexOp>(op))
    return isKnown(op->getOperand(0));
  if (isa<arith::MinUIOp, arith::MaxSIOp, arith::AndIOp>(op))
    return llvm::any_of(op->getOperands(), isKnown);
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return isKnown(select.getTrueValue()) && isKnown(select.getFalseValue());
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return isKnown(loop.getInitArgs()[number]) &&
           isKnown(loop.getYieldedValues()[number]);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return isKnown(loop.getConditionOp().getArgs()[number]);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return isKnown(branch.thenYield().getOperand(number)) &&
           isKnown(branch.elseYield().getOperand(number));
  // The first result says whether there is a message.
  if (isa<agent::ReadMessageOp, agent::ReceiveOp>(op))
    return number == 0 ||
           llvm::all_of(findWritten(op->getOperand(0), number - 1), isKnown);
  return false;
}
