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
using Kind = Place::Kind;

LogicalResult RoleChecker::checkStore(tile::StoreOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getValue().getType());
  if (!type)
    return success();
  if (isStoredByTma(op))
    return checkBulkCopy(op, op.getView(), type, op.getTileDims());
  return success(succeeded(read(op.getValue(), op)) &&
                 succeeded(getLayout(type, axes.get(op.getValue(), op), op)));
}

LogicalResult RoleChecker::checkLoad(tile::LoadOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type)
    return success();
  for (Operation *user : op->getUsers())
    if (failed(getLayout(
            type, type.getRank() == 1 ? axes.get(op.getResult(), user) : 0,
            op)))
      return failure();
  places[op.getResult()] = {Kind::Registers};
  return success();
}

LogicalResult RoleChecker::checkElementwise(Operation *op) {
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()) && failed(read(operand, op)))
      return failure();
  return holdResults(op);
}

LogicalResult RoleChecker::holdResults(Operation *op) {
  for (Value result : op->getResults()) {
    if (!isa<RankedTensorType>(result.getType()))
      continue;
    if (failed(getLayout(result, op)))
      return failure();
    places[result] = {Kind::Registers};
  }
  return success();
}

FailureOr<std::pair<tile::Layout, tile::Layout>>
RoleChecker::holdReshaped(Operation *op) {
  Value source = op->getOperand(0), result = op->getResult(0);
  if (failed(read(source, op)))
    return failure();
  FailureOr<tile::Layout> from = getLayout(
      cast<RankedTensorType>(source.getType()), axes.get(source, op), op);
  FailureOr<tile::Layout> to = getLayout(result, op);
  if (failed(from) || failed(to))
    return failure();
  places[result] = {Kind::Registers};
  return std::pair(std::move(*from), std::move(*to));
}

LogicalResult RoleChecker::checkReshape(Operation *op) {
  Value source = op->getOperand(0), result = op->getResult(0);
  const Place place = places.lookup(source);
  if (place.kind == Kind::Splat) {
    places[result] = place;
    return success();
  }
  auto transpose = dyn_cast<tile::TransposeOp>(op);
  if (transpose &&
      (place.kind == Kind::Shared ||
       (place.kind == Kind::Registers &&
        scratchOperands.contains(getWhole(result)) && feedsMmasOnly(result)))) {
    places[result] = place;
    places[result].transposed ^= transpose.getPermutation()[0] == 1;
    return success();
  }
  auto from = cast<RankedTensorType>(source.getType());
  auto to = cast<RankedTensorType>(result.getType());
  auto layouts = holdReshaped(op);
  if (failed(layouts))
    return failure();
  const auto &[before, after] = *layouts;
  if (findRegisters(before, after, getReshape(op)))
    return success();
  // A transpose goes through memory.
  if (transpose && getExchangeBytes(permute(before, transpose.getPermutation()),
                                    after, to.getElementType()))
    return success();
  return op->emitOpError()
         << "makes a " << to << " of a " << from << " in the registers of @"
         << role.getSymName()
         << ", where elements would have to change threads: load the tile "
            "in the shape that is needed [register-layout]";
}

LogicalResult RoleChecker::checkSlice(Operation *op) {
  Value source = op->getOperand(0), result = op->getResult(0);
  const Place place = places.lookup(source);
  auto from = cast<RankedTensorType>(source.getType());
  auto to = cast<RankedTensorType>(result.getType());
  if (place.kind == Kind::Splat ||
      (place.kind == Kind::Tensor && to.getDimSize(0) == from.getDimSize(0) &&
       getElementBits(to.getElementType()) == 32)) {
    places[result] = place;
    return success();
  }
  auto layouts = holdReshaped(op);
  if (failed(layouts))
    return failure();
  // What doesn't stay in its threads goes through memory.
  if (sliceStaysInThreads(op, layouts->first, layouts->second) ||
      getSliceBytes(from))
    return success();
  return op->emitOpError()
         << "takes a " << to << " out of a " << from << " in the registers of @"
         << role.getSymName()
         << ", where elements would have to change threads: elements of "
         << getElementBits(from.getElementType())
         << " bits have no address; convert them to i8 first "
            "[register-layout]";
}

//===----------------------------------------------------------------------===//
// MMAs
//===----------------------------------------------------------------------===//

LogicalResult RoleChecker::checkOperand(Value value, Operation *user) {
  Place place = places.lookup(value);
  // Threads of a warp group write what they have to scratch memory.
  bool isWritten = place.kind != Kind::Shared &&
                   arch.mma == target::MmaInstruction::Wgmma &&
                   scratchOperands.contains(getWhole(value));
  if (isWritten) {
    Value source = skipTransposes(value);
    place.panels = getOperandPanels(cast<RankedTensorType>(source.getType()),
                                    place.transposed);
    if (failed(write(source, place.panels, user)))
      return failure();
  } else if (place.kind != Kind::Shared) {
    return user->emitOpError() << "multiplies a " << value.getType()
                               << " that is not in a slot of shared memory, "
                                  "which has no code yet [mma-operand]";
  }
  if (place.panels && place.panels->isDescribed())
    return success();
  return user->emitOpError()
         << "multiplies a " << value.getType()
         << " that no matrix descriptor describes: use rows in memory of a "
            "multiple of 32 bytes, and a multiple of 8 of them [mma-operand]";
}

LogicalResult RoleChecker::checkWgmma(tile::MmaOp op) {
  const Place a = places.lookup(op.getA());
  int64_t rows = role.getWarps() / target::warpsPerGroup * target::wgmmaRows;
  if (role.getWarps() % target::warpsPerGroup != 0 || op.getM() % rows)
    return op->emitOpError()
           << "has " << op.getM() << " rows for " << role.getWarps()
           << " warps; four warps take " << target::wgmmaRows
           << " of them at a time, so this role needs a multiple of "
           << std::max(rows, target::wgmmaRows) << " [mma-shape]";
  Type aType = op.getA().getType().getElementType();
  bool isShort = getElementBits(aType) == 16;
  for (auto [value, name] :
       {std::pair<Value, char>(op.getA(), 'a'), {op.getB(), 'b'}})
    if (!isShort && places.lookup(value).transposed)
      return op->emitOpError()
             << "reads " << name << ", of " << getElementTypeOrSelf(value)
             << ", across its rows in memory; wgmma does that for 16-bit types "
                "only, so lay it out along k [mma-type]";
  bool inRegisters = a.kind == Kind::Registers && !a.transposed && isShort;
  if (a.kind == Kind::Registers && !isShort &&
      !scratchOperands.contains(getWhole(op.getA())))
    return op->emitOpError()
           << "takes a, of " << aType
           << ", from registers; wgmma does that for 16-bit types only, so "
              "load it, or convert it to bf16 or f16 [mma-type]";
  if ((!inRegisters && failed(checkOperand(op.getA(), op))) ||
      failed(checkOperand(op.getB(), op)) || failed(read(op.getAcc(), op)))
    return failure();
  places[op.getResult()] = {Kind::Registers};
  return success();
}

LogicalResult RoleChecker::checkTcgen05(tile::MmaOp op) {
  if (!accumulators.contains(op))
    return op->emitOpError(
        "is an accumulator that no slot of tensor memory is for: its loop "
        "computes more than MMAs, in a role that does, too; let MMAs "
        "have a role of their own with 'roles = multi', or in roles by hand "
        "make it in an agent.produce of a pipe in tmem [mma-accumulator]");
  const Place a = places.lookup(op.getA()), b = places.lookup(op.getB());
  if (failed(checkOperand(op.getB(), op)) ||
      (a.kind != Kind::Tensor && failed(checkOperand(op.getA(), op))))
    return failure();
  for (auto [place, along] : {std::pair(&a, 'm'), std::pair(&b, 'n')})
    if (op.getTf32() && place->transposed &&
        place->panels->atom != Panels::wordAtom)
      return op->emitOpError()
             << "reads MN-major TF32 (" << along
             << "), for which tcgen05.mma has a swizzle of 128 bytes only; use "
                "a multiple of 32 along "
             << along << ", or store the operand K-major [mma-type]";
  if (places.lookup(op.getAcc()).kind != Kind::Accumulator &&
      !tile::isZero(op.getAcc()))
    return rejectStart(op);
  places[op.getResult()] = {Kind::Accumulator};
  return success();
}
