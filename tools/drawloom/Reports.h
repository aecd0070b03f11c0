//===- Reports.h - Findings in files ----------------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `drawloom run --check` and `drawloom check` have found, for other
// programs: their own JSON (docs/Checker.md has its fields), and SARIF 2.1.0,
// which editors and code hosts show at the lines. SARIF is made from the JSON,
// since that of a program comes from the emulated driver. What is said about an
// input is SARIF, too: why it is rejected, and where a run ended early.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_TOOLS_DRAWLOOM_REPORTS_H
#define DRAWLOOM_TOOLS_DRAWLOOM_REPORTS_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SourceMgr.h"

namespace drawloom::emu {
struct Report;
} // namespace drawloom::emu

namespace drawloom {

/// Where to write; an empty name is nowhere.
struct ReportFiles {
  std::string json, sarif;
};

/// What was looked at.
struct CheckedRun {
  std::string input;        ///< A file, or empty if the PTX is in a program.
  std::string failure = {}; ///< Why the run ended early; empty if it didn't.
  /// What was said about the input. Each has a severity, text, file (without
  /// it, the input), line and column (without them, all of it), a rule if it
  /// isn't the code of its text, and notes of the same form.
  llvm::json::Array messages = {};
};

/// A run of a file, and where it ended early, if it did: "illegal-address", at
/// the line of the source or else of the PTX.
CheckedRun describeRun(const std::string &input, const emu::Report *ending);

/// Errors of a parser, as messages.
llvm::json::Array toMessages(llvm::ArrayRef<llvm::SMDiagnostic> errors);

llvm::Error writeReports(const llvm::json::Object &report,
                         const ReportFiles &files, const CheckedRun &run);

} // namespace drawloom

#endif // DRAWLOOM_TOOLS_DRAWLOOM_REPORTS_H
