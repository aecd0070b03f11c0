//===- ChooseSchedule.cpp - Fill in what the schedule leaves open ---------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RepeatedMmas.h"
#include "drawloom/Dialect/Tile/IR/Code.h"
#include "drawloom/Dialect/Tile/IR/TooLarge.h"
#include "drawloom/Dialect/Tile/Transforms/Passes.h"
#include "drawloom/Dialect/Tile/Transforms/Planner.h"

namespace drawloom::tile {
#define GEN_PASS_DEF_CHOOSESCHEDULE
#include "drawloom/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace drawloom::tile

using namespace mlir;
using namespace drawloom;
using namespace drawloom::tile;

namespace {
struct ChooseSchedulePass : tile::impl::ChooseScheduleBase<ChooseSchedulePass> {
  using Base::Base;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    FailureOr<const target::Architecture *> arch = requireTarget(kernel);
    if (failed(arch) || failed(requireCode(kernel, **arch)))
      return signalPassFailure();
    Choice choice =
        chooseSchedule(describe(kernel), getSchedule(kernel), **arch, narrower);
    if (!choice.error.empty()) {
      Operation *at = choice.errorAt ? choice.errorAt : kernel.getOperation();
      (choice.isTooLarge ? tooLarge(at->emitError()) : at->emitError())
          << choice.error;
      return signalPassFailure();
    }
    setSchedule(kernel, choice.schedule);
    llvm::append_range(choice.reasons, explainRepeatedMmas(kernel));
    addReasons(kernel, choice.reasons);
    if (remarks)
      for (const std::string &reason : choice.reasons)
        kernel.emitRemark() << reason;
  }
};
} // namespace
