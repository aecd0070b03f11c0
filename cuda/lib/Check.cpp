//===- Check.cpp - Kernels of a program under the checker -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"
#include "Driver.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace drawloom;
using namespace drawloom::cuda;
using llvm::Twine;

Check::Check(checker::CheckOptions options) : checker(std::move(options)) {
  llvm::errs(); // To be there still when the program exits.
  // Once, for the one that is there then.
  static int registered = std::atexit([] {
    Driver &driver = Driver::get();
    if (HostWatch *watch = driver.watch.get())
      watch->end();
    if (driver.check)
      driver.check->tellCounts();
  });
  (void)registered;
}

void Check::tell() {
  llvm::ArrayRef<checker::Finding> findings = checker.findings();
  for (const checker::Finding &finding : findings.drop_front(reported))
    if (environment("DRAWLOOM_QUIET").empty())
      teller.tell(finding, llvm::errs());
  reported = findings.size();
  std::string path = environment("DRAWLOOM_CHECK_REPORT").str();
  if (path.empty())
    return;
  path = perProcess(std::move(path));
  std::error_code failed;
  llvm::raw_fd_ostream os(path, failed);
  if (failed)
    return complain("DRAWLOOM_CHECK_REPORT: cannot write '" + Twine(path) +
                    "': " + failed.message() + " [cannot-write]");
  os << llvm::formatv("{0:2}\n", llvm::json::Value(checker::toJson(
                                     checker.findingsAndRemarks())));
  os.close();
  if (!os.has_error())
    return;
  complain("DRAWLOOM_CHECK_REPORT: cannot write '" + Twine(path) +
           "': " + os.error().message() + " [cannot-write]");
  os.clear_error();
  // Half of one is none.
  (void)llvm::sys::fs::remove(path);
}

void Check::tellCounts() {
  if (!environment("DRAWLOOM_QUIET").empty())
    return;
  std::vector<checker::Finding> all = checker.findingsAndRemarks();
  for (const checker::Finding &remark : llvm::drop_begin(all, reported))
    teller.tell(remark, llvm::errs());
  teller.tellRest(llvm::errs());
  for (const std::string &unused : checker.suppressions().unused())
    complain(unused);
  checker::writeCounts(all, llvm::errs());
}
