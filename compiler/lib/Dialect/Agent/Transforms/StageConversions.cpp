//===- StageConversions.cpp - Layouts that are several steps apart --------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Analysis/Layouts/Conversion.h"
#include "drawloom/Analysis/Layouts/TensorMemory.h"
#include "drawloom/Dialect/Agent/IR/AgentOps.h"
#include "drawloom/Dialect/Agent/IR/ProtocolOps.h"
#include "drawloom/Dialect/Agent/Transforms/Passes.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

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

static RankedTensorType withLayout(RankedTensorType tile,
                                   const tile::Layout &layout) {
  return tile.cloneWithEncoding(
      tile::LayoutAttr::get(tile.getContext(), layout));
}

static int64_t getElementBits(RankedTensorType tile) {
  Type element = tile.getElementType();
  if (element.isInteger(1))
    return 8;
  return element.isIndex() ? 32 : element.getIntOrFloatBitWidth();
}

//===----------------------------------------------------------------------===//
// Tensor memory
//===----------------------------------------------------------------------===//

/// The type in which a tile is moved between registers and a buffer. It is the
/// tile's own if there is nothing to do, and where code generation says why
/// not.
static RankedTensorType getMovedType(RankedTensorType tile,
                                     tile::BufferType buffer,
                                     ArrayRef<int64_t> offsets) {
  const tile::Layout *wanted = getLayout(tile);
  if (buffer.getSpace() != tile::Space::Tmem || !buffer.getLayout() ||
      !wanted || llvm::any_of(offsets, ShapedType::isDynamic))
    return tile;
  if (llvm::Error error = layouts::checkInRegisters(*wanted)) {
    llvm::consumeError(std::move(error));
    return tile;
  }
  llvm::Expected<layouts::TensorFragment> fragment = layouts::getTensorFragment(
      buffer.getLayout().getLayout(), offsets, *wanted, getElementBits(tile));
  if (!fragment) {
    llvm::consumeError(fragment.takeError());
    return tile;
  }
  return withLayout(tile, fragment->layout);
}

static void stageRead(tile::ReadOp op) {
  RankedTensorType tile = op.getType();
  RankedTensorType moved =
      getMovedType(tile, op.getBuffer().getType(), op.getStaticOffsets());
  if (moved == tile)
    return;
  OpBuilder b(op->getContext());
  b.setInsertionPointAfter(op);
  op.getResult().setType(moved);
  auto converted =
      tile::ConvertLayoutOp::create(b, op.getLoc(), tile, op.getResult());
  op.getResult().replaceAllUsesExcept(converted, converted);
}

static void stageWrite(tile::WriteOp op) {
  RankedTensorType tile = op.getValue().getType();
  RankedTensorType moved =
      getMovedType(tile, op.getBuffer().getType(), op.getStaticOffsets());
  if (moved == tile)
    return;
  OpBuilder b(op);
  op.getValueMutable().assign(
      tile::ConvertLayoutOp::create(b, op.getLoc(), moved, op.getValue()));
}

//===----------------------------------------------------------------------===//
// Scratch
//===----------------------------------------------------------------------===//

static LogicalResult stageConversion(tile::ConvertLayoutOp op) {
  RankedTensorType from = op.getSource().getType(), to = op.getType();
  if (!getLayout(from) || !getLayout(to) || getElementBits(from) % 8 ||
      !llvm::isPowerOf2_64(getElementBits(from)))
    return success();
  llvm::Expected<layouts::Conversion> conversion = layouts::planConversion(
      *getLayout(from), *getLayout(to), getElementBits(from) / 8);
  if (!conversion)
    return op.emitOpError() << "has layouts that nothing leads between: "
                            << llvm::toString(conversion.takeError());
  if (conversion->way != layouts::Way::Scratch)
    return success();

  ScratchAttr scratch;
  Crowd crowd = Crowd::cta;
  if (auto role = op->getParentOfType<RoleOp>()) {
    if (role.getWarps() > 1)
      return op.emitOpError()
             << "converts a " << to << " through scratch in a role of "
             << role.getWarps()
             << " warps: they have no barrier for it yet; convert in a role of "
                "one warp, or choose layouts that keep elements in their warp";
    scratch = role.getScratchAttr();
    crowd = Crowd::warp;
  } else if (auto kernel = op->getParentOfType<FunctionOpInterface>()) {
    scratch = kernel->getAttrOfType<ScratchAttr>(scratchAttrName);
  }
  if (!scratch || scratch.getBytes() < conversion->scratchBytes) {
    InFlightDiagnostic message = op.emitOpError()
                                 << "needs " << conversion->scratchBytes
                                 << " bytes of scratch to convert a " << to
                                 << ", but has ";
    if (scratch)
      return message << scratch.getBytes() << " from byte "
                     << scratch.getOffset() << " on";
    return message << "none";
  }

  ImplicitLocOpBuilder b(op.getLoc(), op);
  auto type = tile::BufferType::get(
      to.getShape(), to.getElementType(), tile::Space::Smem,
      tile::LayoutAttr::get(op.getContext(), *conversion->scratch));
  Value buffer =
      tile::AllocOp::create(b, type, b.getI64IntegerAttr(scratch.getOffset()));
  SmallVector<int64_t> start(to.getRank(), 0);
  tile::WriteOp::create(b, op.getSource(), buffer, ValueRange(), start);
  SyncOp::create(b, crowd);
  Value read = tile::ReadOp::create(b, to, buffer, ValueRange(), start);
  SyncOp::create(b, crowd);
  op.replaceAllUsesWith(read);
  op.erase();
  return success();
}

namespace {
struct StageConversionsPass
    : agent::impl::StageConversionsBase<StageConversionsPass> {
  void runOnOperation() override {
    // Accesses first: they make conversions.
    getOperation().walk([](tile::ReadOp op) { stageRead(op); });
    getOperation().walk([](tile::WriteOp op) { stageWrite(op); });
    SmallVector<tile::ConvertLayoutOp> conversions;
    getOperation().walk(
        [&](tile::ConvertLayoutOp op) { conversions.push_back(op); });
    for (tile::ConvertLayoutOp op : conversions)
      if (failed(stageConversion(op)))
        return signalPassFailure();
  }
};
} // namespace
