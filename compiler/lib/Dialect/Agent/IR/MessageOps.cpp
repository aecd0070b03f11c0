//===- MessageOps.cpp - Messages and work tiles ---------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Dialect/Agent/IR/MessageOps.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

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
