//===- CheckCode.cpp - Refuse what there is no code for -------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Analysis/Code/Code.h"
#include "drawloom/Dialect/Agent/Transforms/Passes.h"
#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"

namespace drawloom::agent {
#define GEN_PASS_DEF_CHECKCODE
#include "drawloom/Dialect/Agent/Transforms/Passes.h.inc"
} // namespace drawloom::agent

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

namespace {
struct CheckCodePass : agent::impl::CheckCodeBase<CheckCodePass> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    WalkResult result = kernel.walk([&](SwitchOp roles) -> WalkResult {
      FailureOr<const target::Architecture *> arch =
          tile::requireTarget(kernel);
      return failure(failed(arch) || failed(plan::checkCode(roles, **arch)));
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
