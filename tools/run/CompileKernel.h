//===- CompileKernel.h - A tile program becomes a kernel --------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The whole compiler in one call, from linalg, tile or agent programs to PTX
// and what a launch has to know. What goes wrong is a diagnostic at the
// operation that it is about. The steps are open to whoever wants only some of
// them.

#ifndef DRAWLOOM_TOOLS_RUN_COMPILEKERNEL_H
#define DRAWLOOM_TOOLS_RUN_COMPILEKERNEL_H

#include "drawloom/Analysis/Plan/Plan.h"
#include "drawloom/Runtime/KernelInfo.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace drawloom::run {

/// Writes the architecture into every kernel and function of the module.
void setTarget(mlir::ModuleOp module, const target::Architecture &arch);

/// Plans what is not planned yet. Kernels that have roles already, written by
/// hand or by an earlier run, are only proved and placed. Kernels keep their
/// order, and none is lost if one can't be planned.
llvm::LogicalResult planKernels(mlir::ModuleOp module);

/// The plans of the kernels, in their order.
mlir::FailureOr<std::vector<plan::Plan>> collectPlans(mlir::ModuleOp module);

/// Turns planned kernels into functions of nvvm. Returns how each is called.
/// Kernels that are not proved to end are refused, unless `unproved`.
mlir::FailureOr<std::vector<runtime::KernelInfo>>
generateCode(mlir::ModuleOp module, bool unproved = false);

/// Whether the module holds programs for `planKernels`, rather than code.
bool holdsPrograms(mlir::ModuleOp module);

struct CompiledKernel {
  runtime::KernelInfo info;
  plan::Plan plan;
  std::string ptx;
};

/// All of it, for a module with one kernel, of which a copy is compiled.
mlir::FailureOr<CompiledKernel> compileKernel(mlir::ModuleOp module,
                                              const target::Architecture &arch,
                                              bool unproved = false);

} // namespace drawloom::run

#endif // DRAWLOOM_TOOLS_RUN_COMPILEKERNEL_H
