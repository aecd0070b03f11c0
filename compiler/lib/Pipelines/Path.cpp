//===- Path.cpp - The path of a program -----------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Pipelines/Path.h"
#include "Helpers.h"
#include "StageFiles.h"
#include "drawloom/Conversion/Passes.h"
#include "drawloom/Dialect/Agent/Transforms/Passes.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Dialect/Tile/Transforms/Passes.h"
#include "drawloom/Target/Architecture.h"
#include "drawloom/Target/Compile.h"
#include "drawloom/Target/Passes.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace drawloom;

/// Roles and pipes for a kernel that has none. `narrower` widths of subtiles
/// turned out to be too large.
static void formRoles(OpPassManager &kernels, int64_t narrower = 0) {
  // First: a load and the store that drops its last rows still have the same
  // offset.
  kernels.addPass(tile::createWidenLoads());
  // What a cluster divides is smaller for everything that plans.
  kernels.addPass(tile::createDivideTiles());
  // Few rows: the transpose has an instruction.
  kernels.addPass(tile::createSwapOperands());
  // Programs by hand say things in other words: MMAs that subtract, numbers
  // that are known. What the schedule counts is the simplest form. Constants
  // keep their places in the source, for messages.
  kernels.addPass(
      createCanonicalizerPass(GreedyRewriteConfig().enableConstantCSE(false)));
  // In the simplest form, and while each function is there once: what is stored
  // of it decides whether it may be approximate.
  kernels.addPass(tile::createApproximateFunctions());
  // Before the schedule: two tiles side by side need twice the room.
  kernels.addPass(tile::createInterleaveTiles());
  // What roles and pipes are made from: cluster, warps, subtiles.
  tile::ChooseScheduleOptions schedule;
  schedule.narrower = narrower;
  kernels.addPass(tile::createChooseSchedule(schedule));
  // Subtiles before roles: a subtile is what travels through a pipe.
  kernels.addPass(tile::createSliceEpilogue());
  // Which tiles the CTAs of a cluster share, while a load is still a load.
  kernels.addPass(agent::createPlanCta());
  // Who does what, by rules with names ...
  kernels.addPass(agent::createAssignRoles());
  // ... and what travels between them. From here on the kernel is its roles.
  kernels.addPass(agent::createFormPipes());
  // Where warp groups issue MMAs, the next one before it is needed.
  kernels.addPass(agent::createIssueAhead());
}

/// A place for everything, and a proof.
static void planRoles(OpPassManager &kernels) {
  // Who works is said once; the proof, the plan and the code read it.
  kernels.addPass(agent::createAssignEngines());
  kernels.addPass(agent::createMapExecutionUnits());
  // With warps, which thread has which element, as a part of each tile's type.
  kernels.addPass(agent::createAssignLayouts());
  // What has no code is rejected before it is planned, not after.
  kernels.addPass(agent::createCheckCode());
  // With pipes and warps it is known what each slot takes, and what threads
  // exchange beside them.
  kernels.addPass(agent::createSizePipes());
  // Registers by warp group.
  kernels.addPass(agent::createBudgetRegisters());
  // With registers, which can block, and before memory, of which a plan that is
  // deadlock-free may use the same bytes twice.
  kernels.addPass(agent::createProveProgress());
  kernels.addPass(agent::createPlaceMemory());
  // Allocating tensor memory can block, too, and its columns are known now.
  kernels.addPass(agent::createProveProgress({.onlyTensorMemory = true}));
}

static std::unique_ptr<Pass> formRolesUnlessThere(int64_t narrower = 0) {
  OpPassManager kernels(tile::KernelOp::getOperationName());
  formRoles(kernels, narrower);
  return unlessRoles(std::move(kernels));
}

/// Functions on whole tensors become kernels over tiles that fit. With
/// `planned`, the plan that showed it is kept.
static void chooseTiles(OpPassManager &passes, PlannedKernels planned) {
  // Frameworks make functions of a softmax or a relu, which others call. What
  // is called is a part of the kernel, as it is written: nothing is simplified.
  passes.addPass(createInlinerPass(/*opPipelines=*/{}, [](OpPassManager &) {}));
  // Whether a plan fits is known at its end, so it is tried on a copy.
  passes.addPass(fitPlans(
      [](OpPassManager &trial, Smaller smaller) {
        trial.addPass(createConvertLinalgToTile({.smaller = smaller.tiles}));
        trial.addNestedPass<tile::KernelOp>(
            formRolesUnlessThere(smaller.subtiles));
        buildPlan(trial);
      },
      std::move(planned)));
  // Programs in tile text pass through.
  passes.addPass(createConvertLinalgToTile());
}

void drawloom::buildTile(OpPassManager &passes) {
  chooseTiles(passes, /*planned=*/nullptr);
}

void drawloom::buildAgent(OpPassManager &passes) {
  passes.addNestedPass<tile::KernelOp>(formRolesUnlessThere());
}

void drawloom::buildPlan(OpPassManager &passes) {
  planRoles(passes.nest<tile::KernelOp>());
}

void drawloom::buildFrontHalf(OpPassManager &passes) {
  auto planned = std::make_shared<llvm::StringSet<>>();
  chooseTiles(passes, planned);
  // What is left: roles by hand, and what doesn't fit, to say why.
  OpPassManager kernels(tile::KernelOp::getOperationName());
  kernels.addPass(formRolesUnlessThere());
  planRoles(kernels);
  passes.addNestedPass<tile::KernelOp>(
      unlessPlanned(std::move(kernels), planned));
}

void drawloom::buildProtocol(OpPassManager &passes, bool unproved) {
  // Work tiles are numbers that loops count, or messages.
  passes.addNestedPass<tile::KernelOp>(
      agent::createLowerWorkTiles({.unproved = unproved}));
  // Which slot comes next, for each end of a pipe.
  passes.addNestedPass<tile::KernelOp>(agent::createAssignSlotPhase());
  // The protocol of the pipes is written out: waits, arrivals, fences.
  passes.addNestedPass<tile::KernelOp>(agent::createLowerPipes());
  // Which MMAs are in flight, and where they are waited for.
  passes.addNestedPass<tile::KernelOp>(agent::createScheduleWgmma());
  // Registers have no run-time index.
  passes.addNestedPass<tile::KernelOp>(agent::createUnrollSlices());
  // What is still in memory: where threads and MMAs read it.
  passes.addNestedPass<tile::KernelOp>(agent::createAccessMemory());
  passes.addNestedPass<tile::KernelOp>(agent::createBranchOnMasks());
  passes.addNestedPass<tile::KernelOp>(agent::createBranchOnFactors());
  // Elements that change threads go through scratch memory.
  passes.addPass(agent::createStageConversions());
}

void drawloom::buildNVVM(OpPassManager &passes, StringRef arch, bool unproved) {
  // Up to here the interpreter runs what each pass leaves.
  buildProtocol(passes, unproved);
  // Each operation becomes code: barriers, copies, MMAs, arithmetic.
  passes.addPass(createConvertAgentToNVVM());
  // Code by hand enters here, so this is where it is held against the GPU.
  passes.addPass(target::createCheckKernels({.arch = arch.str()}));
  // vector and nvvm first: they make arith and cf operations.
  passes.addPass(createConvertVectorToLLVMPass());
  passes.addPass(createConvertNVVMToLLVMPass());
  // Pragmas for ptxas, now that fences and arrivals have their final form.
  passes.addPass(createPlacePragmas());
  // Addresses leave the loops over subtiles and K tiles, where registers are
  // left for them: accumulators of wgmma take those.
  std::optional<const target::Architecture *> target =
      llvm::expectedToOptional(target::findArchitecture(arch));
  if (target && (*target)->mma == target::MmaInstruction::Tcgen05)
    passes.addPass(createHoistInvariants());
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createArithToLLVMConversionPass());
  // Folding at the level of MLIR: of LLVM's own optimizer only sccp runs later.
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  // Canonical forms may hold poison.
  passes.addPass(createUBToLLVMConversionPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
  // What is left of another dialect has a message, not a crash.
  passes.addPass(target::createCheckLowered());
}

/// Runs the stages that are passes, as far as the one to stop after, and sets
/// `options.arch` to what the kernels name, if it is null.
static LogicalResult
runPasses(ModuleOp module, CompileOptions &options, StageFiles &files,
          llvm::function_ref<LogicalResult(Stage)> reached) {
  // A program is planned once, unless a caller asks for what is before a plan.
  SmallVector<std::pair<Stage, std::function<void(OpPassManager &)>>> inPasses;
  if (options.stopAfter < Stage::Plan || files.isOpen())
    inPasses = {{Stage::Tile, buildTile},
                {Stage::Agent, buildAgent},
                {Stage::Plan, buildPlan}};
  else
    inPasses = {{Stage::Plan, buildFrontHalf}};
  inPasses.emplace_back(Stage::NVVM, [&](OpPassManager &passes) {
    buildNVVM(passes, options.arch->name, options.unproved);
  });
  for (const auto &[stage, build] : inPasses) {
    // The kernels say what it is, and are gone after this stage.
    if (stage == Stage::NVVM && failed(findTarget(module, options.arch)))
      return failure();
    PassManager passes(module->getName());
    build(passes);
    files.watch(passes);
    // After each pass, verifying is a fifth of the time that passes take.
    passes.enableVerifier(files.isOpen());
    if (failed(passes.run(module)) || failed(verify(module)) ||
        files.failed() || (reached && failed(reached(stage))))
      return failure();
    if (options.stopAfter == stage)
      break;
  }
  return success();
}

FailureOr<PathResult>
drawloom::runPath(ModuleOp module, const CompileOptions &given,
                  llvm::function_ref<LogicalResult(Stage)> reached) {
  CompileOptions options = given;
  if (options.arch)
    setTarget(module, *options.arch);
  StageFiles files(module, options.printStagesTo);
  if (failed(files.open()) ||
      failed(runPasses(module, options, files, reached)))
    return failure();
  PathResult result;
  if (options.stopAfter <= Stage::NVVM)
    return result;

  // LLVM IR with the target's data layout and with lines, ...
  llvm::LLVMContext context;
  FailureOr<std::unique_ptr<llvm::Module>> code =
      target::translateToLLVM(module, *options.arch, context);
  if (failed(code) || failed(files.write(Stage::LLVM, "ll", **code)))
    return failure();
  if (options.stopAfter == Stage::LLVM) {
    llvm::raw_string_ostream(result.llvm) << **code;
    return result;
  }
  // ... from which the NVPTX back end makes PTX, ...
  FailureOr<std::string> ptx =
      target::emitPTX(std::move(*code), *options.arch, module.getLoc());
  if (failed(ptx) || failed(files.write(Stage::PTX, "ptx", *ptx)))
    return failure();
  result.ptx = std::move(*ptx);
  if (options.stopAfter == Stage::PTX)
    return result;
  // ... and ptxas a cubin. Its messages are reported at their operations.
  if (!options.ptxas && failed(findPtxas(module, options)))
    return failure();
  FailureOr<target::AssembledModule> assembled =
      target::assembleModule(module, result.ptx, *options.arch, *options.ptxas);
  if (failed(assembled) ||
      failed(files.write(
          Stage::Cubin, "cubin",
          StringRef(assembled->cubin.data(), assembled->cubin.size()))))
    return failure();
  result.assembled = std::move(*assembled);
  return result;
}
