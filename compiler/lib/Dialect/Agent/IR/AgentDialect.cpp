//===- AgentDialect.cpp - The agent dialect and its types -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Dialect/Agent/IR/MessageOps.h"
#include "drawloom/Dialect/Agent/IR/ProtocolOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace drawloom::agent;

#include "drawloom/Dialect/Agent/IR/AgentDialect.cpp.inc"
#include "drawloom/Dialect/Agent/IR/AgentEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "drawloom/Dialect/Agent/IR/AgentTypes.cpp.inc"

void AgentDialect::initialize() {
  registerAttributes();
  addTypes<
#define GET_TYPEDEF_LIST
#include "drawloom/Dialect/Agent/IR/AgentTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "drawloom/Dialect/Agent/IR/AgentOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "drawloom/Dialect/Agent/IR/AgentProtocolOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "drawloom/Dialect/Agent/IR/AgentMessageOps.cpp.inc"
      >();
}

/// Slots in memory have tiles of a fixed size.
static LogicalResult verifyTiles(function_ref<InFlightDiagnostic()> emitError,
                                 Memory memory, ArrayRef<Type> payload) {
  for (Type type : payload) {
    auto tile = dyn_cast<RankedTensorType>(type);
    if (!tile || !tile.hasStaticShape() || tile.getRank() == 0)
      return emitError() << "a slot in " << stringifyMemory(memory)
                         << " cannot hold " << type
                         << "; it has a fixed size and holds tensors of static "
                            "shape with rank one or more";
  }
  return success();
}

LogicalResult PipeType::verify(function_ref<InFlightDiagnostic()> emitError,
                               Memory memory, ArrayRef<Type> payload) {
  if (memory == Memory::message) {
    for (Type type : payload)
      if (!type.isIntOrIndexOrFloat())
        return emitError() << "a message cannot hold " << type
                           << "; it holds index, integer and float scalars";
    return success();
  }
  if (payload.empty())
    return emitError() << "a slot in " << stringifyMemory(memory)
                       << " holds at least one tile; use a message for a bare "
                          "signal";
  return verifyTiles(emitError, memory, payload);
}

LogicalResult SlotsType::verify(function_ref<InFlightDiagnostic()> emitError,
                                Memory memory, ArrayRef<Type> payload) {
  return PipeType::verify(emitError, memory, payload);
}

LogicalResult ItemsType::verify(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<Type> item) {
  for (Type type : item)
    if (!type.isIntOrIndexOrFloat())
      return emitError() << "a work tile cannot hold " << type
                         << "; it holds index, integer and float scalars";
  return success();
}
