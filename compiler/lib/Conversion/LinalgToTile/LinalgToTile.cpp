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

/// "1 matrix product", "2 matrix products".
static std::string countProducts(size_t count) {
  return std::to_string(count) +
         (count == 1 ? " matrix product" : " matrix products");
}

/// What a reader of the function would not expect: products that are computed
/// several times, or without a tensor core.
static std::vector<std::string> explainProducts(LinalgFunction &function,
                                                tile::KernelOp kernel) {
  SmallVector<tile::MmaOp> executed;
  kernel.walk([&](tile::MmaOp product) { executed.push_back(product); });
  std::vector<std::string> reasons;
  size_t products = 0, byThreads = 0;
  for (linalg::LinalgOp op : function.ops) {
    if (failed(matchMatrixProduct(op)))
      continue;
    ++products;
    byThreads += llvm::none_of(executed, [&](tile::MmaOp product) {
      return product.getLoc() == op.getLoc();
    });
  }
  if (byThreads != 0)
    reasons.push_back("mma: " + countProducts(byThreads) + " of " +
                      std::to_string(products) +
                      " without a tensor core, because a tile has one element "
                      "along the rows, the columns or what is added up, or "
                      "numbers that an MMA does not take");
  if (executed.size() > products - byThreads)
    reasons.push_back(
        "mma: the program has " + countProducts(products - byThreads) +
        ", and each work tile executes " + std::to_string(executed.size()) +
        ": what several operations read is computed again for each of them");
  return reasons;
}

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
  IRRewriter rewriter(kernel->getContext());
  DominanceInfo dominance(*kernel);
  eliminateCommonSubExpressions(rewriter, dominance, *kernel);
  if (unsigned merged = rescaleReductions(*kernel))
    tile::addReasons(
        *kernel, {"reduce: " + std::to_string(merged) +
                  (merged == 1 ? " loop is" : " loops are") +
                  " part of an earlier one, whose maximum rescales what they "
                  "add up as it grows (online softmax)"});
  if (std::vector<std::string> reasons = explainProducts(*function, *kernel);
      !reasons.empty())
    tile::addReasons(*kernel, reasons);
  func.erase();
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
