//===- ProtocolOps.cpp - The protocol, written out ------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Dialect/Agent/IR/ProtocolOps.h"
#include "Assembly.h"
#include "Verify.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

//===----------------------------------------------------------------------===//
// Memory and barriers
//===----------------------------------------------------------------------===//

void VariableOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getVariable(), getName());
}

LogicalResult agent::verifyAt(Operation *end, OperandRange at) {
  for (Value value : at) {
    auto variable = getInFront<VariableOp>(end, value);
    if (!variable)
      return end->emitOpError("expects the result of an 'agent.variable' in "
                              "front of it");
    if (size_t count = variable.getInitial().size(); count != 2)
      return end->emitOpError()
             << "is at '" << variable.getName() << "', which has " << count
             << " numbers; a slot and a phase are two";
  }
  return success();
}

/// Checks that as many values are read or set as the variable has.
static LogicalResult verifyValues(Operation *op, Value value, size_t count) {
  auto variable = getInFront<VariableOp>(op, value);
  if (!variable)
    return op->emitOpError("expects the result of an 'agent.variable' in "
                           "front of it");
  if (count == variable.getInitial().size())
    return success();
  return op->emitOpError() << "has " << count << " values, but '"
                           << variable.getName() << "' has "
                           << variable.getInitial().size();
}

LogicalResult GetOp::verify() {
  return verifyValues(*this, getVariable(), getValues().size());
}

LogicalResult SetOp::verify() {
  return verifyValues(*this, getVariable(), getValues().size());
}

void SlotsOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getSlots(), getName());
}

LogicalResult SlotsOp::verify() {
  size_t tiles = getSlots().getType().getPayload().size();
  if (getOffsets().size() != tiles)
    return emitOpError() << "has " << getOffsets().size() << " offsets for "
                         << tiles << " tiles";
  if (getCount() < 1)
    return emitOpError() << "has count(" << getCount()
                         << "); a ring has one slot or more";
  return success();
}

void BarriersOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getBarriers(), getName());
}

LogicalResult BarriersOp::verify() {
  if (getCount() < 1)
    return emitOpError() << "has count(" << getCount()
                         << "); a ring has one barrier or more";
  if (getArrivals() < 1)
    return emitOpError() << "has arrivals(" << getArrivals()
                         << "); a phase without arrivals never "
                            "completes";
  return success();
}

void SlotOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  if (auto ring = getSlots().getDefiningOp<SlotsOp>())
    setName(getBuffer(), ring.getName());
}

LogicalResult SlotOp::verify() {
  SlotsType slots = getSlots().getType();
  ArrayRef<Type> payload = slots.getPayload();
  if (getValue() < 0 || getValue() >= static_cast<int64_t>(payload.size()))
    return emitOpError() << "is tile " << getValue() << " of a slot that holds "
                         << payload.size();
  if (slots.getMemory() == Memory::message)
    return emitOpError("is a tile of a message, which holds scalars; use "
                       "agent.read_message");
  auto tile = cast<RankedTensorType>(payload[getValue()]);
  tile::BufferType buffer = getBuffer().getType();
  tile::Space space =
      slots.getMemory() == Memory::tmem ? tile::Space::Tmem : tile::Space::Smem;
  if (buffer.getShape() != tile.getShape() ||
      buffer.getElementType() != tile.getElementType() ||
      buffer.getSpace() != space)
    return emitOpError() << "is a " << buffer << ", but the slot holds " << tile
                         << " in " << stringifyMemory(slots.getMemory());
  return success();
}

/// The barrier of "operands.full" is `%full`.
void BarrierOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  if (auto ring = getBarriers().getDefiningOp<BarriersOp>())
    setName(getBarrier(), ring.getName().rsplit('.').second);
}

//===----------------------------------------------------------------------===//
// Waiting and arriving
//===----------------------------------------------------------------------===//

LogicalResult ArriveOp::verify() {
  if (getEngine() == Engine::tma)
    return emitOpError("is by(tma), which arrives with its bytes; use "
                       "agent.expect");
  if (getEngine() == Engine::cp_async && getCtas())
    return emitOpError(
        "is by(cp_async) in other CTAs; cp.async arrives in its own");
  return success();
}

LogicalResult SendOp::verify() {
  if (getCount() < 1 || getCount() > 16)
    return emitOpError() << "is sent to " << getCount()
                         << " CTAs; a cluster has 1 to 16";
  RankedTensorType part = getPart().getType();
  tile::BufferType room = getBuffer().getType();
  if (room.getShape() != part.getShape() ||
      room.getElementType() != part.getElementType() ||
      room.getSpace() != tile::Space::Smem)
    return emitOpError() << "is a " << part << ", but the slot has room for "
                         << room;
  int64_t bytes = part.getNumElements() *
                  llvm::divideCeil(part.getElementTypeBitWidth(), 8);
  if (getStride() < bytes)
    return emitOpError() << "has stride(" << getStride() << "), and a part has "
                         << bytes << " bytes";
  return success();
}

LogicalResult DrainOp::verify() {
  if (getPending() != 0 &&
      (getWork() == Work::cp_async || getWork() == Work::tensor_stores))
    return emitOpError() << "has pending(" << getPending() << "), but "
                         << stringifyWork(getWork()) << " have no groups";
  return success();
}

void ElectOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getElected(), "elected");
}

LogicalResult ElectOp::verify() {
  if (getParticipants() != Participants::warp &&
      getParticipants() != Participants::role)
    return emitOpError() << "elects a thread of the "
                         << stringifyParticipants(getParticipants())
                         << "; roles act for a warp or for themselves";
  return success();
}

void PeersOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getCtas(), "ctas");
  setName(getPlace(), "place");
}

LogicalResult PeersOp::verify() {
  constexpr int64_t most = 16;
  int64_t ctas = 1;
  for (int64_t size : getCluster())
    ctas = size < 1 || size > most ? most + 1 : ctas * size;
  if (ctas > most)
    return emitOpError() << "is of [" << getCluster() << "] CTAs; a number of "
                         << most << " bits names them";
  for (int64_t dim : getAlong())
    if (dim < 0 || dim >= static_cast<int64_t>(getCluster().size()))
      return emitOpError() << "is along [" << getAlong()
                           << "], but a cluster of " << getCluster().size()
                           << " dimensions";
  return success();
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

static RankedTensorType getTile(tile::BufferType buffer) {
  return RankedTensorType::get(buffer.getShape(), buffer.getElementType());
}

/// A box of a view: `offsets` say where it begins, `dims` which of the view's
/// dimensions it has.
static LogicalResult verifyBox(Operation *op, tile::ViewType view,
                               size_t offsets, ArrayRef<int64_t> dims,
                               size_t rank) {
  if (static_cast<int64_t>(offsets) != view.getRank())
    return op->emitOpError()
           << "has " << offsets << " offsets for a view of rank "
           << view.getRank();
  if (dims.size() != rank || llvm::any_of(dims, [&](int64_t dim) {
        return dim < 0 || dim >= view.getRank();
      }))
    return op->emitOpError()
           << "has " << dims.size() << " dims for a tile of rank " << rank
           << " in a view of rank " << view.getRank();
  return success();
}

SmallVector<OpFoldResult> SlotLoadOp::getMixedOffsets() {
  return getMixedValues(getStaticOffsets(), getOffsets(), getContext());
}

RankedTensorType SlotLoadOp::getTile() {
  return ::getTile(getBuffer().getType());
}

LogicalResult SlotLoadOp::verify() {
  if (failed(verifyBox(*this, getView().getType(), getStaticOffsets().size(),
                       getDims(), getTile().getRank())))
    return failure();
  if (getEngine() != Engine::tma && getEngine() != Engine::cp_async)
    return emitOpError() << "is by(" << stringifyEngine(getEngine())
                         << "): copies are made by TMA or by cp.async";
  if ((getEngine() == Engine::tma) != static_cast<bool>(getBarrier()))
    return emitOpError() << "is by(" << stringifyEngine(getEngine())
                         << ") and tells " << (getBarrier() ? "a" : "no")
                         << " barrier; TMA brings its bytes to one, and "
                            "threads arrive on their own";
  if (getEngine() == Engine::tma &&
      getPad() != tile::LoadOp::getDefaultPad(getTile().getElementType()))
    return emitOpError("pads with a number other than zero, which tensor maps "
                       "can't; let threads copy it");
  if (!getPlace())
    return success();
  if (getEngine() != Engine::tma)
    return emitOpError(
        "is by(cp_async) in other CTAs; cp.async writes to its own");
  constexpr int64_t patternRows = 8;
  if (getParts() < 1 || getTile().getDimSize(0) % (getParts() * patternRows))
    return emitOpError() << "cuts a " << getTile() << " into " << getParts()
                         << " parts; a part is a multiple of " << patternRows
                         << " rows";
  return success();
}

SmallVector<OpFoldResult> SlotStoreOp::getMixedOffsets() {
  return getMixedValues(getStaticOffsets(), getOffsets(), getContext());
}

RankedTensorType SlotStoreOp::getTile() {
  return ::getTile(getBuffer().getType());
}

LogicalResult SlotStoreOp::verify() {
  if (getEngine() != Engine::tma && getEngine() != Engine::threads)
    return emitOpError() << "is by(" << stringifyEngine(getEngine())
                         << "): slots are stored by TMA or by threads";
  return verifyBox(*this, getView().getType(), getStaticOffsets().size(),
                   getDims(), getTile().getRank());
}

SmallVector<OpFoldResult> FitsOp::getMixedOffsets() {
  return getMixedValues(getStaticOffsets(), getOffsets(), getContext());
}

LogicalResult FitsOp::verify() {
  return verifyBox(*this, getView().getType(), getStaticOffsets().size(),
                   getDims(), getShape().size());
}

//===----------------------------------------------------------------------===//
// MMAs
//===----------------------------------------------------------------------===//

/// Operands are m by k and n by k, and the accumulator is m by n.
static LogicalResult verifyMma(Operation *op, ShapedType a, ShapedType b,
                               ShapedType accumulator) {
  if (a.getRank() == 2 && b.getRank() == 2 && accumulator.getRank() == 2 &&
      a.getDimSize(1) == b.getDimSize(1) &&
      accumulator.getDimSize(0) == a.getDimSize(0) &&
      accumulator.getDimSize(1) == b.getDimSize(0))
    return success();
  return op->emitOpError()
         << "multiplies " << a << " by " << b << " into " << accumulator
         << "; k is the last size of both, and the accumulator is m "
            "by n";
}

LogicalResult MultiplyOp::verify() {
  ShapedType b = getB().getType();
  if (getPair() && b.getRank() == 2)
    b = RankedTensorType::get({2 * b.getDimSize(0), b.getDimSize(1)},
                              b.getElementType());
  return verifyMma(*this, getA().getType(), b, getAccumulator().getType());
}

LogicalResult IssueOp::verify() {
  RankedTensorType accumulator = getAccumulator().getType().getTile();
  Type acc = getAcc() ? getAcc().getType() : Type();
  if (auto inFlight = dyn_cast_if_present<InFlightType>(acc))
    acc = inFlight.getTile();
  if (acc && acc != accumulator)
    return emitOpError() << "goes on with a " << acc << ", but makes a "
                         << accumulator;
  return verifyMma(*this, getA().getType(), getB().getType(), accumulator);
}

LogicalResult AddMmaOp::verify() {
  if (failed(verifyMma(*this, getA().getType(), getB().getType(), getType())))
    return failure();
  if (getColumns() < 8 || getN() % getColumns() != 0)
    return emitOpError() << "adds " << getColumns()
                         << " columns at a time, but has " << getN();
  return success();
}

LogicalResult AwaitOp::verify() {
  auto gives = [](auto pair) {
    auto [accumulator, tile] = pair;
    return cast<InFlightType>(accumulator).getTile() == tile;
  };
  if (getAccumulators().size() != getTiles().size() ||
      !llvm::all_of(
          llvm::zip(getAccumulators().getTypes(), getTiles().getTypes()),
          gives))
    return emitOpError() << "takes " << getAccumulators().size()
                         << " accumulators and gives " << getTiles().size()
                         << " tiles; each accumulator gives its tile";
  return success();
}

#define GET_OP_CLASSES
#include "drawloom/Dialect/Agent/IR/AgentProtocolOps.cpp.inc"
