//===- Compile.h - nvvm to PTX to cubin, in process ----------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The way from a module of `nvvm` and `llvm` operations to a cubin:
//
//   module ──translateToLLVM──→ LLVM IR ──emitPTX──→ PTX ──assembleModule──→
//   cubin
//
// Every step takes what it needs as arguments and leaves its input alone: a
// compile is a function of the program, the architecture and the versions of
// LLVM and ptxas. What goes wrong is reported as a diagnostic at the operation
// that caused it, also when ptxas finds it: the PTX carries `.loc` lines, and
// they lead back.
//
// Pipelines/Path.h puts these steps behind the passes. Of LLVM the code
// generator runs, and of the IR optimizer only `sccp`, which moves nothing
// (docs/Target.md): what stands in which order is decided above.

#ifndef DRAWLOOM_TARGET_COMPILE_H
#define DRAWLOOM_TARGET_COMPILE_H

#include "drawloom/Target/Ptxas.h"
#include "mlir/IR/BuiltinOps.h"
#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace drawloom::target {

/// Registers the dialects that a module may hold here, and their translation to
/// LLVM IR. The context that a module is parsed into needs both.
void registerTargetDialects(mlir::DialectRegistry &registry);

/// Translates a lowered module to the LLVM IR that code is generated from:
/// with the target's data layout and with line information, and with every call
/// marked convergent that the NVPTX back end must not duplicate or move.
mlir::FailureOr<std::unique_ptr<llvm::Module>>
translateToLLVM(mlir::ModuleOp lowered, const Architecture &arch,
                llvm::LLVMContext &context);

/// Generates PTX from translated IR, which is used up. What the back end says
/// is reported at `loc`.
mlir::FailureOr<std::string> emitPTX(std::unique_ptr<llvm::Module> module,
                                     const Architecture &arch,
                                     mlir::Location loc);

/// Assembles the PTX that a module was compiled to. What ptxas says is reported
/// at the operation of `module` that it is about; spills are warnings at the
/// kernel.
mlir::FailureOr<AssembledModule> assembleModule(mlir::ModuleOp module,
                                                llvm::StringRef ptx,
                                                const Architecture &arch,
                                                const Ptxas &ptxas);

} // namespace drawloom::target

#endif // DRAWLOOM_TARGET_COMPILE_H
