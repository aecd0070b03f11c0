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
// since that of a program comes from the emulated driver.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_TOOLS_DRAWLOOM_REPORTS_H
#define DRAWLOOM_TOOLS_DRAWLOOM_REPORTS_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace drawloom {

/// Where to write; an empty name is nowhere.
struct ReportFiles {
  std::string json, sarif;
};

/// What was looked at.
struct CheckedRun {
  std::string ptx;     ///< A file, or empty if the PTX is in a program.
  std::string failure; ///< Why the run ended early; empty if it didn't.
};

llvm::json::Value toSarif(const llvm::json::Object &report,
                          const CheckedRun &run);

llvm::Error writeReports(const llvm::json::Object &report,
                         const ReportFiles &files, const CheckedRun &run);

} // namespace drawloom

#endif // DRAWLOOM_TOOLS_DRAWLOOM_REPORTS_H
