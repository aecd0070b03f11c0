//===- ptx-parser-fuzzer.cpp - Any text must parse or be refused ----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever the bytes, the parser returns a module or diagnostics. If it returns
// a module, printing it and parsing the print gives the same module.
//
//===----------------------------------------------------------------------===//

#include "drawloom/PTX/Parser.h"
#include "drawloom/PTX/Printer.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace drawloom;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(bytes, "input.ptx");
  ptx::ParseResult first = ptx::parseModule(*buffer);
  if (!first) {
    if (first.diagnostics.empty()) {
      llvm::errs() << "refused without a reason\n";
      abort();
    }
    return 0;
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  ptx::print(*first.module, os);
  ptx::ParseResult second =
      ptx::parseModule(llvm::MemoryBufferRef(text, "printed.ptx"));
  if (!second) {
    llvm::errs() << second.str();
    abort();
  }
  std::string difference;
  if (!ptx::isIdentical(*first.module, *second.module, difference)) {
    llvm::errs() << "printed and parsed again it differs: " << difference
                 << '\n';
    abort();
  }
  return 0;
}
