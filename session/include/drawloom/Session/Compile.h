//===- Compile.h - The compiler in one call ---------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A program, a GPU and options go in; PTX, a cubin, the plan of each
// kernel and what a launch of it has to know come out.
//
//   auto made = compile(text, {.arch = arch, .stopAfter = Stage::Cubin});
//   if (!made)
//     llvm::errs() << llvm::toString(made.takeError());
//
// A compile is a function of its arguments and of the versions of LLVM and
// ptxas. It prints nothing: what it has to say is in the result, or in the
// error. Calls may run in several threads at once, each with a context of its
// own. One thing is not a value: code by hand that LLVM's back end can't select
// ends the process, through LLVM's handler of fatal errors.

#ifndef DRAWLOOM_SESSION_COMPILE_H
#define DRAWLOOM_SESSION_COMPILE_H

#include "drawloom/Analysis/Plan/Plan.h"
#include "drawloom/Pipelines/Path.h"
#include "drawloom/Runtime/KernelInfo.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectRegistry.h"

namespace drawloom {

/// Something that the compiler said, at a place of the program.
struct Message {
  mlir::DiagnosticSeverity severity = mlir::DiagnosticSeverity::Error;
  /// Empty if it is about no place.
  std::string file = "";
  /// From 1; 0 if it is about the whole file.
  unsigned line = 0, column = 0;
  std::string text = "";
  std::vector<Message> notes = {};
};

/// "error", "warning", "remark" or "note".
llvm::StringLiteral toString(mlir::DiagnosticSeverity severity);

/// A program that can't be compiled, and why.
class CompileError : public llvm::ErrorInfo<CompileError> {
public:
  static char ID; // NOLINT(readability-identifier-naming): ErrorInfo asks so

  explicit CompileError(std::vector<Message> messages)
      : messages(std::move(messages)) {}

  llvm::ArrayRef<Message> getMessages() const { return messages; }

  /// A line for each: "gemm.mlir:3:5: error: ..."
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

private:
  std::vector<Message> messages;
};

/// Takes the diagnostics of a context while it lives. If it passes them on, the
/// handler before it also receives them.
class Listener {
public:
  explicit Listener(mlir::MLIRContext &context, bool passesOn = false);

  std::vector<Message> take() { return std::move(messages); }
  /// What was said, as an error.
  llvm::Error fail();

private:
  std::vector<Message> messages;
  mlir::ScopedDiagnosticHandler handler;
};

struct CompiledKernel {
  plan::Plan plan;
  /// Filled in if there is code.
  runtime::KernelInfo info = {};
  /// The plan of the kernel with smaller clusters that belongs to it; at most
  /// one. What a launch knows of it is in `info`.
  std::vector<plan::Plan> fallback = {};
};

struct CompiledModule {
  /// One for each program, in their order; code by hand has no plan.
  std::vector<CompiledKernel> kernels = {};
  /// The module, if the path ends in a stage before PTX: MLIR or LLVM IR.
  std::string text = "";
  std::string ptx = "";
  std::vector<char> cubin = {};
  /// What ptxas said about the cubin.
  target::PtxasReport report = {};
  /// Warnings and remarks.
  std::vector<Message> messages = {};
};

/// The dialects that a program may hold. A module to be compiled is in a
/// context that has them.
void registerProgramDialects(mlir::DialectRegistry &registry);

/// Compiles a copy of `module`, up to the stage that the options name.
llvm::Expected<CompiledModule> compile(mlir::ModuleOp module,
                                       const CompileOptions &options);

/// Compiles a program in MLIR text. Messages call it `name`.
llvm::Expected<CompiledModule> compile(llvm::StringRef program,
                                       const CompileOptions &options,
                                       llvm::StringRef name = "program");

} // namespace drawloom

#endif // DRAWLOOM_SESSION_COMPILE_H
