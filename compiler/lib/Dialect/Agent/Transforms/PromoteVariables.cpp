//===- PromoteVariables.cpp - Variables become values ---------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PromoteVariables.h"
#include "drawloom/Dialect/Agent/IR/ProtocolOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

namespace {
class Promotion {
public:
  explicit Promotion(ArrayRef<Value> order) : order(order) {}

  void run(Block &block);

private:
  void runOn(scf::ForOp op);
  void runOn(scf::WhileOp op);
  void runOn(scf::IfOp op);
  /// The variables that are set in an operation, and were there before it.
  SmallVector<Value> findSet(Operation *op);
  SmallVector<Value> getAll(ArrayRef<Value> variables);
  void setAll(ArrayRef<Value> variables, ValueRange values);
  /// What a terminator passes on, with the variables at this place.
  void insert(MutableOperandRange operands, unsigned at,
              ArrayRef<Value> variables);
  /// Arguments for the variables, at this place of a block's. They are where
  /// the loop is, or else where their values are.
  void bindArguments(Block &block, unsigned at, ArrayRef<Value> variables,
                     std::optional<Location> loop = std::nullopt);

  ArrayRef<Value> order;
  llvm::DenseMap<Value, SmallVector<Value>> current;
};
} // namespace

SmallVector<Value> Promotion::findSet(Operation *op) {
  llvm::DenseSet<Value> set;
  op->walk([&](SetOp inner) { set.insert(inner.getVariable()); });
  return llvm::filter_to_vector(order, [&](Value variable) {
    return set.contains(variable) && current.contains(variable);
  });
}

SmallVector<Value> Promotion::getAll(ArrayRef<Value> variables) {
  SmallVector<Value> values;
  for (Value variable : variables)
    llvm::append_range(values, current[variable]);
  return values;
}

void Promotion::setAll(ArrayRef<Value> variables, ValueRange values) {
  for (Value variable : variables)
    for (Value &value : current[variable]) {
      value = values.front();
      values = values.drop_front();
    }
}

void Promotion::insert(MutableOperandRange operands, unsigned at,
                       ArrayRef<Value> variables) {
  OperandRange there = operands;
  SmallVector<Value> all(there);
  SmallVector<Value> values = getAll(variables);
  all.insert(all.begin() + at, values.begin(), values.end());
  operands.assign(all);
}

void Promotion::bindArguments(Block &block, unsigned at,
                              ArrayRef<Value> variables,
                              std::optional<Location> loop) {
  SmallVector<Value> arguments;
  for (Value value : getAll(variables))
    arguments.push_back(block.insertArgument(
        at + arguments.size(), value.getType(), loop.value_or(value.getLoc())));
  setAll(variables, arguments);
}

static scf::YieldOp getYield(Block &block) {
  return cast<scf::YieldOp>(block.getTerminator());
}

/// Replaces the results of an operation by those of another one, which has
/// some more from `at` on. Returns these.
static ValueRange replace(Operation *op, Operation *by, unsigned at) {
  unsigned more = by->getNumResults() - op->getNumResults();
  for (OpResult result : op->getResults()) {
    unsigned number = result.getResultNumber();
    result.replaceAllUsesWith(
        by->getResult(number < at ? number : number + more));
  }
  op->erase();
  return by->getResults().slice(at, more);
}

/// Variables come before what the loop carries.
void Promotion::runOn(scf::ForOp op) {
  SmallVector<Value> variables = findSet(op);
  if (variables.empty())
    return run(*op.getBody());
  OpBuilder b(op);
  SmallVector<Value> inits = getAll(variables);
  llvm::append_range(inits, op.getInitArgs());
  auto loop =
      scf::ForOp::create(b, op.getLoc(), op.getLowerBound(), op.getUpperBound(),
                         op.getStep(), inits, nullptr, op.getUnsignedCmp());
  loop->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  loop.getRegion().takeBody(op.getRegion());
  bindArguments(*loop.getBody(), loop.getNumInductionVars(), variables);
  run(*loop.getBody());
  insert(getYield(*loop.getBody()).getResultsMutable(), 0, variables);
  setAll(variables, replace(op, loop, 0));
}

/// Variables come after what the loop carries, and before what else its
/// condition passes on.
void Promotion::runOn(scf::WhileOp op) {
  SmallVector<Value> variables = findSet(op);
  SmallVector<Value> inits(op.getInits());
  unsigned at = inits.size();
  llvm::append_range(inits, getAll(variables));
  TypeRange types = op->getResultTypes();
  SmallVector<Type> passed(types.take_front(at));
  llvm::append_range(passed, ValueRange(inits).drop_front(at).getTypes());
  llvm::append_range(passed, types.drop_front(at));
  OpBuilder b(op);
  auto loop = scf::WhileOp::create(b, op.getLoc(), passed, inits);
  loop.getBefore().takeBody(op.getBefore());
  loop.getAfter().takeBody(op.getAfter());
  bindArguments(*loop.getBeforeBody(), at, variables, op.getLoc());
  run(*loop.getBeforeBody());
  insert(loop.getConditionOp().getArgsMutable(), at, variables);
  bindArguments(*loop.getAfterBody(), at, variables, op.getLoc());
  run(*loop.getAfterBody());
  insert(loop.getYieldOp().getResultsMutable(), at, variables);
  setAll(variables, replace(op, loop, at));
}

/// A branch gives the variables after its results.
void Promotion::runOn(scf::IfOp op) {
  SmallVector<Value> variables = findSet(op);
  if (variables.empty()) {
    for (Region &region : op->getRegions())
      if (!region.empty())
        run(region.front());
    return;
  }
  SmallVector<Value> before = getAll(variables);
  unsigned at = op.getNumResults();
  SmallVector<Type> types(op.getResultTypes());
  llvm::append_range(types, ValueRange(before).getTypes());
  OpBuilder b(op);
  auto branch = scf::IfOp::create(b, op.getLoc(), types, op.getCondition(),
                                  /*withElseRegion=*/true);
  auto runIn = [&](Region &region, Region &from) {
    setAll(variables, before);
    if (from.empty()) {
      b.setInsertionPointToEnd(&region.front());
      scf::YieldOp::create(b, op.getLoc(), before);
      return;
    }
    region.takeBody(from);
    run(region.front());
    insert(
        cast<scf::YieldOp>(region.front().getTerminator()).getResultsMutable(),
        at, variables);
  };
  runIn(branch.getThenRegion(), op.getThenRegion());
  runIn(branch.getElseRegion(), op.getElseRegion());
  setAll(variables, replace(op, branch, at));
}

void Promotion::run(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto variable = dyn_cast<VariableOp>(op)) {
      OpBuilder b(variable);
      for (int32_t number : variable.getInitial())
        current[variable].push_back(arith::ConstantIntOp::create(
            b, variable.getLoc(), b.getI32Type(), number));
    } else if (auto get = dyn_cast<GetOp>(op)) {
      get.replaceAllUsesWith(current[get.getVariable()]);
      get.erase();
    } else if (auto set = dyn_cast<SetOp>(op)) {
      current[set.getVariable()] = llvm::to_vector(set.getValues());
      set.erase();
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      runOn(loop);
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      runOn(loop);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      runOn(branch);
    }
  }
}

void agent::promoteVariables(Block &block, ArrayRef<Value> order) {
  Promotion(order).run(block);
  for (Value variable : order)
    variable.getDefiningOp()->erase();
}
