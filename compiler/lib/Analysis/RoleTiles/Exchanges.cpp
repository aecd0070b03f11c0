//===- Exchanges.cpp - Elements that change threads -----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Analysis/RoleTiles/Exchanges.h"
#include "drawloom/Analysis/Layouts/Conversion.h"
#include "drawloom/Analysis/RoleTiles/Fragments.h"
#include "drawloom/Analysis/RoleTiles/Scratch.h"
#include "drawloom/Analysis/RoleTiles/VectorAxes.h"
#include "drawloom/Analysis/Slots/Footprint.h"
#include "drawloom/Dialect/Agent/IR/Engines.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using namespace drawloom::plan;
using tile::Layout;

Layout plan::permute(const Layout &layout, ArrayRef<int64_t> permutation) {
  auto pick = [&](const auto &from) {
    std::decay_t<decltype(from)> to = from;
    for (auto [index, dim] : llvm::enumerate(permutation))
      to[index] = from[dim];
    return to;
  };
  std::vector<Layout::Input> inputs(layout.getInputs());
  for (Layout::Input &input : inputs)
    for (Layout::Digit &digit : input.digits)
      digit.basis = pick(digit.basis);
  std::vector<Layout::Output> outputs =
      pick(std::vector<Layout::Output>(layout.getOutputs()));
  for (auto [index, output] : llvm::enumerate(outputs))
    output.name = Layout::dimName(index);
  // The same numbers in another order.
  return llvm::cantFail(Layout::get(std::move(inputs), std::move(outputs)));
}

/// Bytes of an element in memory; nothing if it shares one with others.
static std::optional<int64_t> getBytes(Type element) {
  int64_t bits = element.isIndex() ? 32 : getElementBits(element);
  if (bits % 8 != 0 || !llvm::isPowerOf2_64(bits))
    return std::nullopt;
  return bits / 8;
}

std::optional<int64_t> plan::getExchangeBytes(const Layout &from,
                                              const Layout &to, Type element) {
  std::optional<int64_t> bytes = getBytes(element);
  if (!bytes)
    return std::nullopt;
  llvm::Expected<layouts::Conversion> conversion =
      layouts::planConversion(from, to, *bytes);
  if (!conversion) {
    llvm::consumeError(conversion.takeError());
    return std::nullopt;
  }
  return conversion->way == layouts::Way::Scratch ? conversion->scratchBytes
                                                  : 0;
}

std::optional<int64_t> plan::getSliceBytes(RankedTensorType whole) {
  std::optional<int64_t> bytes = getBytes(whole.getElementType());
  if (!bytes)
    return std::nullopt;
  return multiply(countElements(whole), *bytes);
}

//===----------------------------------------------------------------------===//
// A role
//===----------------------------------------------------------------------===//

namespace {
class ExchangeCounter {
public:
  ExchangeCounter(RoleOp role, const target::Architecture &arch)
      : role(role), fragments(Fragments::get(role, arch)),
        operands(findScratchOperands(role, arch)) {
    axes.infer(role, findTilesBefore(role), fragments.getFreeAxis());
  }

  int64_t count(Operation *op);

private:
  int64_t count(tile::ReduceOp op);
  int64_t count(tile::TransposeOp op);
  int64_t countSlice(Operation *op);
  /// A vector that runs along the other axis than its use wants.
  int64_t countTurned(OpOperand &use);
  /// An accumulator of 64 rows that is read beside others of 128.
  int64_t countHalf(Value tile);
  /// The layout of a tile in the role's family; nothing if it has none.
  std::optional<Layout> getLayout(Type tile, unsigned axis = 0);

  RoleOp role;
  Fragments fragments;
  llvm::SmallSetVector<Value, 4> operands;
  VectorAxes axes;
};
} // namespace

std::optional<Layout> ExchangeCounter::getLayout(Type tile, unsigned axis) {
  llvm::Expected<Layout> layout =
      fragments.getLayout(cast<RankedTensorType>(tile).getShape(), axis);
  if (layout)
    return std::move(*layout);
  llvm::consumeError(layout.takeError());
  return std::nullopt;
}

int64_t ExchangeCounter::count(tile::ReduceOp op) {
  auto type = cast<RankedTensorType>(op.getSource().getType());
  int64_t bytes =
      std::max<int64_t>(getElementBits(type.getElementType()) / 8, 1);
  // A vector may run along either axis.
  if (type.getRank() == 1)
    return role.getWarps() * bytes;
  std::optional<Layout> layout = getLayout(type);
  if (!layout)
    return 0;
  int64_t parts = 1;
  for (const Layout::Digit &digit : layout->getInputs()[inWarp].digits)
    if (digit.basis[op.getAxis()])
      parts *= digit.count;
  return parts > 1 ? parts * type.getDimSize(1 - op.getAxis()) * bytes : 0;
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

/// A tile in a slot of shared memory is read across, and an operand of MMAs
/// in scratch memory is described so.
int64_t ExchangeCounter::count(tile::TransposeOp op) {
  if (op.getPermutation()[0] != 1 ||
      getSlotMemory(op.getSource()) == Memory::smem ||
      (feedsMmasOnly(op.getResult()) &&
       operands.contains(getWhole(op.getResult()))))
    return 0;
  std::optional<Layout> from = getLayout(op.getSource().getType());
  std::optional<Layout> to = getLayout(op.getType());
  if (!from || !to || findRegisters(*from, *to, getReshape(op)))
    return 0;
  return getExchangeBytes(permute(*from, op.getPermutation()), *to,
                          op.getType().getElementType())
      .value_or(0);
}

/// Whether a tile is in tensor memory, or columns of one that is: those are
/// another address.
static bool isInTensorMemory(Value tile) {
  Operation *maker = tile.getDefiningOp();
  if (!isa_and_present<tile::ExtractSliceOp, tensor::ExtractSliceOp>(maker))
    return getSlotMemory(tile) == Memory::tmem;
  auto from = cast<RankedTensorType>(maker->getOperand(0).getType());
  auto to = cast<RankedTensorType>(tile.getType());
  return to.getDimSize(0) == from.getDimSize(0) &&
         getElementBits(to.getElementType()) == 32 &&
         isInTensorMemory(maker->getOperand(0));
}

int64_t ExchangeCounter::countSlice(Operation *op) {
  Value source = op->getOperand(0), result = op->getResult(0);
  auto type = cast<RankedTensorType>(source.getType());
  std::optional<Layout> from = getLayout(type, axes.get(source, op));
  std::optional<Layout> to = getLayout(result.getType(), axes.get(result));
  if (!from || !to || isInTensorMemory(result) ||
      sliceStaysInThreads(op, *from, *to))
    return 0;
  return getSliceBytes(type).value_or(0);
}

int64_t ExchangeCounter::countTurned(OpOperand &use) {
  auto type = dyn_cast<RankedTensorType>(use.get().getType());
  if (!type || type.getRank() != 1 || !axes.isTurned(use))
    return 0;
  std::optional<Layout> from = getLayout(type, axes.get(use.get()));
  std::optional<Layout> to = getLayout(type, axes.get(use));
  if (!from || !to)
    return 0;
  return getExchangeBytes(*from, *to, type.getElementType()).value_or(0);
}

int64_t ExchangeCounter::countHalf(Value tile) {
  auto type = dyn_cast<RankedTensorType>(tile.getType());
  if (!type || !isInTensorMemory(tile))
    return 0;
  std::optional<Layout> from = fragments.getHalfLayout(type);
  std::optional<Layout> to = from ? getLayout(type) : std::nullopt;
  if (!to)
    return 0;
  return getExchangeBytes(*from, *to, type.getElementType()).value_or(0);
}

int64_t ExchangeCounter::count(Operation *op) {
  int64_t bytes = llvm::TypeSwitch<Operation *, int64_t>(op)
                      .Case<tile::ReduceOp, tile::TransposeOp>(
                          [&](auto exchange) { return count(exchange); })
                      .Case<tile::ExtractSliceOp, tensor::ExtractSliceOp>(
                          [&](auto slice) { return countSlice(slice); })
                      .Default([](Operation *) { return 0; });
  for (OpOperand &use : op->getOpOperands())
    bytes = std::max({bytes, countTurned(use), countHalf(use.get())});
  return bytes;
}

static bool mayExchange(Operation *op) {
  if (auto consume = dyn_cast<ConsumeOp>(op))
    return llvm::any_of(consume.getPipes(), [](Value pipe) {
      return cast<PipeType>(pipe.getType()).getMemory() == Memory::tmem;
    });
  return isa<tile::ReadOp, tile::ReduceOp, tile::TransposeOp,
             tile::ExpandDimsOp, tile::ExtractSliceOp, tensor::ExtractSliceOp>(
      op);
}

int64_t plan::getExchangeBytes(RoleOp role, const target::Architecture &arch) {
  WalkResult found = role.walk([](Operation *op) {
    return mayExchange(op) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!found.wasInterrupted())
    return 0;
  int64_t most = 0;
  ExchangeCounter counter(role, arch);
  role.walk([&](Operation *op) { most = std::max(most, counter.count(op)); });
  return most;
}

bool plan::needsBarrier(RoleOp role, const target::Architecture &arch) {
  return role.getWarps() > 1 && findScratch(role, arch).bytes != 0;
}
