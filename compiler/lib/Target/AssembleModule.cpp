//===- AssembleModule.cpp - PTX to cubin, with reports at operations ------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SourceMap.h"
#include "drawloom/Target/Architecture.h"
#include "drawloom/Target/Compile.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringSet.h"

using namespace drawloom::target;
using namespace mlir;

namespace {
/// Reports what ptxas said, at the operations that it is about.
class AssemblyReporter {
public:
  AssemblyReporter(ModuleOp module, StringRef ptx)
      : module(module), sources(ptx) {}

  void report(const PtxasReport &report);

private:
  void reportMessage(const PtxasMessage &message);
  void reportIgnoredBudgets(const PtxasMessage &message);
  void reportPragma(const PtxasMessage &message);
  void reportSpills(const FunctionResources &function);
  Location locationOf(const PtxasMessage &message);
  Location locationOfLine(unsigned line);
  Location locationOfFunction(StringRef name);
  void quote(InFlightDiagnostic &diag, Location loc, unsigned line) const;

  ModuleOp module;
  SourceMap sources;
  llvm::StringSet<> pragmas;
};
} // namespace

Location AssemblyReporter::locationOfFunction(StringRef name) {
  Operation *function =
      name.empty() ? nullptr : SymbolTable::lookupSymbolIn(module, name);
  return function ? function->getLoc() : module.getLoc();
}

Location AssemblyReporter::locationOfLine(unsigned line) {
  if (std::optional<SourceMap::Place> place = sources.lookup(line))
    return FileLineColLoc::get(module.getContext(), place->file, place->line,
                               place->column);
  return locationOfFunction(sources.functionAt(line));
}

Location AssemblyReporter::locationOf(const PtxasMessage &message) {
  // What is about a whole function is said at its closing brace.
  if (sources.text(message.line) == "}")
    return locationOfFunction(sources.functionAt(message.line));
  if (message.line != 0)
    return locationOfLine(message.line);
  return locationOfFunction(message.function);
}

/// Adds the line of PTX, which no other place shows.
void AssemblyReporter::quote(InFlightDiagnostic &diag, Location loc,
                             unsigned line) const {
  if (StringRef text = sources.text(line); !text.empty() && text != "}")
    diag.attachNote(loc) << "line " << line << " of the PTX: " << text;
}

void AssemblyReporter::reportMessage(const PtxasMessage &message) {
  Location loc = locationOf(message);
  DiagnosticSeverity severity =
      message.severity == Severity::Error     ? DiagnosticSeverity::Error
      : message.severity == Severity::Warning ? DiagnosticSeverity::Warning
                                              : DiagnosticSeverity::Remark;
  InFlightDiagnostic diag =
      module.getContext()->getDiagEngine().emit(loc, severity);
  diag << "ptxas: " << message.text;
  if (!message.code.empty())
    diag << " (" << message.code << ')';
  quote(diag, loc, message.line);
}

/// ptxas names neither the kernel nor the line. It says this once for each
/// kernel whose register count at entry it cannot tell, and those are known
/// from the kernel's directives.
void AssemblyReporter::reportIgnoredBudgets(const PtxasMessage &message) {
  std::vector<unsigned> lines = sources.linesOfUnfixedBudgets();
  if (lines.empty())
    return reportMessage(message);
  for (unsigned line : lines) {
    Location loc = locationOfLine(line);
    StringRef kernel = sources.functionAt(line);
    InFlightDiagnostic diag =
        emitError(loc) << "setmaxnreg would have no effect: the number of "
                          "registers that kernel '"
                       << kernel
                       << "' enters with is not fixed [setmaxnreg-ignored]";
    diag.attachNote(locationOfFunction(kernel))
        << "give the kernel nvvm.maxnreg, or nvvm.reqntid with nvvm.minctasm";
    diag.attachNote(loc) << "ptxas: " << message.text << " (" << message.code
                         << ')';
  }
}

void AssemblyReporter::reportSpills(const FunctionResources &function) {
  InFlightDiagnostic diag =
      emitWarning(locationOfFunction(function.name))
      << (function.isKernel ? "kernel '" : "function '") << function.name
      << "' spills registers to local memory: " << function.spillStoreBytes
      << " bytes of stores and " << function.spillLoadBytes
      << " bytes of loads a thread";
  if (function.isKernel)
    diag << ", with " << function.registers << " registers";
  diag << " [register-spills]";
}

/// What ptxas does not take is said once for each text, where it first stands.
void AssemblyReporter::reportPragma(const PtxasMessage &message) {
  StringRef pragma =
      StringRef(message.text).split('\'').second.split('\'').first;
  if (!pragmas.insert(pragma).second)
    return;
  unsigned line = sources.find((".pragma \"" + pragma + "\"").str());
  emitRemark(line ? locationOfLine(line) : module.getLoc())
      << "ptxas: " << message.text;
}

void AssemblyReporter::report(const PtxasReport &report) {
  bool budgetsReported = false;
  for (const PtxasMessage &message : report.messages) {
    if (message.severity == Severity::Info &&
        StringRef(message.text).starts_with("Pragma '")) {
      reportPragma(message);
      continue;
    }
    if (!message.isIgnoredRegisterBudget()) {
      reportMessage(message);
      continue;
    }
    if (!budgetsReported)
      reportIgnoredBudgets(message);
    budgetsReported = true;
  }
  for (const FunctionResources &function : report.functions)
    if (function.spills())
      reportSpills(function);
}

FailureOr<AssembledModule>
drawloom::target::assembleModule(ModuleOp module, StringRef ptx,
                                 const Architecture &arch, const Ptxas &ptxas) {
  AssemblyReporter reporter(module, ptx);
  llvm::Expected<AssembledModule> assembled =
      assemble(blankLineDirectives(ptx), arch, ptxas);
  if (assembled) {
    reporter.report(assembled->report);
    return std::move(*assembled);
  }
  llvm::handleAllErrors(
      assembled.takeError(),
      [&](const AssemblyError &error) { reporter.report(error.getReport()); },
      [&](const llvm::ErrorInfoBase &error) {
        module.emitError() << error.message();
      });
  return failure();
}
