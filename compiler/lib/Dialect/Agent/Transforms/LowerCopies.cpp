//===- LowerCopies.cpp - Copies to and from slots -------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoleCode.h"
#include "drawloom/Analysis/RoleTiles/Panels.h"
#include "drawloom/Analysis/Slots/Multicast.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include <numeric>

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

template <typename AccessT>
static Value makeFits(CodeBuilder &b, AccessT op, RankedTensorType tile) {
  return FitsOp::create(b, b.getI1Type(), op.getView(), op.getOffsets(),
                        op.getStaticOffsets(), op.getTileDims(),
                        tile.getShape());
}

/// Of a whole view, a bulk load knows the edges.
Value agent::fits(CodeBuilder &b, tile::LoadOp op) {
  if (isa<BlockArgument>(op.getView()))
    return {};
  return makeFits(b, op, cast<RankedTensorType>(op.getType()));
}

/// A bulk store knows them, too, but may not begin before the first element.
static Value fits(CodeBuilder &b, RoleCode &code, tile::StoreOp op) {
  if (isa<BlockArgument>(op.getView()) && code.kernel.beginInside.contains(op))
    return {};
  return makeFits(b, op, cast<RankedTensorType>(op.getValue().getType()));
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// Whether `number` is a multiple of `unit` in every iteration.
static bool isMultipleOf(OpFoldResult number, int64_t unit) {
  if (std::optional<int64_t> constant = getConstantIntValue(number))
    return *constant % unit == 0;
  auto argument = dyn_cast<BlockArgument>(cast<Value>(number));
  auto loop = argument
                  ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                  : nullptr;
  return loop && argument == loop.getInductionVar() &&
         isMultipleOf(loop.getLowerBound(), unit) &&
         isMultipleOf(loop.getStep(), unit);
}

namespace {
/// Where a load begins: numbers, and values for those that are dynamic.
struct Offsets {
  SmallVector<Value> values;
  SmallVector<int64_t> numbers;
};
} // namespace

/// The half of a tile that this CTA of a pair holds begins further on, in the
/// second one.
static void moveToHalf(CodeBuilder &b, RoleCode &code, tile::LoadOp load,
                       Offsets &offsets) {
  int64_t dim = *load.getHalved();
  int64_t half = cast<ShapedType>(load.getType()).getDimSize(dim) / 2;
  int64_t moved = load.getTileDims()[dim];
  auto &[values, numbers] = offsets;
  Value index = arith::IndexCastOp::create(b, b.getIndexType(), code.place);
  Value more =
      arith::MulIOp::create(b, index, arith::ConstantIndexOp::create(b, half));
  size_t before = llvm::count_if(ArrayRef(numbers).take_front(moved),
                                 ShapedType::isDynamic);
  if (ShapedType::isDynamic(numbers[moved])) {
    values[before] = arith::AddIOp::create(b, values[before], more);
    return;
  }
  values.insert(
      values.begin() + before,
      arith::AddIOp::create(b, more,
                            arith::ConstantIndexOp::create(b, numbers[moved])));
  numbers[moved] = ShapedType::kDynamic;
}

/// A tensor map promises that rows of a part of a view, too, begin at multiples
/// of 16 bytes. Then a column that is known to be one makes the copy aligned.
static bool isAligned(SlotCopy &copy, const Offsets &offsets) {
  std::optional<plan::Panels> panels =
      plan::getPanels(cast<tile::BufferType>(copy.buffer.getType()));
  if (!panels || !copy.mapped)
    return false;
  constexpr int64_t chunkBytes = target::tiledMaps.granuleBytes;
  SmallVector<OpFoldResult> all =
      getMixedValues(offsets.numbers, offsets.values, copy.buffer.getContext());
  return isMultipleOf(all[copy.load.getTileDims().back()],
                      std::gcd(chunkBytes, panels->width) * 8 / panels->bits);
}

void agent::startCopy(CodeBuilder &b, RoleCode &code, SlotCopy copy) {
  // Threads copy the whole tile, each CTA for itself: the CTAs that share it do
  // so at the same edges.
  PeersOp sharing;
  if (copy.engine == Engine::tma && !copy.along.empty())
    sharing = code.getPeers(b, copy.along);
  tile::LoadOp load = copy.load;
  Offsets offsets = {SmallVector<Value>(load.getOffsets()),
                     SmallVector<int64_t>(load.getStaticOffsets())};
  if (load.getHalved())
    moveToHalf(b, code, load, offsets);
  SlotLoadOp::create(
      b, load.getView(), offsets.values, offsets.numbers, load.getTileDims(),
      copy.engine, load.getPadOrZero(), copy.buffer, copy.barrier,
      isAligned(copy, offsets), sharing ? sharing.getPlace() : Value(),
      sharing ? sharing.getCtas() : Value(),
      sharing ? plan::countAlong(sharing.getCluster(), sharing.getAlong()) : 1);
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

void agent::lowerStore(tile::StoreOp op, RoleCode &code) {
  Value buffer = code.stored.lookup(op.getValue());
  // What is in registers stays a store.
  if (!buffer)
    return;
  CodeBuilder b(op.getLoc(), op);
  auto put = [&](Engine engine) {
    SlotStoreOp::create(b, buffer, op.getView(), op.getOffsets(),
                        op.getStaticOffsets(), op.getTileDims(), engine);
  };
  Value fit = ::fits(b, code, op);
  Value one = code.elect(b, Participants::role);
  if (!fit) {
    when(b, one, [&] { put(Engine::tma); });
  } else {
    // At an edge of a part of a view all threads store what is in it. They have
    // waited for the slot, so they see all of it.
    when(b, arith::AndIOp::create(b, one, fit), [&] { put(Engine::tma); });
    when(b, arith::XOrIOp::create(b, fit, constant(b, 1, 1)),
         [&] { put(Engine::threads); });
  }
  op.erase();
}
