//===- StageFiles.cpp - A file for each step of the path ------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StageFiles.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace drawloom;

class StageFiles::Watcher : public PassInstrumentation {
public:
  explicit Watcher(StageFiles &files) : files(files) {}

  void runAfterPass(Pass *pass, Operation *op) override { print(pass, op, ""); }
  void runAfterPassFailed(Pass *pass, Operation *op) override {
    print(pass, op, "-failed");
  }

private:
  void print(Pass *pass, Operation *op, StringRef suffix) {
    // Those without a name only run others, and trials are on copies.
    auto module = dyn_cast<ModuleOp>(op);
    if (!module)
      module = op->getParentOfType<ModuleOp>();
    if (pass->getArgument().empty() || files.failed() || module != files.module)
      return;
    std::string name = pass->getArgument().str();
    auto kernel = dyn_cast<tile::KernelOp>(op);
    if (kernel &&
        !llvm::hasSingleElement(files.module.getOps<tile::KernelOp>()))
      name += "-" + kernel.getSymName().str();
    // What failed may not be right.
    (void)files.write(name + suffix.str(), "mlir", [&](llvm::raw_ostream &os) {
      files.module->print(os, OpPrintingFlags().assumeVerified());
    });
  }

  StageFiles &files;
};

StageFiles::StageFiles(ModuleOp module, StringRef folder)
    : module(module), folder(folder) {
  if (folder.empty())
    return;
  wasThreaded = module.getContext()->isMultithreadingEnabled();
  module.getContext()->disableMultithreading();
}

StageFiles::~StageFiles() {
  if (wasThreaded)
    module.getContext()->enableMultithreading();
}

LogicalResult StageFiles::open() {
  if (folder.empty())
    return success();
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return fail(folder, error);
  return write("input", "mlir",
               [&](llvm::raw_ostream &os) { module->print(os); });
}

void StageFiles::watch(PassManager &passes) {
  if (!folder.empty())
    passes.addInstrumentation(std::make_unique<Watcher>(*this));
}

LogicalResult StageFiles::fail(StringRef path, std::error_code error) {
  hasFailed = true;
  return emitError(UnknownLoc::get(module.getContext()))
         << "cannot write '" << path << "': " << error.message()
         << " [cannot-write]";
}

LogicalResult
StageFiles::write(StringRef name, StringRef ending,
                  llvm::function_ref<void(llvm::raw_ostream &)> print) {
  if (folder.empty())
    return success();
  SmallString<128> path(folder);
  llvm::sys::path::append(
      path, llvm::formatv("{0:d2}-{1}.{2}", number++, name, ending).str());
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (!error) {
    print(os);
    os.close();
    error = os.error();
    os.clear_error();
  }
  return error ? fail(path, error) : success();
}
