//===- CompileProgram.cpp - From a tile program to plan and PTX -----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileProgram.h"
#include "drawloom/Conversion/Passes.h"
#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/InitAll.h"
#include "drawloom/Pipelines/FrontHalf.h"
#include "drawloom/Target/Compile.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::protocol;

int64_t Parameter::getBoxBytes() const {
  if (box.empty())
    return 0;
  int64_t elements = 1;
  for (int64_t extent : box)
    elements *= extent;
  return elements * elementBits / 8;
}

void protocol::registerProgramDialects(DialectRegistry &registry) {
  registerAllDialects(registry);
  target::registerTargetDialects(registry);
}

/// The bits of an element of each argument.
static std::vector<int64_t> getElementBits(tile::KernelOp kernel) {
  std::vector<int64_t> bits;
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    auto view = dyn_cast<tile::ViewType>(argument.getType());
    bits.push_back(view ? view.getElementType().getIntOrFloatBitWidth() : 0);
  }
  return bits;
}

static std::vector<Parameter> readParameters(LLVM::LLVMFuncOp kernel,
                                             ArrayRef<int64_t> elementBits) {
  std::vector<Parameter> parameters;
  for (Attribute entry : kernel->getAttrOfType<ArrayAttr>("agent.parameters")) {
    auto fields = cast<DictionaryAttr>(entry);
    auto number = [&](StringRef name) -> std::optional<int64_t> {
      if (auto value = fields.getAs<IntegerAttr>(name))
        return value.getInt();
      return std::nullopt;
    };
    Parameter parameter;
    parameter.argument = number("argument").value_or(0);
    parameter.elementBits = elementBits[parameter.argument];
    parameter.dimension = number("dimension");
    parameter.swizzle = number("swizzle").value_or(0);
    if (auto box = fields.getAs<DenseI64ArrayAttr>("box"))
      parameter.box = box.asArrayRef().vec();
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

FailureOr<Program> protocol::compileProgram(ModuleOp module, StringRef arch) {
  if (!arch.empty())
    module.walk([&](FunctionOpInterface function) {
      function->setAttr(tile::targetAttrName,
                        StringAttr::get(module.getContext(), arch));
      return WalkResult::skip();
    });
  PassManager frontHalf(module->getName());
  buildFrontHalf(frontHalf);
  if (failed(frontHalf.run(module)))
    return failure();

  Program program;
  std::vector<std::vector<int64_t>> bits;
  WalkResult planned = module.walk([&](agent::SwitchOp op) {
    FailureOr<plan::Plan> plan = plan::makePlan(op);
    if (failed(plan))
      return WalkResult::interrupt();
    bits.push_back(getElementBits(op->getParentOfType<tile::KernelOp>()));
    program.kernels.push_back({std::move(*plan), {}});
    return WalkResult::advance();
  });
  if (planned.wasInterrupted())
    return failure();
  if (program.kernels.empty())
    return module.emitError("there is no kernel with roles in this module");

  PassManager backHalf(module->getName());
  backHalf.addPass(createConvertAgentToNVVM());
  if (failed(backHalf.run(module)))
    return failure();
  for (auto [kernel, widths] : llvm::zip_equal(program.kernels, bits))
    if (auto function =
            module.lookupSymbol<LLVM::LLVMFuncOp>(kernel.plan.kernel))
      kernel.parameters = readParameters(function, widths);
  FailureOr<std::string> ptx =
      target::compileToPTX(module, *program.kernels.front().plan.arch);
  if (failed(ptx))
    return failure();
  program.ptx = std::move(*ptx);
  return program;
}
