//===- Process.cpp - How a command ends -----------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Process.h"
#include "Verb.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>

using namespace drawloom;

void drawloom::prepareProcess() {
  llvm::setBugReportMsg(
      "drawloom has crashed, which no input should make it do. Please report "
      "it with the command and the files below: SECURITY.md and README.md in "
      "the repository say where.\n");
  // With 'ulimit -f', writing fails instead, and that is said.
  std::signal(SIGXFSZ, SIG_IGN);
}

int drawloom::finishOutput(int exitCode) {
  llvm::raw_fd_ostream &os = llvm::outs();
  os.flush();
  if (!os.has_error())
    return exitCode;
  llvm::errs() << "drawloom: cannot write to standard output: "
               << os.error().message() << '\n';
  os.clear_error();
  return exitCode ? exitCode : int(Failed);
}
