//===- Accumulators.cpp - Whether an accumulator has an MMA ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Analysis/Slots/Accumulators.h"
#include "drawloom/Analysis/Slots/Engines.h"
#include "drawloom/Analysis/Slots/Footprint.h"
#include "drawloom/Dialect/Agent/IR/Engines.h"
#include "drawloom/Dialect/Tile/IR/DescribeMma.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <numeric>

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using namespace drawloom::plan;

bool plan::isAccumulator(Value tile, const target::Architecture &arch) {
  if (auto argument = dyn_cast<BlockArgument>(tile)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument != loop.getInductionVar() &&
           isAccumulator(loop.getTiedLoopResult(argument), arch);
  }
  return isTcgen05Mma(getMaker(tile), arch);
}

/// The consume and the number of the pipe that `tile` is in a slot of.
static std::pair<ConsumeOp, unsigned> findSlot(Value tile) {
  auto argument = dyn_cast<BlockArgument>(tile);
  auto consume = argument
                     ? dyn_cast<ConsumeOp>(argument.getOwner()->getParentOp())
                     : nullptr;
  for (unsigned number = 0; consume && number < consume.getPipes().size();
       ++number)
    if (llvm::is_contained(consume.getSlotArguments(number), argument))
      return {consume, number};
  return {};
}

/// The operation that makes the only tile of a slot, if it is of this kind.
template <typename Maker>
static Maker getOnlyMaker(ProduceOp op) {
  Operation *end = op.getBody().front().getTerminator();
  return end->getNumOperands() == 1
             ? end->getOperand(0).template getDefiningOp<Maker>()
             : Maker();
}

static bool hasOneSlot(PipeOp pipe) {
  return pipe.getSlots() == 1 && pipe.getScope() == Scope::cta &&
         pipe.getPipe().getType().getMemory() == Memory::tmem;
}

/// The pipe with what an MMA adds to.
static PipeOp findStart(PipeOp result) {
  auto produce = getOnly<ProduceOp>(result);
  auto mma = produce ? getOnlyMaker<tile::MmaOp>(produce) : nullptr;
  if (!mma)
    return {};
  auto [consume, number] = findSlot(mma.getAcc());
  return consume ? consume.getPipes()[number].getDefiningOp<PipeOp>()
                 : PipeOp();
}

/// The result of a consume that is the only tile in a slot of a pipe, as it is;
/// null if there is none, or it is used more than once.
static OpResult getTaken(ConsumeOp takes, PipeOp pipe) {
  unsigned number = std::distance(takes.getPipes().begin(),
                                  llvm::find(takes.getPipes(), pipe.getPipe()));
  Block::BlockArgListType tiles = takes.getSlotArguments(number);
  OperandRange yielded = takes.getBody().front().getTerminator()->getOperands();
  if (tiles.size() != 1 || !llvm::is_contained(yielded, tiles.front()))
    return {};
  OpResult result = takes->getResult(
      std::distance(yielded.begin(), llvm::find(yielded, tiles.front())));
  return result.hasOneUse() ? result : OpResult();
}

Value plan::findFactors(arith::MulFOp scaled) {
  auto type = dyn_cast<RankedTensorType>(scaled.getType());
  if (!type || type.getRank() != 2 || !type.getElementType().isF32())
    return {};
  for (Value operand : scaled->getOperands())
    if (auto broadcast = operand.getDefiningOp<tile::BroadcastOp>();
        broadcast && broadcast.getSource().getType().getShape() ==
                         ArrayRef<int64_t>{type.getDimSize(0), 1})
      return broadcast.getSource();
  return {};
}

int64_t Rescaling::countColumnsOfPart() {
  constexpr int64_t most = 32;
  return std::gcd(cast<RankedTensorType>(scaled.getType()).getDimSize(1), most);
}

std::optional<Rescaling> plan::findRescaling(PipeOp result) {
  PipeOp rescaled = result ? findStart(result) : PipeOp();
  if (!rescaled || !hasOneSlot(rescaled) || !hasOneSlot(result) ||
      rescaled.getPipe().getType() != result.getPipe().getType())
    return std::nullopt;
  auto gives = getOnly<ProduceOp>(rescaled);
  auto takes = getOnly<ConsumeOp>(result);
  if (!gives || !takes || gives->getBlock() != takes->getBlock() ||
      !gives->isBeforeInBlock(takes))
    return std::nullopt;
  auto loop = dyn_cast<scf::ForOp>(takes->getParentOp());
  OpResult taken = getTaken(takes, result);
  auto role = takes->getParentOfType<RoleOp>();
  // Each lane has one thread: of several, each would scale it.
  if (!loop || !taken || !role || role.getWarps() != target::warpsPerGroup)
    return std::nullopt;
  OpOperand &yielded = *taken.use_begin();
  unsigned number = yielded.getOperandNumber();
  auto scaled = getOnlyMaker<arith::MulFOp>(gives);
  if (yielded.getOwner() != loop.getBody()->getTerminator() || !scaled ||
      !tile::isZero(loop.getInitArgs()[number]))
    return std::nullopt;
  Value carried = loop.getRegionIterArg(number);
  Operation *user = carried.hasOneUse() ? *carried.user_begin() : nullptr;
  if (auto read = dyn_cast_or_null<tile::ConvertLayoutOp>(user))
    user = read->hasOneUse() ? *read->user_begin() : nullptr;
  if (user != scaled || !scaled->hasOneUse() || !findFactors(scaled))
    return std::nullopt;
  return Rescaling{rescaled, result, loop, number, scaled};
}

bool plan::isRescaled(Value tile) {
  if (auto argument = dyn_cast<BlockArgument>(tile)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument != loop.getInductionVar() &&
           isRescaled(loop.getTiedLoopResult(argument));
  }
  auto result = cast<OpResult>(tile);
  if (auto loop = dyn_cast<scf::ForOp>(result.getOwner())) {
    Value yielded = loop.getYieldedValues()[result.getResultNumber()];
    return yielded.getDefiningOp<ConsumeOp>() && isRescaled(yielded);
  }
  auto consume = dyn_cast<ConsumeOp>(result.getOwner());
  return consume && llvm::any_of(consume.getPipes(), [&](Value pipe) {
           auto op = pipe.getDefiningOp<PipeOp>();
           return op && getTaken(consume, op) == result && findRescaling(op);
         });
}

/// Whether each role that reads a slot of `pipe` has done so before another one
/// is filled, but for the consume that releases both.
static bool isReadBefore(PipeOp pipe, ProduceOp fills, ConsumeOp releases) {
  return llvm::all_of(pipe.getPipe().getUsers(), [&](Operation *user) {
    return !isa<ConsumeOp>(user) || user == releases ||
           (user->getBlock() == fills->getBlock() &&
            user->isBeforeInBlock(fills));
  });
}

/// Whether a slot of `pipe` has room for one of another pipe.
static bool hasRoomFor(PipeOp other, PipeOp pipe) {
  auto getOnlyType = [](PipeOp op) {
    ArrayRef<Type> payload = op.getPipe().getType().getPayload();
    return payload.size() == 1 ? dyn_cast<RankedTensorType>(payload.front())
                               : RankedTensorType();
  };
  RankedTensorType small = getOnlyType(other), large = getOnlyType(pipe);
  auto countBits = [](RankedTensorType type) {
    return multiply(type.getDimSize(1), getElementBits(type.getElementType()));
  };
  return small && large && small.getRank() == 2 && large.getRank() == 2 &&
         small.getDimSize(0) == large.getDimSize(0) &&
         countBits(small) <= countBits(large);
}

PipeOp plan::findShared(PipeOp operand) {
  if (!operand)
    return {};
  auto gives = getOnly<ProduceOp>(operand);
  auto takes = getOnly<ConsumeOp>(operand);
  if (!gives || !takes || !hasOneSlot(operand))
    return {};
  for (auto [number, pipe] : llvm::enumerate(takes.getPipes())) {
    auto other = pipe.getDefiningOp<PipeOp>();
    if (other && other != operand && hasOneSlot(other) &&
        takes.getEngine(number).value_or(Engine::tensor_core) ==
            Engine::tensor_core &&
        llvm::all_of(takes.getSlotArguments(number),
                     [](Value tile) { return tile.use_empty(); }) &&
        hasRoomFor(operand, other) && isReadBefore(other, gives, takes))
      return other;
  }
  return {};
}

PipeOp plan::findImplying(PipeOp pipe) {
  if (std::optional<Rescaling> rescaling = findRescaling(pipe))
    return rescaling->rescaled;
  for (PipeOp other : pipe->getBlock()->getOps<PipeOp>())
    if (std::optional<Rescaling> rescaling = findRescaling(other);
        rescaling && rescaling->rescaled == pipe)
      return other;
  return {};
}

Ways plan::findWays(Value accumulator) {
  auto result = dyn_cast<OpResult>(accumulator);
  if (!result)
    return {};
  Operation *op = result.getOwner();
  unsigned number = result.getResultNumber();
  if (isa<tile::MmaOp>(op))
    return {{}};
  if (!isa<scf::ForOp, ConsumeOp>(op))
    return {};
  Ways ways =
      findWays(op->getRegion(0).front().getTerminator()->getOperand(number));
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (SmallVector<scf::ForOp> &way : ways)
      way.insert(way.begin(), loop);
    llvm::append_range(ways, findWays(loop.getInitArgs()[number]));
  }
  return ways;
}

void plan::forEachMma(Value accumulator,
                      llvm::function_ref<void(tile::MmaOp)> visit) {
  auto result = dyn_cast<OpResult>(accumulator);
  if (!result)
    return;
  Operation *op = result.getOwner();
  unsigned number = result.getResultNumber();
  if (auto mma = dyn_cast<tile::MmaOp>(op)) {
    visit(mma);
    forEachMma(mma.getAcc(), visit);
  } else if (isa<scf::ForOp, ConsumeOp>(op)) {
    forEachMma(op->getRegion(0).front().getTerminator()->getOperand(number),
               visit);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      forEachMma(loop.getInitArgs()[number], visit);
  }
}

/// Adds what `value` is computed from; false if that is more than the work tile
/// and what all roles know.
static bool addToSlice(Value value, ScalarSlice &slice) {
  Operation *parent = value.getParentRegion()->getParentOp();
  if (isa<tile::KernelOp>(parent))
    return true;
  if (isa<BlockArgument>(value)) {
    auto items = dyn_cast<ForEachItemOp>(parent);
    if (items)
      slice.items = items;
    return items != nullptr;
  }
  Operation *op = value.getDefiningOp();
  if (op->getNumRegions() != 0 ||
      !(isMemoryEffectFree(op) || isa<tile::LoadOp>(op)))
    return false;
  for (Value operand : op->getOperands())
    if (!isa<tile::ViewType>(operand.getType()) && !addToSlice(operand, slice))
      return false;
  slice.ops.insert(op);
  return true;
}

std::optional<ScalarSlice> plan::sliceBounds(scf::ForOp loop) {
  ScalarSlice slice;
  if (addToSlice(loop.getLowerBound(), slice) &&
      addToSlice(loop.getUpperBound(), slice))
    return slice;
  return std::nullopt;
}

InFlightDiagnostic plan::rejectStart(Operation *op) {
  return op->emitOpError(
      "starts an accumulator in tensor memory with a tile that is not zero, "
      "which has no code yet; start with zero and add the tile after the "
      "MMAs [mma-accumulator]");
}
