//===- Assembly.h - Clauses that operations share ---------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_LIB_DIALECT_AGENT_IR_ASSEMBLY_H
#define DRAWLOOM_LIB_DIALECT_AGENT_IR_ASSEMBLY_H

#include "drawloom/Dialect/Agent/IR/AgentOps.h"

namespace drawloom::agent {

/// `scope(pair)`; the scope of one CTA is left out.
mlir::ParseResult parseScope(mlir::OpAsmParser &parser, ScopeAttr &scope);
void printScope(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                ScopeAttr scope);

/// `orders(execution)`; that of the own shared memory is left out.
mlir::ParseResult parseOrdering(mlir::OpAsmParser &parser,
                                OrderingAttr &orders);
void printOrdering(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                   OrderingAttr orders);

/// `by(tma)`, or nothing.
mlir::ParseResult parseEngine(mlir::OpAsmParser &parser, EngineAttr &engine);
void printEngine(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                 EngineAttr engine);

} // namespace drawloom::agent

#endif // DRAWLOOM_LIB_DIALECT_AGENT_IR_ASSEMBLY_H
