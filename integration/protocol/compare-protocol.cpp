//===- compare-protocol.cpp - Compares plans with the PTX made from them
//----===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// compare-protocol [--arch ARCH] [--ptx FILE] FILE...
//
// Compiles tile programs and compares each kernel's PTX with its plan. With
// --ptx, compares that text instead, which is how tests show that a change of
// one number is found.

#include "CompileProgram.h"
#include "Protocol.h"
#include "drawloom/PTX/Parser.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace drawloom;
namespace cl = llvm::cl;

static cl::list<std::string> inputs(cl::Positional, cl::OneOrMore,
                                    cl::desc("FILE..."));
static cl::opt<std::string> arch("arch", cl::desc("the GPU; without it, what "
                                                  "the kernels say"));
static cl::opt<std::string> ptxFile("ptx",
                                    cl::desc("compare this PTX instead"));
static cl::opt<std::string> emitFile("emit-ptx",
                                     cl::desc("write the PTX to this file"));

static llvm::Error compare(const protocol::Program &compiled) {
  std::string text = compiled.ptx;
  if (!ptxFile.empty()) {
    auto file = llvm::MemoryBuffer::getFile(ptxFile);
    if (!file)
      return llvm::createStringError("cannot read '" + ptxFile + "'");
    text = (*file)->getBuffer().str();
  }
  ptx::ParseResult parsed =
      ptx::parseModule(llvm::MemoryBufferRef(text, "ptx"));
  if (!parsed)
    return llvm::createStringError(parsed.str());
  for (const auto &[plan, parameters] : compiled.kernels) {
    const ptx::Function *kernel = parsed.module->findFunction(plan.kernel);
    if (!kernel)
      return llvm::createStringError("the PTX has no @" + plan.kernel);
    std::vector<int64_t> boxBytes;
    for (const protocol::Parameter &parameter : parameters)
      boxBytes.push_back(parameter.getBoxBytes());
    if (llvm::Error error = protocol::compare(plan, boxBytes, *kernel))
      return error;
  }
  return llvm::Error::success();
}

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(
      argc, argv, "Compares plans of kernels with the PTX made from them\n");
  mlir::DialectRegistry dialects;
  protocol::registerProgramDialects(dialects);
  unsigned kernels = 0, faults = 0;
  for (const std::string &input : inputs) {
    mlir::MLIRContext context(dialects);
    mlir::OwningOpRef<mlir::ModuleOp> module =
        mlir::parseSourceFile<mlir::ModuleOp>(input, &context);
    mlir::FailureOr<protocol::Program> compiled = mlir::failure();
    if (module)
      compiled = protocol::compileProgram(*module, arch);
    if (mlir::failed(compiled)) {
      llvm::outs() << input << ": error: not compiled\n";
      ++faults;
      continue;
    }
    if (!emitFile.empty()) {
      std::error_code error;
      llvm::raw_fd_ostream os(emitFile, error);
      if (!error)
        os << compiled->ptx;
    }
    kernels += compiled->kernels.size();
    if (llvm::Error error = compare(*compiled)) {
      llvm::outs() << input << ": error: " << llvm::toString(std::move(error))
                   << '\n';
      ++faults;
    }
  }
  if (faults) {
    llvm::outs() << "protocol: " << faults << " of " << inputs.size()
                 << " files at fault\n";
    return 1;
  }
  llvm::outs() << "protocol: plan and PTX agree for " << kernels
               << (kernels == 1 ? " kernel\n" : " kernels\n");
  return 0;
}
