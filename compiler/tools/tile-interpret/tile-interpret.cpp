//===- tile-interpret.cpp - Runs a program on .npy files ------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tool for tests: the reference interpreter on a file with tile or agent
// programs, its arguments and results as .npy files.
//
//===----------------------------------------------------------------------===//

#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Frontend/ParseProgram.h"
#include "drawloom/InitAll.h"
#include "drawloom/Input/Read.h"
#include "drawloom/Interpreter/Interpreter.h"
#include "drawloom/Interpreter/Npy.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

using namespace drawloom;
using namespace drawloom::interp;
using llvm::Expected;
using llvm::StringRef;
namespace cl = llvm::cl;

static cl::OptionCategory category("tile-interpret");
static cl::opt<std::string> inputFile(cl::Positional, cl::Required,
                                      cl::desc("FILE.mlir"), cl::cat(category));
static cl::opt<std::string>
    kernelName("kernel", cl::desc("The kernel to run, if there are several"),
               cl::value_desc("name"), cl::cat(category));
static cl::list<std::string>
    argumentTexts("arg",
                  cl::desc("The next argument: a .npy file or a shape such as "
                           "128x64 for a view, a number for a scalar"),
                  cl::value_desc("value"), cl::cat(category));
static cl::list<std::string>
    outputs("out",
            cl::desc("Write argument N (from 0) to a .npy file after the run"),
            cl::value_desc("N=file"), cl::cat(category));
static cl::opt<std::string>
    shuffle("shuffle",
            cl::desc("Run work tiles and roles in an order from this seed"),
            cl::value_desc("seed"), cl::cat(category));
static cl::opt<int64_t> maxSteps("max-steps",
                                 cl::desc("Operations after which to give up"),
                                 cl::init(Options().maxSteps),
                                 cl::cat(category));

static llvm::Error error(const llvm::Twine &message) {
  return llvm::createStringError(message);
}

static Expected<HostTensor> readScalar(StringRef text, Format format) {
  HostTensor scalar(format, {});
  double number;
  int64_t integer;
  if (isFloat(format) && !text.getAsDouble(number)) {
    scalar.setFloat(0, number);
    return scalar;
  }
  if (!isFloat(format) && !text.getAsInteger(0, integer)) {
    scalar.setInt(0, integer);
    return scalar;
  }
  return error("'" + text + "' is no number of type " + getInfo(format).name);
}

/// A tensor of zeros.
static Expected<HostTensor> readShape(StringRef text, Format format) {
  llvm::SmallVector<StringRef> extents;
  text.split(extents, 'x');
  llvm::SmallVector<int64_t> shape(extents.size());
  for (auto [extent, value] : llvm::zip(extents, shape))
    if (extent.getAsInteger(10, value))
      return error("'" + text +
                   "' is neither a .npy file nor a shape such as "
                   "128x64");
  if (!countElements(format, shape))
    return error("a tensor of shape " + text + " is too large");
  return HostTensor(format, shape);
}

static Expected<HostTensor> readArgument(StringRef text, mlir::Type type) {
  std::optional<Format> format = getFormat(type);
  if (!format)
    return error("the kernel takes a type that the interpreter does not have");
  if (!mlir::isa<tile::ViewType>(type))
    return readScalar(text, *format);
  if (!text.ends_with(".npy"))
    return readShape(text, *format);
  auto file = llvm::MemoryBuffer::getFile(text, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return error(text + ": " + file.getError().message());
  return readNpy(**file, *format);
}

static llvm::Error writeOutput(StringRef text,
                               llvm::ArrayRef<HostTensor> tensors) {
  auto [number, path] = text.split('=');
  size_t index;
  if (number.getAsInteger(10, index) || index >= tensors.size() || path.empty())
    return error("--out=" + text +
                 ": expected N=file.npy, N the number of an "
                 "argument from 0");
  std::error_code code;
  llvm::ToolOutputFile file(path, code, llvm::sys::fs::OF_None);
  if (code)
    return error(path + ": " + code.message());
  writeNpy(file.os(), tensors[index]);
  file.keep();
  return llvm::Error::success();
}

static Expected<tile::KernelOp> findKernel(mlir::ModuleOp module) {
  auto kernels = llvm::to_vector(module.getOps<tile::KernelOp>());
  if (kernelName.empty() && kernels.size() == 1)
    return kernels.front();
  for (tile::KernelOp kernel : kernels)
    if (kernel.getSymName() == kernelName)
      return kernel;
  if (kernelName.empty())
    return error("the file has " + llvm::Twine(kernels.size()) +
                 " kernels; choose one with --kernel");
  return error("the file has no kernel @" + kernelName);
}

static llvm::Error runFile(mlir::ModuleOp module) {
  Expected<tile::KernelOp> kernel = findKernel(module);
  if (!kernel)
    return kernel.takeError();
  auto types = kernel->getArgumentTypes();
  if (types.size() != argumentTexts.size())
    return error("@" + kernel->getSymName() + " takes " +
                 llvm::Twine(types.size()) + " arguments; " +
                 llvm::Twine(argumentTexts.size()) + " are given with --arg");

  std::vector<HostTensor> tensors;
  for (auto [text, type] : llvm::zip(argumentTexts, types)) {
    Expected<HostTensor> tensor = readArgument(text, type);
    if (!tensor)
      return tensor.takeError();
    tensors.push_back(std::move(*tensor));
  }
  auto pointers =
      llvm::map_to_vector(tensors, [](HostTensor &tensor) { return &tensor; });

  Options options;
  options.maxSteps = maxSteps;
  uint64_t seed;
  if (!shuffle.empty()) {
    if (StringRef(shuffle).getAsInteger(10, seed))
      return error("--shuffle=" + shuffle + ": expected a number");
    options.shuffle = seed;
  }
  if (failed(run(*kernel, pointers, options)))
    return error("the run ended with an error");
  for (const std::string &output : outputs)
    if (llvm::Error e = writeOutput(output, tensors))
      return e;
  return llvm::Error::success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Runs a tile or agent program with the reference interpreter\n");

  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler handler(sources, &context);
  auto buffer = drawloom::input::readText(inputFile);
  if (!buffer) {
    llvm::WithColor::error(llvm::errs(), "tile-interpret")
        << llvm::toString(buffer.takeError()) << '\n';
    return 1;
  }
  sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  auto module = drawloom::frontend::parseProgram(sources, context);
  if (!module)
    return 1;
  if (llvm::Error e = runFile(*module)) {
    llvm::WithColor::error(llvm::errs(), "tile-interpret")
        << llvm::toString(std::move(e)) << '\n';
    return 1;
  }
  return 0;
}
