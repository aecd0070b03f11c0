//===- AssignLayouts.cpp - Which thread has which element -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A tile in registers gets its layout as a part of its type; a tile in memory
// has none. Between them stands a conversion, which is where threads read:
//
//   memory     a slot, and what is cut from it without touching it: columns of
//              tensor memory, a transpose in shared memory
//   registers  everything that threads compute, load, carry, store or write
//
// The layouts of a role are of one family (Analysis/RoleTiles/Fragments.h),
// chosen by the instructions that dictate one; the axis of a vector follows
// from its uses (VectorAxes.h). Constants, splats and iotas
// are made anew at each use, a load for each layout that a use needs.

#include "VectorAxes.h"
#include "drawloom/Analysis/Layouts/Conversion.h"
#include "drawloom/Analysis/RoleTiles/Exchanges.h"
#include "drawloom/Analysis/RoleTiles/Fragments.h"
#include "drawloom/Analysis/RoleTiles/Scratch.h"
#include "drawloom/Analysis/Slots/Accumulators.h"
#include "drawloom/Analysis/Slots/Engines.h"
#include "drawloom/Analysis/Slots/Footprint.h"
#include "drawloom/Dialect/Agent/IR/Engines.h"
#include "drawloom/Dialect/Agent/IR/ProtocolOps.h"
#include "drawloom/Dialect/Agent/Transforms/Passes.h"
#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

namespace drawloom::agent {
#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "drawloom/Dialect/Agent/Transforms/Passes.h.inc"
} // namespace drawloom::agent

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

namespace {
class AssignLayouts : public agent::impl::AssignLayoutsBase<AssignLayouts> {
  using AssignLayoutsBase::AssignLayoutsBase;

  void runOnOperation() override;
};

class RoleLayouts {
public:
  RoleLayouts(RoleOp role, const target::Architecture &arch)
      : role(role), arch(arch), fragments(plan::Fragments::get(role, arch)) {}

  LogicalResult run();

private:
  void forget();
  void adoptTiles();
  void foldSplats();
  LogicalResult assign(Operation *op);
  LogicalResult assignTranspose(tile::TransposeOp op);
  LogicalResult assignLoop(scf::ForOp op);

  /// The type of a tile in registers.
  FailureOr<RankedTensorType> getType(RankedTensorType type, unsigned axis,
                                      Operation *user);
  bool isRead(OpOperand &use);
  /// Whether a tile that a loop, a branch or a consume passes on stays in
  /// tensor memory.
  bool isInTensorMemory(Value tile) {
    return plan::isAccumulator(tile, arch) || plan::isRescaled(tile);
  }
  /// Gives a value that `op` makes its layout.
  LogicalResult assign(Value value, Operation *op);
  /// Lets an operation have an operand in registers.
  LogicalResult read(OpOperand &use);
  LogicalResult readAll(Operation *op);

  RoleOp role;
  const target::Architecture &arch;
  plan::Fragments fragments;
  VectorAxes axes;
  /// A load, and what it was made for each type.
  llvm::DenseMap<std::pair<Operation *, Type>, Value> loads;
};
} // namespace

/// Whether all elements of a tile are known to be the same.
static bool isSplat(Value tile) {
  Attribute constant;
  return tile.getDefiningOp<tensor::SplatOp>() ||
         (matchPattern(tile, m_Constant(&constant)) &&
          isa<SplatElementsAttr>(constant));
}

/// Makes a splat or a constant with another type.
static Value makeSplat(OpBuilder &b, Value source, RankedTensorType type) {
  Location loc = source.getLoc();
  if (auto splat = source.getDefiningOp<tensor::SplatOp>())
    return tensor::SplatOp::create(b, loc, type, splat.getInput());
  auto constant = source.getDefiningOp<arith::ConstantOp>();
  auto all = cast<SplatElementsAttr>(constant.getValue());
  return arith::ConstantOp::create(b, loc, all.resizeSplat(type));
}

//===----------------------------------------------------------------------===//
// Before layouts
//===----------------------------------------------------------------------===//

/// What an earlier run has said may be for other warps.
void RoleLayouts::forget() {
  auto drop = [](Value value) {
    if (auto tile = dyn_cast<RankedTensorType>(value.getType()))
      value.setType(tile.dropEncoding());
  };
  role.walk([&](Operation *op) {
    if (auto conversion = dyn_cast<tile::ConvertLayoutOp>(op)) {
      conversion.replaceAllUsesWith(conversion.getSource());
      conversion.erase();
      return;
    }
    llvm::for_each(op->getResults(), drop);
    for (Region &region : op->getRegions())
      llvm::for_each(region.getArguments(), drop);
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      if (auto all = dyn_cast<SplatElementsAttr>(constant.getValue()))
        constant.setValueAttr(
            all.resizeSplat(cast<ShapedType>(constant.getType())));
  });
}

/// The operations before a role that make tiles for it, in their order.
static SmallVector<Operation *> findTilesBefore(RoleOp role) {
  Block *block = role->getParentOp()->getBlock();
  llvm::SetVector<Operation *> found;
  auto add = [&](Operation *op) {
    for (Value operand : op->getOperands())
      if (Operation *maker = operand.getDefiningOp();
          maker && maker->getBlock() == block &&
          isa<RankedTensorType>(operand.getType()))
        found.insert(maker);
  };
  role.walk(add);
  for (unsigned i = 0; i < found.size(); ++i)
    add(found[i]);
  SmallVector<Operation *> ordered = found.takeVector();
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ordered;
}

/// Tiles that are made before the roles, for several of them, are made in each:
/// they may differ in their layouts.
void RoleLayouts::adoptTiles() {
  OpBuilder b = OpBuilder::atBlockBegin(&role.getBody().front());
  IRMapping map;
  for (Operation *op : findTilesBefore(role)) {
    Operation *own = b.clone(*op, map);
    for (auto [from, to] : llvm::zip(op->getResults(), own->getResults()))
      from.replaceUsesWithIf(to, [&](OpOperand &use) {
        return role->isProperAncestor(use.getOwner()) && isRead(use);
      });
  }
}

/// A part or a repetition of equal elements is a splat.
void RoleLayouts::foldSplats() {
  role.walk([](Operation *op) {
    if (!isa<tile::ExpandDimsOp, tile::BroadcastOp, tile::TransposeOp,
             tensor::ExtractSliceOp, tile::ExtractSliceOp>(op) ||
        !isSplat(op->getOperand(0)))
      return;
    OpBuilder b(op);
    Value result = op->getResult(0);
    result.replaceAllUsesWith(makeSplat(
        b, op->getOperand(0), cast<RankedTensorType>(result.getType())));
    op->erase();
  });
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

FailureOr<RankedTensorType>
RoleLayouts::getType(RankedTensorType tensor, unsigned axis, Operation *user) {
  llvm::Expected<tile::Layout> layout =
      fragments.getLayout(tensor.getShape(), axis);
  if (!layout)
    return user->emitOpError()
           << "works on a " << tensor << " in @" << role.getSymName() << ": "
           << llvm::toString(layout.takeError()) << " [unsupported-tile]";
  return tensor.cloneWithEncoding(
      tile::LayoutAttr::get(tensor.getContext(), std::move(*layout)));
}

LogicalResult RoleLayouts::assign(Value value, Operation *op) {
  if (!isa<RankedTensorType>(value.getType()) || isInTensorMemory(value))
    return success();
  FailureOr<RankedTensorType> type =
      getType(cast<RankedTensorType>(value.getType()), axes.get(value), op);
  if (failed(type))
    return failure();
  value.setType(*type);
  return success();
}

/// Whether threads have an operand in registers.
bool RoleLayouts::isRead(OpOperand &use) {
  Operation *user = use.getOwner();
  if (!isa<RankedTensorType>(use.get().getType()))
    return false;
  // Operands are in slots or in registers.
  if (auto mma = dyn_cast<tile::MmaOp>(user))
    return !plan::isTcgen05Mma(mma, arch) &&
           (use.get() == mma.getAcc() || !plan::getMemory(use.get()));
  if (auto loop = dyn_cast<scf::ForOp>(user))
    return !isInTensorMemory(loop.getTiedLoopResult(&use));
  // What TMA stores from a slot is in no registers.
  if (auto store = dyn_cast<tile::StoreOp>(user))
    return !isStoredByTma(store);
  Operation *parent = user->getParentOp();
  if (!isa<scf::YieldOp, YieldOp>(user))
    return true;
  if (auto produce = dyn_cast<ProduceOp>(parent))
    return produce.getEngine() == Engine::threads;
  return !isa<scf::ForOp, scf::IfOp, ConsumeOp>(parent) ||
         !isInTensorMemory(parent->getResult(use.getOperandNumber()));
}

LogicalResult RoleLayouts::read(OpOperand &use) {
  if (!isRead(use))
    return success();
  Value tile = use.get();
  Operation *user = use.getOwner();
  auto held = cast<RankedTensorType>(tile.getType());
  if (held.getEncoding()) {
    if (!axes.isTurned(use))
      return success();
    FailureOr<RankedTensorType> type =
        getType(held.dropEncoding(), axes.get(use), user);
    if (failed(type))
      return failure();
    OpBuilder b(user);
    use.set(tile::ConvertLayoutOp::create(b, user->getLoc(), *type, tile));
    return success();
  }
  FailureOr<RankedTensorType> type = getType(held, axes.get(use), user);
  if (failed(type))
    return failure();
  OpBuilder b(user);
  if (isSplat(tile)) {
    use.set(makeSplat(b, tile, *type));
    return success();
  }
  if (auto iota = tile.getDefiningOp<tile::IotaOp>()) {
    use.set(tile::IotaOp::create(b, iota.getLoc(), *type));
    return success();
  }
  if (auto load = tile.getDefiningOp<tile::LoadOp>()) {
    Value &made = loads[{load, *type}];
    if (!made) {
      b.setInsertionPoint(load);
      made = b.clone(*load)->getResult(0);
      made.setType(*type);
    }
    use.set(made);
    return success();
  }
  if (plan::getMemory(tile) == Memory::tmem)
    if (std::optional<tile::Layout> half = fragments.getHalfLayout(held))
      tile = tile::ConvertLayoutOp::create(
          b, user->getLoc(),
          held.cloneWithEncoding(
              tile::LayoutAttr::get(b.getContext(), std::move(*half))),
          tile);
  use.set(tile::ConvertLayoutOp::create(b, user->getLoc(), *type, tile));
  return success();
}

LogicalResult RoleLayouts::readAll(Operation *op) {
  for (OpOperand &use : op->getOpOperands())
    if (failed(read(use)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// A transpose moves nothing. MMAs that read scratch memory take it as it
/// is; others want it in a layout of the family.
LogicalResult RoleLayouts::assignTranspose(tile::TransposeOp op) {
  if (failed(readAll(op)))
    return failure();
  FailureOr<RankedTensorType> type =
      getType(op.getType(), axes.get(op.getResult()), op);
  if (failed(type))
    return failure();
  const tile::Layout &from =
      cast<tile::LayoutAttr>(op.getSource().getType().getEncoding())
          .getLayout();
  const tile::Layout &to =
      cast<tile::LayoutAttr>(type->getEncoding()).getLayout();
  bool isForScratch = feedsMmasOnly(op.getResult()) &&
                      plan::findScratchOperands(role, arch)
                          .contains(plan::getWhole(op.getResult()));
  // Of a tile that is too large, `check-code` says so.
  bool isTooLarge =
      from.getInputSize(plan::inRegister) > layouts::mostRegisters;
  if (!isForScratch && !isTooLarge &&
      plan::findRegisters(from, to, plan::getReshape(op))) {
    op.getResult().setType(*type);
    return success();
  }
  op.getResult().setType(type->cloneWithEncoding(tile::LayoutAttr::get(
      op.getContext(), plan::permute(from, op.getPermutation()))));
  if (isForScratch)
    return success();
  OpBuilder b(op->getContext());
  b.setInsertionPointAfter(op);
  auto turned =
      tile::ConvertLayoutOp::create(b, op.getLoc(), *type, op.getResult());
  op.getResult().replaceAllUsesExcept(turned, turned);
  return success();
}

LogicalResult RoleLayouts::assignLoop(scf::ForOp op) {
  if (failed(readAll(op)))
    return failure();
  for (Value carried : op.getRegionIterArgs())
    if (failed(assign(carried, op)))
      return failure();
  for (Value result : op.getResults())
    if (failed(assign(result, op)))
      return failure();
  return success();
}

LogicalResult RoleLayouts::assign(Operation *op) {
  // Made at each use.
  if (isa<tile::IotaOp, tile::LoadOp>(op) &&
      isa<RankedTensorType>(op->getResult(0).getType()))
    return success();
  if (op->getNumResults() == 1 &&
      isa<RankedTensorType>(op->getResult(0).getType()) &&
      (isSplat(op->getResult(0)) || plan::getMemory(op->getResult(0))))
    return success();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return assignLoop(loop);
  if (auto transpose = dyn_cast<tile::TransposeOp>(op))
    return assignTranspose(transpose);
  if (failed(readAll(op)))
    return failure();
  for (Value result : op->getResults())
    if (failed(assign(result, op)))
      return failure();
  return success();
}

LogicalResult RoleLayouts::run() {
  forget();
  adoptTiles();
  foldSplats();
  axes.infer(role, fragments.getFreeAxis());
  SmallVector<Operation *> operations, remade;
  role.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != role)
      operations.push_back(op);
    if (op->getNumResults() == 1 &&
        isa<RankedTensorType>(op->getResult(0).getType()) &&
        VectorAxes::isRemade(op->getResult(0)))
      remade.push_back(op);
  });
  for (Operation *op : operations)
    if (failed(assign(op)))
      return failure();
  for (Operation *op : remade)
    if (op->use_empty())
      op->erase();
  return success();
}

void AssignLayouts::runOnOperation() {
  tile::KernelOp kernel = getOperation();
  WalkResult result = kernel.walk([&](SwitchOp roles) -> WalkResult {
    FailureOr<const target::Architecture *> arch = tile::requireTarget(kernel);
    if (failed(arch) || failed(requireEngines(roles)))
      return WalkResult::interrupt();
    for (PipeOp pipe : roles->getBlock()->getOps<PipeOp>())
      if (pipe.getSwitch() == roles && failed(plan::checkMemory(pipe, **arch)))
        return WalkResult::interrupt();
    for (RoleOp role : roles.getRoles())
      if (failed(RoleLayouts(role, **arch).run()))
        return WalkResult::interrupt();
    return WalkResult::skip();
  });
  if (result.wasInterrupted())
    return signalPassFailure();
  // Roles have their own.
  SmallVector<Operation *> tiles;
  for (Operation &op : kernel.getBody().front())
    if (op.getNumResults() == 1 &&
        isa<RankedTensorType>(op.getResult(0).getType()))
      tiles.push_back(&op);
  for (Operation *op : llvm::reverse(tiles))
    if (op->use_empty())
      op->erase();
}
