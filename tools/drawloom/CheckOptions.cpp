//===- CheckOptions.cpp - Runs under the checker --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckOptions.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace drawloom;

llvm::Expected<CheckOptions> CheckOptions::read(const CommandLine &line) {
  CheckOptions options;
  options.checks = line.has("--check");
  options.isStrict = line.has("--strict");
  options.report = line.get("--report").value_or("").str();
  for (llvm::StringRef option : {"--strict", "--report"})
    if (line.has(option) && !options.checks)
      return llvm::createStringError(option +
                                     llvm::Twine(" goes with --check"));
  return options;
}

DriverCheck::DriverCheck(const CheckOptions &options) : options(options) {
  if (!options.checks)
    return;
  file = options.report;
  if (file.empty()) {
    llvm::SmallString<128> name;
    if (std::error_code failed =
            llvm::sys::fs::createTemporaryFile("drawloom-check", "json", name))
      llvm::errs() << "drawloom: cannot make a file for the report: "
                   << failed.message() << '\n';
    file = name.str().str();
  } else if (llvm::sys::fs::exists(file)) {
    llvm::sys::fs::remove(file);
  }
  setenv("DRAWLOOM_CHECK", options.isStrict ? "strict" : "default", 1);
  setenv("DRAWLOOM_CHECK_REPORT", file.c_str(), 1);
}

DriverCheck::~DriverCheck() {
  if (options.checks && options.report.empty() && !file.empty())
    llvm::sys::fs::remove(file);
}

ExitCode DriverCheck::judge(ExitCode result) const {
  if (!options.checks || result != Done)
    return result;
  auto buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer || (*buffer)->getBuffer().empty()) {
    llvm::errs() << "drawloom: no kernel ran on the emulated device, so none "
                    "was checked\n";
    return Failed;
  }
  auto report = llvm::json::parse((*buffer)->getBuffer());
  if (!report) {
    llvm::errs() << "drawloom: '" << file
                 << "': " << llvm::toString(report.takeError()) << '\n';
    return Failed;
  }
  const llvm::json::Object *object = report->getAsObject();
  return object && object->getInteger("errors") == 0 ? Done : Failed;
}
