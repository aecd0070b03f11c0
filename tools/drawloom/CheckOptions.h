//===- CheckOptions.h - Runs under the checker ------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `drawloom check` and `drawloom run --check` for all that they run: PTX is
// checked in this process, programs and commands by the emulated driver, which
// reads it in its environment.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_TOOLS_DRAWLOOM_CHECKOPTIONS_H
#define DRAWLOOM_TOOLS_DRAWLOOM_CHECKOPTIONS_H

#include "CommandLine.h"
#include "Reports.h"
#include "Verb.h"

namespace drawloom::checker {
struct Finding;
class Suppressions;
} // namespace drawloom::checker

namespace drawloom {

struct CheckOptions {
  bool checks = false;
  bool isStrict = false;
  ReportFiles files;
  std::string suppressions; ///< A file, or empty.
  bool remarks = false;
  std::string plan; ///< A file, or empty.

  /// The options of a verb, with these among them.
  static llvm::SmallVector<OptionName> with(llvm::ArrayRef<OptionName> others);
  /// `verb`: "run", which checks if it is asked to, or "check".
  static llvm::Expected<CheckOptions> read(const CommandLine &line,
                                           llvm::StringRef verb);
};

/// Says which suppressions suppress nothing.
void tellUnused(const checker::Suppressions &suppressions);

/// Says what was found, and writes it to files. Findings if there are errors.
ExitStatus tellFindings(llvm::ArrayRef<checker::Finding> findings,
                        const checker::Suppressions &suppressions,
                        const ReportFiles &files, const CheckedRun &run);

/// Has the emulated driver check what it runs, and asks for its report.
class DriverCheck {
public:
  /// `plan`: of the kernel that will run, in JSON, if it is known; a trace has
  /// its names, too.
  explicit DriverCheck(const CheckOptions &options, llvm::StringRef plan = "");
  ~DriverCheck();

  /// `result`, or Findings if that is clean and errors were found. What was
  /// found has been printed.
  ExitStatus judge(ExitStatus result) const;
  /// Of a command that was interrupted: how many findings there were.
  void tellCounts() const;

private:
  const CheckOptions options;
  std::string file;     ///< Empty if nothing is checked.
  std::string planFile; ///< That was made here, or empty.
};

} // namespace drawloom

#endif // DRAWLOOM_TOOLS_DRAWLOOM_CHECKOPTIONS_H
