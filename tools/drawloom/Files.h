//===- Files.h - What a verb reads and writes ----------------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A module from a file and a result into one, the same way for every verb.
// What goes wrong is printed here; callers only have to stop.

#ifndef DRAWLOOM_TOOLS_DRAWLOOM_FILES_H
#define DRAWLOOM_TOOLS_DRAWLOOM_FILES_H

#include "drawloom/Session/Compile.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SourceMgr.h"
#include <memory>

namespace drawloom {

/// A module, together with the text that its diagnostics quote.
class InputModule {
public:
  /// Reads the file, or standard input for '-', and parses it. Null if it
  /// can't.
  static std::unique_ptr<InputModule>
  read(llvm::StringRef path, const mlir::DialectRegistry &dialects);

  /// Only reads it.
  static std::unique_ptr<InputModule> open(llvm::StringRef path);
  /// False if it can't.
  bool parse(const mlir::DialectRegistry &dialects);

  llvm::StringRef getText() const;
  /// What messages call it.
  llvm::StringRef getName() const;
  mlir::ModuleOp get() { return *parsed->module; }

  /// Prints what the compiler said about the module, or why it did not compile.
  void report(llvm::ArrayRef<Message> messages);
  void report(llvm::Error error);

  /// All of what was printed, for reports.
  llvm::json::Array takeMessages();

private:
  /// What a module needs, and a text doesn't.
  struct Parsed {
    Parsed(const mlir::DialectRegistry &dialects, llvm::SourceMgr &sources);

    mlir::MLIRContext context;
    mlir::SourceMgrDiagnosticHandler handler;
    Listener listener;
    mlir::OwningOpRef<mlir::ModuleOp> module;
  };

  /// Prints what is about no place.
  void tell(llvm::StringRef words);

  llvm::SourceMgr sources;
  std::optional<Parsed> parsed;
  /// What was said about no place.
  std::vector<Message> placeless;
};

/// The plans of a kernel and of its fallbacks, as `drawloom explain --format
/// json` writes them.
std::string printPlans(const CompiledKernel &kernel);

/// Writes `text` to the file, or to standard output for '-'. A file that can't
/// be written whole is removed.
mlir::LogicalResult writeOutput(llvm::StringRef path, llvm::StringRef text);

} // namespace drawloom

#endif // DRAWLOOM_TOOLS_DRAWLOOM_FILES_H
