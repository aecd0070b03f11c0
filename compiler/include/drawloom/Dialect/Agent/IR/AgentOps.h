//===- AgentOps.h - Roles, pipes and work tiles -----------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel after its warps got roles: sequential programs (`agent.role`) that
// run side by side and hand tiles to each other through bounded channels
// (`agent.pipe`). A role touches a slot only inside the region of an
// `agent.produce` or an `agent.consume`.
//
// Invariant: the graph of roles and pipes can be read off the IR. Every pipe is
// the result of an `agent.pipe`, its users are the ends of the channel, and a
// verified pipe has one producing role and at least one consuming role in one
// switch. Passes derive counts, bytes and phases from that graph.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DIALECT_AGENT_IR_AGENTOPS_H
#define DRAWLOOM_DIALECT_AGENT_IR_AGENTOPS_H

#include "drawloom/Dialect/Agent/IR/AgentDialect.h"
#include "drawloom/Dialect/Agent/IR/Rules.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "drawloom/Dialect/Agent/IR/AgentEnums.h.inc"

namespace drawloom::agent {

class RoleOp;
class SwitchOp;

/// Attributes of operations that are not of this dialect; it checks them. Of a
/// kernel between two passes: its roles (`#agent.owner`). Of a function that
/// code was generated to: what it is called with (`#agent.parameter`), and the
/// shared memory of a CTA.
inline constexpr llvm::StringLiteral rolesAttrName = "agent.roles";
inline constexpr llvm::StringLiteral parametersAttrName = "agent.parameters";
inline constexpr llvm::StringLiteral sharedBytesAttrName = "agent.shared_bytes";

/// The order in which slots are filled and emptied. It is apart from the GPU's
/// memory: a load from a view may move across a produce, a produce may not move
/// across another end of the same pipe.
struct PipeResource : public mlir::SideEffects::Resource::Base<PipeResource> {
  llvm::StringRef getName() final { return "Pipe"; }
};

/// Fills the block of a new operation; the values are its arguments. An
/// `agent.yield` without values is added if the block has none.
using BodyBuilder = llvm::function_ref<void(mlir::OpBuilder &, mlir::Location,
                                            mlir::ValueRange)>;

} // namespace drawloom::agent

#define GET_ATTRDEF_CLASSES
#include "drawloom/Dialect/Agent/IR/AgentAttrs.h.inc"

namespace drawloom::agent {

/// What the `because` of a role or a pipe holds.
mlir::ArrayAttr toAttribute(mlir::MLIRContext *context,
                            llvm::ArrayRef<Reason> reasons);

/// `because`, which may be null, with one more reason. A rule gives one reason:
/// a second run of a pass replaces what the first one said.
mlir::ArrayAttr addReason(mlir::ArrayAttr because, mlir::MLIRContext *context,
                          const Reason &reason);

/// Whether a rule has given its reason. What a pass decided in an earlier run
/// looks like a wish of the program in the next one; its reason stays.
bool hasReason(mlir::ArrayAttr because, Rule rule);

} // namespace drawloom::agent

#define GET_TYPEDEF_CLASSES
#include "drawloom/Dialect/Agent/IR/AgentTypes.h.inc"

#define GET_OP_CLASSES
#include "drawloom/Dialect/Agent/IR/AgentOps.h.inc"

#endif // DRAWLOOM_DIALECT_AGENT_IR_AGENTOPS_H
