//===- FrontHalf.cpp - From a fused program to a plan ---------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Pipelines/FrontHalf.h"
#include "drawloom/Conversion/Passes.h"
#include "drawloom/Dialect/Agent/Transforms/Passes.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Dialect/Tile/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace drawloom;

void drawloom::buildFrontHalf(OpPassManager &passes) {
  // Functions on whole tensors become kernels over tiles. Programs in tile text
  // pass through.
  passes.addPass(createConvertLinalgToTile());
  buildPlanning(passes.nest<tile::KernelOp>());
}

void drawloom::buildPlanning(OpPassManager &kernels) {
  // Before the schedule: two tiles side by side need twice the room.
  kernels.addPass(tile::createRunAbreast());
  // Everything behind this reads the schedule, so what is open is decided
  // first.
  kernels.addPass(tile::createChooseSchedule());
  // Sub-tiles before roles: a sub-tile is what travels through a pipe.
  kernels.addPass(tile::createSliceEpilogue());
  // Who does what, by rules with names ...
  kernels.addPass(agent::createAssignRoles());
  // ... and what travels between them. From here on the kernel is its roles.
  kernels.addPass(agent::createFormPipes());
  // Where warp groups issue products, the next one before it is needed.
  kernels.addPass(agent::createIssueAhead());
  buildPlacement(kernels);
}

void drawloom::buildPlacement(OpPassManager &kernels) {
  // Who works is said once; the proof, the plan and the code read it.
  kernels.addPass(agent::createAssignEngines());
  // Before anything is placed: a plan that can hang is not worth placing.
  kernels.addPass(agent::createProveProgress());
  // Warps, then registers by warp group, then memory and barriers.
  kernels.addPass(agent::createMapExecutionUnits());
  kernels.addPass(agent::createBudgetRegisters());
  kernels.addPass(agent::createPlaceMemory());
  // Once more: registers and tensor memory can block too, and have places now.
  kernels.addPass(agent::createProveProgress());
}

void drawloom::registerFrontHalf() {
  PassPipelineRegistration<>(
      "front-half",
      "A fused program to roles and pipes, with a proof and a placement",
      buildFrontHalf);
}
