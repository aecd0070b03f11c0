//===- Serve.cpp - An editor's server -------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Serve.h"
#include "Server.h"
#include "drawloom/InitAll.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace drawloom;

/// MLIR's server, which has a process of its own: it reads standard input and
/// writes standard output, and what it does with them is its affair.
[[noreturn]] static void serveMlir(llvm::StringRef log) {
  mlir::DialectRegistry registry;
  drawloom::registerAllDialects(registry);
  std::string name = "drawloom lsp", option = ("--log=" + log).str();
  char *arguments[] = {name.data(), option.data(), nullptr};
  std::exit(mlir::failed(mlir::MlirLspServerMain(2, arguments, registry)));
}

bool lsp::serve(const ServeOptions &options) {
  int toMlir[2], fromMlir[2];
  if (pipe(toMlir) || pipe(fromMlir)) {
    llvm::errs() << "drawloom: cannot make a pipe\n";
    return false;
  }
  pid_t child = fork();
  if (child < 0) {
    llvm::errs() << "drawloom: cannot start a process\n";
    return false;
  }
  if (child == 0) {
    dup2(toMlir[0], STDIN_FILENO);
    dup2(fromMlir[1], STDOUT_FILENO);
    for (int file : {toMlir[0], toMlir[1], fromMlir[0], fromMlir[1]})
      close(file);
    serveMlir(options.log);
  }
  close(toMlir[0]);
  close(fromMlir[1]);
  std::signal(SIGPIPE, SIG_IGN);
  std::FILE *write = fdopen(toMlir[1], "w");
  Peer editor(stdin, stdout, options.isDelimited, options.isPretty);
  Peer mlir(fdopen(fromMlir[0], "r"), write, false, false);
  Server server(editor, mlir);
  std::thread listener([&] { server.serveMlir(); });
  server.serveEditor();
  // MLIR's server ends at the end of its input; what it still sends is passed
  // on.
  std::fclose(write);
  listener.join();
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
