//===- Scratch.cpp - Memory that MMAs need beside the pipes ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Analysis/RoleTiles/Scratch.h"
#include "drawloom/Analysis/RoleTiles/Exchanges.h"
#include "drawloom/Analysis/RoleTiles/Fragments.h"
#include "drawloom/Analysis/Slots/Accumulators.h"
#include "drawloom/Analysis/Slots/Engines.h"
#include "drawloom/Analysis/Slots/Footprint.h"
#include "drawloom/Dialect/Agent/IR/ProtocolOps.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using namespace drawloom::plan;

Value plan::getWhole(Value value) {
  while (auto result = dyn_cast<OpResult>(value)) {
    Operation *op = result.getOwner();
    if (isa<tile::TransposeOp, tile::ExtractSliceOp, tensor::ExtractSliceOp>(
            op))
      value = op->getOperand(0);
    else if (auto consume = dyn_cast<ConsumeOp>(op))
      value = consume.getBody().front().getTerminator()->getOperand(
          result.getResultNumber());
    else
      break;
  }
  return value;
}

Value plan::skipTransposes(Value operand) {
  while (auto transpose = operand.getDefiningOp<tile::TransposeOp>())
    operand = transpose.getSource();
  return operand;
}

/// The memory of the slot that holds a tile; nothing if none does.
static std::optional<Memory> getSlotMemory(Value tile) {
  if (auto read = tile.getDefiningOp<tile::ReadOp>())
    return read.getBuffer().getType().getSpace() == tile::Space::Smem
               ? Memory::smem
               : Memory::tmem;
  auto argument = dyn_cast<BlockArgument>(tile);
  auto consume = argument
                     ? dyn_cast<ConsumeOp>(argument.getOwner()->getParentOp())
                     : ConsumeOp();
  if (!consume)
    return std::nullopt;
  for (auto [number, pipe] : llvm::enumerate(consume.getPipes()))
    if (llvm::is_contained(consume.getSlotArguments(number), argument))
      return cast<PipeType>(pipe.getType()).getMemory();
  return std::nullopt;
}

std::optional<Memory> plan::getMemory(Value tile) {
  if (isInRegisters(tile))
    return std::nullopt;
  if (std::optional<Memory> slot = getSlotMemory(tile))
    return slot;
  if (isRescaled(tile))
    return Memory::tmem;
  Operation *op = tile.getDefiningOp();
  if (isa_and_present<OrZeroOp>(op))
    return getMemory(op->getOperand(0));
  if (isa_and_present<tile::TransposeOp>(op))
    return getMemory(op->getOperand(0)) == Memory::smem
               ? std::optional(Memory::smem)
               : std::nullopt;
  if (!isa_and_present<tensor::ExtractSliceOp, tile::ExtractSliceOp>(op))
    return std::nullopt;
  // Columns of tensor memory are another address.
  auto from = cast<RankedTensorType>(op->getOperand(0).getType());
  auto to = cast<RankedTensorType>(tile.getType());
  bool areColumns = getMemory(op->getOperand(0)) == Memory::tmem &&
                    to.getRank() == 2 &&
                    to.getDimSize(0) == from.getDimSize(0) &&
                    getElementBits(to.getElementType()) == 32;
  return areColumns ? std::optional(Memory::tmem) : std::nullopt;
}

/// Whether a result of an MMA needs columns of its own: it goes neither into
/// a slot nor on into another MMA, which counts it.
static bool needsColumns(Value result) {
  for (OpOperand &use : result.getUses()) {
    Operation *user = use.getOwner();
    if (isa<tile::MmaOp>(user))
      return false;
    if (!isa<scf::YieldOp, YieldOp>(user))
      continue;
    Operation *parent = user->getParentOp();
    if (isa<ProduceOp>(parent))
      return false;
    if (isa<scf::ForOp, scf::IfOp, ConsumeOp>(parent) &&
        use.getOperandNumber() < parent->getNumResults() &&
        !needsColumns(parent->getResult(use.getOperandNumber())))
      return false;
  }
  return true;
}

llvm::SmallSetVector<Value, 4>
plan::findScratchOperands(RoleOp role, const target::Architecture &arch) {
  llvm::SmallSetVector<Value, 4> operands;
  auto addOperands = [&](Value a, Value b, bool onTensorCore) {
    a = getWhole(a), b = getWhole(b);
    // wgmma takes a computed A from registers.
    bool fromRegisters =
        !onTensorCore && !isa_and_present<tile::LoadOp>(a.getDefiningOp());
    if (!getSlotMemory(a) && !fromRegisters)
      operands.insert(a);
    if (!getSlotMemory(b))
      operands.insert(b);
  };
  role.walk([&](Operation *op) {
    // After schedule-wgmma.
    if (auto issue = dyn_cast<IssueOp>(op))
      addOperands(issue.getA(), issue.getB(), /*onTensorCore=*/false);
    if (auto mma = dyn_cast<tile::MmaOp>(op))
      addOperands(mma.getA(), mma.getB(), isTcgen05Mma(mma, arch));
  });
  return operands;
}

Scratch plan::findScratch(RoleOp role, const target::Architecture &arch) {
  Scratch scratch;
  scratch.role = role;
  int64_t ctas = cast<SwitchOp>(role->getParentOp()).getCtasOfItem();
  role.walk([&](tile::MmaOp mma) {
    if (isTcgen05Mma(mma, arch) && needsColumns(mma.getResult()))
      scratch.columns =
          std::min(scratch.columns + getTileColumns(mma.getType(), ctas, arch),
                   saturated);
  });
  for (Value operand : findScratchOperands(role, arch))
    if (auto tile = dyn_cast<RankedTensorType>(operand.getType());
        tile && tile.hasStaticShape()) {
      scratch.operands[operand] = scratch.bytes;
      scratch.bytes = std::min(
          scratch.bytes + alignUp(getTileBytes(tile, ctas), Scratch::alignment),
          saturated);
    }
  scratch.operandBytes = scratch.bytes;
  scratch.bytes = std::min(scratch.bytes + getExchangeBytes(role), saturated);
  return scratch;
}
