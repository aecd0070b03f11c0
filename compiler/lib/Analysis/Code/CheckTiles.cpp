//===- CheckTiles.cpp - Whether operations on tiles have code -------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoleChecker.h"
#include "drawloom/Analysis/RoleTiles/Exchanges.h"
#include "drawloom/Analysis/Slots/Accumulators.h"
#include "drawloom/Analysis/Slots/Footprint.h"
#include "drawloom/Dialect/Agent/IR/Engines.h"
#include "drawloom/Dialect/Tile/IR/DescribeMma.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using namespace drawloom::plan;

static const tile::Layout &getLayout(RankedTensorType type) {
  return cast<tile::LayoutAttr>(type.getEncoding()).getLayout();
}

/// A type as a program has it.
static Type dropLayout(Value tile) {
  return cast<RankedTensorType>(tile.getType()).dropEncoding();
}

LogicalResult RoleChecker::checkReshape(Operation *op) {
  Value source = op->getOperand(0), result = op->getResult(0);
  if (!isInRegisters(source) || !isInRegisters(result))
    return success();
  auto from = cast<RankedTensorType>(source.getType());
  auto to = cast<RankedTensorType>(result.getType());
  if (findRegisters(getLayout(from), getLayout(to), getReshape(op)))
    return success();
  return op->emitOpError()
         << "makes a " << dropLayout(result) << " of a " << dropLayout(source)
         << " in the registers of @" << role.getSymName()
         << ", where elements would have to change threads: load the tile "
            "in the shape that is needed [register-layout]";
}

LogicalResult RoleChecker::checkSlice(Operation *op) {
  Value source = op->getOperand(0), result = op->getResult(0);
  if (!isInRegisters(source) || !isInRegisters(result))
    return success();
  auto from = cast<RankedTensorType>(source.getType());
  auto to = cast<RankedTensorType>(result.getType());
  // What doesn't stay in its threads goes through memory.
  if (sliceStaysInThreads(op, getLayout(from), getLayout(to)) ||
      getSliceBytes(from))
    return success();
  return op->emitOpError()
         << "takes a " << dropLayout(result) << " out of a "
         << dropLayout(source) << " in the registers of @" << role.getSymName()
         << ", where elements would have to change threads: elements of "
         << getElementBits(from.getElementType())
         << " bits have no address; convert them to i8 first "
            "[register-layout]";
}

//===----------------------------------------------------------------------===//
// MMAs
//===----------------------------------------------------------------------===//

/// The panels of a tile in a slot.
static std::optional<Panels> getSlotPanels(Value tile) {
  auto argument = dyn_cast<BlockArgument>(tile);
  auto consume = argument
                     ? dyn_cast<ConsumeOp>(argument.getOwner()->getParentOp())
                     : ConsumeOp();
  if (!consume)
    return std::nullopt;
  for (auto [number, pipe] : llvm::enumerate(consume.getPipes()))
    for (auto [index, held] : llvm::enumerate(consume.getSlotArguments(number)))
      if (held == argument)
        return getPanels(pipe.getDefiningOp<PipeOp>(), index);
  return std::nullopt;
}

/// A transpose in memory is a matter of the descriptor.
OperandPlace RoleChecker::locate(Value operand) {
  OperandPlace place{operand};
  while (auto transpose = place.tile.getDefiningOp<tile::TransposeOp>()) {
    if (isInRegisters(place.tile) &&
        !(scratchOperands.contains(getWhole(place.tile)) &&
          feedsMmasOnly(place.tile)))
      break;
    place.tile = transpose.getSource();
    place.transposed ^= transpose.getPermutation()[0] == 1;
  }
  place.memory = getMemory(place.tile);
  if (place.memory == Memory::smem)
    place.panels = getSlotPanels(place.tile);
  return place;
}

LogicalResult RoleChecker::checkOperand(Value operand, Operation *user) {
  OperandPlace place = locate(operand);
  // Threads of a warp group write what they have to scratch memory.
  if (place.memory != Memory::smem &&
      arch.mma == target::MmaInstruction::Wgmma &&
      scratchOperands.contains(getWhole(operand))) {
    auto type = cast<RankedTensorType>(place.tile.getType());
    place.panels = getOperandPanels(type, place.transposed);
    if (failed(access(type, place.panels, /*transposed=*/false, user)))
      return failure();
  } else if (place.memory != Memory::smem) {
    return user->emitOpError() << "multiplies a " << dropLayout(operand)
                               << " that is not in a slot of shared memory, "
                                  "which has no code yet [mma-operand]";
  }
  if (place.panels && place.panels->isDescribed())
    return success();
  return user->emitOpError()
         << "multiplies a " << dropLayout(operand)
         << " that no matrix descriptor describes: use rows in memory of a "
            "multiple of 32 bytes, and a multiple of 8 of them [mma-operand]";
}

LogicalResult RoleChecker::checkWgmma(tile::MmaOp op) {
  int64_t rows = role.getWarps() / target::warpsPerGroup * target::wgmmaRows;
  if (role.getWarps() % target::warpsPerGroup != 0 || op.getM() % rows)
    return op->emitOpError()
           << "has " << op.getM() << " rows for " << role.getWarps()
           << " warps; four warps take " << target::wgmmaRows
           << " of them at a time, so this role needs a multiple of "
           << std::max(rows, target::wgmmaRows) << " [mma-shape]";
  Type aType = op.getA().getType().getElementType();
  bool isShort = getElementBits(aType) == 16;
  OperandPlace a = locate(op.getA()), b = locate(op.getB());
  for (auto [place, operand, name] :
       {std::tuple(&a, op.getA(), 'a'), std::tuple(&b, op.getB(), 'b')})
    if (!isShort && place->transposed)
      return op->emitOpError()
             << "reads " << name << ", of "
             << operand.getType().getElementType()
             << ", across its rows in memory; wgmma does that for 16-bit types "
                "only, so lay it out along k [mma-type]";
  bool isRegisters = !a.memory && !a.transposed;
  if (isRegisters && !isShort && !scratchOperands.contains(getWhole(op.getA())))
    return op->emitOpError()
           << "takes a, of " << aType
           << ", from registers; wgmma does that for 16-bit types only, so "
              "load it, or convert it to bf16 or f16 [mma-type]";
  return failure(
      (!(isRegisters && isShort) && failed(checkOperand(op.getA(), op))) ||
      failed(checkOperand(op.getB(), op)));
}

LogicalResult RoleChecker::checkTcgen05(tile::MmaOp op) {
  if (!accumulators.contains(op))
    return op->emitOpError(
        "is an accumulator that no slot of tensor memory is for: its loop "
        "computes more than MMAs, in a role that does, too; let MMAs "
        "have a role of their own with 'roles = multi', or in roles by hand "
        "make it in an agent.produce of a pipe in tmem [mma-accumulator]");
  OperandPlace a = locate(op.getA()), b = locate(op.getB());
  if (failed(checkOperand(op.getB(), op)) ||
      (a.memory != Memory::tmem && failed(checkOperand(op.getA(), op))))
    return failure();
  for (auto [place, along] : {std::pair(&a, 'm'), std::pair(&b, 'n')})
    if (op.getTf32() && place->transposed &&
        place->panels->atom != Panels::wordAtom)
      return op->emitOpError()
             << "reads MN-major TF32 (" << along
             << "), for which tcgen05.mma has a swizzle of 128 bytes only; use "
                "a multiple of 32 along "
             << along << ", or store the operand K-major [mma-type]";
  if (isAccumulator(op.getAcc(), arch) || tile::isZero(op.getAcc()))
    return success();
  auto produce = dyn_cast<ProduceOp>(op->getParentOp());
  if (produce && findRescaling(produce.getPipe().getDefiningOp<PipeOp>()))
    return success();
  return rejectStart(op);
}
