//===- InitAllDialects.cpp - Every dialect of the compiler ----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/InitAllDialects.h"
#include "drawloom/Dialect/Agent/IR/AgentDialect.h"
#include "drawloom/Dialect/Tile/IR/TileDialect.h"
#include "drawloom/InitAll.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"

void drawloom::registerAllDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  // So that calls of functions can be inlined.
  mlir::func::registerInlinerExtension(registry);
  registry.insert<agent::AgentDialect, tile::TileDialect>();
}
