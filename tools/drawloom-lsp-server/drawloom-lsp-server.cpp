//===- drawloom-lsp-server.cpp - Drawloom's programs in an editor ---------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Server.h"
#include "drawloom/InitAll.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace drawloom;

/// Upstream's help is a list of every option of LLVM's libraries.
static void printHelp() {
  llvm::outs()
      << "drawloom-lsp-server - Drawloom's programs and PTX in an editor\n"
         "\n"
         "Usage: drawloom-lsp-server [options]\n"
         "\n"
         "An editor starts this program and speaks the Language Server "
         "Protocol with it\n"
         "over standard input and output. docs/Editors.md says how, and what "
         "it answers.\n"
         "The initialization option 'arch' names the GPU that programs are "
         "planned for, if\n"
         "they don't: sm_100a without it.\n"
         "\n"
         "Options:\n"
         "  --log=LEVEL  what goes to standard error: error, info (default) or "
         "verbose\n"
         "  --pretty     indent the JSON\n"
         "  --lit-test   read messages that are separated by '// -----'\n"
         "  -h, --help   this text\n";
}

/// MLIR's server, which has a process of its own: it reads standard input and
/// writes standard output, and what it does with them is its affair.
[[noreturn]] static void serveMlir(llvm::SmallVector<char *> arguments) {
  mlir::DialectRegistry registry;
  drawloom::registerAllDialects(registry);
  arguments.push_back(nullptr);
  std::exit(mlir::failed(mlir::MlirLspServerMain(
      static_cast<int>(arguments.size()) - 1, arguments.data(), registry)));
}

int main(int argc, char **argv) {
  bool isPretty = false, isDelimited = false;
  llvm::SmallVector<char *> others = {argv[0]};
  for (char *argument : llvm::ArrayRef(argv + 1, argc - 1)) {
    llvm::StringRef word = argument;
    if (word == "--help" || word == "-h") {
      printHelp();
      return 0;
    }
    if (word == "--lit-test")
      isDelimited = isPretty = true;
    else if (word == "--pretty")
      isPretty = true;
    else
      others.push_back(argument);
  }
  int toMlir[2], fromMlir[2];
  if (pipe(toMlir) || pipe(fromMlir)) {
    llvm::errs() << "drawloom-lsp-server: cannot make a pipe\n";
    return 1;
  }
  pid_t child = fork();
  if (child < 0) {
    llvm::errs() << "drawloom-lsp-server: cannot start a process\n";
    return 1;
  }
  if (child == 0) {
    dup2(toMlir[0], STDIN_FILENO);
    dup2(fromMlir[1], STDOUT_FILENO);
    for (int file : {toMlir[0], toMlir[1], fromMlir[0], fromMlir[1]})
      close(file);
    serveMlir(others);
  }
  close(toMlir[0]);
  close(fromMlir[1]);
  std::signal(SIGPIPE, SIG_IGN);
  std::FILE *write = fdopen(toMlir[1], "w");
  lsp::Peer editor(stdin, stdout, isDelimited, isPretty);
  lsp::Peer mlir(fdopen(fromMlir[0], "r"), write, false, false);
  lsp::Server server(editor, mlir);
  std::thread listener([&] { server.serveMlir(); });
  server.serveEditor();
  // MLIR's server ends when it hears no more; what it still says is told.
  std::fclose(write);
  listener.join();
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
