//===- SliceEpilogue.cpp - Compute epilogues in subtiles ------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SliceEpilogue.h"
#include "drawloom/Dialect/Tile/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/FormatVariadic.h"

namespace drawloom::tile {
#define GEN_PASS_DEF_SLICEEPILOGUE
#include "drawloom/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace drawloom::tile

using namespace mlir;
using namespace drawloom;
using namespace drawloom::tile;

//===----------------------------------------------------------------------===//
// One loop
//===----------------------------------------------------------------------===//

namespace {

/// Makes the part at column %j of whatever is asked for, once.
class PartBuilder {
public:
  PartBuilder(OpBuilder &builder, Value j, int64_t columns,
              const Segment &segment)
      : builder(builder), j(j), columns(columns), segment(segment) {}

  Value getPart(Value tile, int64_t dim);
  void store(StoreOp store, int64_t dim);
  Value reduce(ReduceOp reduce, int64_t dim, Value carried);

private:
  Type getPartType(Type type, int64_t dim) const {
    auto whole = cast<RankedTensorType>(type);
    SmallVector<int64_t> shape(whole.getShape());
    shape[dim] = columns;
    return whole.clone(shape);
  }
  Value makePart(Value tile, int64_t dim);
  Value cutOut(Value tile, int64_t dim);
  Value shiftIota(IotaOp iota);
  SmallVector<OpFoldResult> moveOffsets(SmallVector<OpFoldResult> offsets,
                                        int64_t viewDim, Location loc);

  OpBuilder &builder;
  Value j;
  int64_t columns;
  const Segment &segment;
  llvm::DenseMap<std::pair<Value, int64_t>, Value> parts;
};

} // namespace

Value PartBuilder::getPart(Value tile, int64_t dim) {
  // Not a reference into the map: making a part makes others.
  if (Value known = parts.lookup({tile, dim}))
    return known;
  Value part = makePart(tile, dim);
  parts[{tile, dim}] = part;
  return part;
}

Value PartBuilder::makePart(Value tile, int64_t dim) {
  Operation *op = tile.getDefiningOp();
  if (!op)
    return cutOut(tile, dim);
  Type type = getPartType(tile.getType(), dim);
  Location loc = op->getLoc();

  // What is the same everywhere, or only counts, is made anew.
  DenseElementsAttr constant;
  if (matchPattern(op, m_Constant(&constant)) && constant.isSplat())
    return arith::ConstantOp::create(
        builder, loc, constant.resizeSplat(cast<ShapedType>(type)));
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return tensor::SplatOp::create(builder, loc, type, splat.getInput());
  if (auto iota = dyn_cast<IotaOp>(op))
    return shiftIota(iota);

  if (!segment.sliced.contains(op))
    return cutOut(tile, dim);
  if (auto load = dyn_cast<LoadOp>(op)) {
    auto part = LoadOp::create(
        builder, loc, type, load.getView(),
        moveOffsets(load.getMixedOffsets(), load.getTileDims()[dim], loc));
    part.setDimsAttr(load.getDimsAttr());
    part.setPadAttr(load.getPadAttr());
    return part;
  }
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    std::optional<int64_t> itsDim = getOperandDim(operand, dim);
    operands.push_back(itsDim ? getPart(operand.get(), *itsDim)
                              : operand.get());
  }
  return clone(builder, op, type, operands)->getResult(0);
}

/// The part of a tile that stays whole.
Value PartBuilder::cutOut(Value tile, int64_t dim) {
  auto whole = cast<RankedTensorType>(tile.getType());
  SmallVector<OpFoldResult> offsets(whole.getRank(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(whole.getRank(), builder.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes =
      getAsIndexOpFoldResult(builder.getContext(), whole.getShape());
  offsets[dim] = j;
  sizes[dim] = builder.getIndexAttr(columns);
  return tensor::ExtractSliceOp::create(
      builder, tile.getLoc(),
      cast<RankedTensorType>(getPartType(tile.getType(), dim)), tile, offsets,
      sizes, strides);
}

/// The numbers j, j + 1, ...
Value PartBuilder::shiftIota(IotaOp iota) {
  Location loc = iota.getLoc();
  Type type = getPartType(iota.getType(), 0);
  Type number = iota.getType().getElementType();
  Value first =
      number.isIndex()
          ? j
          : arith::IndexCastOp::create(builder, loc, number, j).getResult();
  Value firsts = tensor::SplatOp::create(builder, loc, type, first);
  Value numbers = IotaOp::create(builder, loc, type);
  return arith::AddIOp::create(builder, loc, numbers, firsts);
}

SmallVector<OpFoldResult>
PartBuilder::moveOffsets(SmallVector<OpFoldResult> offsets, int64_t viewDim,
                         Location loc) {
  OpFoldResult &offset = offsets[viewDim];
  if (isConstantIntValue(offset, 0)) {
    offset = j;
    return offsets;
  }
  Value start = getValueOrCreateConstantIndexOp(builder, loc, offset);
  // A sum that a load has made serves the store of the same part.
  Value &sum = parts[{start, -1}];
  if (!sum)
    sum = arith::AddIOp::create(builder, loc, start, j);
  offset = sum;
  return offsets;
}

void PartBuilder::store(StoreOp store, int64_t dim) {
  Location loc = store.getLoc();
  Value part = getPart(store.getValue(), dim);
  auto moved = StoreOp::create(
      builder, loc, part, store.getView(),
      moveOffsets(store.getMixedOffsets(), store.getTileDims()[dim], loc));
  moved.setDimsAttr(store.getDimsAttr());
}

/// What was reduced so far, combined with this part.
Value PartBuilder::reduce(ReduceOp reduce, int64_t dim, Value carried) {
  Location loc = reduce.getLoc();
  Value part = getPart(reduce.getSource(), dim);
  Value reduced = ReduceOp::create(builder, loc, reduce.getType(),
                                   reduce.getKind(), part, reduce.getAxis());
  // The kinds are named after the operations that combine two elements.
  OperationState state(loc,
                       ("arith." + stringifyReduction(reduce.getKind())).str(),
                       {carried, reduced}, carried.getType());
  return builder.create(state)->getResult(0);
}

//===----------------------------------------------------------------------===//
// All loops of a segment
//===----------------------------------------------------------------------===//

/// A tile or scalar of the reduction's neutral element.
static Value makeNeutral(OpBuilder &builder, ReduceOp reduce) {
  TypedAttr neutral =
      getNeutral(reduce.getKind(), getElementTypeOrSelf(reduce.getType()));
  if (auto type = dyn_cast<RankedTensorType>(reduce.getType()))
    neutral = DenseElementsAttr::get(type, neutral);
  return arith::ConstantOp::create(builder, reduce.getLoc(), neutral);
}

/// Computes the roots part by part; the results of reductions are replaced.
/// What is left when the parts don't make up the tile is a narrower one after
/// them.
static void makeLoop(OpBuilder &builder, ArrayRef<Root> roots, int64_t columns,
                     const Segment &segment) {
  Location loc = roots.back().op->getLoc();
  SmallVector<Value> carried;
  for (const Root &root : roots)
    if (root.isReduction())
      carried.push_back(makeNeutral(builder, cast<ReduceOp>(root.op)));
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto makeParts = [&](OpBuilder &inner, Value j, int64_t width,
                       ValueRange arguments) {
    PartBuilder parts(inner, j, width, segment);
    SmallVector<Value> results;
    for (const Root &root : roots) {
      if (auto store = dyn_cast<StoreOp>(root.op))
        parts.store(store, root.dim);
      else
        results.push_back(parts.reduce(cast<ReduceOp>(root.op), root.dim,
                                       arguments[results.size()]));
    }
    return results;
  };
  auto body = [&](OpBuilder &inner, Location, Value j, ValueRange arguments) {
    scf::YieldOp::create(inner, loc, makeParts(inner, j, columns, arguments));
  };
  int64_t extent = roots.front().getExtent(), rest = extent % columns;
  auto loop =
      scf::ForOp::create(builder, loc, constant(0), constant(extent - rest),
                         constant(columns), carried, body);
  SmallVector<Value> results(loop.getResults());
  if (rest != 0)
    results = makeParts(builder, constant(extent - rest), rest, results);
  unsigned next = 0;
  for (const Root &root : roots)
    if (root.isReduction())
      root.op->getResult(0).replaceAllUsesWith(results[next++]);
}

static void rewrite(Segment &segment, int64_t columns) {
  Operation *last = segment.roots.back().op;
  OpBuilder builder(last->getContext());
  builder.setInsertionPointAfter(last);
  unsigned stages = 0, groups = 0;
  for (const Root &root : segment.roots) {
    stages = std::max(stages, root.stage + 1);
    groups = std::max(groups, root.group + 1);
  }
  for (unsigned stage = 0; stage <= stages; ++stage) {
    for (auto [op, itsStage] : segment.moved)
      if (itsStage == stage)
        op->moveBefore(builder.getInsertionBlock(),
                       builder.getInsertionPoint());
    for (unsigned group = 0; group < groups; ++group) {
      auto roots = llvm::filter_to_vector(segment.roots, [&](const Root &root) {
        return root.stage == stage && root.group == group;
      });
      if (!roots.empty())
        makeLoop(builder, roots, columns, segment);
    }
  }
  for (const Root &root : segment.roots)
    root.op->erase();
  // Users come after what they use, so what was cut goes from the end.
  auto sliced = llvm::map_to_vector(segment.sliced,
                                    [](auto &entry) { return entry.first; });
  llvm::sort(sliced,
             [](Operation *a, Operation *b) { return b->isBeforeInBlock(a); });
  for (Operation *op : sliced)
    op->erase();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// The block of a work tile.
static Block &getItem(KernelOp kernel) {
  ForEachOp forEach = kernel.getForEach();
  if (!forEach)
    return kernel.getBody().front();
  while (ForEachOp nested = forEach.getNested())
    forEach = nested;
  return forEach.getBody().front();
}

/// `'d'` for a store to the argument %d, else the name of the operation.
static std::string describe(Operation *op) {
  Value view;
  if (auto store = dyn_cast<StoreOp>(op))
    view = getRootView(store.getView());
  else if (auto load = dyn_cast<LoadOp>(op))
    view = getRootView(load.getView());
  std::string name = op->getName().getStringRef().str();
  if (auto argument = dyn_cast_if_present<BlockArgument>(view))
    return name + " of '" + getArgumentName(argument) + "'";
  return name;
}

/// "4 parts of 64 columns", and what is left.
static std::string countParts(int64_t extent, int64_t columns) {
  std::string text =
      llvm::formatv("{0} parts of {1} columns", extent / columns, columns);
  if (int64_t rest = extent % columns)
    text += llvm::formatv(" and one of {0}", rest);
  return text;
}

/// Constants and the like are made anew in the size of a part, so the whole
/// ones may have lost their users.
static void eraseDeadOps(Block &block) {
  auto ops = llvm::map_to_vector(block, [](Operation &op) { return &op; });
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      op->erase();
}

namespace {

struct SliceEpiloguePass : tile::impl::SliceEpilogueBase<SliceEpiloguePass> {
  using SliceEpilogueBase::SliceEpilogueBase;

  void explain(Operation *op, const std::string &sentence) {
    reasons.push_back("slice-epilogue: " + sentence);
    if (remarks)
      op->emitRemark() << reasons.back();
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    std::optional<int64_t> columns = getSchedule(kernel).epilogueTile;
    if (!columns)
      return;
    reasons.clear();
    Epilogue epilogue(getItem(kernel), *columns);
    for (Segment &segment : epilogue.segments) {
      for (const Root &root : segment.roots) {
        explain(root.op, describe(root.op) + " in " +
                             countParts(root.getExtent(), *columns));
      }
      rewrite(segment, *columns);
    }
    for (const Rejected &rejected : epilogue.rejected)
      explain(rejected.op,
              describe(rejected.op) + " stays whole: " + rejected.reason);
    if (!reasons.empty())
      addReasons(kernel, reasons);
    eraseDeadOps(getItem(kernel));
    eraseDeadOps(kernel.getBody().front());
  }

private:
  std::vector<std::string> reasons;
};

} // namespace
