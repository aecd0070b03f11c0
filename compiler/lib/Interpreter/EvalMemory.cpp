//===- EvalMemory.cpp - Views and buffers of tile -------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A load or store of a view touches the part of its box that lies inside the
// view. Of a buffer the whole box must lie inside. Strides and layouts say
// where elements are, not what they are, so nothing here looks at them.
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "llvm/Support/MathExtras.h"

using namespace drawloom::interp;
using namespace drawloom;
using llvm::ArrayRef;
using llvm::LogicalResult;
using mlir::Operation;

using Indices = llvm::SmallVector<int64_t, 4>;

/// Sums of indices that leave the range of int64_t are outside every view.
static int64_t add(int64_t a, int64_t b) {
  int64_t sum;
  if (!llvm::AddOverflow(a, b, sum))
    return sum;
  return a < 0 ? std::numeric_limits<int64_t>::min()
               : std::numeric_limits<int64_t>::max();
}

namespace {

/// The part of a tile that lies inside a window: its shape, and where it
/// stands in the tile and in the memory.
struct Overlap {
  Indices shape;
  StridedRange tile, memory;
};

} // namespace

/// `tileDims[i]` is the window's dimension that the tile's dimension i runs
/// along; in the others the tile is one element thick.
static Overlap getOverlap(const Window &window, ArrayRef<int64_t> offsets,
                          ArrayRef<int64_t> tileShape,
                          ArrayRef<int64_t> tileDims) {
  Indices tileStrides = getStrides(tileShape);
  Indices strides = getStrides(window.memory->tensor->getShape());
  Overlap overlap;
  bool empty = false;
  for (size_t d = 0; d < offsets.size(); ++d) {
    const int64_t *dim = llvm::find(tileDims, static_cast<int64_t>(d));
    bool isTileDim = dim != tileDims.end();
    size_t i = dim - tileDims.begin();
    int64_t extent = isTileDim ? tileShape[i] : 1;

    int64_t begin = add(window.origin[d], offsets[d]);
    int64_t low = std::max(begin, window.low[d]);
    int64_t high = std::min(add(begin, extent), window.high[d]);
    int64_t count = low < high ? high - low : 0;
    empty |= count == 0;
    if (isTileDim) {
      overlap.shape.push_back(count);
      overlap.tile.strides.push_back(tileStrides[i]);
      overlap.memory.strides.push_back(strides[d]);
    }
    if (count != 0) {
      overlap.memory.start += low * strides[d];
      if (isTileDim)
        overlap.tile.start += (low - begin) * tileStrides[i];
    }
  }
  // A tile that is one element thick in a dimension may miss the window there,
  // and a scalar has no other dimension to say so.
  if (empty)
    overlap.shape.assign(std::max<size_t>(1, overlap.shape.size()), 0);
  return overlap;
}

static LogicalResult reportConflict(Operation *op, Evaluator &eval,
                                    const Window &window,
                                    const AccessLog::Conflict &conflict,
                                    bool stores) {
  auto diagnostic = op->emitError()
                    << eval.formatItem(eval.getItem())
                    << (stores ? " stores" : " loads") << " the element"
                    << formatPosition(window.memory->tensor->getShape(),
                                      conflict.element)
                    << " of argument " << window.memory->arguments.front()
                    << ", which " << eval.formatItem(conflict.other)
                    << (conflict.otherStored ? " stored" : " loaded");
  return diagnostic << "; work tiles must be independent";
}

static LogicalResult load(Operation *op, Evaluator &eval) {
  auto load = mlir::cast<tile::LoadOp>(op);
  auto result = eval.makeResult(op);
  if (failed(result))
    return llvm::failure();
  std::shared_ptr<const Window> window = eval.getWindow(load.getView());
  Overlap overlap = getOverlap(*window, eval.getIndices(load.getMixedOffsets()),
                               result->getShape(), load.getTileDims());
  uint64_t pad = getConstantBits(result->getFormat(), load.getPadOrZero());
  if (pad != 0)
    for (int64_t i = 0; i < result->getNumElements(); ++i)
      result->setBits(i, pad);
  if (auto conflict = window->memory->log->load(eval.getItem(), overlap.shape,
                                                overlap.memory))
    return reportConflict(op, eval, *window, *conflict, /*stores=*/false);
  copyBox(overlap.shape, *result, overlap.tile, *window->memory->tensor,
          overlap.memory);
  Indices shape(result->getShape());
  eval.set(load.getResult(), std::move(*result));
  if (const auto &deviation = window->memory->deviation) {
    HostTensor loaded(Format::F64, shape);
    copyBox(overlap.shape, loaded, overlap.tile, *deviation, overlap.memory);
    eval.setDeviation(load.getResult(), std::move(loaded));
  }
  return llvm::success();
}

static LogicalResult store(Operation *op, Evaluator &eval) {
  auto store = mlir::cast<tile::StoreOp>(op);
  TensorRef value = eval.get(store.getValue());
  std::shared_ptr<const Window> window = eval.getWindow(store.getView());
  if (ArrayRef<unsigned> passed = window->memory->arguments; passed.size() > 1)
    return op->emitError() << "stores to a tensor that the caller passed as "
                              "arguments "
                           << passed[0] << " and " << passed[1]
                           << "; views that are written must not overlap";
  Overlap overlap =
      getOverlap(*window, eval.getIndices(store.getMixedOffsets()),
                 value->getShape(), store.getTileDims());
  if (auto conflict = window->memory->log->store(eval.getItem(), overlap.shape,
                                                 overlap.memory))
    return reportConflict(op, eval, *window, *conflict, /*stores=*/true);
  if (TensorRef undefined = eval.getUndefined(store.getValue())) {
    int64_t first = 0;
    auto isDefined = [&](int64_t at) {
      first = at;
      return undefined->getInt(at) == 0;
    };
    if (!visitBox(overlap.shape, overlap.tile, isDefined))
      return eval.reportUndefined(undefined->getInt(first), value->getShape(),
                                  first);
  }
  copyBox(overlap.shape, *window->memory->tensor, overlap.memory, *value,
          overlap.tile);
  if (TensorRef deviation = eval.getDeviation(store.getValue())) {
    std::optional<HostTensor> &stored = window->memory->deviation;
    if (!stored)
      stored.emplace(Format::F64, window->memory->tensor->getShape());
    copyBox(overlap.shape, *stored, overlap.memory, *deviation, overlap.tile);
  }
  return llvm::success();
}

static LogicalResult dim(Operation *op, Evaluator &eval) {
  auto dim = mlir::cast<tile::DimOp>(op);
  int64_t size = eval.getWindow(dim.getView())->sizes[dim.getIndex()];
  eval.set(dim.getResult(), HostTensor::scalar(Format::Index, size));
  return llvm::success();
}

static LogicalResult subview(Operation *op, Evaluator &eval) {
  auto subview = mlir::cast<tile::SubviewOp>(op);
  Window window = *eval.getWindow(subview.getView());
  Indices offsets = eval.getIndices(subview.getMixedOffsets());
  Indices sizes = eval.getIndices(subview.getMixedSizes());
  for (size_t d = 0; d < offsets.size(); ++d) {
    if (sizes[d] < 0)
      return op->emitError() << "the size of dimension " << d << " is "
                             << sizes[d] << "; it must not be negative";
    window.origin[d] = add(window.origin[d], offsets[d]);
    window.sizes[d] = sizes[d];
    window.low[d] = std::max(window.low[d], window.origin[d]);
    window.high[d] = std::min(window.high[d], add(window.origin[d], sizes[d]));
  }
  eval.setWindow(subview.getResult(), std::move(window));
  return llvm::success();
}

static LogicalResult alloc(Operation *op, Evaluator &eval) {
  auto tensor = eval.makeResult(op);
  if (failed(tensor))
    return llvm::failure();
  fillUninitialized(*tensor);
  auto memory = std::make_shared<Memory>();
  memory->owned = std::make_unique<HostTensor>(std::move(*tensor));
  memory->tensor = memory->owned.get();
  eval.setWindow(op->getResult(0), Window(std::move(memory)));
  return llvm::success();
}

/// Where a tile of that shape stands in the buffer; an error if it is not
/// inside.
static llvm::FailureOr<StridedRange> getRange(Operation *op,
                                              const Window &buffer,
                                              ArrayRef<int64_t> offsets,
                                              ArrayRef<int64_t> tileShape) {
  StridedRange range;
  range.strides = getStrides(buffer.sizes);
  for (auto [d, offset] : llvm::enumerate(offsets)) {
    if (offset < 0 || offset > buffer.sizes[d] - tileShape[d])
      return op->emitError()
             << "dimension " << d << ": elements " << offset << " to "
             << add(offset, tileShape[d] - 1)
             << " are not inside the buffer, which has " << buffer.sizes[d];
    range.start += offset * range.strides[d];
  }
  return range;
}

static LogicalResult read(Operation *op, Evaluator &eval) {
  auto read = mlir::cast<tile::ReadOp>(op);
  auto result = eval.makeResult(op);
  if (failed(result))
    return llvm::failure();
  std::shared_ptr<const Window> buffer = eval.getWindow(read.getBuffer());
  auto range = getRange(op, *buffer, eval.getIndices(read.getMixedOffsets()),
                        result->getShape());
  if (failed(range))
    return llvm::failure();
  copyBox(result->getShape(), *result, {0, getStrides(result->getShape())},
          *buffer->memory->tensor, *range);
  eval.set(read.getResult(), std::move(*result));
  return llvm::success();
}

static LogicalResult write(Operation *op, Evaluator &eval) {
  auto write = mlir::cast<tile::WriteOp>(op);
  TensorRef value = eval.get(write.getValue());
  std::shared_ptr<const Window> buffer = eval.getWindow(write.getBuffer());
  auto range = getRange(op, *buffer, eval.getIndices(write.getMixedOffsets()),
                        value->getShape());
  if (failed(range))
    return llvm::failure();
  copyBox(value->getShape(), *buffer->memory->tensor, *range, *value,
          {0, getStrides(value->getShape())});
  return llvm::success();
}

static constexpr NamedRule memoryRules[] = {
    {"tile.dim", dim},     {"tile.subview", subview}, {"tile.load", load},
    {"tile.store", store}, {"tile.alloc", alloc},     {"tile.read", read},
    {"tile.write", write},
};

llvm::ArrayRef<NamedRule> drawloom::interp::getMemoryRules() {
  return memoryRules;
}
