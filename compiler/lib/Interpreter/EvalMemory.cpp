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

#include "Agents.h"
#include "Buffers.h"
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
  return diagnostic << "; work tiles must be independent [interpreter]";
}

LogicalResult drawloom::interp::loadBox(Operation *op, Evaluator &eval,
                                        const BoxOfView &box,
                                        mlir::Attribute padding,
                                        RuntimeValue &tile, HostTensor result) {
  const Window &window = box.window;
  Overlap overlap =
      getOverlap(window, box.offsets, result.getShape(), box.dims);
  uint64_t pad = getConstantBits(result.getFormat(), padding);
  if (pad != 0)
    for (int64_t i = 0; i < result.getNumElements(); ++i)
      result.setBits(i, pad);
  if (auto conflict = window.memory->log->load(eval.getItem(), overlap.shape,
                                               overlap.memory))
    return reportConflict(op, eval, window, *conflict, /*stores=*/false);
  copyBox(overlap.shape, result, overlap.tile, *window.memory->tensor,
          overlap.memory);
  if (const auto &deviation = window.memory->deviation) {
    HostTensor loaded(Format::F64, result.getShape());
    copyBox(overlap.shape, loaded, overlap.tile, *deviation, overlap.memory);
    tile.deviation = std::make_shared<const HostTensor>(std::move(loaded));
  }
  tile.tensor = std::make_shared<const HostTensor>(std::move(result));
  return llvm::success();
}

static LogicalResult load(Operation *op, Evaluator &eval) {
  auto load = mlir::cast<tile::LoadOp>(op);
  auto result = eval.makeResult(op);
  if (failed(result))
    return llvm::failure();
  RuntimeValue tile;
  if (failed(
          loadBox(op, eval,
                  {*eval.getWindow(load.getView()),
                   eval.getIndices(load.getMixedOffsets()), load.getTileDims()},
                  load.getPadOrZero(), tile, std::move(*result))))
    return llvm::failure();
  eval.setValue(load.getResult(), tile);
  return llvm::success();
}

LogicalResult drawloom::interp::storeBox(Operation *op, Evaluator &eval,
                                         const BoxOfView &box,
                                         const RuntimeValue &tile) {
  const Window &window = box.window;
  if (ArrayRef<unsigned> passed = window.memory->arguments; passed.size() > 1)
    return op->emitError()
           << "stores to a tensor that the caller passed as "
              "arguments "
           << passed[0] << " and " << passed[1]
           << "; views that are written must not overlap [interpreter]";
  ArrayRef<int64_t> shape = tile.tensor->getShape();
  Overlap overlap = getOverlap(window, box.offsets, shape, box.dims);
  if (auto conflict = window.memory->log->store(eval.getItem(), overlap.shape,
                                                overlap.memory))
    return reportConflict(op, eval, window, *conflict, /*stores=*/true);
  if (tile.undefined) {
    int64_t first = 0;
    auto isDefined = [&](int64_t at) {
      first = at;
      return tile.undefined->getInt(at) == 0;
    };
    if (!visitBox(overlap.shape, overlap.tile, isDefined))
      return eval.reportUndefined(tile.undefined->getInt(first), shape, first);
  }
  copyBox(overlap.shape, *window.memory->tensor, overlap.memory, *tile.tensor,
          overlap.tile);
  if (tile.deviation) {
    std::optional<HostTensor> &stored = window.memory->deviation;
    if (!stored)
      stored.emplace(Format::F64, window.memory->tensor->getShape());
    copyBox(overlap.shape, *stored, overlap.memory, *tile.deviation,
            overlap.tile);
  }
  return llvm::success();
}

static LogicalResult store(Operation *op, Evaluator &eval) {
  auto store = mlir::cast<tile::StoreOp>(op);
  return storeBox(op, eval,
                  {*eval.getWindow(store.getView()),
                   eval.getIndices(store.getMixedOffsets()),
                   store.getTileDims()},
                  eval.getValue(store.getValue()));
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
      return op->emitError()
             << "the size of dimension " << d << " is " << sizes[d]
             << "; it must not be negative [interpreter]";
    window.origin[d] = add(window.origin[d], offsets[d]);
    window.sizes[d] = sizes[d];
    window.low[d] = std::max(window.low[d], window.origin[d]);
    window.high[d] = std::min(window.high[d], add(window.origin[d], sizes[d]));
  }
  eval.setWindow(subview.getResult(), std::move(window));
  return llvm::success();
}

/// Scratch memory of a role has a place; the others that share it are there,
/// too.
static LogicalResult allocScratch(tile::AllocOp op, Evaluator &eval,
                                  HostTensor tensor) {
  Protocol &protocol = eval.getAgents().protocol;
  int64_t cta = eval.getCta(), at = *op.getAt();
  Guard *guard = protocol.find(op, cta, 0, 0);
  if (!guard) {
    Guard made;
    made.name = "scratch memory at byte " + std::to_string(at);
    made.cta = cta;
    made.begin = at;
    made.end = at + countBytes(tensor);
    guard = &protocol.addMemory(std::move(made), std::move(tensor), op);
  }
  guard->isFull = false;
  eval.setWindow(op.getResult(), Window(guard->memory));
  return llvm::success();
}

static LogicalResult alloc(Operation *op, Evaluator &eval) {
  auto tensor = eval.makeResult(op);
  if (failed(tensor))
    return llvm::failure();
  auto alloc = mlir::cast<tile::AllocOp>(op);
  if (alloc.getAt() && eval.getAgents().runner)
    return allocScratch(alloc, eval, std::move(*tensor));
  fillUninitialized(*tensor);
  auto memory = std::make_shared<Memory>();
  memory->owned = std::make_unique<HostTensor>(std::move(*tensor));
  memory->tensor = memory->owned.get();
  eval.setWindow(op->getResult(0), Window(std::move(memory)));
  return llvm::success();
}

llvm::FailureOr<Window> drawloom::interp::getPart(Operation *op,
                                                  const Window &buffer,
                                                  ArrayRef<int64_t> offsets,
                                                  ArrayRef<int64_t> shape) {
  Window part = buffer;
  for (auto [d, offset] : llvm::enumerate(offsets)) {
    if (offset < 0 || offset > buffer.sizes[d] - shape[d])
      return op->emitError() << "dimension " << d << ": elements " << offset
                             << " to " << add(offset, shape[d] - 1)
                             << " are not inside the buffer, which has "
                             << buffer.sizes[d] << " [interpreter]";
    part.origin[d] += offset;
    part.sizes[d] = shape[d];
  }
  return part;
}

/// Where the elements of the window are in its memory.
static StridedRange getRange(const Window &buffer) {
  StridedRange range{0, getStrides(buffer.memory->tensor->getShape())};
  if (buffer.isTransposed)
    std::swap(range.strides[0], range.strides[1]);
  for (auto [origin, stride] : llvm::zip_equal(buffer.origin, range.strides))
    range.start += origin * stride;
  return range;
}

RuntimeValue drawloom::interp::copyFrom(const Window &buffer) {
  RuntimeValue tile;
  auto copy = [&](const HostTensor &source) {
    HostTensor copied(source.getFormat(), buffer.sizes);
    copyBox(buffer.sizes, copied, {0, getStrides(buffer.sizes)}, source,
            getRange(buffer));
    return std::make_shared<const HostTensor>(std::move(copied));
  };
  tile.tensor = copy(*buffer.memory->tensor);
  if (buffer.memory->undefined)
    tile.undefined = copy(*buffer.memory->undefined);
  return tile;
}

void drawloom::interp::copyTo(const Window &buffer, const RuntimeValue &tile) {
  auto copy = [&](HostTensor &target, const HostTensor &source) {
    copyBox(buffer.sizes, target, getRange(buffer), source,
            {0, getStrides(buffer.sizes)});
  };
  copy(*buffer.memory->tensor, *tile.tensor);
  std::optional<HostTensor> &undefined = buffer.memory->undefined;
  ArrayRef<int64_t> shape = buffer.memory->tensor->getShape();
  if (tile.undefined && !undefined)
    undefined.emplace(Format::I32, shape);
  if (undefined)
    copy(*undefined, tile.undefined ? *tile.undefined
                                    : HostTensor(Format::I32, buffer.sizes));
}

llvm::FailureOr<RuntimeValue> drawloom::interp::readSlot(Operation *op,
                                                         Evaluator &eval,
                                                         const Window &buffer) {
  if (Guard *guard = buffer.memory->guard) {
    auto who = getParticipant(op, eval);
    if (failed(who) ||
        failed(eval.getAgents().protocol.read(
            op, **who, guard->inTensorMemory ? By::TensorLoads : By::Threads,
            *guard)))
      return llvm::failure();
  }
  return copyFrom(buffer);
}

static LogicalResult read(Operation *op, Evaluator &eval) {
  auto read = mlir::cast<tile::ReadOp>(op);
  mlir::RankedTensorType type = read.getType();
  auto part = getPart(op, *eval.getWindow(read.getBuffer()),
                      eval.getIndices(read.getMixedOffsets()), type.getShape());
  if (failed(part))
    return llvm::failure();
  // Before tiles have layouts, it names a tile that is read where it is used.
  if (part->memory->guard && !type.getEncoding()) {
    eval.setWindow(read.getResult(), std::move(*part));
    return llvm::success();
  }
  llvm::FailureOr<RuntimeValue> tile = readSlot(op, eval, *part);
  if (failed(tile))
    return llvm::failure();
  eval.setValue(read.getResult(), *tile);
  return llvm::success();
}

static LogicalResult write(Operation *op, Evaluator &eval) {
  auto write = mlir::cast<tile::WriteOp>(op);
  RuntimeValue value = eval.getValue(write.getValue());
  auto part = getPart(op, *eval.getWindow(write.getBuffer()),
                      eval.getIndices(write.getMixedOffsets()),
                      value.tensor->getShape());
  if (failed(part))
    return llvm::failure();
  if (Guard *guard = part->memory->guard) {
    auto who = getParticipant(op, eval);
    if (failed(who) ||
        failed(eval.getAgents().protocol.write(
            op, **who, guard->inTensorMemory ? By::TensorStores : By::Threads,
            *guard)))
      return llvm::failure();
  }
  copyTo(*part, value);
  return llvm::success();
}

static LogicalResult transposeView(Operation *op, Evaluator &eval) {
  Window window = *eval.getWindow(op->getOperand(0));
  std::swap(window.sizes[0], window.sizes[1]);
  std::swap(window.origin[0], window.origin[1]);
  window.isTransposed = !window.isTransposed;
  eval.setWindow(op->getResult(0), std::move(window));
  return llvm::success();
}

static constexpr NamedRule memoryRules[] = {
    {"tile.dim", dim},     {"tile.subview", subview},
    {"tile.load", load},   {"tile.store", store},
    {"tile.alloc", alloc}, {"tile.read", read},
    {"tile.write", write}, {"tile.transpose_view", transposeView},
};

llvm::ArrayRef<NamedRule> drawloom::interp::getMemoryRules() {
  return memoryRules;
}
