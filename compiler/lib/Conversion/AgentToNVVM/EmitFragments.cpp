//===- EmitFragments.cpp - Tiles in registers ---------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::codegen;

/// What a thread reads or writes of shared memory at once.
static constexpr int64_t chunkBytes = 16;

VectorType Emitter::getFragmentType(RankedTensorType type) {
  return VectorType::get(type.getShape().back(), type.getElementType());
}

FailureOr<Value> Emitter::getFragment(Value value, Operation *user) {
  auto type = cast<RankedTensorType>(value.getType());
  finishProduct(value);
  const Tile tile = tiles.lookup(value);
  // Thread t of the role has row t.
  int64_t threads = role ? role.getWarps() * kernel.arch.warpSize : 0;
  if (type.getRank() != 2 || type.getDimSize(0) != threads)
    return user->emitOpError()
           << "works on a " << type << " with " << threads
           << " threads; there is code for one row for each thread";
  switch (tile.kind) {
  case Tile::Kind::Fragment:
    return tile.value;
  case Tile::Kind::Splat:
    return arith::ConstantOp::create(
               b, DenseElementsAttr::get(getFragmentType(type),
                                         Attribute(tile.splat)))
        .getResult();
  case Tile::Kind::Tensor:
    if (!type.getElementType().isF32())
      break;
    return loadTensor(tile, type.getDimSize(1));
  case Tile::Kind::Shared:
    if (std::optional<Panels> panels = getPanels(type))
      return loadShared(tile.value, type, *panels);
    break;
  case Tile::Kind::Accumulator:
    break;
  }
  return user->emitOpError()
         << "reads a " << type << " in a way that has no code yet";
}

/// Where chunk `chunk` of this thread's row is in a panel.
Value Emitter::getRowChunk(const Panels &panels, Value slot, int64_t panel,
                           int64_t chunk) {
  // The swizzle takes the exclusive or of the number of a chunk and that of the
  // 128 bytes that it is in.
  int64_t rowsPerSpan = swizzleSpan / panels.width;
  int64_t chunks = panels.width / chunkBytes;
  Value span = arith::DivUIOp::create(b, row, constant(rowsPerSpan));
  Value pattern = arith::AndIOp::create(b, span, constant(chunks - 1));
  Value moved = arith::XOrIOp::create(b, pattern, constant(chunk));
  Value inRow = arith::MulIOp::create(b, moved, constant(chunkBytes));
  Value rowStart = arith::MulIOp::create(b, row, constant(panels.width));
  Value offset = arith::AddIOp::create(b, rowStart, inRow);
  offset = arith::AddIOp::create(b, offset, constant(panel * panels.bytes()));
  return LLVM::GEPOp::create(b, slot.getType(), b.getI8Type(), slot,
                             ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(offset)});
}

Value Emitter::loadShared(Value slot, RankedTensorType type,
                          const Panels &panels) {
  int64_t perChunk = chunkBytes * 8 / panels.bits;
  auto chunkType = VectorType::get(perChunk, type.getElementType());
  Value row =
      arith::ConstantOp::create(b, b.getZeroAttr(getFragmentType(type)));
  int64_t chunks = panels.width / chunkBytes;
  for (int64_t i = 0; i < panels.count * chunks; ++i) {
    Value at = getRowChunk(panels, slot, i / chunks, i % chunks);
    Value chunk = LLVM::LoadOp::create(b, chunkType, at, chunkBytes);
    row = vector::InsertStridedSliceOp::create(
        b, chunk, row, ArrayRef<int64_t>{i * perChunk}, ArrayRef<int64_t>{1});
  }
  return row;
}

LogicalResult Emitter::writeShared(Value value, Value slot, Operation *user) {
  auto type = cast<RankedTensorType>(value.getType());
  std::optional<Panels> panels = getPanels(type);
  FailureOr<Value> fragment = getFragment(value, user);
  if (failed(fragment))
    return failure();
  if (!panels)
    return user->emitOpError()
           << "writes rows of " << type << ", for which TMA has no swizzle";
  int64_t perChunk = chunkBytes * 8 / panels->bits;
  int64_t chunks = panels->width / chunkBytes;
  for (int64_t i = 0; i < panels->count * chunks; ++i) {
    Value chunk = vector::ExtractStridedSliceOp::create(
        b, *fragment, ArrayRef<int64_t>{i * perChunk},
        ArrayRef<int64_t>{perChunk}, ArrayRef<int64_t>{1});
    LLVM::StoreOp::create(b, chunk,
                          getRowChunk(*panels, slot, i / chunks, i % chunks),
                          chunkBytes);
  }
  return success();
}

/// Columns of a tile in tensor memory: another address.
LogicalResult Emitter::emitSlice(Operation *op) {
  Value source = op->getOperand(0);
  const Tile tile = tiles.lookup(source);
  auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (!slice || tile.kind != Tile::Kind::Tensor || type.getRank() != 2 ||
      type.getDimSize(0) !=
          cast<RankedTensorType>(source.getType()).getDimSize(0) ||
      !type.getElementType().isF32())
    return op->emitOpError(
        "cuts something else than columns of an f32 tile in tensor memory, "
        "which has no code yet");
  Value first = lookup(slice.getMixedOffsets()[1]);
  tiles[op->getResult(0)] = {Tile::Kind::Tensor,
                             arith::AddIOp::create(b, tile.value, first),
                             {},
                             tile.filled};
  return success();
}
