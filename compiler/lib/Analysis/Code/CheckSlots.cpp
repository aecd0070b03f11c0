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
#include "drawloom/Dialect/Agent/IR/Engines.h"
#include "drawloom/Target/Architecture.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using namespace drawloom::plan;
using Kind = Place::Kind;

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

LogicalResult RoleChecker::checkProduce(ProduceOp op) {
  auto pipe = op.getPipe().getDefiningOp<PipeOp>();
  if (pipe.getPipe().getType().getMemory() == Memory::message)
    return checkBlock(op.getBody().front());
  Engine engine = *pipe.getProducerEngine();
  Block &body = op.getBody().front();
  Operation *end = body.getTerminator();
  if (engine == Engine::tensor_core)
    for (Value value : end->getOperands())
      forEachMma(value, [&](tile::MmaOp mma) { accumulators.insert(mma); });
  for (Operation &inner : body.without_terminator()) {
    auto load = dyn_cast<tile::LoadOp>(inner);
    bool isCopied = load && isa<RankedTensorType>(load.getType()) &&
                    (engine == Engine::tma || engine == Engine::cp_async);
    if (!isCopied && failed(check(&inner)))
      return failure();
  }
  bool inTensor = pipe.getPipe().getType().getMemory() == Memory::tmem;
  for (auto [number, value] : llvm::enumerate(end->getOperands())) {
    auto load = value.getDefiningOp<tile::LoadOp>();
    std::optional<Panels> panels =
        inTensor ? std::nullopt : getPanels(pipe, number);
    switch (engine) {
    case Engine::tensor_core:
      break;
    case Engine::threads:
      if (failed(inTensor ? writeTensor(value, end)
                          : write(value, panels, end)))
        return failure();
      break;
    case Engine::tma:
      if (failed(checkBulkCopy(load, load.getView(), load.getType(),
                               load.getTileDims())))
        return failure();
      if (load.getPad() &&
          load.getPadOrZero() !=
              tile::LoadOp::getDefaultPad(getElementTypeOrSelf(load.getType())))
        return load->emitOpError("pads with a number, and what TMA fills up is "
                                 "zero; use by(cp_async) [tma-pad]");
      break;
    case Engine::cp_async:
      break;
    }
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
  Block &body = op.getBody().front();
  for (auto [number, value] : llvm::enumerate(op.getPipes())) {
    auto pipe = value.getDefiningOp<PipeOp>();
    bool inTensor = pipe.getPipe().getType().getMemory() == Memory::tmem;
    for (auto [index, argument] :
         llvm::enumerate(op.getSlotArguments(number))) {
      if (!isa<RankedTensorType>(argument.getType()))
        continue;
      if (inTensor && pipe.getProducerEngine() == Engine::tensor_core &&
          failed(checkAccumulator(op, pipe, index)))
        return failure();
      places[argument] = inTensor ? Place{Kind::Tensor}
                                  : Place{Kind::Shared, getPanels(pipe, index)};
    }
  }
  if (failed(checkBlock(body)))
    return failure();
  Operation *end = body.getTerminator();
  for (auto [result, value] :
       llvm::zip_equal(op.getResults(), end->getOperands())) {
    if (!isa<RankedTensorType>(value.getType()))
      continue;
    bool isAccumulator = places.lookup(value).kind == Kind::Accumulator;
    if (!isAccumulator && failed(read(value, end)))
      return failure();
    places[result] = {isAccumulator ? Kind::Accumulator : Kind::Registers};
  }
  return success();
}
