//===- drawloom-opt.cpp - Runs passes over MLIR text ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/InitAll.h"
#include "drawloom/Input/Read.h"
#include "drawloom/Input/Scan.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

/// Says why MLIR's parser doesn't get the text.
static bool isRefused(const llvm::MemoryBuffer &buffer,
                      llvm::StringRef separator) {
  llvm::SmallVector<llvm::StringRef> parts = {buffer.getBuffer()};
  if (!separator.empty()) {
    parts.clear();
    buffer.getBuffer().split(parts, separator);
  }
  for (llvm::StringRef part : parts)
    if (auto refusal = drawloom::input::scanMlir(part)) {
      llvm::SourceMgr sources;
      sources.AddNewSourceBuffer(
          llvm::MemoryBuffer::getMemBuffer(buffer.getMemBufferRef(),
                                           /*RequiresNullTerminator=*/false),
          llvm::SMLoc());
      sources.PrintMessage(
          llvm::SMLoc::getFromPointer(part.data() + refusal->at),
          llvm::SourceMgr::DK_Error, refusal->words);
      return true;
    }
  return false;
}

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  drawloom::registerAllDialects(registry);
  drawloom::registerAllPasses();
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv,
      "drawloom-opt - run passes over MLIR in Drawloom's and upstream's "
      "dialects\n",
      registry);
  llvm::InitLLVM init(argc, argv);
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  // What upstream's main does without a text.
  if (config.shouldShowDialects() || config.shouldListPasses())
    return mlir::asMainReturnCode(
        mlir::MlirOptMain(argc, argv, input, output, registry));

  auto buffer = drawloom::input::readText(input);
  if (!buffer) {
    llvm::errs() << llvm::toString(buffer.takeError()) << '\n';
    return EXIT_FAILURE;
  }
  if (isRefused(**buffer, config.inputSplitMarker()))
    return EXIT_FAILURE;
  std::string problem;
  auto file = mlir::openOutputFile(output, &problem);
  if (!file) {
    llvm::errs() << problem << '\n';
    return EXIT_FAILURE;
  }
  if (mlir::failed(
          mlir::MlirOptMain(file->os(), std::move(*buffer), registry, config)))
    return EXIT_FAILURE;
  file->keep();
  return EXIT_SUCCESS;
}
