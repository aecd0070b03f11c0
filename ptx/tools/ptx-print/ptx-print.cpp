//===- ptx-print.cpp - Parse PTX, print it from the typed form ------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/PTX/Parser.h"
#include "drawloom/PTX/Printer.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom;

static llvm::cl::OptionCategory category("ptx-print");

static llvm::cl::list<std::string> inputs(llvm::cl::Positional,
                                          llvm::cl::desc("<file.ptx or -> ..."),
                                          llvm::cl::OneOrMore,
                                          llvm::cl::cat(category));

static llvm::cl::opt<bool>
    checkOnly("check",
              llvm::cl::desc("Only check: print nothing but errors. Exits with "
                             "1 if any file has one"),
              llvm::cl::cat(category));

static llvm::cl::opt<bool> verify(
    "verify",
    llvm::cl::desc("Also parse what was printed and compare the two typed "
                   "forms"),
    llvm::cl::cat(category));

/// Whether printing the module and parsing it again gives the same module.
static bool survivesRoundTrip(const ptx::Module &module, llvm::StringRef name) {
  std::string text;
  llvm::raw_string_ostream os(text);
  ptx::print(module, os);
  ptx::ParseResult again =
      ptx::parseModule(llvm::MemoryBufferRef(text, name.str() + " (printed)"));
  if (!again) {
    llvm::errs() << again.str();
    return false;
  }
  std::string difference;
  if (ptx::isIdentical(module, *again.module, difference))
    return true;
  llvm::errs() << name
               << ": printed and parsed again it differs: " << difference
               << '\n';
  return false;
}

static bool processFile(llvm::StringRef path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/true);
  if (!buffer) {
    llvm::errs() << path << ": " << buffer.getError().message() << '\n';
    return false;
  }
  ptx::ParseResult result = ptx::parseModule(**buffer);
  if (!result) {
    llvm::errs() << result.str();
    return false;
  }
  if (verify && !survivesRoundTrip(*result.module, path))
    return false;
  if (!checkOnly)
    ptx::print(*result.module, llvm::outs());
  return true;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::HideUnrelatedOptions(category);
  llvm::cl::ParseCommandLineOptions(
      argc, argv,
      "Reads PTX modules, checks every instruction against the instruction "
      "table,\nand prints the modules from what it understood.\n\n"
      "  ptx-print kernel.ptx            print it in canonical form\n"
      "  ptx-print --check *.ptx         report errors, with line and "
      "column\n");
  bool ok = true;
  for (const std::string &path : inputs)
    ok &= processFile(path);
  return ok ? 0 : 1;
}
