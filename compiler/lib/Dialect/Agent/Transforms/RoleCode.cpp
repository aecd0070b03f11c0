//===- RoleCode.cpp - The code of a role ----------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoleCode.h"
#include "PromoteVariables.h"
#include "drawloom/Analysis/Slots/Engines.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

//===----------------------------------------------------------------------===//
// What the rules share
//===----------------------------------------------------------------------===//

Value agent::constant(CodeBuilder &b, int64_t value, unsigned bits) {
  return arith::ConstantOp::create(
      b, b.getIntegerAttr(b.getIntegerType(bits), value));
}

void agent::when(CodeBuilder &b, Value condition,
                 llvm::function_ref<void()> body) {
  auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenYield());
  body();
}

void agent::inlineBody(Operation *op) {
  Block &body = op->getRegion(0).front();
  op->getBlock()->getOperations().splice(op->getIterator(),
                                         body.getOperations(), body.begin(),
                                         std::prev(body.end()));
}

void agent::replace(Operation *op, ValueRange by) {
  for (auto [result, value] : llvm::zip_equal(op->getResults(), by))
    result.replaceAllUsesWith(value);
  op->erase();
}

ValueRange agent::getVariable(CodeBuilder &b, Value variable) {
  size_t count = variable.getDefiningOp<VariableOp>().getInitial().size();
  SmallVector<Type> types(count, b.getI32Type());
  return GetOp::create(b, types, variable).getValues();
}

Position agent::getPosition(CodeBuilder &b, Value variable) {
  ValueRange values = getVariable(b, variable);
  return {values[0], values[1]};
}

void agent::advance(CodeBuilder &b, Value variable, Position at,
                    int64_t slots) {
  Type i32 = b.getI32Type();
  auto next = AdvanceOp::create(b, i32, i32, at.slot, at.phase, slots);
  SetOp::create(b, variable, next.getResults());
}

Value agent::getBarrier(CodeBuilder &b, Value barriers, Value slot, Value cta) {
  return BarrierOp::create(b, BarrierType::get(b.getContext()), barriers, slot,
                           cta);
}

Value agent::getBuffer(CodeBuilder &b, LoweredPipe &pipe, unsigned value,
                       Value slot) {
  return SlotOp::create(b, pipe.buffers[value], pipe.slots, slot, value);
}

/// An MMA's commit tells the other side without asking the role's other warps:
/// one that waited and was late would miss the phase. So only the thread that
/// issues waits.
void agent::waitFor(CodeBuilder &b, RoleCode &code, Value barrier, Value parity,
                    Engine engine) {
  auto wait = [&] { WaitOp::create(b, barrier, parity); };
  if (engine == Engine::tensor_core && code.role.getWarps() > 1)
    when(b, code.elect(b, Participants::role), wait);
  else
    wait();
}

Value RoleCode::elect(CodeBuilder &b, Participants participants) {
  Value &one = elected[static_cast<unsigned>(participants)];
  if (!one) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&role.getBody().front());
    one = ElectOp::create(b, b.getI1Type(), participants);
  }
  return one;
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

LogicalResult RoleCode::lower() {
  Block &start = role.getBody().front(), *body = &start;
  auto b = CodeBuilder::atBlockBegin(role.getLoc(), &start);
  findPeers(b);
  // Of a pair, one CTA acts for both. If they receive work tiles, both do, and
  // one of them acts.
  bool receives = role.walk([](ReceiveOp) { return WalkResult::interrupt(); })
                      .wasInterrupted();
  if (actsForPair(role) && !receives) {
    auto branch = scf::IfOp::create(b, isLeader, /*withElseRegion=*/false);
    body = branch.thenBlock();
    body->getOperations().splice(body->begin(), start.getOperations(),
                                 std::next(branch->getIterator()),
                                 std::prev(start.end()));
  }
  SmallVector<Value> variables;
  for (VariableOp variable : body->getOps<VariableOp>())
    variables.push_back(variable);
  role.walk([&](ProduceOp op) { fills[op.getPipe()] = op.getAt(); });
  findLags(*body);
  if (failed(lowerBlock(*body)))
    return failure();
  b.setInsertionPoint(body->getTerminator());
  endLags(b, role);
  awaitLastStores(b);
  awaitLastCommits(b);
  awaitPeers(b);
  promoteVariables(*body, addKept(variables));
  return success();
}

LogicalResult RoleCode::lowerBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
    if (failed(lowerOp(&op)))
      return failure();
  return success();
}

LogicalResult RoleCode::lowerLoop(Operation *op) {
  for (Region &region : op->getRegions())
    if (failed(lowerBlock(region.front())))
      return failure();
  CodeBuilder b(op->getLoc(), op->getContext());
  b.setInsertionPointAfter(op);
  endLags(b, op);
  return success();
}

LogicalResult RoleCode::lowerOp(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return lowerFor(loop, *this);
  if (isa<scf::WhileOp>(op))
    return lowerLoop(op);
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    bool hasElse = branch.elseBlock() != nullptr;
    return failure(failed(lowerBlock(*branch.thenBlock())) ||
                   (hasElse && failed(lowerBlock(*branch.elseBlock()))));
  }
  if (auto produce = dyn_cast<ProduceOp>(op))
    return lowerProduce(produce, *this);
  if (auto consume = dyn_cast<ConsumeOp>(op))
    return lowerConsume(consume, *this);
  if (auto publish = dyn_cast<PublishOp>(op))
    lowerPublish(publish, *this);
  else if (auto receive = dyn_cast<ReceiveOp>(op))
    lowerReceive(receive, *this);
  else if (auto next = dyn_cast<NextTileOp>(op))
    lowerNextTile(next, *this);
  else if (isa<LeadsOp>(op))
    replace(op, isLeader);
  else if (plan::isTcgen05Mma(op, kernel.arch))
    lowerMma(cast<tile::MmaOp>(op), *this);
  else if (auto transpose = dyn_cast<tile::TransposeOp>(op))
    lowerTranspose(transpose);
  else if (auto store = dyn_cast<tile::StoreOp>(op))
    lowerStore(store, *this);
  return success();
}
