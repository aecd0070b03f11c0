//===- InitAllPasses.cpp - Every pass of the compiler ---------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A file of its own: who links archives and registers dialects alone gets no
// pass that it doesn't run.

#include "mlir/InitAllPasses.h"
#include "drawloom/Conversion/Passes.h"
#include "drawloom/Dialect/Agent/Transforms/Passes.h"
#include "drawloom/Dialect/Tile/Transforms/Passes.h"
#include "drawloom/InitAll.h"
#include "drawloom/Pipelines/Path.h"
#include "drawloom/Target/Passes.h"

void drawloom::registerAllPasses() {
  mlir::registerAllPasses();
  registerConversionPasses();
  agent::registerAgentPasses();
  tile::registerTilePasses();
  target::registerTargetPasses();
  registerPipelines();
}
