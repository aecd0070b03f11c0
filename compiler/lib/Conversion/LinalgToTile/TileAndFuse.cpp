//===- TileAndFuse.cpp - Work tiles and loops, by upstream's tiling -------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// One rule for every graph: each operation whose result leaves the block is
// tiled on its own, with what it needs fused into its loop. Then loops that
// walk the same axis and do not need each other are merged, and CSE finds what
// they share. That makes one loop along k of two products with the same left
// operand, and one loop along n of a product that is stored and also reduced.

#include "NominalProgram.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::linalg_to_tile;

namespace {
class Tiler {
public:
  Tiler(NominalProgram &program, LinalgFunction &function)
      : program(program), function(function),
        rewriter(program.func.getContext()) {
    for (auto [number, axis] : llvm::enumerate(function.axes))
      if (axis.tile && !axis.isOneTile())
        (axis.item ? items : walked).push_back(number);
  }

  LogicalResult run();

private:
  LogicalResult tileItems();
  LogicalResult tileBlock(Block &block);
  LogicalResult tile(linalg::LinalgOp op, ArrayRef<int64_t> axes);
  template <typename LoopOp>
  void mergeLoops(Block &block, ArrayRef<int64_t> axes);
  /// Merges what is equal inside the operation, and drops what is unused.
  void simplify(Operation *op);

  /// A loop of the operation still has the whole of a walked axis.
  bool isWhole(linalg::LinalgOp op, unsigned loop);
  /// The next axis to walk in the operation: those that its result has come
  /// before those that it reduces, so that an accumulator is one tile.
  std::optional<int64_t> findNextAxis(linalg::LinalgOp op);
  bool belongsInto(OpResult producer, ArrayRef<int64_t> axes);

  NominalProgram &program;
  LinalgFunction &function;
  IRRewriter rewriter;
  AxisList items, walked;
};
} // namespace

void Tiler::simplify(Operation *op) {
  (void)runRegionDCE(rewriter, op->getRegions());
  DominanceInfo dominance(op);
  eliminateCommonSubExpressions(rewriter, dominance, op);
}

bool Tiler::isWhole(linalg::LinalgOp op, unsigned loop) {
  int64_t axis = getAxes(op)[loop];
  return llvm::is_contained(walked, axis) &&
         op.getStaticLoopRanges()[loop] == function.axes[axis].getNominalSize();
}

std::optional<int64_t> Tiler::findNextAxis(linalg::LinalgOp op) {
  for (utils::IteratorType type :
       {utils::IteratorType::parallel, utils::IteratorType::reduction})
    for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
      if (iterator == type && isWhole(op, loop))
        return getAxes(op)[loop];
  return std::nullopt;
}

/// Whether what an operation in a loop over the axes uses is computed in the
/// loop: if it changes along the loop, or if it would not fit into one tile
/// outside it.
bool Tiler::belongsInto(OpResult result, ArrayRef<int64_t> axes) {
  auto producer = dyn_cast<linalg::LinalgOp>(result.getOwner());
  if (!producer)
    return false;
  AffineMap map = producer.getIndexingMapMatchingResult(result);
  return axes == ArrayRef<int64_t>(items) ||
         llvm::any_of(map.getResults(), [&](AffineExpr expr) {
           unsigned loop = cast<AffineDimExpr>(expr).getPosition();
           return llvm::is_contained(axes, getAxes(producer)[loop]) ||
                  isWhole(producer, loop);
         });
}

/// Upstream fuses a producer once for each slice of it, and only then are equal
/// ones one again. What a large graph has is a hundredth of it.
static constexpr unsigned mostFused = 16384;

LogicalResult Tiler::tile(linalg::LinalgOp op, ArrayRef<int64_t> axes) {
  SmallVector<OpFoldResult> sizes;
  SmallVector<int64_t> order;
  for (int64_t axis : getAxes(op))
    sizes.push_back(rewriter.getIndexAttr(
        llvm::is_contained(axes, axis) ? function.axes[axis].tile : 0));
  // Loops of all operations have the same order.
  for (int64_t axis : axes)
    order.push_back(llvm::find(getAxes(op), axis) - getAxes(op).begin());
  for (auto [loop, axis] : llvm::enumerate(getAxes(op)))
    if (!llvm::is_contained(axes, axis))
      order.push_back(loop);

  scf::SCFTilingOptions tiling;
  bool isItems = axes == ArrayRef<int64_t>(items);
  tiling.setTileSizes(sizes).setInterchange(order).setLoopType(
      isItems ? scf::SCFTilingOptions::LoopType::ForallOp
              : scf::SCFTilingOptions::LoopType::ForOp);
  if (!isItems) {
    SmallVector<unsigned> reductions;
    op.getReductionDims(reductions);
    tiling.setReductionDims(reductions);
  }
  scf::SCFTileAndFuseOptions options;
  options.setTilingOptions(tiling);
  using Fusion = scf::SCFTileAndFuseOptions::ControlFnResult;
  unsigned fused = 0;
  options.setFusionControlFn(
      [&](tensor::ExtractSliceOp, OpResult producer, bool) {
        return belongsInto(producer, axes) && fused++ < mostFused
                   ? std::optional(Fusion())
                   : std::nullopt;
      });

  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  FailureOr<scf::SCFTileAndFuseResult> result =
      scf::tileConsumerAndFuseProducersUsingSCF(
          rewriter, cast<TilingInterface>(op.getOperation()), options);
  if (fused >= mostFused)
    return emitError(loc)
           << "is computed along more than " << mostFused
           << " paths from its operands: each use of a value is "
              "a path of its own, and values that are used "
              "twice double them; write a tile.kernel [linalg-unsupported]";
  if (failed(result) || result->loops.size() != 1)
    return emitError(loc)
           << "cannot be tiled: write a tile.kernel [linalg-unsupported]";
  setAxes(result->loops.front(), axes);
  for (Value value : op->getResults())
    rewriter.replaceAllUsesWith(value, result->replacements.lookup(value));
  rewriter.eraseOp(op);
  return success();
}

template <typename LoopOp>
void Tiler::mergeLoops(Block &block, ArrayRef<int64_t> axes) {
  SmallVector<LoopOp> merged;
  for (LoopOp loop : llvm::to_vector(block.getOps<LoopOp>())) {
    if (getAxes(loop) != axes)
      continue;
    bool found = false;
    for (LoopOp &first : merged) {
      // Fails if the loop needs what the first one computes.
      if (failed(moveOperationDependencies(rewriter, loop, first)))
        continue;
      rewriter.moveOpAfter(loop, first);
      if constexpr (std::is_same_v<LoopOp, scf::ForallOp>)
        first = fuseIndependentSiblingForallLoops(first, loop, rewriter);
      else
        first = fuseIndependentSiblingForLoops(first, loop, rewriter);
      setAxes(first, axes);
      found = true;
      break;
    }
    if (!found)
      merged.push_back(loop);
  }
}

LogicalResult Tiler::tileItems() {
  // Users before what they use: a root may be fused into another root.
  SmallVector<linalg::LinalgOp> roots;
  Operation *terminator = program.func.front().getTerminator();
  for (Operation &op : llvm::reverse(program.func.front()))
    if (llvm::is_contained(op.getUsers(), terminator))
      roots.push_back(cast<linalg::LinalgOp>(op));
  for (linalg::LinalgOp root : roots)
    if (failed(tile(root, items)))
      return failure();
  // Slices that fusion left behind would look like a need for each other.
  simplify(program.func);
  mergeLoops<scf::ForallOp>(program.func.front(), items);
  simplify(program.func);

  // What has no dimensions is not sliced, and so not fused either.
  scf::ForallOp loop = *program.func.front().getOps<scf::ForallOp>().begin();
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(program.func.front())))
    if (isa<linalg::LinalgOp>(op))
      rewriter.moveOpBefore(&op, &loop.getBody()->front());
  return success();
}

LogicalResult Tiler::tileBlock(Block &block) {
  // Users before what they use: most of that is fused, and then unused.
  for (Operation *op = &block.back(); op;) {
    Operation *previous = op->getPrevNode();
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
      // Fusion leaves the slices behind.
      for (Operation *user :
           SetVector<Operation *>(op->getUsers().begin(), op->getUsers().end()))
        if (isOpTriviallyDead(user))
          rewriter.eraseOp(user);
      if (op->use_empty())
        rewriter.eraseOp(op);
      else if (std::optional<int64_t> axis = findNextAxis(linalgOp);
               axis && failed(tile(linalgOp, *axis)))
        return failure();
    }
    op = previous;
  }
  simplify(block.getParentOp());
  for (int64_t axis : walked)
    mergeLoops<scf::ForOp>(block, axis);
  simplify(block.getParentOp());
  for (scf::ForOp loop : llvm::to_vector(block.getOps<scf::ForOp>()))
    if (failed(tileBlock(*loop.getBody())))
      return failure();
  return success();
}

LogicalResult Tiler::run() {
  Block *block = &program.func.front();
  if (!items.empty()) {
    if (failed(tileItems()))
      return failure();
    block = (*block->getOps<scf::ForallOp>().begin()).getBody();
  }
  return tileBlock(*block);
}

LogicalResult linalg_to_tile::tileAndFuse(NominalProgram &program,
                                          LinalgFunction &function) {
  return Tiler(program, function).run();
}
