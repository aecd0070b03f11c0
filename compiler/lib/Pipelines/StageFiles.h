//===- StageFiles.h - A file for each step of the path ----------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Writes what a program is like on its way: the module before anything happens
// to it and after each pass, then LLVM IR, PTX and a cubin.
//
//   00-input.mlir  01-convert-linalg-to-tile.mlir  ...  NN-llvm.ll  NN-ptx.ptx
//
// Upstream's enableIRPrintingToFileTree does the same for one pass manager. The
// path has one for each stage, and what comes after them: files are numbered
// through, in one folder.
//
// In a module with several kernels, what a pass made of one of them has its
// name: 02-interleave-tiles-gemm.mlir. A pass that fails leaves a file, too.

#ifndef DRAWLOOM_LIB_PIPELINES_STAGEFILES_H
#define DRAWLOOM_LIB_PIPELINES_STAGEFILES_H

#include "drawloom/Pipelines/Path.h"
#include "mlir/Pass/PassManager.h"

namespace drawloom {

class StageFiles {
public:
  /// Without a folder, none of this does anything.
  StageFiles(mlir::ModuleOp module, llvm::StringRef folder);
  ~StageFiles();
  StageFiles(const StageFiles &) = delete;
  StageFiles &operator=(const StageFiles &) = delete;

  /// Makes the folder and writes the module as it is.
  mlir::LogicalResult open();

  /// Writes a file after each of the passes.
  void watch(mlir::PassManager &passes);

  /// Writes what a stage made, as the file NN-STAGE.ENDING.
  template <typename T>
  mlir::LogicalResult write(Stage stage, llvm::StringRef ending,
                            const T &made) {
    return write(toString(stage), ending,
                 [&](llvm::raw_ostream &os) { os << made; });
  }

  bool isOpen() const { return !folder.empty(); }

  /// Whether a file could not be written. That was a diagnostic.
  bool failed() const { return hasFailed; }

private:
  class Watcher;
  mlir::LogicalResult
  write(llvm::StringRef name, llvm::StringRef ending,
        llvm::function_ref<void(llvm::raw_ostream &)> print);
  mlir::LogicalResult fail(llvm::StringRef path, std::error_code error);

  mlir::ModuleOp module;
  std::string folder;
  unsigned number = 0;
  bool hasFailed = false;
  /// Files come one after the other, and so do passes.
  bool wasThreaded = false;
};

} // namespace drawloom

#endif // DRAWLOOM_LIB_PIPELINES_STAGEFILES_H
