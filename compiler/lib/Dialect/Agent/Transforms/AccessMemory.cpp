//===- AccessMemory.cpp - Where memory is read ----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Before this pass a tile without a layout is a name for memory: what
// `tile.read` gives, or a transpose or columns of that.
// Threads read it where a `tile.convert_layout` stands, and MMAs where it
// is. After this pass there are no such names.
//
// An MMA reads its operands by descriptors of shared memory. Most are in
// slots. What a role has loaded or computed itself, its threads write to the
// role's scratch memory: all of them, because each warp group reads all of B.
//
//   agent.await              the MMAs that read what was there are done
//   agent.sync role          no warp reads it any more
//   tile.write, agent.fence  the tensor core reads through another proxy
//   agent.sync role          all warps have written

#include "drawloom/Analysis/RoleTiles/Fragments.h"
#include "drawloom/Analysis/RoleTiles/Panels.h"
#include "drawloom/Analysis/RoleTiles/Scratch.h"
#include "drawloom/Analysis/Slots/Engines.h"
#include "drawloom/Analysis/Slots/Footprint.h"
#include "drawloom/Dialect/Agent/IR/ProtocolOps.h"
#include "drawloom/Dialect/Agent/Transforms/Passes.h"
#include "drawloom/Dialect/Tile/IR/Schedule.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace drawloom::agent {
#define GEN_PASS_DEF_ACCESSMEMORY
#include "drawloom/Dialect/Agent/Transforms/Passes.h.inc"
} // namespace drawloom::agent

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using plan::isInRegisters;

namespace {
class AccessMemory : public agent::impl::AccessMemoryBase<AccessMemory> {
  using AccessMemoryBase::AccessMemoryBase;

  void runOnOperation() override;
};

/// What a name for memory stands for.
struct Place {
  Value buffer;
  /// Where in the buffer the tile begins.
  SmallVector<OpFoldResult> offsets;
  /// The tile is the transpose of what is there.
  bool transposed = false;
};

class RoleAccesses {
public:
  RoleAccesses(RoleOp role, const target::Architecture &arch)
      : role(role), scratch(plan::findScratch(role, arch)) {}

  /// Gives the role the next of the named barriers if its warps synchronize.
  LogicalResult setNamedBarrier(int64_t &barriers);
  LogicalResult run();

private:
  LogicalResult access(Operation *op);
  void read(tile::ConvertLayoutOp op);
  LogicalResult takeBuffers(Operation *mma, Value a, Value b);
  Value writeOperand(ImplicitLocOpBuilder &b, Value operand);
  LogicalResult addMma(tile::MmaOp op);

  RoleOp role;
  plan::Scratch scratch;
  /// What was read of shared memory, by the name and the type.
  llvm::DenseMap<std::pair<Value, Type>, Value> reads;
};
} // namespace

/// The place of a name for memory; nothing if it is none.
static std::optional<Place> findPlace(ImplicitLocOpBuilder &b, Value tile) {
  if (isInRegisters(tile))
    return std::nullopt;
  Operation *op = tile.getDefiningOp();
  if (auto read = dyn_cast_if_present<tile::ReadOp>(op))
    return Place{read.getBuffer(), read.getMixedOffsets()};
  if (!isa_and_present<tile::TransposeOp, tensor::ExtractSliceOp,
                       tile::ExtractSliceOp>(op))
    return std::nullopt;
  std::optional<Place> place = findPlace(b, op->getOperand(0));
  if (!place)
    return std::nullopt;
  if (auto transpose = dyn_cast<tile::TransposeOp>(op)) {
    place->transposed ^= transpose.getPermutation()[0] == 1;
    return place;
  }
  SmallVector<OpFoldResult> more;
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    more = slice.getMixedOffsets();
  else
    for (int64_t offset : cast<tile::ExtractSliceOp>(op).getOffsets())
      more.push_back(b.getIndexAttr(offset));
  for (auto [offset, by] : llvm::zip_equal(place->offsets, more)) {
    std::optional<int64_t> first = getConstantIntValue(offset);
    std::optional<int64_t> second = getConstantIntValue(by);
    if (first == 0)
      offset = by;
    else if (first && second)
      offset = b.getIndexAttr(*first + *second);
    else if (second != 0)
      offset = arith::AddIOp::create(
                   b, getValueOrCreateConstantIndexOp(b, b.getLoc(), offset),
                   getValueOrCreateConstantIndexOp(b, b.getLoc(), by))
                   .getResult();
  }
  return place;
}

static Value transposeView(ImplicitLocOpBuilder &b, Value buffer,
                           bool transposed) {
  return transposed ? tile::TransposeViewOp::create(b, buffer).getResult()
                    : buffer;
}

static Value readPlace(ImplicitLocOpBuilder &b, const Place &place,
                       RankedTensorType type) {
  SmallVector<int64_t> numbers;
  SmallVector<Value> values;
  dispatchIndexOpFoldResults(place.offsets, values, numbers);
  return tile::ReadOp::create(b, type,
                              transposeView(b, place.buffer, place.transposed),
                              values, numbers);
}

void RoleAccesses::read(tile::ConvertLayoutOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  std::optional<Place> place = findPlace(b, op.getSource());
  // Between registers.
  if (!place)
    return;
  auto type = cast<tile::BufferType>(place->buffer.getType());
  bool isAnew = type.getSpace() == tile::Space::Tmem;
  Value &known = reads[{op.getSource(), op.getType()}];
  if (isAnew || !known ||
      !known.getParentRegion()->isAncestor(op->getParentRegion()))
    known = readPlace(b, *place, op.getType());
  op.replaceAllUsesWith(known);
  op.erase();
}

//===----------------------------------------------------------------------===//
// MMAs
//===----------------------------------------------------------------------===//

Value RoleAccesses::writeOperand(ImplicitLocOpBuilder &b, Value operand) {
  Value source = plan::skipTransposes(operand);
  bool transposed = false;
  for (Value tile = operand; tile != source;) {
    auto transpose = tile.getDefiningOp<tile::TransposeOp>();
    transposed ^= transpose.getPermutation()[0] == 1;
    tile = transpose.getSource();
  }
  auto type = cast<RankedTensorType>(source.getType());
  std::optional<plan::Panels> panels = plan::getOperandPanels(type, transposed);
  auto buffer = tile::BufferType::get(
      type.getShape(), type.getElementType(), tile::Space::Smem,
      panels ? plan::getAttr(*panels, b.getContext()) : Attribute());
  int64_t at = role.getScratchAttr().getOffset() +
               scratch.operands.lookup(plan::getWhole(operand));
  Value room =
      tile::AllocOp::create(b, buffer, b.getI64IntegerAttr(at)).getResult();
  AwaitOp::create(b, TypeRange(), ValueRange(), /*pending=*/0);
  SyncOp::create(b, Participants::role);
  tile::WriteOp::create(b, source, room, ValueRange(),
                        SmallVector<int64_t>(type.getRank(), 0));
  FenceOp::create(b, Fence::async);
  SyncOp::create(b, Participants::role);
  return transposeView(b, room, transposed);
}

/// The buffer that an operand is in; null if it is in registers.
static Value getBuffer(ImplicitLocOpBuilder &b, Value operand) {
  std::optional<Place> place = findPlace(b, operand);
  return place ? transposeView(b, place->buffer, place->transposed) : Value();
}

/// A of 16 bits may stay in registers, unless it is B as well, or a transpose
/// that moves nothing; what else threads have is written to memory, for this
/// MMA only.
LogicalResult RoleAccesses::takeBuffers(Operation *mma, Value a, Value b) {
  ImplicitLocOpBuilder builder(mma->getLoc(), mma);
  bool isTransposed = a.getDefiningOp<tile::TransposeOp>() &&
                      scratch.operands.contains(plan::getWhole(a));
  bool stays = isInRegisters(a) && a != b && !isTransposed &&
               plan::getElementBits(getElementTypeOrSelf(a.getType())) == 16;
  auto take = [&](Value operand) -> Value {
    if (Value buffer = getBuffer(builder, operand))
      return buffer;
    if (isInRegisters(operand) &&
        scratch.operands.contains(plan::getWhole(operand)))
      return writeOperand(builder, operand);
    mma->emitOpError() << "multiplies a " << operand.getType()
                       << " that is neither in memory nor has scratch "
                          "memory to go to [pass-order]";
    return {};
  };
  Value first = stays ? a : take(a);
  Value second = a == b ? first : first ? take(b) : Value();
  if (!second)
    return failure();
  mma->setOperand(0, first);
  mma->setOperand(1, second);
  return success();
}

/// Where the registers do not hold an accumulator and an MMA of all its
/// columns, it is made in parts.
LogicalResult RoleAccesses::addMma(tile::MmaOp op) {
  // Registers that a part may have beside a small total, and beside others.
  constexpr int64_t small = plan::mostPromotedRegisters;
  auto layout = cast<tile::LayoutAttr>(op.getType().getEncoding());
  int64_t registers = layout.getLayout().getInputSize(plan::inRegister);
  int64_t most = registers <= small ? small : small / 2;
  int64_t blocks = registers * 2 / op.getN(), columns = op.getN();
  while (columns / 2 * blocks > most && columns % 16 == 0)
    columns /= 2;
  OpBuilder b(op);
  auto mma = AddMmaOp::create(b, op.getLoc(), op.getType(), op.getA(),
                              op.getB(), op.getAcc(), columns, op.getNegated());
  op.replaceAllUsesWith(mma.getResult());
  op.erase();
  return takeBuffers(mma, mma.getA(), mma.getB());
}

//===----------------------------------------------------------------------===//
// The role
//===----------------------------------------------------------------------===//

LogicalResult RoleAccesses::setNamedBarrier(int64_t &barriers) {
  ScratchAttr own = role.getScratchAttr();
  if (scratch.operandBytes && (!own || own.getBytes() < scratch.operandBytes))
    return role->emitOpError() << "multiplies what takes "
                               << plan::formatBytes(scratch.operandBytes)
                               << " of scratch memory; it has "
                               << plan::formatBytes(own ? own.getBytes() : 0)
                               << ": run 'place-memory'" << " [pass-order]";
  // A role of one warp needs no barrier.
  if (role.getWarps() == 1)
    return success();
  bool syncs = role.walk([](SyncOp sync) {
                     return sync.getParticipants() == Participants::role
                                ? WalkResult::interrupt()
                                : WalkResult::advance();
                   })
                   .wasInterrupted();
  if (syncs || (own && own.getBytes()))
    role.setNamedBarrierAttr(NamedBarrierAttr::get(
        role.getContext(), ++barriers,
        own ? own.getOffset() + scratch.operandBytes : 0));
  return success();
}

LogicalResult RoleAccesses::access(Operation *op) {
  if (isa<MultiplyOp, IssueOp>(op))
    return takeBuffers(op, op->getOperand(0), op->getOperand(1));
  if (auto mma = dyn_cast<tile::MmaOp>(op))
    return addMma(mma);
  if (auto conversion = dyn_cast<tile::ConvertLayoutOp>(op))
    read(conversion);
  return success();
}

LogicalResult RoleAccesses::run() {
  SmallVector<Operation *> operations, names;
  role.walk<WalkOrder::PreOrder>(
      [&](Operation *op) { operations.push_back(op); });
  for (Operation *op : operations) {
    if (isa<tile::ReadOp, tile::TransposeOp, tensor::ExtractSliceOp,
            tile::ExtractSliceOp>(op))
      names.push_back(op);
    else if (failed(access(op)))
      return failure();
  }
  for (Operation *name : llvm::reverse(names))
    if (name->use_empty())
      name->erase();
  return success();
}

void AccessMemory::runOnOperation() {
  tile::KernelOp kernel = getOperation();
  FailureOr<const target::Architecture *> arch = tile::requireTarget(kernel);
  if (failed(arch))
    return signalPassFailure();
  SmallVector<RoleAccesses> roles;
  kernel.walk([&](RoleOp role) { roles.emplace_back(role, **arch); });
  // Barrier 0 is that of the CTA.
  int64_t barriers = 0;
  for (RoleAccesses &role : roles)
    if (failed(role.setNamedBarrier(barriers)) || failed(role.run()))
      return signalPassFailure();
}
