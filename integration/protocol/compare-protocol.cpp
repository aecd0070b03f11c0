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

#include "Protocol.h"
#include "drawloom/Conversion/Passes.h"
#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/InitAll.h"
#include "drawloom/PTX/Parser.h"
#include "drawloom/Pipelines/FrontHalf.h"
#include "drawloom/Target/Architecture.h"
#include "drawloom/Target/Compile.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
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

namespace {
struct CompiledModule {
  std::vector<plan::Plan> plans;
  /// By kernel: the bytes that a copy with each parameter moves.
  llvm::StringMap<std::vector<int64_t>> boxBytes;
  std::string ptx;
};
} // namespace

/// Bytes of an element of each view that the kernel is called with.
static std::vector<int64_t> getElementBits(tile::KernelOp kernel) {
  std::vector<int64_t> bits;
  for (mlir::BlockArgument argument : kernel.getBody().getArguments()) {
    auto view = mlir::dyn_cast<tile::ViewType>(argument.getType());
    bits.push_back(view ? view.getElementType().getIntOrFloatBitWidth() : 0);
  }
  return bits;
}

static std::vector<int64_t> getBoxBytes(mlir::LLVM::LLVMFuncOp kernel,
                                        llvm::ArrayRef<int64_t> elementBits) {
  std::vector<int64_t> bytes;
  for (mlir::Attribute entry :
       kernel->getAttrOfType<mlir::ArrayAttr>("agent.parameters")) {
    auto fields = mlir::cast<mlir::DictionaryAttr>(entry);
    int64_t size = 0;
    if (auto box = fields.getAs<mlir::DenseI64ArrayAttr>("box")) {
      auto argument = fields.getAs<mlir::IntegerAttr>("argument").getInt();
      size = elementBits[argument];
      for (int64_t extent : box.asArrayRef())
        size *= extent;
    }
    bytes.push_back(size / 8);
  }
  return bytes;
}

static mlir::FailureOr<CompiledModule> compile(mlir::ModuleOp module) {
  CompiledModule result;
  if (!arch.empty())
    module.walk([&](mlir::FunctionOpInterface function) {
      function->setAttr(tile::targetAttrName,
                        mlir::StringAttr::get(module.getContext(), arch));
      return mlir::WalkResult::skip();
    });
  mlir::PassManager frontHalf(module->getName());
  buildFrontHalf(frontHalf);
  if (mlir::failed(frontHalf.run(module)))
    return mlir::failure();

  llvm::StringMap<std::vector<int64_t>> bits;
  mlir::WalkResult planned = module.walk([&](agent::SwitchOp op) {
    mlir::FailureOr<plan::Plan> plan = plan::makePlan(op);
    if (mlir::failed(plan))
      return mlir::WalkResult::interrupt();
    bits[plan->kernel] = getElementBits(op->getParentOfType<tile::KernelOp>());
    result.plans.push_back(std::move(*plan));
    return mlir::WalkResult::advance();
  });
  if (planned.wasInterrupted() || result.plans.empty())
    return mlir::failure();

  mlir::PassManager backHalf(module->getName());
  backHalf.addPass(createConvertAgentToNVVM());
  if (mlir::failed(backHalf.run(module)))
    return mlir::failure();
  for (auto kernel : module.getOps<mlir::LLVM::LLVMFuncOp>())
    if (bits.contains(kernel.getSymName()))
      result.boxBytes[kernel.getSymName()] =
          getBoxBytes(kernel, bits[kernel.getSymName()]);
  mlir::FailureOr<std::string> ptx =
      target::compileToPTX(module, *result.plans.front().arch);
  if (mlir::failed(ptx))
    return mlir::failure();
  result.ptx = std::move(*ptx);
  return result;
}

static llvm::Error compare(const CompiledModule &compiled) {
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
  for (const plan::Plan &plan : compiled.plans) {
    const ptx::Function *kernel = parsed.module->findFunction(plan.kernel);
    if (!kernel)
      return llvm::createStringError("the PTX has no @" + plan.kernel);
    if (llvm::Error error = protocol::compare(
            plan, compiled.boxBytes.lookup(plan.kernel), *kernel))
      return error;
  }
  return llvm::Error::success();
}

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(
      argc, argv, "Compares plans of kernels with the PTX made from them\n");
  mlir::DialectRegistry dialects;
  registerAllDialects(dialects);
  target::registerTargetDialects(dialects);
  unsigned kernels = 0, faults = 0;
  for (const std::string &input : inputs) {
    mlir::MLIRContext context(dialects);
    mlir::OwningOpRef<mlir::ModuleOp> module =
        mlir::parseSourceFile<mlir::ModuleOp>(input, &context);
    mlir::FailureOr<CompiledModule> compiled = mlir::failure();
    if (module)
      compiled = compile(*module);
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
    kernels += compiled->plans.size();
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
