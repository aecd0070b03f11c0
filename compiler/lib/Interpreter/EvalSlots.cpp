//===- EvalSlots.cpp - Slots, and copies to and from them -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slot holds tiles, each a memory with a guard. Where it is, in bytes or
// columns, says only which others have the same place: who writes one of them
// must come after all accesses of the others, and empties them.
//
//===----------------------------------------------------------------------===//

#include "Agents.h"
#include "Buffers.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"

using namespace drawloom::interp;
using namespace drawloom;
using llvm::LogicalResult;
using mlir::Operation;

static LogicalResult makeSlots(Operation *op, Evaluator &eval) {
  auto slots = mlir::cast<agent::SlotsOp>(op);
  agent::SlotsType type = slots.getSlots().getType();
  // Messages are made when they are written.
  if (type.getMemory() == agent::Memory::message)
    return llvm::success();
  bool isTensor = type.getMemory() == agent::Memory::tmem;
  for (int64_t index = 0; index < static_cast<int64_t>(slots.getCount());
       ++index)
    for (auto [value, payload] : llvm::enumerate(type.getPayload())) {
      auto tile = mlir::cast<mlir::RankedTensorType>(payload);
      auto format = eval.getFormat(op, tile);
      if (failed(format))
        return llvm::failure();
      HostTensor tensor(*format, tile.getShape());
      Guard guard;
      guard.name = "slot " + std::to_string(index) + " of '" +
                   slots.getName().str() + "'";
      guard.cta = eval.getCta();
      guard.inTensorMemory = isTensor;
      guard.slots = slots;
      guard.index = index;
      guard.value = static_cast<int64_t>(value);
      guard.begin =
          slots.getAt() + index * slots.getStride() + slots.getOffsets()[value];
      int64_t bits = getInfo(*format).bits;
      guard.end =
          guard.begin + (isTensor ? (tile.getShape().back() * bits + 31) / 32
                                  : countBytes(tensor));
      eval.getAgents().protocol.addMemory(std::move(guard), std::move(tensor),
                                          op);
    }
  return llvm::success();
}

static LogicalResult slot(Operation *op, Evaluator &eval) {
  auto slot = mlir::cast<agent::SlotOp>(op);
  auto slots = slot.getSlots().getDefiningOp<agent::SlotsOp>();
  int64_t index = eval.getIndex(slot.getIndex());
  Protocol &protocol = eval.getAgents().protocol;
  Guard *guard = protocol.find(slots, eval.getCta(), index, slot.getValue());
  if (!guard)
    return op->emitError() << "slot " << index << " of '" << slots.getName()
                           << "' does not exist; it has " << slots.getCount()
                           << " [interpreter]";
  if (guard->inTensorMemory && guard->end > protocol.columns[eval.getCta()])
    return op->emitError() << guard->name << " ends at column " << guard->end
                           << " of tensor memory, of which "
                           << protocol.columns[eval.getCta()]
                           << " columns are allocated [interpreter]";
  eval.setWindow(slot.getBuffer(), Window(guard->memory));
  return llvm::success();
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// A tensor map knows the edges of an argument, not those of a part of it.
static Window toArgument(Window window) {
  window.low.assign(window.low.size(), 0);
  window.high.assign(window.memory->tensor->getShape().begin(),
                     window.memory->tensor->getShape().end());
  return window;
}

/// The barrier that a bulk load of another CTA's slot tells: the same one
/// there, or in the CTA of its pair that counts for both.
static llvm::FailureOr<int64_t> findSignaled(agent::SlotLoadOp op,
                                             Evaluator &eval, int64_t cta) {
  Protocol &protocol = eval.getAgents().protocol;
  Barrier &named = protocol.getBarrier(eval.getIndex(op.getBarrier()));
  auto made = op.getBarrier().getDefiningOp<agent::BarrierOp>();
  if (!op.getCtas())
    return eval.getIndex(op.getBarrier());
  bool isPair = made && made.getCta();
  return protocol.findBarrier(
      op, named.ring, isPair ? (cta & ~1) | (named.cta & 1) : cta, named.index);
}

/// The tile's rows, or the part of them that this CTA loads, in one CTA.
static LogicalResult fill(agent::SlotLoadOp op, Evaluator &eval,
                          const RuntimeValue &tile, int64_t cta,
                          Participant &who) {
  Protocol &protocol = eval.getAgents().protocol;
  Guard &own = *eval.getWindow(op.getBuffer())->memory->guard;
  Guard *guard = protocol.find(own.slots, cta, own.index, own.value);
  int64_t parts = op.getParts();
  std::optional<int64_t> part;
  if (op.getPlace())
    part = eval.getIndex(op.getPlace());
  auto access = protocol.write(op, who, By::BulkLoads, *guard, part);
  auto signaled = findSignaled(op, eval, cta);
  if (failed(access) || failed(signaled))
    return llvm::failure();
  int64_t count = tile.tensor->getNumElements() / parts;
  guard->memory->owned->copyRow(count, part.value_or(0) * count, *tile.tensor,
                                part.value_or(0) * count);
  guard->memory->undefined.reset();
  Barrier &barrier = protocol.getBarrier(*signaled);
  if (!barrier.isVisible)
    return op->emitError()
           << "uses " << barrier.describe()
           << ", which is not set up and synced yet [interpreter]";
  barrier.arrived.raise(access->actor, access->number);
  barrier.bytes -= countBytes(*tile.tensor) / parts;
  barrier.completePhases();
  return llvm::success();
}

static LogicalResult load(Operation *op, Evaluator &eval) {
  auto load = mlir::cast<agent::SlotLoadOp>(op);
  auto who = getParticipant(op, eval);
  auto format = eval.getFormat(op, load.getTile());
  if (failed(who) || failed(format))
    return llvm::failure();
  bool isBulk = load.getEngine() == agent::Engine::tma;
  const Window &view = *eval.getWindow(load.getView());
  Window window = isBulk ? toArgument(view) : view;
  RuntimeValue tile;
  if (failed(loadBox(
          op, eval,
          {window, eval.getIndices(load.getMixedOffsets()), load.getDims()},
          load.getPad(), tile, HostTensor(*format, load.getTile().getShape()))))
    return llvm::failure();
  const Window &buffer = *eval.getWindow(load.getBuffer());
  Protocol &protocol = eval.getAgents().protocol;
  if (!isBulk) {
    if (failed(protocol.write(op, **who, By::Copies, *buffer.memory->guard)))
      return llvm::failure();
    copyTo(buffer, tile);
    return llvm::success();
  }
  if (!load.getCtas())
    return fill(load, eval, tile, eval.getCta(), **who);
  uint64_t set = eval.get(load.getCtas())->getUInt(0);
  for (int64_t cta = 0; cta < protocol.ctas; ++cta)
    if ((set >> cta & 1) && failed(fill(load, eval, tile, cta, **who)))
      return llvm::failure();
  return llvm::success();
}

static LogicalResult store(Operation *op, Evaluator &eval) {
  auto store = mlir::cast<agent::SlotStoreOp>(op);
  auto who = getParticipant(op, eval);
  const Window &buffer = *eval.getWindow(store.getBuffer());
  bool isBulk = store.getEngine() == agent::Engine::tma;
  if (failed(who) ||
      failed(eval.getAgents().protocol.read(
          op, **who, isBulk ? By::Stores : By::Threads, *buffer.memory->guard)))
    return llvm::failure();
  const Window &view = *eval.getWindow(store.getView());
  Window window = isBulk ? toArgument(view) : view;
  return storeBox(
      op, eval,
      {window, eval.getIndices(store.getMixedOffsets()), store.getDims()},
      copyFrom(buffer));
}

static LogicalResult fits(Operation *op, Evaluator &eval) {
  auto fits = mlir::cast<agent::FitsOp>(op);
  const Window &window = *eval.getWindow(fits.getView());
  llvm::SmallVector<int64_t, 4> offsets = eval.getIndices(mlir::getMixedValues(
      fits.getStaticOffsets(), fits.getOffsets(), op->getContext()));
  llvm::ArrayRef<int64_t> argument = window.memory->tensor->getShape();
  bool result = true;
  for (auto [size, dim] : llvm::zip_equal(fits.getShape(), fits.getDims())) {
    int64_t begin = window.origin[dim] + offsets[dim];
    bool isInside =
        begin >= window.low[dim] && begin + size <= window.high[dim];
    bool endsThere =
        begin >= window.low[dim] && window.high[dim] == argument[dim];
    result &= isInside || endsThere;
  }
  eval.set(fits.getResult(), HostTensor::scalar(Format::I1, int64_t(result)));
  return llvm::success();
}

/// Threads write the tile to the slot of each CTA of a set, where it is the
/// `place`th.
static LogicalResult send(Operation *op, Evaluator &eval) {
  auto send = mlir::cast<agent::SendOp>(op);
  auto who = getParticipant(op, eval);
  if (failed(who))
    return llvm::failure();
  Protocol &protocol = eval.getAgents().protocol;
  Guard &first = *eval.getWindow(send.getBuffer())->memory->guard;
  llvm::ArrayRef<int64_t> offsets = first.slots.getOffsets();
  int64_t at =
      offsets[first.value] + eval.getIndex(send.getPlace()) * send.getStride();
  int64_t value = llvm::find(offsets, at) - offsets.begin();
  uint64_t set = eval.get(send.getCtas())->getUInt(0);
  for (int64_t cta = 0; cta < protocol.ctas; ++cta) {
    if (!(set >> cta & 1))
      continue;
    Guard *guard = protocol.find(first.slots, cta, first.index, value);
    if (!guard)
      return op->emitError() << "writes at byte " << at << " of " << first.name
                             << ", where no tile begins [interpreter]";
    if (failed(protocol.write(op, **who, By::Threads, *guard)))
      return llvm::failure();
    copyTo(Window(guard->memory), eval.getValue(send.getPart()));
  }
  return llvm::success();
}

//===----------------------------------------------------------------------===//
// Tiles that are named
//===----------------------------------------------------------------------===//

static LogicalResult orZero(Operation *op, Evaluator &eval) {
  auto orZero = mlir::cast<agent::OrZeroOp>(op);
  if (eval.get(orZero.getFilled())->getUInt(0)) {
    eval.setValue(orZero.getResult(), eval.getValue(orZero.getTile()));
    return llvm::success();
  }
  auto zeros = eval.makeResult(op);
  if (failed(zeros))
    return llvm::failure();
  eval.set(orZero.getResult(), std::move(*zeros));
  return llvm::success();
}

static constexpr NamedRule slotRules[] = {
    {"agent.slots", makeSlots}, {"agent.slot", slot}, {"agent.load", load},
    {"agent.store", store},     {"agent.fits", fits}, {"agent.send", send},
    {"agent.or_zero", orZero},
};

llvm::ArrayRef<NamedRule> drawloom::interp::getSlotRules() { return slotRules; }
