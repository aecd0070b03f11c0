//===- module-fuzzer.cpp - Values of a cache, mutated ---------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes are read as a compiled module, as a cache without a secret does with
// what others may have written. What is read can be printed in every form that
// a plan has, and is written as bytes that are read as the same module.
//
//===----------------------------------------------------------------------===//

#include "drawloom/PrintPlan/Print.h"
#include "drawloom/Session/Cached.h"
#include "llvm/Support/JSON.h"

using namespace drawloom;

static void print(const plan::Plan &plan, llvm::raw_ostream &os) {
  plan::printSummary(plan, os);
  plan::printText(plan, os);
  plan::printMermaidGraph(plan, os);
  plan::printMermaidSequence(plan, os);
  plan::printDot(plan, os);
  plan::printSvg(plan, os);
  plan::printSvgSequence(plan, os);
  plan::printHtmlTables(plan, os);
  llvm::json::OStream json(os);
  plan::printJson(plan, json);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::Expected<CompiledModule> module =
      readModule({reinterpret_cast<const char *>(data), size});
  if (!module) {
    llvm::consumeError(module.takeError());
    return 0;
  }
  std::string bytes = writeModule(*module);
  llvm::Expected<CompiledModule> again = readModule(bytes);
  if (!again || writeModule(*again) != bytes)
    abort();
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const CompiledKernel &kernel : module->kernels) {
    print(kernel.plan, os);
    for (const plan::Plan &fallback : kernel.fallback)
      print(fallback, os);
  }
  return 0;
}
