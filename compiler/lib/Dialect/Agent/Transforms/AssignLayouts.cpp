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
// from its uses (Analysis/RoleTiles/VectorAxes.h). Constants, splats and iotas
// are made anew at each use, a load for each layout that a use needs.

#include "drawloom/Analysis/RoleTiles/Exchanges.h"
#include "drawloom/Analysis/RoleTiles/Fragments.h"
#include "drawloom/Analysis/RoleTiles/Scratch.h"
#include "drawloom/Analysis/RoleTiles/VectorAxes.h"
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
  void adoptTiles();
  void foldSplats();
  LogicalResult assign(Operation *op);
  LogicalResult assignMma(Operation *op, Value a, Value b);
  LogicalResult assignTranspose(tile::TransposeOp op);
  LogicalResult assignLoop(scf::ForOp op);

  /// The type of a tile in registers; of an accumulator in flight, too.
  FailureOr<Type> getType(Type type, unsigned axis, Operation *user);
  /// Gives a value that `op` makes its layout.
  LogicalResult assign(Value value, Operation *op);
  /// Lets an operation have an operand in registers.
  LogicalResult read(OpOperand &use);
  LogicalResult readAll(Operation *op);

  RoleOp role;
  const target::Architecture &arch;
  plan::Fragments fragments;
  plan::VectorAxes axes;
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

/// The memory that a tile names which no thread has read.
static tile::Space getSpace(Value source) {
  while (Operation *maker = source.getDefiningOp()) {
    if (auto read = dyn_cast<tile::ReadOp>(maker))
      return read.getBuffer().getType().getSpace();
    source = maker->getOperand(0);
  }
  return tile::Space::Smem;
}

/// Whether a tile is in memory still, and no thread has read it.
static bool isInMemory(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (!op)
    return false;
  if (isa<tile::ReadOp>(op))
    return !cast<RankedTensorType>(tile.getType()).getEncoding();
  if (isa<OrZeroOp>(op))
    return true;
  if (isa<tile::TransposeOp>(op))
    return isInMemory(op->getOperand(0)) &&
           getSpace(op->getOperand(0)) == tile::Space::Smem;
  if (!isa<tensor::ExtractSliceOp, tile::ExtractSliceOp>(op))
    return false;
  // Columns of tensor memory are another address.
  auto from = cast<RankedTensorType>(op->getOperand(0).getType());
  auto to = cast<RankedTensorType>(tile.getType());
  return isInMemory(op->getOperand(0)) &&
         getSpace(op->getOperand(0)) == tile::Space::Tmem &&
         to.getRank() == 2 && to.getDimSize(0) == from.getDimSize(0) &&
         plan::getElementBits(to.getElementType()) == 32;
}

//===----------------------------------------------------------------------===//
// Before layouts
//===----------------------------------------------------------------------===//

/// Tiles that are made before the roles, for several of them, are made in each:
/// they may differ in their layouts.
void RoleLayouts::adoptTiles() {
  OpBuilder b = OpBuilder::atBlockBegin(&role.getBody().front());
  IRMapping map;
  for (Operation *op : plan::findTilesBefore(role)) {
    Operation *own = b.clone(*op, map);
    for (auto [from, to] : llvm::zip(op->getResults(), own->getResults()))
      from.replaceUsesWithIf(to, [&](OpOperand &use) {
        return role->isProperAncestor(use.getOwner());
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

FailureOr<Type> RoleLayouts::getType(Type type, unsigned axis,
                                     Operation *user) {
  if (auto inFlight = dyn_cast<InFlightType>(type)) {
    FailureOr<Type> tile = getType(inFlight.getTile(), axis, user);
    if (failed(tile))
      return failure();
    return Type(
        InFlightType::get(type.getContext(), cast<RankedTensorType>(*tile)));
  }
  auto tensor = cast<RankedTensorType>(type);
  llvm::Expected<tile::Layout> layout =
      fragments.getLayout(tensor.getShape(), axis);
  if (!layout)
    return user->emitOpError()
           << "works on a " << type << " in @" << role.getSymName() << ": "
           << llvm::toString(layout.takeError()) << " [unsupported-tile]";
  return Type(RankedTensorType::get(
      tensor.getShape(), tensor.getElementType(),
      tile::LayoutAttr::get(type.getContext(), std::move(*layout))));
}

LogicalResult RoleLayouts::assign(Value value, Operation *op) {
  if (!isa<RankedTensorType, InFlightType>(value.getType()))
    return success();
  FailureOr<Type> type = getType(value.getType(), axes.get(value), op);
  if (failed(type))
    return failure();
  value.setType(*type);
  return success();
}

LogicalResult RoleLayouts::read(OpOperand &use) {
  Value tile = use.get();
  if (!isa<RankedTensorType>(tile.getType()))
    return success();
  Operation *user = use.getOwner();
  if (cast<RankedTensorType>(tile.getType()).getEncoding()) {
    if (!axes.isTurned(use))
      return success();
    auto own = cast<RankedTensorType>(tile.getType());
    FailureOr<Type> type =
        getType(RankedTensorType::get(own.getShape(), own.getElementType()),
                axes.get(use), user);
    if (failed(type))
      return failure();
    OpBuilder b(user);
    use.set(tile::ConvertLayoutOp::create(b, user->getLoc(), *type, tile));
    return success();
  }
  FailureOr<Type> type = getType(tile.getType(), axes.get(use), user);
  if (failed(type))
    return failure();
  OpBuilder b(user);
  if (isSplat(tile)) {
    use.set(makeSplat(b, tile, cast<RankedTensorType>(*type)));
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
  auto held = cast<RankedTensorType>(tile.getType());
  if (isInMemory(tile) && getSpace(tile) == tile::Space::Tmem)
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

/// Operands are in slots or in registers.
LogicalResult RoleLayouts::assignMma(Operation *op, Value a, Value b) {
  for (OpOperand &use : op->getOpOperands())
    if (!((use.get() == a || use.get() == b) && isInMemory(use.get())) &&
        failed(read(use)))
      return failure();
  return assign(op->getResult(0), op);
}

/// A transpose moves nothing. MMAs that read scratch memory take it as it
/// is; others want it in a layout of the family.
LogicalResult RoleLayouts::assignTranspose(tile::TransposeOp op) {
  if (failed(readAll(op)))
    return failure();
  FailureOr<Type> wanted = getType(op.getType(), axes.get(op.getResult()), op);
  if (failed(wanted))
    return failure();
  const tile::Layout &from =
      cast<tile::LayoutAttr>(op.getSource().getType().getEncoding())
          .getLayout();
  auto type = cast<RankedTensorType>(*wanted);
  const tile::Layout &to =
      cast<tile::LayoutAttr>(type.getEncoding()).getLayout();
  bool isForScratch = feedsMmasOnly(op.getResult()) &&
                      plan::findScratchOperands(role, arch)
                          .contains(plan::getWhole(op.getResult()));
  if (!isForScratch && plan::findRegisters(from, to, plan::getReshape(op))) {
    op.getResult().setType(type);
    return success();
  }
  op.getResult().setType(type.cloneWithEncoding(tile::LayoutAttr::get(
      op.getContext(), plan::permute(from, op.getPermutation()))));
  if (isForScratch)
    return success();
  OpBuilder b(op->getContext());
  b.setInsertionPointAfter(op);
  auto turned =
      tile::ConvertLayoutOp::create(b, op.getLoc(), type, op.getResult());
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
      (isSplat(op->getResult(0)) || isInMemory(op->getResult(0))))
    return success();
  if (isa<MultiplyOp>(op))
    return success();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return assignLoop(loop);
  if (auto issue = dyn_cast<IssueOp>(op))
    return assignMma(op, issue.getA(), issue.getB());
  if (auto mma = dyn_cast<tile::MmaOp>(op))
    return assignMma(op, mma.getA(), mma.getB());
  if (auto transpose = dyn_cast<tile::TransposeOp>(op))
    return assignTranspose(transpose);
  if (failed(readAll(op)))
    return failure();
  // What is kept has been read.
  if (auto keep = dyn_cast<MaterializeOp>(op)) {
    keep.replaceAllUsesWith(keep.getTile());
    keep.erase();
    return success();
  }
  for (Value result : op->getResults())
    if (failed(assign(result, op)))
      return failure();
  return success();
}

LogicalResult RoleLayouts::run() {
  adoptTiles();
  foldSplats();
  axes.infer(role, /*before=*/{}, fragments.getFreeAxis());
  SmallVector<Operation *> operations, remade;
  role.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != role)
      operations.push_back(op);
    if (op->getNumResults() == 1 &&
        isa<RankedTensorType>(op->getResult(0).getType()) &&
        plan::VectorAxes::isRemade(op->getResult(0)))
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
  WalkResult result = kernel.walk([&](RoleOp role) -> WalkResult {
    FailureOr<const target::Architecture *> arch = tile::requireTarget(kernel);
    return failure(failed(arch) || failed(RoleLayouts(role, **arch).run()));
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
