//===- HoistInvariants.cpp - What loops need to compute only once ---------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Each access to a slot computes its address where it is, and ptxas leaves it
// there. In front of the loop it is a register that lives as long as the loop:
// worth it where registers are left. That is so in roles that issue copies and
// MMAs, and in the loop over the subtiles of an epilogue. It is not so where
// threads compute on tiles while the MMAs go on.

#include "drawloom/Conversion/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

namespace drawloom {
#define GEN_PASS_DEF_HOISTINVARIANTS
#include "drawloom/Conversion/Passes.h.inc"
} // namespace drawloom

using namespace mlir;
using namespace drawloom;

/// Whether threads compute on tiles in a loop.
static bool hasTiles(scf::ForOp loop) {
  return loop
      .walk([](Operation *op) {
        return llvm::any_of(op->getResultTypes(), llvm::IsaPred<VectorType>)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
struct HoistInvariantsPass
    : drawloom::impl::HoistInvariantsBase<HoistInvariantsPass> {
  void runOnOperation() override {
    // Loops inside others come first.
    getOperation().walk([](scf::ForOp loop) {
      if (loop.getStaticTripCount() || !hasTiles(loop))
        moveLoopInvariantCode(loop);
    });
  }
};
} // namespace
