//===- CompileProgram.h - From a tile program to plan and PTX - -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The whole compiler in one call, for tools that look at what it made: the plan
// of each kernel and the PTX that it became, from the same run.

#ifndef DRAWLOOM_INTEGRATION_PROTOCOL_COMPILEPROGRAM_H
#define DRAWLOOM_INTEGRATION_PROTOCOL_COMPILEPROGRAM_H

#include "drawloom/Analysis/Plan/Plan.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"

namespace drawloom::protocol {

/// A parameter of a kernel, as `agent.parameters` describes it.
struct Parameter {
  /// Of the tile program, and the bits of an element of it; 0 for a scalar.
  int64_t argument = 0, elementBits = 0;
  /// Of a tensor map: elements, the innermost first, and bytes.
  std::vector<int64_t> box = {};
  int64_t swizzle = 0;
  /// Of a size.
  std::optional<int64_t> dimension = std::nullopt;

  /// What a copy with this tensor map moves; 0 if it is none.
  int64_t getBoxBytes() const;
};

struct Kernel {
  plan::Plan plan;
  std::vector<Parameter> parameters;
};

struct Program {
  std::vector<Kernel> kernels;
  std::string ptx;
};

/// The dialects that a program may hold.
void registerProgramDialects(mlir::DialectRegistry &registry);

/// Compiles what `module` holds, for `arch` or, if it is empty, for what the
/// kernels say. The module is used up. What goes wrong is a diagnostic.
mlir::FailureOr<Program> compileProgram(mlir::ModuleOp module,
                                        llvm::StringRef arch);

} // namespace drawloom::protocol

#endif // DRAWLOOM_INTEGRATION_PROTOCOL_COMPILEPROGRAM_H
