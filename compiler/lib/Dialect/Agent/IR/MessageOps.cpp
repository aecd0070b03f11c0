//===- MessageOps.cpp - Messages and work tiles ---------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Dialect/Agent/IR/MessageOps.h"
#include "Verify.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

//===----------------------------------------------------------------------===//
// Between work tiles and their protocol
//===----------------------------------------------------------------------===//

static LogicalResult verifyEnd(Operation *op, Value value) {
  FailureOr<PipeOp> pipe = getPipe(op, value);
  if (failed(pipe))
    return failure();
  Memory memory = pipe->getPipe().getType().getMemory();
  if (memory != Memory::message)
    return op->emitOpError()
           << "is of pipe '" << pipe->getName() << "' in "
           << stringifyMemory(memory) << "; work tiles travel in a message";
  if (!op->getParentOfType<RoleOp>())
    return op->emitOpError() << "of pipe '" << pipe->getName()
                             << "' is not inside an 'agent.role'";
  return success();
}

LogicalResult PublishOp::verify() {
  return failure(failed(verifyEnd(*this, getPipe())) ||
                 failed(verifyAt(*this, getAtMutable())));
}

LogicalResult ReceiveOp::verify() {
  return failure(failed(verifyEnd(*this, getPipe())) ||
                 failed(verifyAt(*this, getAtMutable())));
}

void ReceiveOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getThere(), "there");
}

LogicalResult NextTileOp::verify() { return verifyAt(*this, getAtMutable()); }

void NextTileOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getNext(), "next");
}

LogicalResult LeadsOp::verify() {
  auto role = (*this)->getParentOfType<RoleOp>();
  if (role && role.getScope() == Scope::pair)
    return success();
  return emitOpError("is not inside an 'agent.role' with scope(pair)");
}

void LeadsOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getLeads(), "leads");
}

//===----------------------------------------------------------------------===//
// The protocol
//===----------------------------------------------------------------------===//

static LogicalResult verifyMessage(Operation *op, SlotsType slots,
                                   StringRef does) {
  if (slots.getMemory() == Memory::message)
    return success();
  return op->emitOpError() << does << " slots in "
                           << stringifyMemory(slots.getMemory())
                           << ", which hold tiles; a message is in slots of "
                              "its own";
}

LogicalResult WriteMessageOp::verify() {
  return verifyMessage(*this, getSlots().getType(), "writes to");
}

LogicalResult ReadMessageOp::verify() {
  return verifyMessage(*this, getSlots().getType(), "reads");
}

void ReadMessageOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getThere(), "there");
}

void ClcQueryOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getNumber(), "next");
}

void AtomicNextTileOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getNumber(), "drawn");
}

void ClusterReceiveOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getNumber(), "received");
}

#define GET_OP_CLASSES
#include "drawloom/Dialect/Agent/IR/AgentMessageOps.cpp.inc"
