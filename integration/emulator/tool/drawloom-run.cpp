//===- drawloom-run.cpp - drawloom run, without the compiler --------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The verb `run` as a program of its own, so that the emulator can be tested in
// a build that has no MLIR.
//
//===----------------------------------------------------------------------===//

#include "Process.h"
#include "Verb.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/InitLLVM.h"

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  drawloom::prepareProcess();
  llvm::SmallVector<llvm::StringRef> arguments(argv + 1, argv + argc);
  return drawloom::finishOutput(drawloom::runRun(arguments));
}
