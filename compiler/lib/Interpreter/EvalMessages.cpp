//===- EvalMessages.cpp - Messages and the next work tile -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Words of shared memory: a message in a slot, and the answer about the next
// work tile. A request cancels the cluster that would start next.
//
//===----------------------------------------------------------------------===//

#include "Agents.h"
#include "drawloom/Dialect/Agent/IR/MessageOps.h"

using namespace drawloom::interp;
using namespace drawloom;
using llvm::LogicalResult;
using mlir::Operation;

static Guard &getMessage(Evaluator &eval, agent::SlotsOp slots, int64_t index) {
  return eval.getAgents().protocol.getWords(
      slots, eval.getCta(), index,
      "slot " + std::to_string(index) + " of '" + slots.getName().str() + "'");
}

static LogicalResult checkIndex(Operation *op, agent::SlotsOp slots,
                                int64_t index) {
  if (index >= 0 && index < static_cast<int64_t>(slots.getCount()))
    return llvm::success();
  return op->emitError() << "slot " << index << " of '" << slots.getName()
                         << "' does not exist; it has " << slots.getCount()
                         << " [interpreter]";
}

static LogicalResult writeMessage(Operation *op, Evaluator &eval) {
  auto write = mlir::cast<agent::WriteMessageOp>(op);
  auto slots = write.getSlots().getDefiningOp<agent::SlotsOp>();
  int64_t index = eval.getIndex(write.getIndex());
  auto who = getParticipant(op, eval);
  if (failed(who) || failed(checkIndex(op, slots, index)))
    return llvm::failure();
  Guard &guard = getMessage(eval, slots, index);
  if (failed(eval.getAgents().protocol.write(op, **who, By::Threads, guard)))
    return llvm::failure();
  guard.values = eval.collect(write.getValues());
  guard.values.insert(guard.values.begin(), eval.getValue(write.getThere()));
  return llvm::success();
}

static LogicalResult readMessage(Operation *op, Evaluator &eval) {
  auto read = mlir::cast<agent::ReadMessageOp>(op);
  auto slots = read.getSlots().getDefiningOp<agent::SlotsOp>();
  int64_t index = eval.getIndex(read.getIndex());
  auto who = getParticipant(op, eval);
  if (failed(who) || failed(checkIndex(op, slots, index)))
    return llvm::failure();
  Guard &guard = getMessage(eval, slots, index);
  if (failed(eval.getAgents().protocol.read(op, **who, By::Threads, guard)))
    return llvm::failure();
  for (auto [result, value] : llvm::zip_equal(op->getResults(), guard.values))
    eval.setValue(result, value);
  return llvm::success();
}

//===----------------------------------------------------------------------===//
// The next work tile
//===----------------------------------------------------------------------===//

static Guard &getAnswer(Evaluator &eval, int64_t cta, int64_t at) {
  return eval.getAgents().protocol.getWords(
      nullptr, cta, at, "the answer at byte " + std::to_string(at));
}

static RuntimeValue makeIndex(int64_t number) {
  RuntimeValue value;
  value.tensor = std::make_shared<const HostTensor>(
      HostTensor::scalar(Format::Index, number));
  return value;
}

static LogicalResult tryCancel(Operation *op, Evaluator &eval) {
  auto request = mlir::cast<agent::ClcTryCancelOp>(op);
  auto who = getParticipant(op, eval);
  if (failed(who))
    return llvm::failure();
  Protocol &protocol = eval.getAgents().protocol;
  int64_t number = -1;
  if (!protocol.waiting.empty()) {
    number = protocol.waiting.front() * protocol.ctas;
    protocol.waiting.pop_front();
  }
  Barrier &named = protocol.getBarrier(eval.getIndex(request.getBarrier()));
  int64_t first = request.getMulticast() ? 0 : eval.getCta();
  int64_t last = request.getMulticast() ? protocol.ctas - 1 : eval.getCta();
  for (int64_t cta = first; cta <= last; ++cta) {
    Guard &guard = getAnswer(eval, cta, request.getTo());
    auto access = protocol.write(op, **who, By::BulkLoads, guard);
    auto signaled = protocol.findBarrier(op, named.ring, cta, named.index);
    if (failed(access) || failed(signaled))
      return llvm::failure();
    guard.values = {makeIndex(number)};
    Barrier &barrier = protocol.getBarrier(*signaled);
    barrier.arrived.raise(access->actor, access->number);
    barrier.bytes -= 16;
    barrier.completePhases();
  }
  return llvm::success();
}

static LogicalResult readAnswer(Operation *op, Evaluator &eval, int64_t from) {
  auto who = getParticipant(op, eval);
  if (failed(who))
    return llvm::failure();
  Guard &guard = getAnswer(eval, eval.getCta(), from);
  if (failed(eval.getAgents().protocol.read(op, **who, By::Threads, guard)))
    return llvm::failure();
  eval.setValue(op->getResult(0), guard.values.front());
  return llvm::success();
}

static LogicalResult query(Operation *op, Evaluator &eval) {
  return readAnswer(op, eval, mlir::cast<agent::ClcQueryOp>(op).getFrom());
}

static LogicalResult receive(Operation *op, Evaluator &eval) {
  return readAnswer(op, eval,
                    mlir::cast<agent::ClusterReceiveOp>(op).getFrom());
}

static LogicalResult nextTile(Operation *op, Evaluator &eval) {
  eval.setValue(op->getResult(0),
                makeIndex(eval.getAgents().protocol.nextTile++));
  return llvm::success();
}

static LogicalResult broadcast(Operation *op, Evaluator &eval) {
  auto broadcast = mlir::cast<agent::ClusterBroadcastOp>(op);
  auto who = getParticipant(op, eval);
  if (failed(who))
    return llvm::failure();
  Protocol &protocol = eval.getAgents().protocol;
  uint64_t set = eval.get(broadcast.getCtas())->getUInt(0);
  for (int64_t cta = 0; cta < protocol.ctas; ++cta) {
    if (!(set >> cta & 1))
      continue;
    Guard &guard = getAnswer(eval, cta, broadcast.getTo());
    if (failed(protocol.write(op, **who, By::Threads, guard)))
      return llvm::failure();
    guard.values = {eval.getValue(broadcast.getNumber())};
  }
  return llvm::success();
}

static constexpr NamedRule messageRules[] = {
    {"agent.write_message", writeMessage},
    {"agent.read_message", readMessage},
    {"agent.clc_try_cancel", tryCancel},
    {"agent.clc_query", query},
    {"agent.cluster_receive", receive},
    {"agent.atomic_next_tile", nextTile},
    {"agent.cluster_broadcast", broadcast},
};

llvm::ArrayRef<NamedRule> drawloom::interp::getMessageRules() {
  return messageRules;
}
