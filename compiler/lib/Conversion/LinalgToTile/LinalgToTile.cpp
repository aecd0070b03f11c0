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
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"

namespace drawloom {
#define GEN_PASS_DEF_CONVERTLINALGTOTILE
#include "drawloom/Conversion/Passes.h.inc"
} // namespace drawloom

using namespace mlir;
using namespace drawloom;
using namespace drawloom::linalg_to_tile;

static LogicalResult convert(func::FuncOp func, int64_t smaller) {
  if (failed(normalize(func)) || failed(checkProgram(func)))
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
