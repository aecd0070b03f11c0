//===- drawloom-lsp-server.cpp - Drawloom's dialects in an editor ---------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/InitAll.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

/// Upstream's help is a list of every option of LLVM's libraries.
static void printHelp() {
  llvm::outs()
      << "drawloom-lsp-server - Drawloom's dialects in an editor\n"
         "\n"
         "Usage: drawloom-lsp-server [options]\n"
         "\n"
         "An editor starts this program and speaks the Language Server "
         "Protocol "
         "with it\n"
         "over standard input and output. In VS Code, the extension 'MLIR' "
         "takes its path\n"
         "in the setting 'mlir.server_path'.\n"
         "\n"
         "Options:\n"
         "  --log=LEVEL  what goes to standard error: error, info (default) or "
         "verbose\n"
         "  --pretty     indent the JSON\n"
         "  --lit-test   read messages that are separated by '// -----'\n"
         "  --help       this text\n";
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i)
    if (llvm::StringRef(argv[i]) == "--help") {
      printHelp();
      return 0;
    }
  mlir::DialectRegistry registry;
  drawloom::registerAllDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
