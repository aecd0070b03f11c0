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
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using namespace drawloom::plan;

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// An operation of the program: what a conversion is for, or itself.
static Operation *getReader(Operation *op) {
  Operation *reader = op;
  while (isa<tile::ConvertLayoutOp>(reader) && !reader->use_empty())
    reader = *reader->user_begin();
  return reader;
}

/// Elements may come and go, and some may be spilled; but every one of them is
/// code.
LogicalResult RoleChecker::checkSizes(Operation *op) {
  int64_t most = 2 * (arch.maxRegistersPerThread + 1);
  for (Value result : op->getResults()) {
    if (!isInRegisters(result))
      continue;
    auto type = cast<RankedTensorType>(result.getType());
    auto layout = cast<tile::LayoutAttr>(type.getEncoding());
    int64_t count = layout.getLayout().getInputSize(inRegister);
    if (count > most)
      return tile::tooLarge(getReader(op)->emitOpError())
             << "works on a " << type.dropEncoding()
             << ", of which each thread of the " << role.getWarps()
             << " warps of @" << role.getSymName() << " has " << count
             << " elements, more than twice its registers: " << count << " > "
             << most << "; use a smaller tile [register-limit]";
  }
  return success();
}

LogicalResult RoleChecker::access(RankedTensorType type,
                                  const std::optional<Panels> &panels,
                                  bool transposed, Operation *user) {
  type = type.dropEncoding();
  if (!panels || panels->atom != Panels::plainAtom)
    return user->emitOpError()
           << "moves rows of " << type
           << " between registers and shared memory: they have a multiple of "
              "16 bytes, and a swizzle of 16 bytes at a time [smem-rows]";
  llvm::Expected<tile::Layout> shared =
      getSharedLayout(type, *panels, transposed);
  if (shared)
    return success();
  return user->emitOpError()
         << "moves a " << type
         << " through shared memory: " << llvm::toString(shared.takeError())
         << " [unsupported-tile]";
}

LogicalResult RoleChecker::readTensor(RankedTensorType type,
                                      tile::ConvertLayoutOp op,
                                      Operation *user) {
  auto layout = cast<tile::LayoutAttr>(op.getType().getEncoding());
  bool hasRows = type.getDimSize(0) % arch.tensorMemory.lanes == 0 ||
                 isOfRows(layout.getLayout(), role.getWarps(), /*half=*/true);
  if (getElementBits(type.getElementType()) == 32 && hasRows)
    return success();
  return user->emitOpError()
         << "reads a " << type
         << " from tensor memory; there is code for 32 bits and a multiple of "
         << arch.tensorMemory.lanes << " rows, or 64 [unsupported-tile]";
}

static LogicalResult rejectRead(Value accumulator, Operation *user) {
  return user->emitOpError()
         << "reads a " << accumulator.getType()
         << " that MMAs are adding to; let it be read after them "
            "[mma-accumulator]";
}

LogicalResult RoleChecker::checkConversion(tile::ConvertLayoutOp op) {
  Value source = op.getSource();
  RankedTensorType type = op.getSource().getType();
  if (isAccumulator(source, arch))
    return rejectRead(source, getReader(op));
  std::optional<Memory> memory = getMemory(source);
  if (memory == Memory::tmem)
    return readTensor(type, op, getReader(op));
  if (memory == Memory::smem) {
    OperandPlace place = locate(source);
    return access(type, place.panels, place.transposed, getReader(op));
  }
  auto from = cast<tile::LayoutAttr>(type.getEncoding());
  auto to = cast<tile::LayoutAttr>(op.getType().getEncoding());
  if (getExchangeBytes(from.getLayout(), to.getLayout(), type.getElementType()))
    return success();
  return getReader(op)->emitOpError()
         << "needs a " << type.dropEncoding() << " in other threads of @"
         << role.getSymName()
         << " than those that have it, and its elements cannot be exchanged: "
            "load the tile in the shape that is needed [register-layout]";
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

LogicalResult RoleChecker::checkCarried(scf::ForOp op, ValueRange values,
                                        Operation *user) {
  for (auto [result, value] : llvm::zip_equal(op.getResults(), values))
    if (isAccumulator(result, arch) && !isAccumulator(value, arch) &&
        !tile::isZero(value))
      return rejectStart(op);
  return success();
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
  return failure(ends.wasInterrupted());
}

LogicalResult RoleChecker::checkYield(scf::YieldOp op) {
  Operation *parent = op->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(parent))
    return checkCarried(loop, op.getResults(), op);
  if (isa<scf::IfOp>(parent))
    for (Value value : op.getResults())
      if (isAccumulator(value, arch))
        return rejectRead(value, op);
  return success();
}

LogicalResult RoleChecker::check(Operation *op) {
  if (failed(checkSizes(op)))
    return failure();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](scf::ForOp loop) {
        return checkCarried(loop, loop.getInitArgs(), loop);
      })
      .Case([&](scf::YieldOp yield) { return checkYield(yield); })
      .Case([&](scf::IfOp branch) { return checkIf(branch); })
      .Case([&](ProduceOp produce) { return checkProduce(produce); })
      .Case([&](YieldOp yield) {
        auto produce = dyn_cast<ProduceOp>(yield->getParentOp());
        return produce ? checkFilled(produce) : success();
      })
      .Case([&](ConsumeOp consume) { return checkConsume(consume); })
      .Case([&](tile::ConvertLayoutOp conversion) {
        return checkConversion(conversion);
      })
      .Case([&](tile::StoreOp store) { return checkStore(store); })
      .Case([&](tile::MmaOp mma) {
        return arch.mma == target::MmaInstruction::Wgmma ? checkWgmma(mma)
                                                         : checkTcgen05(mma);
      })
      .Case<tensor::ExtractSliceOp, tile::ExtractSliceOp>(
          [&](Operation *slice) { return checkSlice(slice); })
      .Case<tile::ExpandDimsOp, tile::BroadcastOp, tile::TransposeOp>(
          [&](Operation *reshape) { return checkReshape(reshape); })
      .Default(success());
}

LogicalResult RoleChecker::run() {
  role.walk([&](ProduceOp op) {
    if (op.getEngine() != Engine::tensor_core)
      return;
    for (Value value : op.getBody().front().getTerminator()->getOperands())
      forEachMma(value, [&](tile::MmaOp mma) { accumulators.insert(mma); });
  });
  WalkResult result = role.walk<WalkOrder::PreOrder>(
      [&](Operation *op) { return WalkResult(check(op)); });
  return failure(result.wasInterrupted());
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
  for (SlotsOp slots : roles->getBlock()->getOps<SlotsOp>())
    if (failed(checkSlots(slots, arch)))
      return failure();
  for (RoleOp role : roles.getRoles())
    if (failed(RoleChecker(role, arch).run()))
      return failure();
  return success();
}
