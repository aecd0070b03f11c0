//===- Code.cpp - Whether roles have code ---------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Analysis/Code/Code.h"
#include "RoleChecker.h"
#include "drawloom/Analysis/RoleTiles/Exchanges.h"
#include "drawloom/Analysis/Slots/Accumulators.h"
#include "drawloom/Analysis/Slots/Engines.h"
#include "drawloom/Analysis/Slots/Footprint.h"
#include "drawloom/Dialect/Agent/IR/Engines.h"
#include "drawloom/Dialect/Agent/IR/ProtocolOps.h"
#include "drawloom/Dialect/Tile/IR/DescribeMma.h"
#include "drawloom/Dialect/Tile/IR/TooLarge.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using namespace drawloom::plan;
using Kind = Place::Kind;

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

FailureOr<tile::Layout> RoleChecker::getLayout(RankedTensorType type,
                                               unsigned axis, Operation *user) {
  llvm::Expected<tile::Layout> layout =
      fragments.getLayout(type.getShape(), axis);
  if (!layout)
    return user->emitOpError()
           << "works on a " << type << " in @" << role.getSymName() << ": "
           << llvm::toString(layout.takeError()) << " [unsupported-tile]";
  // Elements may come and go, and some may be spilled; but every one of them
  // is code.
  int64_t count = layout->getInputSize(inRegister);
  int64_t most = 2 * (arch.maxRegistersPerThread + 1);
  if (count <= most)
    return std::move(*layout);
  return tile::tooLarge(user->emitOpError())
         << "works on a " << type << ", of which each thread of the "
         << role.getWarps() << " warps of @" << role.getSymName() << " has "
         << count << " elements, more than twice its registers: " << count
         << " > " << most << "; use a smaller tile [register-limit]";
}

FailureOr<tile::Layout> RoleChecker::getLayout(Value tile, Operation *op) {
  return getLayout(cast<RankedTensorType>(tile.getType()), axes.get(tile), op);
}

LogicalResult RoleChecker::access(RankedTensorType type, unsigned axis,
                                  const Place &place, Operation *user) {
  if (!place.panels || place.panels->atom != Panels::plainAtom)
    return user->emitOpError()
           << "moves rows of " << type
           << " between registers and shared memory: they have a multiple of "
              "16 bytes, and a swizzle of 16 bytes at a time [smem-rows]";
  FailureOr<tile::Layout> fragment = getLayout(type, axis, user);
  if (failed(fragment))
    return failure();
  llvm::Expected<tile::Layout> shared =
      getSharedLayout(type, *place.panels, place.transposed);
  if (shared)
    return success();
  return user->emitOpError()
         << "moves a " << type
         << " through shared memory: " << llvm::toString(shared.takeError())
         << " [unsupported-tile]";
}

LogicalResult RoleChecker::read(Value value, Operation *user) {
  const Place place = places.lookup(value);
  if (place.kind == Kind::Registers)
    return success();
  auto type = cast<RankedTensorType>(value.getType());
  if (place.kind == Kind::Shared)
    return access(type, axes.get(value, user), place, user);
  FailureOr<tile::Layout> layout = getLayout(type, axes.get(value, user), user);
  if (failed(layout))
    return failure();
  auto hasRows = [&] {
    if (fragments.getFamily() == Fragments::Family::HalfRows ||
        type.getDimSize(0) % arch.tensorMemory.lanes == 0)
      return true;
    std::optional<tile::Layout> half = fragments.getHalfLayout(type);
    return half && getExchangeBytes(*half, *layout, type.getElementType());
  };
  if (place.kind == Kind::Tensor &&
      (getElementBits(type.getElementType()) != 32 || !hasRows()))
    return user->emitOpError()
           << "reads a " << type
           << " from tensor memory; there is code for 32 bits and a multiple "
              "of "
           << arch.tensorMemory.lanes << " rows, or 64 [unsupported-tile]";
  if (place.kind == Kind::Accumulator)
    return user->emitOpError() << "reads a " << type
                               << " that MMAs are adding to; let it be read "
                                  "after them [mma-accumulator]";
  return success();
}

LogicalResult RoleChecker::write(Value value,
                                 const std::optional<Panels> &panels,
                                 Operation *user) {
  Place place{Kind::Shared, panels};
  return success(succeeded(read(value, user)) &&
                 succeeded(access(cast<RankedTensorType>(value.getType()),
                                  axes.get(value, user), place, user)));
}

LogicalResult RoleChecker::writeTensor(Value value, Operation *user) {
  auto type = cast<RankedTensorType>(value.getType());
  FailureOr<tile::Layout> layout = getLayout(type, axes.get(value, user), user);
  if (failed(layout) || failed(read(value, user)))
    return failure();
  int64_t bits =
      layout->getInputSize(inRegister) * getElementBits(type.getElementType());
  if (type.getDimSize(0) % arch.tensorMemory.lanes != 0)
    return user->emitOpError()
           << "fills tensor memory with " << type.getDimSize(0)
           << " rows; there is code for a multiple of "
           << arch.tensorMemory.lanes << " [unsupported-tile]";
  if (bits % 32 == 0)
    return success();
  return user->emitOpError()
         << "fills tensor memory with rows of " << bits
         << " bits, which are no whole columns of 32 [unsupported-tile]";
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

LogicalResult RoleChecker::run() {
  SmallVector<Operation *> before = findTilesBefore(role);
  axes.infer(role, before, fragments.getFreeAxis());
  for (Operation *op : before)
    if (failed(check(op)))
      return failure();
  return checkBlock(role.getBody().front());
}

LogicalResult RoleChecker::checkBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(check(&op)))
      return failure();
  return success();
}

LogicalResult RoleChecker::check(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](scf::ForOp loop) { return checkLoop(loop); })
      .Case([&](scf::IfOp branch) { return checkIf(branch); })
      .Case([&](ForEachItemOp loop) {
        return checkBlock(loop.getBody().front());
      })
      .Case([&](ProduceOp produce) { return checkProduce(produce); })
      .Case([&](ConsumeOp consume) { return checkConsume(consume); })
      .Case([&](tile::StoreOp store) { return checkStore(store); })
      .Case([&](tile::LoadOp load) { return checkLoad(load); })
      .Case([&](tile::MmaOp mma) {
        return arch.mma == target::MmaInstruction::Wgmma ? checkWgmma(mma)
                                                         : checkTcgen05(mma);
      })
      .Case<tensor::ExtractSliceOp, tile::ExtractSliceOp>(
          [&](Operation *slice) { return checkSlice(slice); })
      .Case<tile::ExpandDimsOp, tile::BroadcastOp, tile::TransposeOp>(
          [&](Operation *reshape) { return checkReshape(reshape); })
      .Case([&](tensor::SplatOp splat) {
        places[splat] = {Kind::Splat};
        return success();
      })
      .Case([&](tile::IotaOp iota) {
        places[iota] = {Kind::Iota};
        return success();
      })
      .Case([&](arith::ConstantOp constant) {
        places[constant] = {Kind::Splat};
        return success();
      })
      .Default([&](Operation *other) { return checkElementwise(other); });
}

LogicalResult RoleChecker::checkLoop(scf::ForOp op) {
  Operation *end = op.getBody()->getTerminator();
  if (failed(carry(op, op.getInitArgs(), op)))
    return failure();
  bindCarried(op, op.getRegionIterArgs());
  if (failed(checkBlock(*op.getBody())) ||
      failed(carry(op, end->getOperands(), end)))
    return failure();
  bindCarried(op, op.getResults());
  return success();
}

LogicalResult RoleChecker::carry(scf::ForOp op, ValueRange values,
                                 Operation *user) {
  for (auto [index, value] : llvm::enumerate(values)) {
    if (!isa<RankedTensorType>(value.getType()))
      continue;
    if (!isTcgen05Mma(getMaker(op.getResult(index)), arch)) {
      if (failed(read(value, user)))
        return failure();
    } else if (places.lookup(value).kind != Kind::Accumulator &&
               !tile::isZero(value)) {
      return rejectStart(op);
    }
  }
  return success();
}

void RoleChecker::bindCarried(scf::ForOp op, ValueRange values) {
  for (auto [index, value] : llvm::enumerate(values))
    if (isa<RankedTensorType>(value.getType()))
      places[value] = {isTcgen05Mma(getMaker(op.getResult(index)), arch)
                           ? Kind::Accumulator
                           : Kind::Registers};
}

LogicalResult RoleChecker::checkIf(scf::IfOp op) {
  WalkResult ends = op->walk([&](Operation *inner) {
    if (!isa<ProduceOp, ConsumeOp>(inner))
      return WalkResult::advance();
    inner->emitOpError(
        "stands in a branch, and roles that don't know whether "
        "it is taken would lose count of the slots; use masks [control-flow]");
    return WalkResult::interrupt();
  });
  if (ends.wasInterrupted())
    return failure();
  for (Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    if (failed(checkBlock(region.front())))
      return failure();
    Operation *end = region.front().getTerminator();
    for (Value value : end->getOperands())
      if (isa<RankedTensorType>(value.getType()) && failed(read(value, end)))
        return failure();
  }
  return holdResults(op);
}

/// What checkMemory says of pipes, where they are slots and barriers already.
static LogicalResult checkSlots(SlotsOp slots,
                                const target::Architecture &arch) {
  if (slots.getSlots().getType().getMemory() != Memory::tmem ||
      arch.tensorMemory.columns != 0)
    return success();
  return slots.emitError() << "slots '" << slots.getName()
                           << "' are in tensor memory, which " << arch.name
                           << " does not have; use smem [no-tensor-memory]";
}

LogicalResult plan::checkCode(SwitchOp roles,
                              const target::Architecture &arch) {
  for (PipeOp pipe : roles->getBlock()->getOps<PipeOp>())
    if (pipe.getSwitch() == roles && failed(checkMemory(pipe, arch)))
      return failure();
  for (SlotsOp slots : roles->getBlock()->getOps<SlotsOp>())
    if (failed(checkSlots(slots, arch)))
      return failure();
  for (RoleOp role : roles.getRoles())
    if (failed(RoleChecker(role, arch).run()))
      return failure();
  return success();
}
