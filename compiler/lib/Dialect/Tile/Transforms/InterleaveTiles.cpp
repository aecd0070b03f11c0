//===- InterleaveTiles.cpp - Several tiles of an item, interleaved --------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Unroll and jam of the work tiles: the last dimension of an item grows by a
// factor, and every operation that depends on it is there once for each tile.
// Operations that don't, such as the loads of operands that all tiles share,
// stay single. Loops whose bounds are the same for all tiles become one.

#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Dialect/Tile/Transforms/Passes.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"

namespace drawloom::tile {
#define GEN_PASS_DEF_INTERLEAVETILES
#include "drawloom/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace drawloom::tile

using namespace mlir;
using namespace drawloom;
using namespace drawloom::tile;

/// The loop over the work tiles themselves; null if the kernel is one item.
static ForEachOp getItems(KernelOp kernel) {
  ForEachOp items = kernel.getForEach();
  while (items && items.getNested())
    items = items.getNested();
  return items;
}

namespace {
class Jammer {
public:
  Jammer(ForEachOp items, int64_t count)
      : items(items), count(count), size(items.getTiles().back()), maps(count) {
  }

  void run();

private:
  void findVarying();
  bool findVarying(Operation *op);
  bool isSameForAll(Operation *op);
  void jam(Block &block, OpBuilder &builder);
  void jamLoop(scf::ForOp loop, OpBuilder &builder);

  ForEachOp items;
  int64_t count, size;
  /// From the program of one tile to that of each.
  SmallVector<IRMapping> maps;
  /// What depends on which tile it is.
  llvm::DenseSet<Value> varyingValues;
  llvm::DenseSet<Operation *> varyingOps;
};
} // namespace

/// The offset is a multiple of count * size, so its quotient by a multiple of
/// that is the same for all tiles of the item.
bool Jammer::isSameForAll(Operation *op) {
  if (!isa<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(op) ||
      op->getOperand(0) != items.getOffsets().back())
    return false;
  IntegerAttr divisor;
  return matchPattern(op->getOperand(1), m_Constant(&divisor)) &&
         divisor.getInt() > 0 && divisor.getInt() % (count * size) == 0;
}

/// Whether something was added.
bool Jammer::findVarying(Operation *op) {
  if (varyingOps.contains(op) || isSameForAll(op))
    return false;
  bool varies = llvm::any_of(op->getOperands(), [&](Value operand) {
    return varyingValues.contains(operand);
  });
  op->walk([&](Operation *inner) { varies |= varyingOps.contains(inner); });
  if (!varies)
    return false;
  varyingOps.insert(op);
  varyingValues.insert(op->getResults().begin(), op->getResults().end());
  // A loop that is there for each tile carries its values for each.
  if (auto loop = dyn_cast<scf::ForOp>(op))
    varyingValues.insert(loop.getRegionIterArgs().begin(),
                         loop.getRegionIterArgs().end());
  return true;
}

void Jammer::findVarying() {
  varyingValues.insert(items.getOffsets().back());
  for (bool changed = true; changed;) {
    changed = false;
    items.getBody().walk([&](Operation *op) {
      if (!op->hasTrait<OpTrait::IsTerminator>() || isa<scf::YieldOp>(op))
        changed |= findVarying(op);
    });
  }
}

void Jammer::jamLoop(scf::ForOp loop, OpBuilder &builder) {
  SmallVector<Value> inits;
  for (IRMapping &map : maps)
    for (Value init : loop.getInitArgs())
      inits.push_back(map.lookupOrDefault(init));
  auto bound = [&](Value value) { return maps.front().lookupOrDefault(value); };
  unsigned carried = loop.getInitArgs().size();
  auto made = scf::ForOp::create(
      builder, loop.getLoc(), bound(loop.getLowerBound()),
      bound(loop.getUpperBound()), bound(loop.getStep()), inits,
      [&](OpBuilder &body, Location loc, Value variable, ValueRange arguments) {
        for (auto [tile, map] : llvm::enumerate(maps)) {
          map.map(loop.getInductionVar(), variable);
          map.map(loop.getRegionIterArgs(),
                  arguments.slice(tile * carried, carried));
        }
        jam(*loop.getBody(), body);
        SmallVector<Value> yielded;
        for (IRMapping &map : maps)
          for (Value value : loop.getYieldedValues())
            yielded.push_back(map.lookupOrDefault(value));
        scf::YieldOp::create(body, loc, yielded);
      });
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  for (auto [tile, map] : llvm::enumerate(maps))
    map.map(loop.getResults(),
            made.getResults().slice(tile * carried, carried));
}

void Jammer::jam(Block &block, OpBuilder &builder) {
  for (Operation &op : block.without_terminator()) {
    if (!varyingOps.contains(&op)) {
      Operation *made = builder.clone(op, maps.front());
      for (IRMapping &map : llvm::drop_begin(maps))
        map.map(op.getResults(), made->getResults());
      continue;
    }
    auto loop = dyn_cast<scf::ForOp>(op);
    auto varies = [&](Value bound) { return varyingValues.contains(bound); };
    if (loop && !varies(loop.getLowerBound()) &&
        !varies(loop.getUpperBound()) && !varies(loop.getStep())) {
      jamLoop(loop, builder);
      continue;
    }
    for (IRMapping &map : maps)
      builder.clone(op, map);
  }
}

void Jammer::run() {
  findVarying();
  Location loc = items.getLoc();
  SmallVector<int64_t> tiles(items.getTiles());
  tiles.back() *= count;
  items.setTiles(tiles);

  Region single;
  single.takeBody(items.getBody());
  Block &old = single.front();
  Block &body = items.getBody().emplaceBlock();
  for (BlockArgument argument : old.getArguments())
    body.addArgument(argument.getType(), argument.getLoc());
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  for (auto [tile, map] : llvm::enumerate(maps)) {
    map.map(old.getArguments(), body.getArguments());
    if (tile == 0)
      continue;
    Value step = arith::ConstantIndexOp::create(builder, loc, tile * size);
    map.map(
        old.getArguments().back(),
        arith::AddIOp::create(builder, loc, body.getArguments().back(), step)
            .getResult());
  }
  // varyingValues speaks of the old arguments, which `single` still has.
  jam(old, builder);
  ReturnOp::create(builder, loc);
}

/// Whether an MMA in a loop reads what became of another MMA's result
/// in the same iteration: then one tile alone leaves the tensor core without
/// work while the values between the two are computed.
static bool hasChain(KernelOp kernel) {
  bool found = false;
  kernel.walk([&](MmaOp mma) {
    Operation *loop = mma->getParentOfType<scf::ForOp>();
    if (!loop || found)
      return;
    SmallVector<Value> work{mma.getA(), mma.getB()};
    llvm::DenseSet<Value> seen;
    while (!work.empty()) {
      Operation *op = work.pop_back_val().getDefiningOp();
      if (!op || op->getParentOp() != loop)
        continue;
      found |= isa<MmaOp>(op);
      for (Value operand : op->getOperands())
        if (seen.insert(operand).second)
          work.push_back(operand);
    }
  });
  return found;
}

namespace {
struct InterleaveTilesPass
    : tile::impl::InterleaveTilesBase<InterleaveTilesPass> {
  using Base::Base;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    FailureOr<const target::Architecture *> arch = requireTarget(kernel);
    if (failed(arch))
      return signalPassFailure();
    ForEachOp items = getItems(kernel);
    Schedule schedule = getSchedule(kernel);
    if (!items || schedule.interleave.value_or(2) == 1)
      return;
    if (!schedule.interleave && !choose(kernel, schedule, **arch))
      return;
    Jammer(items, *schedule.interleave).run();
    setSchedule(kernel, schedule);
  }

private:
  bool choose(KernelOp kernel, Schedule &schedule,
              const target::Architecture &arch);
};
} // namespace

bool InterleaveTilesPass::choose(KernelOp kernel, Schedule &schedule,
                                 const target::Architecture &arch) {
  // Only where results are in tensor memory can another role compute on one
  // tile while the tensor core works on the next.
  bool apart = schedule.roles.value_or(Roles::Multi) == Roles::Multi &&
               arch.tensorMemory.columns != 0;
  if (!apart || !hasChain(kernel))
    return false;
  schedule.interleave = 2;
  addReasons(
      kernel,
      {"interleave: 2 tiles, so that the tensor core has work while what lies "
       "between two MMAs is computed"});
  return true;
}
