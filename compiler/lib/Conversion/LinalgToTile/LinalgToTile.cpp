//===- LinalgToTile.cpp - linalg on tensors to tile programs --------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileEmitter.h"
#include "drawloom/Conversion/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/Transforms/TilingInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace drawloom {
#define GEN_PASS_DEF_CONVERTLINALGTOTILE
#include "drawloom/Conversion/Passes.h.inc"
} // namespace drawloom

using namespace mlir;
using namespace drawloom;
using namespace drawloom::linalg_to_tile;

/// Operations that are shorthand for several linalg operations.
static LogicalResult expandShorthand(func::FuncOp func) {
  IRRewriter rewriter(func.getContext());
  for (auto op : llvm::to_vector(func.getOps<linalg::SoftmaxOp>())) {
    // Upstream expands those of numbers that have an exponential.
    auto type = dyn_cast<RankedTensorType>(op.getInput().getType());
    if (!type || !isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(
                     type.getElementType()))
      continue;
    rewriter.setInsertionPoint(op);
    if (FailureOr<SmallVector<Value>> values = op.decomposeOperation(rewriter);
        succeeded(values))
      rewriter.replaceOp(op, *values);
  }
  // arith and math on whole tensors.
  RewritePatternSet patterns(func.getContext());
  linalg::populateElementwiseToLinalgConversionPatterns(patterns);
  return applyPatternsGreedily(func, std::move(patterns));
}

static LogicalResult convert(func::FuncOp func, int64_t smaller) {
  if (failed(expandShorthand(func)) || failed(checkProgram(func)))
    return failure();
  FailureOr<LinalgFunction> function = findAxes(func);
  if (failed(function) || failed(chooseTiles(*function, smaller)))
    return failure();
  NominalProgram program = makeNominal(*function);
  if (failed(tileAndFuse(program, *function)))
    return failure();
  FailureOr<tile::KernelOp> kernel = TileEmitter(*function, program).run();
  if (failed(kernel))
    return failure();
  func.erase();
  IRRewriter rewriter(kernel->getContext());
  DominanceInfo dominance(*kernel);
  eliminateCommonSubExpressions(rewriter, dominance, *kernel);
  return success();
}

namespace {
struct ConvertLinalgToTilePass
    : drawloom::impl::ConvertLinalgToTileBase<ConvertLinalgToTilePass> {
  using ConvertLinalgToTileBase::ConvertLinalgToTileBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    ConvertLinalgToTileBase::getDependentDialects(registry);
    linalg::registerTilingInterfaceExternalModels(registry);
  }

  void runOnOperation() override {
    auto isTensor = [](Type type) { return isa<TensorType>(type); };
    for (auto func : llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      bool hasTensors = llvm::any_of(func.getArgumentTypes(), isTensor) ||
                        llvm::any_of(func.getResultTypes(), isTensor);
      if (hasTensors && !func.isExternal() && failed(convert(func, smaller)))
        return signalPassFailure();
    }
  }
};
} // namespace
