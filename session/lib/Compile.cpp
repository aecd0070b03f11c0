//===- Compile.cpp - The compiler in one call -----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Session/Compile.h"
#include "DescribeKernels.h"
#include "drawloom/Frontend/ParseProgram.h"
#include "drawloom/InitAll.h"
#include "drawloom/Input/Printable.h"
#include "drawloom/Target/Compile.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

using namespace mlir;
using namespace drawloom;

char CompileError::ID = 0;

std::error_code CompileError::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

llvm::StringLiteral drawloom::toString(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Remark:
    return "remark";
  case DiagnosticSeverity::Note:
    return "note";
  }
  return "";
}

static void print(const Message &message, llvm::raw_ostream &os) {
  if (!message.file.empty())
    os << message.file << ':';
  if (message.line != 0)
    os << message.line << ':' << message.column << ':';
  if (!message.file.empty())
    os << ' ';
  os << toString(message.severity) << ": ";
  os << message.text;
  for (const Message &note : message.notes) {
    os << '\n';
    print(note, os);
  }
}

void CompileError::log(llvm::raw_ostream &os) const {
  llvm::interleave(
      messages, os, [&](const Message &message) { print(message, os); }, "\n");
}

static Message makeMessage(Diagnostic &diagnostic) {
  Message message;
  message.severity = diagnostic.getSeverity();
  message.text = input::makePrintable(diagnostic.str());
  if (auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>()) {
    message.file = input::makePrintable(place.getFilename().getValue());
    message.line = place.getLine();
    message.column = place.getColumn();
  }
  for (Diagnostic &note : diagnostic.getNotes())
    message.notes.push_back(makeMessage(note));
  return message;
}

Listener::Listener(MLIRContext &context, bool passesOn)
    : handler(&context, [this, passesOn](Diagnostic &diagnostic) {
        messages.push_back(makeMessage(diagnostic));
        return success(!passesOn);
      }) {}

llvm::Error Listener::fail() { return llvm::make_error<CompileError>(take()); }

/// Compiles `module` itself.
static llvm::Expected<CompiledModule>
compileInPlace(ModuleOp module, const CompileOptions &options,
               Listener &listener) {
  CompiledModule result;
  auto describe = [&](Stage stage) -> LogicalResult {
    if (options.interrupted && options.interrupted())
      return module.emitError("interrupted [interrupted]");
    bool hasCode = options.stopAfter > Stage::Plan;
    if (stage == Stage::Plan)
      return describePrograms(module, hasCode, result.kernels);
    if (stage == Stage::NVVM)
      describeCode(module, result.kernels);
    return success();
  };
  FailureOr<PathResult> made = runPath(module, options, describe);
  if (failed(made))
    return listener.fail();
  if (options.stopAfter < Stage::LLVM)
    llvm::raw_string_ostream(result.text) << module << '\n';
  else if (options.stopAfter == Stage::LLVM)
    result.text = std::move(made->llvm);
  result.ptx = std::move(made->ptx);
  result.cubin = std::move(made->assembled.cubin);
  result.report = std::move(made->assembled.report);
  result.messages = listener.take();
  return result;
}

void drawloom::registerProgramDialects(DialectRegistry &registry) {
  registerAllDialects(registry);
  target::registerTargetDialects(registry);
}

llvm::Expected<CompiledModule>
drawloom::compile(ModuleOp module, const CompileOptions &options) {
  Listener listener(*module.getContext());
  OwningOpRef<ModuleOp> copy = module.clone();
  return compileInPlace(*copy, options, listener);
}

llvm::Expected<CompiledModule> drawloom::compile(llvm::StringRef program,
                                                 const CompileOptions &options,
                                                 llvm::StringRef name) {
  DialectRegistry dialects;
  registerProgramDialects(dialects);
  // One small module: starting threads would take longer than the work.
  MLIRContext context(dialects, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  Listener listener(context);
  OwningOpRef<ModuleOp> module = frontend::parseProgram(program, context, name);
  if (!module)
    return listener.fail();
  return compileInPlace(*module, options, listener);
}
