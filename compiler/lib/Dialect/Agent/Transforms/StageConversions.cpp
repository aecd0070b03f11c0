//===- StageConversions.cpp - Layouts that are several steps apart --------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Analysis/Layouts/Conversion.h"
#include "drawloom/Analysis/RoleTiles/Exchanges.h"
#include "drawloom/Analysis/RoleTiles/Fragments.h"
#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/Dialect/Agent/IR/ProtocolOps.h"
#include "drawloom/Dialect/Agent/Transforms/Passes.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace drawloom::agent {
#define GEN_PASS_DEF_STAGECONVERSIONS
#include "drawloom/Dialect/Agent/Transforms/Passes.h.inc"
} // namespace drawloom::agent

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

/// The layout of a tile in registers; null if it has none.
static const tile::Layout *getLayout(RankedTensorType tile) {
  auto layout = dyn_cast_or_null<tile::LayoutAttr>(tile.getEncoding());
  return layout ? &layout.getLayout() : nullptr;
}

static int64_t getElementBits(RankedTensorType tile) {
  Type element = tile.getElementType();
  if (element.isInteger(1))
    return 8;
  return element.isIndex() ? 32 : element.getIntOrFloatBitWidth();
}

//===----------------------------------------------------------------------===//
// Scratch
//===----------------------------------------------------------------------===//

namespace {
/// Where tiles change threads: memory, and who meets there.
struct Scratch {
  int64_t offset, bytes;
  Participants participants;
};
} // namespace

/// The scratch of a role is after its operands, see `access-memory`.
static std::optional<Scratch> findScratch(Operation *op) {
  auto role = op->getParentOfType<RoleOp>();
  ScratchAttr scratch = role ? role.getScratchAttr() : ScratchAttr();
  if (!scratch)
    return std::nullopt;
  if (role.getWarps() == 1)
    return Scratch{scratch.getOffset(), scratch.getBytes(), Participants::warp};
  NamedBarrierAttr named = role.getNamedBarrierAttr();
  if (!named)
    return std::nullopt;
  return Scratch{named.getParts(),
                 scratch.getOffset() + scratch.getBytes() - named.getParts(),
                 Participants::role};
}

/// Writes a tile to scratch memory with a layout, and reads a part of it.
static LogicalResult moveThrough(Operation *op, const tile::Layout &layout,
                                 int64_t bytes, ValueRange computed,
                                 ArrayRef<int64_t> offsets) {
  auto from = cast<RankedTensorType>(op->getOperand(0).getType());
  auto to = cast<RankedTensorType>(op->getResult(0).getType());
  std::optional<Scratch> scratch = findScratch(op);
  if (!scratch || scratch->bytes < bytes) {
    InFlightDiagnostic message = op->emitOpError()
                                 << "needs " << bytes
                                 << " bytes of scratch to convert a " << to
                                 << ", but has ";
    if (scratch)
      return message << scratch->bytes << " from byte " << scratch->offset
                     << " on [pass-order]";
    return message << "none [pass-order]";
  }
  ImplicitLocOpBuilder b(op->getLoc(), op);
  auto type = tile::BufferType::get(
      from.getShape(), from.getElementType(), tile::Space::Smem,
      tile::LayoutAttr::get(op->getContext(), layout));
  Value buffer =
      tile::AllocOp::create(b, type, b.getI64IntegerAttr(scratch->offset));
  tile::WriteOp::create(b, op->getOperand(0), buffer, ValueRange(),
                        SmallVector<int64_t>(from.getRank(), 0));
  SyncOp::create(b, scratch->participants);
  Value read = tile::ReadOp::create(b, to, buffer, computed, offsets);
  SyncOp::create(b, scratch->participants);
  op->replaceAllUsesWith(ValueRange(read));
  op->erase();
  return success();
}

static LogicalResult stageConversion(tile::ConvertLayoutOp op) {
  RankedTensorType from = op.getSource().getType(), to = op.getType();
  if (!getLayout(from) || !getLayout(to) || getElementBits(from) % 8 ||
      !llvm::isPowerOf2_64(getElementBits(from)))
    return success();
  llvm::Expected<layouts::Conversion> conversion = layouts::planConversion(
      *getLayout(from), *getLayout(to), getElementBits(from) / 8);
  if (!conversion)
    return op.emitOpError()
           << "has layouts that nothing leads between: "
           << llvm::toString(conversion.takeError()) << " [layout]";
  if (conversion->way != layouts::Way::Scratch)
    return success();
  return moveThrough(op, *conversion->scratch, conversion->scratchBytes,
                     ValueRange(), SmallVector<int64_t>(to.getRank(), 0));
}

/// A part of a tile in registers, if its elements are in other threads.
static LogicalResult stageSlice(Operation *op) {
  auto from = cast<RankedTensorType>(op->getOperand(0).getType());
  auto to = cast<RankedTensorType>(op->getResult(0).getType());
  if (!getLayout(from) || !getLayout(to) ||
      plan::sliceStaysInThreads(op, *getLayout(from), *getLayout(to)))
    return success();
  std::optional<int64_t> bytes = plan::getSliceBytes(from);
  llvm::Expected<tile::Layout> rows =
      tile::Layout::rowMajor("offset", from.getShape());
  if (!rows || !bytes) {
    llvm::consumeError(rows.takeError());
    return success();
  }
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return moveThrough(op, *rows, *bytes, slice.getOffsets(),
                       slice.getStaticOffsets());
  return moveThrough(op, *rows, *bytes, ValueRange(),
                     cast<tile::ExtractSliceOp>(op).getOffsets());
}

namespace {
struct StageConversionsPass
    : agent::impl::StageConversionsBase<StageConversionsPass> {
  void runOnOperation() override {
    SmallVector<tile::ConvertLayoutOp> conversions;
    getOperation().walk(
        [&](tile::ConvertLayoutOp op) { conversions.push_back(op); });
    SmallVector<Operation *> slices;
    getOperation().walk([&](Operation *op) {
      if (isa<tile::ExtractSliceOp, tensor::ExtractSliceOp>(op))
        slices.push_back(op);
    });
    for (tile::ConvertLayoutOp op : conversions)
      if (failed(stageConversion(op)))
        return signalPassFailure();
    for (Operation *op : slices)
      if (failed(stageSlice(op)))
        return signalPassFailure();
  }
};
} // namespace
