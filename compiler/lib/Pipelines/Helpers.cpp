//===- Helpers.cpp - What the path needs besides its passes ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"
#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace drawloom;

//===----------------------------------------------------------------------===//
// Stages by name
//===----------------------------------------------------------------------===//

static constexpr StringLiteral stageNames[] = {"tile", "agent", "plan", "nvvm",
                                               "llvm", "ptx",   "cubin"};

StringRef drawloom::toString(Stage stage) {
  return stageNames[static_cast<unsigned>(stage)];
}

std::optional<Stage> drawloom::findStage(StringRef name) {
  for (auto [number, known] : llvm::enumerate(stageNames))
    if (known == name)
      return static_cast<Stage>(number);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Kernels with and without roles
//===----------------------------------------------------------------------===//

namespace {
class UnlessRoles
    : public PassWrapper<UnlessRoles, OperationPass<tile::KernelOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(UnlessRoles)

  explicit UnlessRoles(OpPassManager passes) : passes(std::move(passes)) {}

  void getDependentDialects(DialectRegistry &registry) const override {
    passes.getDependentDialects(registry);
  }

  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (kernel.getBody().getOps<agent::SwitchOp>().empty()) {
      if (failed(runPipeline(passes, kernel)))
        signalPassFailure();
      return;
    }
    auto isDynamic = [](agent::ItemsOp items) {
      return items.getStream() == agent::Stream::dynamic;
    };
    if (tile::getSchedule(kernel).persistent == tile::Persistence::Dynamic &&
        llvm::any_of(kernel.getBody().getOps<agent::ItemsOp>(), isDynamic))
      kernel.emitRemark() << "@" << kernel.getSymName()
                          << " takes dynamic work tiles already; its roles "
                             "stay as they are";
  }

private:
  OpPassManager passes;
};
} // namespace

std::unique_ptr<Pass> drawloom::unlessRoles(OpPassManager passes) {
  return std::make_unique<UnlessRoles>(std::move(passes));
}

namespace {
class UnlessPlanned
    : public PassWrapper<UnlessPlanned, OperationPass<tile::KernelOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(UnlessPlanned)

  UnlessPlanned(OpPassManager passes, PlannedKernels planned)
      : passes(std::move(passes)), planned(std::move(planned)) {}

  void getDependentDialects(DialectRegistry &registry) const override {
    passes.getDependentDialects(registry);
  }

  void runOnOperation() override {
    if (!planned->contains(getOperation().getSymName()) &&
        failed(runPipeline(passes, getOperation())))
      signalPassFailure();
  }

private:
  OpPassManager passes;
  PlannedKernels planned;
};
} // namespace

std::unique_ptr<Pass> drawloom::unlessPlanned(OpPassManager passes,
                                              PlannedKernels planned) {
  return std::make_unique<UnlessPlanned>(std::move(passes), std::move(planned));
}

//===----------------------------------------------------------------------===//
// The GPU and its assembler
//===----------------------------------------------------------------------===//

void drawloom::setTarget(ModuleOp module, const target::Architecture &arch) {
  auto name = StringAttr::get(module.getContext(), arch.name);
  for (Operation &op : module.getOps())
    if (isa<tile::KernelOp, func::FuncOp>(op))
      op.setAttr(tile::targetAttrName, name);
}

LogicalResult drawloom::findTarget(ModuleOp module,
                                   const target::Architecture *&arch) {
  if (arch)
    return success();
  for (auto kernel : module.getOps<tile::KernelOp>()) {
    FailureOr<const target::Architecture *> found = tile::requireTarget(kernel);
    if (failed(found))
      return failure();
    if (arch && arch != *found)
      return kernel.emitError()
             << "kernel @" << kernel.getSymName() << " is for "
             << (*found)->name << ", and one before it for " << arch->name
             << "; a module is compiled for one GPU [no-target]";
    arch = *found;
  }
  if (!arch)
    return module.emitError(
        "no kernel here names a GPU to compile for [no-target]");
  return success();
}

LogicalResult drawloom::findPtxas(ModuleOp module, CompileOptions &options) {
  llvm::Expected<target::Ptxas> found =
      target::findPtxas(target::ToolSearch::fromEnvironment(), *options.arch);
  if (!found)
    return emitError(UnknownLoc::get(module.getContext()))
           << llvm::toString(found.takeError());
  options.ptxas = std::move(*found);
  return success();
}

//===----------------------------------------------------------------------===//
// For drawloom-opt
//===----------------------------------------------------------------------===//

namespace {
struct BackHalfOptions : PassPipelineOptions<BackHalfOptions> {
  Option<std::string> arch{*this, "arch",
                           llvm::cl::desc("The GPU to compile for")};
  Option<bool> unproved{
      *this, "unproved",
      llvm::cl::desc("Also kernels that are not proved deadlock-free")};
};
} // namespace

void drawloom::registerPipelines() {
  PassPipelineRegistration<>(
      "front-half",
      "A fused program to roles and pipes, with a proof and a placement",
      buildFrontHalf);
  PassPipelineRegistration<BackHalfOptions>(
      "back-half", "Placed roles and pipes to code in nvvm and llvm",
      [](OpPassManager &passes, const BackHalfOptions &options) {
        buildNVVM(passes, options.arch, options.unproved);
      });
}
