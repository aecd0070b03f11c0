//===- CheckLayouts.cpp - What the patterns don't take, and why -----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads.h"
#include "drawloom/Analysis/Layouts/Conversion.h"
#include "drawloom/Analysis/Layouts/TensorMemory.h"
#include "drawloom/Conversion/TileToNVVM/TileToNVVM.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::tonvvm;
using tile::Layout;

static constexpr int64_t maxAddress = std::numeric_limits<int32_t>::max();

/// A tile in registers, as those who run the operation have it.
static LogicalResult checkTile(Operation *op, RankedTensorType tile) {
  const Layout *layout = getLayout(tile);
  if (!layout)
    return op->emitOpError() << "has a " << tile
                             << " without a layout: code needs to know where "
                                "its elements are [layout]";
  if (llvm::Error error = layouts::checkInRegisters(*layout))
    return op->emitOpError()
           << "has a tile in registers: " << llvm::toString(std::move(error))
           << " [layout]";
  if (!getElementBytes(tile.getElementType()))
    return op->emitOpError()
           << "moves elements of type " << tile.getElementType()
           << ", which are no whole bytes: they have no code "
              "yet [layout]";
  std::optional<Warps> warps = findWarps(op);
  if (!warps)
    return op->emitOpError("is in no placed role and in no kernel whose "
                           "'nvvm.reqntid' is a multiple of 32: there is no "
                           "telling which warps run it [layout]");
  int64_t count = layout->getInputSize(layouts::inWarp);
  if (count != warps->count)
    return op->emitOpError()
           << "has a tile in the registers of " << count << " warps, but "
           << warps->count << " run it [layout]";
  return success();
}

static LogicalResult checkBuffer(Operation *op, tile::BufferType buffer) {
  const Layout *layout = getLayout(buffer);
  if (!layout)
    return op->emitOpError() << "has a buffer without a layout: code needs to "
                                "know where its elements are [layout]";
  if (buffer.getSpace() == tile::Space::Tmem)
    return success();
  if (layout->getInputs().size() != 1 ||
      layout->getInputs()[0].name != "offset")
    return op->emitOpError("has a buffer of shared memory whose layout has "
                           "other inputs than offset [layout]");
  if (!layout->isInjective())
    return op->emitOpError("has a buffer whose layout has an element twice: in "
                           "memory each has one place [layout]");
  int64_t bytes =
      layout->getInputSize(0) * getElementBytes(buffer.getElementType());
  if (bytes > maxAddress)
    return op->emitOpError() << "has a buffer of " << bytes
                             << " bytes: addresses of shared memory have 32 "
                                "bits [layout]";
  return success();
}

static LogicalResult checkAccess(Operation *op, RankedTensorType tile,
                                 tile::BufferType buffer,
                                 ArrayRef<int64_t> offsets) {
  if (failed(checkTile(op, tile)) || failed(checkBuffer(op, buffer)))
    return failure();
  if (buffer.getSpace() == tile::Space::Smem)
    return success();
  if (llvm::any_of(offsets, ShapedType::isDynamic))
    return op->emitOpError("takes a part of tensor memory that is not known "
                           "when the kernel is compiled: its offsets must be "
                           "numbers [layout]");
  if (int64_t first = findWarps(op)->first; first % 4)
    return op->emitOpError()
           << "moves a tile of tensor memory by warps from " << first
           << " on: a group of four, each of which reaches its own lanes, "
              "begins at a multiple of four [layout]";
  llvm::Expected<layouts::TensorFragment> fragment =
      layouts::getTensorFragment(*getLayout(buffer), offsets, *getLayout(tile),
                                 getElementBytes(tile.getElementType()) * 8);
  if (!fragment)
    return op->emitOpError()
           << "moves a tile of tensor memory: "
           << llvm::toString(fragment.takeError()) << " [layout]";
  if (fragment->layout != *getLayout(tile))
    return op->emitOpError("moves a tile of tensor memory in a layout that its "
                           "instructions don't have: 'stage-conversions' puts "
                           "a conversion here [layout]");
  return success();
}

LogicalResult drawloom::checkLayouts(Operation *root) {
  WalkResult result = root->walk([&](Operation *operation) -> WalkResult {
    return llvm::TypeSwitch<Operation *, LogicalResult>(operation)
        .Case([&](tile::ConvertLayoutOp op) -> LogicalResult {
          RankedTensorType from = op.getSource().getType(), to = op.getType();
          if (failed(checkTile(op, from)) || failed(checkTile(op, to)))
            return failure();
          llvm::Expected<layouts::Conversion> conversion =
              layouts::planConversion(*getLayout(from), *getLayout(to),
                                      getElementBytes(from.getElementType()));
          if (!conversion)
            return op.emitOpError() << llvm::toString(conversion.takeError());
          if (conversion->way == layouts::Way::Scratch)
            return op.emitOpError()
                   << "moves elements from warp to warp: 'stage-conversions' "
                      "has them go through "
                   << conversion->scratchBytes
                   << " bytes of shared memory [layout]";
          return success();
        })
        .Case([&](tile::ReadOp op) {
          return checkAccess(op, op.getType(), op.getBuffer().getType(),
                             op.getStaticOffsets());
        })
        .Case([&](tile::WriteOp op) {
          return checkAccess(op, op.getValue().getType(),
                             op.getBuffer().getType(), op.getStaticOffsets());
        })
        .Case([&](tile::AllocOp op) -> LogicalResult {
          if (op.getType().getSpace() == tile::Space::Tmem || !op.getAt())
            return op.emitOpError("has no place in shared memory: give it one "
                                  "with at(...) [pass-order]");
          if (int64_t(*op.getAt()) > maxAddress)
            return op.emitOpError()
                   << "begins at byte " << *op.getAt()
                   << ": addresses of shared memory have 32 bits [layout]";
          return checkBuffer(op, op.getType());
        })
        .Default([](Operation *) { return success(); });
  });
  return failure(result.wasInterrupted());
}
