//===- CheckOptions.cpp - Runs under the checker --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckOptions.h"
#include "drawloom/Checker/Tell.h"
#include "drawloom/Input/Scan.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace drawloom;

llvm::SmallVector<OptionName>
CheckOptions::with(llvm::ArrayRef<OptionName> others) {
  llvm::SmallVector<OptionName> all(others);
  all.append({{"--check", false},
              {"--strict", false},
              {"--report", true},
              {"--sarif", true},
              {"--suppressions", true},
              {"--remarks", false},
              {"--plan", true}});
  return all;
}

llvm::Expected<CheckOptions> CheckOptions::read(const CommandLine &line,
                                                llvm::StringRef verb) {
  CheckOptions options;
  options.checks = verb == "check" || line.has("--check");
  options.isStrict = line.has("--strict");
  options.files.json = line.get("--report").value_or("").str();
  options.files.sarif = line.get("--sarif").value_or("").str();
  options.suppressions = line.get("--suppressions").value_or("").str();
  options.remarks = line.has("--remarks");
  options.plan = line.get("--plan").value_or("").str();
  for (llvm::StringRef option : {"--strict", "--report", "--sarif",
                                 "--suppressions", "--remarks", "--plan"})
    if (line.has(option) && !options.checks)
      return llvm::createStringError(option +
                                     llvm::Twine(" goes with --check"));
  return options;
}

void drawloom::tellUnused(const checker::Suppressions &suppressions) {
  for (const std::string &unused : suppressions.unused())
    llvm::errs() << "drawloom: " << unused << '\n';
}

ExitStatus drawloom::tellFindings(llvm::ArrayRef<checker::Finding> findings,
                                  const checker::Suppressions &suppressions,
                                  const ReportFiles &files,
                                  const CheckedRun &run) {
  bool hasError = false;
  checker::Teller teller;
  for (const checker::Finding &finding : findings) {
    hasError |=
        finding.isReported() && finding.severity == checker::Severity::Error;
    teller.tell(finding, llvm::errs());
  }
  teller.tellRest(llvm::errs());
  tellUnused(suppressions);
  checker::writeCounts(findings, llvm::errs());
  if (llvm::Error error = writeReports(checker::toJson(findings), files, run)) {
    llvm::errs() << "drawloom: " << llvm::toString(std::move(error)) << '\n';
    return Failed;
  }
  return hasError ? Findings : Clean;
}

/// The name of a new file, "" if there is none; then it was said why.
static std::string makeFile(const char *what) {
  llvm::SmallString<128> name;
  std::error_code failed =
      llvm::sys::fs::createTemporaryFile("drawloom-check", "json", name);
  if (!failed)
    return name.str().str();
  llvm::errs() << "drawloom: cannot make a file for the " << what << ": "
               << failed.message() << '\n';
  return "";
}

DriverCheck::DriverCheck(const CheckOptions &options, llvm::StringRef plan)
    : options(options) {
  if (!options.plan.empty()) {
    setenv("DRAWLOOM_CHECK_PLAN", options.plan.c_str(), 1);
  } else if (!plan.empty()) {
    planFile = makeFile("plan");
    std::error_code failed;
    llvm::raw_fd_ostream(planFile, failed) << plan;
    if (!failed)
      setenv("DRAWLOOM_CHECK_PLAN", planFile.c_str(), 1);
  }
  if (!options.checks)
    return;
  file = options.files.json;
  if (file.empty()) {
    file = makeFile("report");
  } else if (llvm::sys::fs::exists(file)) {
    llvm::sys::fs::remove(file);
  }
  setenv("DRAWLOOM_CHECK", options.isStrict ? "strict" : "default", 1);
  setenv("DRAWLOOM_CHECK_REPORT", file.c_str(), 1);
  if (!options.suppressions.empty())
    setenv("DRAWLOOM_CHECK_SUPPRESSIONS", options.suppressions.c_str(), 1);
  if (options.remarks)
    setenv("DRAWLOOM_CHECK_REMARKS", "1", 1);
}

DriverCheck::~DriverCheck() {
  if (options.checks && options.files.json.empty() && !file.empty())
    llvm::sys::fs::remove(file);
  if (!planFile.empty())
    llvm::sys::fs::remove(planFile);
}

void DriverCheck::tellCounts() const {
  auto buffer = llvm::MemoryBuffer::getFile(file);
  if (!options.checks || !buffer)
    return;
  auto report = llvm::json::parse((*buffer)->getBuffer());
  if (!report)
    return llvm::consumeError(report.takeError());
  if (const llvm::json::Object *object = report->getAsObject())
    llvm::errs() << "check: interrupted; errors: "
                 << object->getInteger("errors").value_or(0)
                 << ", warnings: " << object->getInteger("warnings").value_or(0)
                 << ", notes: " << object->getInteger("notes").value_or(0)
                 << '\n';
}

ExitStatus DriverCheck::judge(ExitStatus result) const {
  if (!options.checks)
    return result;
  auto fail = [&](const llvm::Twine &words) {
    if (result != Clean) // The command has said why.
      return result;
    llvm::errs() << "drawloom: " << words << '\n';
    return Failed;
  };
  auto buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer || (*buffer)->getBuffer().empty())
    return fail("no kernel ran on the emulated device, so none was checked "
                "[no-kernel-ran]");
  auto report = input::parseJson((*buffer)->getBuffer());
  if (!report)
    return fail("'" + file + "': " + llvm::toString(report.takeError()));
  const llvm::json::Object *object = report->getAsObject();
  if (!object)
    return fail("'" + file + "' is no report [report-file]");
  CheckedRun run;
  if (result != Clean)
    run.failure =
        "the program failed with exit status " + std::to_string(result);
  // The driver has written the JSON.
  if (llvm::Error error = writeReports(*object, {"", options.files.sarif}, run))
    return fail(llvm::toString(std::move(error)));
  if (result != Clean)
    return result;
  return object->getInteger("errors") == 0 ? Clean : Findings;
}
