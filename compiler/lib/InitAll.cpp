//===- InitAll.cpp - Every dialect and pass of the compiler ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/InitAll.h"
#include "drawloom/Conversion/Passes.h"
#include "drawloom/Dialect/Agent/IR/AgentDialect.h"
#include "drawloom/Dialect/Agent/Transforms/Passes.h"
#include "drawloom/Dialect/Tile/IR/TileDialect.h"
#include "drawloom/Dialect/Tile/Transforms/Passes.h"
#include "drawloom/Pipelines/Path.h"
#include "drawloom/Target/Passes.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllPasses.h"

void drawloom::registerAllDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  registry.insert<agent::AgentDialect, tile::TileDialect>();
}

void drawloom::registerAllPasses() {
  mlir::registerAllPasses();
  registerConversionPasses();
  agent::registerAgentPasses();
  tile::registerTilePasses();
  target::registerTargetPasses();
  registerPipelines();
}
