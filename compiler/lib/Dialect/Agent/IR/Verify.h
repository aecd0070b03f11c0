//===- Verify.h - What the verifiers share ----------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Diagnostics speak in the program's own names, and the same thing is called
// the same everywhere: the phrases are here.
//
// Invariant: an operation is verified after those before it and before what is
// inside it. A verifier that looks at anything else must not assume that its
// attributes are there.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_LIB_DIALECT_AGENT_IR_VERIFY_H
#define DRAWLOOM_LIB_DIALECT_AGENT_IR_VERIFY_H

#include "drawloom/Dialect/Agent/IR/AgentOps.h"

namespace drawloom::agent {

/// The operation that made `value`, if it is an `OpT` in front of `user`: one
/// that is verified already.
template <typename OpT>
OpT getInFront(mlir::Operation *user, mlir::Value value) {
  auto op = value.getDefiningOp<OpT>();
  if (!op)
    return nullptr;
  mlir::Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user);
  return ancestor && op->isBeforeInBlock(ancestor) ? op : OpT();
}

/// The pipe that `value` is, or an error at `user`. Only the results of
/// `agent.pipe` are known when the kernel is compiled.
mlir::FailureOr<PipeOp> getPipe(mlir::Operation *user, mlir::Value value);

/// Checks that an end of a pipe is at a slot and a phase, if it says where it
/// is.
llvm::LogicalResult verifyAt(mlir::Operation *end, mlir::OperandRange at);

/// Checks that the ends of a pipe in one role agree about who works.
llvm::LogicalResult verifyEngines(PipeOp pipe);

/// `@mma`. The role may be unverified.
std::string nameOf(RoleOp role);

/// `@load`, `@load and @mma`, `@load, @mma and @epilogue`.
std::string namesOf(llvm::ArrayRef<RoleOp> roles);

/// `(index, tensor<4xf32>)`.
std::string listOf(mlir::TypeRange types);

/// `one CTA`, `4 CTAs`.
std::string ctas(int64_t count);

/// The values of one slot of each of the types `pipes`, in order.
llvm::SmallVector<mlir::Type> getSlotValues(mlir::TypeRange pipes);

/// The values of one work tile of `source`, a stream or a pipe that carries
/// items.
llvm::ArrayRef<mlir::Type> getItemValues(mlir::Type source);

} // namespace drawloom::agent

#endif // DRAWLOOM_LIB_DIALECT_AGENT_IR_VERIFY_H
