//===- CheckSlots.cpp - Whether slots can be filled and emptied -----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoleChecker.h"
#include "drawloom/Analysis/Slots/Accumulators.h"
#include "drawloom/Analysis/Slots/Engines.h"
#include "drawloom/Analysis/Slots/Footprint.h"
#include "drawloom/Dialect/Agent/IR/Engines.h"
#include "drawloom/Target/Architecture.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using namespace drawloom::plan;

/// What a tensor map describes.
LogicalResult RoleChecker::checkBulkCopy(Operation *copy, Value view, Type type,
                                         ArrayRef<int64_t> dims) {
  auto tile = cast<RankedTensorType>(type);
  std::optional<Panels> panels = getCopyPanels(copy);
  int64_t rank = cast<tile::ViewType>(view.getType()).getRank();
  if (panels && panels->isBoxed() && dims.back() == rank - 1)
    return success();
  return copy->emitOpError()
         << "moves rows of " << tile
         << ", which TMA can't cut into boxes of at most " << arch.tma.maxBoxDim
         << " elements that begin at a multiple of " << arch.tma.boxAlign
         << " bytes; use by(cp_async), shorter rows, or a multiple of "
         << arch.tma.boxAlign << " bytes [tma-box]";
}

LogicalResult RoleChecker::checkStore(tile::StoreOp op) {
  if (!isStoredByTma(op))
    return success();
  return checkBulkCopy(op, op.getView(), op.getValue().getType(),
                       op.getTileDims());
}

LogicalResult RoleChecker::checkProduce(ProduceOp op) {
  if (op.getEngine() != Engine::tma)
    return success();
  for (Value value : op.getBody().front().getTerminator()->getOperands()) {
    auto load = value.getDefiningOp<tile::LoadOp>();
    if (failed(checkBulkCopy(load, load.getView(), load.getType(),
                             load.getTileDims())))
      return failure();
    if (load.getPad() &&
        load.getPadOrZero() !=
            tile::LoadOp::getDefaultPad(getElementTypeOrSelf(load.getType())))
      return load->emitOpError("pads with a number, and what TMA fills up is "
                               "zero; use by(cp_async) [tma-pad]");
  }
  return success();
}

LogicalResult RoleChecker::writeTensor(RankedTensorType type, Operation *user) {
  if (type.getDimSize(0) % arch.tensorMemory.lanes != 0)
    return user->emitOpError()
           << "fills tensor memory with " << type.getDimSize(0)
           << " rows; there is code for a multiple of "
           << arch.tensorMemory.lanes << " [unsupported-tile]";
  auto layout = cast<tile::LayoutAttr>(type.getEncoding());
  int64_t bits = layout.getLayout().getInputSize(inRegister) *
                 getElementBits(type.getElementType());
  if (bits % 32 == 0)
    return success();
  return user->emitOpError()
         << "fills tensor memory with rows of " << bits
         << " bits, which are no whole columns of 32 [unsupported-tile]";
}

/// What threads put into a slot.
LogicalResult RoleChecker::checkFilled(ProduceOp op) {
  auto pipe = op.getPipe().getDefiningOp<PipeOp>();
  Memory memory = pipe.getPipe().getType().getMemory();
  if (memory == Memory::message || op.getEngine() != Engine::threads)
    return success();
  Operation *end = op.getBody().front().getTerminator();
  for (auto [number, value] : llvm::enumerate(end->getOperands())) {
    auto type = cast<RankedTensorType>(value.getType());
    if (failed(memory == Memory::tmem ? writeTensor(type, end)
                                      : access(type, getPanels(pipe, number),
                                               /*transposed=*/false, end)))
      return failure();
  }
  return success();
}

/// Whether the role can tell if there is an MMA in an accumulator that it
/// reads.
LogicalResult RoleChecker::checkAccumulator(ConsumeOp op, PipeOp pipe,
                                            unsigned index) {
  for (Operation *user : pipe.getPipe().getUsers()) {
    auto produce = dyn_cast<ProduceOp>(user);
    if (!produce)
      continue;
    Operation *end = produce.getBody().front().getTerminator();
    Ways ways = findWays(end->getOperand(index));
    if (llvm::any_of(ways, [](auto &way) { return way.empty(); }))
      continue;
    for (ArrayRef<scf::ForOp> way : ways)
      for (scf::ForOp loop : way) {
        std::optional<ScalarSlice> slice = sliceBounds(loop);
        auto mine = op->getParentOfType<ForEachItemOp>();
        if (slice && (!slice->items ||
                      (mine && mine.getSource() == slice->items.getSource())))
          continue;
        InFlightDiagnostic error =
            op->emitOpError()
            << "reads an accumulator, and @" << role.getSymName()
            << " can't know whether the mainloop ran: its trip count depends "
               "on more than the tile index, and may be 0; make it depend on "
               "the tile index only, or peel one MMA [unknown-trip-count]";
        error.attachNote(loop.getLoc()) << "this loop";
        return error;
      }
  }
  return success();
}

LogicalResult RoleChecker::checkConsume(ConsumeOp op) {
  for (auto [number, value] : llvm::enumerate(op.getPipes())) {
    auto pipe = value.getDefiningOp<PipeOp>();
    if (pipe.getPipe().getType().getMemory() != Memory::tmem ||
        pipe.getProducerEngine() != Engine::tensor_core)
      continue;
    for (unsigned index : llvm::seq(op.getSlotArguments(number).size()))
      if (failed(checkAccumulator(op, pipe, index)))
        return failure();
  }
  return success();
}
