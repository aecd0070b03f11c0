//===- Code.cpp - Whether roles have code ---------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Analysis/Plan/Code.h"
#include "drawloom/Analysis/Plan/Engines.h"
#include "drawloom/Analysis/Plan/Footprint.h"
#include "drawloom/Analysis/Plan/Panels.h"
#include "drawloom/Analysis/Plan/Scratch.h"
#include "drawloom/Analysis/Plan/Sums.h"
#include "drawloom/Analysis/Plan/VectorAxes.h"
#include "drawloom/Dialect/Agent/IR/Engines.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using namespace drawloom::plan;

namespace {
/// Where a tile is.
struct Place {
  enum class Kind { Splat, Iota, Shared, Tensor, Registers, Accumulator };
  Kind kind = Kind::Registers;
  /// In shared memory: its panels.
  std::optional<Panels> panels = {};
  /// What is there is its transpose.
  bool transposed = false;
};
using Kind = Place::Kind;

class RoleChecker {
public:
  RoleChecker(RoleOp role, const target::Architecture &arch)
      : role(role), arch(arch), fragments(Fragments::get(role, arch)),
        scratch(findScratch(role, arch)) {}
  LogicalResult run();

private:
  LogicalResult checkBlock(Block &block);
  LogicalResult check(Operation *op);
  LogicalResult checkLoop(scf::ForOp op);
  LogicalResult carry(scf::ForOp op, ValueRange values, Operation *user);
  void bindCarried(scf::ForOp op, ValueRange values);
  LogicalResult checkIf(scf::IfOp op);
  LogicalResult checkProduce(ProduceOp op);
  LogicalResult checkConsume(ConsumeOp op);
  LogicalResult checkSum(ConsumeOp op, PipeOp pipe, unsigned index);
  LogicalResult checkBulkCopy(Operation *copy, Value view, Type type,
                              ArrayRef<int64_t> dims);
  LogicalResult checkStore(tile::StoreOp op);
  LogicalResult checkLoad(tile::LoadOp op);
  LogicalResult checkSlice(Operation *op);
  LogicalResult checkReshape(Operation *op);
  LogicalResult checkElementwise(Operation *op);
  LogicalResult checkWgmma(tile::MmaOp op);
  LogicalResult checkTcgen05(tile::MmaOp op);
  LogicalResult checkOperand(Value value, Operation *user);

  FailureOr<tile::Layout> getLayout(RankedTensorType type, unsigned axis,
                                    Operation *user);
  /// The layout of a tile that `op` makes.
  FailureOr<tile::Layout> getLayout(Value tile, Operation *op);
  /// Whether threads can have a tile in registers, as `user` reads it.
  LogicalResult read(Value tile, Operation *user);
  LogicalResult access(RankedTensorType type, unsigned axis, const Place &place,
                       Operation *user);
  LogicalResult write(Value tile, const std::optional<Panels> &panels,
                      Operation *user);
  LogicalResult writeTensor(Value tile, Operation *user);
  void assignSum(Value sum);

  RoleOp role;
  const target::Architecture &arch;
  Fragments fragments;
  Scratch scratch;
  VectorAxes axes;
  DenseMap<Value, Place> places;
  /// Products whose sum has a slot.
  DenseSet<Operation *> sums;
  /// Counts of the loops that are unrolled.
  DenseMap<Value, int64_t> counts;
};
} // namespace

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

FailureOr<tile::Layout> RoleChecker::getLayout(RankedTensorType type,
                                               unsigned axis, Operation *user) {
  llvm::Expected<tile::Layout> layout =
      fragments.getLayout(type.getShape(), axis);
  if (!layout)
    return user->emitOpError()
           << "works on a " << type << " in @" << role.getSymName() << ": "
           << llvm::toString(layout.takeError());
  // Elements may come and go, and some may be spilled; but every one of them
  // is code.
  int64_t count = layout->getInputSize(inRegister);
  int64_t most = 2 * (arch.maxRegistersPerThread + 1);
  if (count <= most)
    return std::move(*layout);
  return user->emitOpError()
         << "works on a " << type << ", of which each thread of the "
         << role.getWarps() << " warps of @" << role.getSymName() << " has "
         << count << " elements, more than twice its registers: " << count
         << " > " << most << "; use a smaller tile";
}

FailureOr<tile::Layout> RoleChecker::getLayout(Value tile, Operation *op) {
  return getLayout(cast<RankedTensorType>(tile.getType()), axes.get(tile), op);
}

LogicalResult RoleChecker::access(RankedTensorType type, unsigned axis,
                                  const Place &place, Operation *user) {
  if (!place.panels || place.panels->atom != Panels::plainAtom)
    return user->emitOpError()
           << "moves rows of " << type
           << " between registers and shared memory: they have a multiple of "
              "16 bytes, and a swizzle of 16 bytes at a time";
  FailureOr<tile::Layout> fragment = getLayout(type, axis, user);
  if (failed(fragment))
    return failure();
  llvm::Expected<Offsets> offsets =
      getSharedOffsets(type, *fragment, *place.panels, place.transposed);
  if (offsets)
    return success();
  return user->emitOpError()
         << "moves a " << type
         << " through shared memory: " << llvm::toString(offsets.takeError());
}

LogicalResult RoleChecker::read(Value value, Operation *user) {
  const Place place = places.lookup(value);
  if (place.kind == Kind::Registers)
    return success();
  auto type = cast<RankedTensorType>(value.getType());
  if (place.kind == Kind::Shared)
    return access(type, axes.get(value, user), place, user);
  if (failed(getLayout(type, axes.get(value, user), user)))
    return failure();
  if (place.kind == Kind::Tensor &&
      (!type.getElementType().isF32() ||
       type.getDimSize(0) % arch.tensorMemory.lanes))
    return user->emitOpError()
           << "reads a " << type
           << " from tensor memory; there is code for f32 and a multiple of "
           << arch.tensorMemory.lanes << " rows";
  if (place.kind == Kind::Accumulator)
    return user->emitOpError()
           << "reads a " << type
           << " that products are adding to; let it be read behind them";
  return success();
}

LogicalResult RoleChecker::write(Value value,
                                 const std::optional<Panels> &panels,
                                 Operation *user) {
  Place place{Kind::Shared, panels};
  return success(succeeded(read(value, user)) &&
                 succeeded(access(cast<RankedTensorType>(value.getType()),
                                  axes.get(value, user), place, user)));
}

LogicalResult RoleChecker::writeTensor(Value value, Operation *user) {
  auto type = cast<RankedTensorType>(value.getType());
  FailureOr<tile::Layout> layout = getLayout(type, axes.get(value, user), user);
  if (failed(layout) || failed(read(value, user)))
    return failure();
  int64_t bits =
      layout->getInputSize(inRegister) * getElementBits(type.getElementType());
  if (bits % 32 == 0)
    return success();
  return user->emitOpError() << "fills tensor memory with rows of " << bits
                             << " bits, which are no whole columns of 32";
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

LogicalResult RoleChecker::run() {
  SmallVector<Operation *> before = findTilesBefore(role);
  if (failed(axes.infer(role, before, fragments.getFreeAxis())))
    return failure();
  for (Operation *op : before)
    if (failed(check(op)))
      return failure();
  return checkBlock(role.getBody().front());
}

LogicalResult RoleChecker::checkBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(check(&op)))
      return failure();
  return success();
}

LogicalResult RoleChecker::check(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](scf::ForOp loop) { return checkLoop(loop); })
      .Case([&](scf::IfOp branch) { return checkIf(branch); })
      .Case([&](ForEachItemOp loop) {
        return checkBlock(loop.getBody().front());
      })
      .Case([&](ProduceOp produce) { return checkProduce(produce); })
      .Case([&](ConsumeOp consume) { return checkConsume(consume); })
      .Case([&](tile::StoreOp store) { return checkStore(store); })
      .Case([&](tile::LoadOp load) { return checkLoad(load); })
      .Case([&](tile::MmaOp product) {
        return arch.mma == target::MmaInstruction::Wgmma
                   ? checkWgmma(product)
                   : checkTcgen05(product);
      })
      .Case<tensor::ExtractSliceOp, tile::ExtractSliceOp>(
          [&](Operation *slice) { return checkSlice(slice); })
      .Case<tile::ExpandDimsOp, tile::BroadcastOp, tile::TransposeOp>(
          [&](Operation *reshape) { return checkReshape(reshape); })
      .Case([&](tensor::SplatOp splat) {
        places[splat] = {Kind::Splat};
        return success();
      })
      .Case([&](tile::IotaOp iota) {
        places[iota] = {Kind::Iota};
        return success();
      })
      .Case([&](arith::ConstantOp constant) {
        places[constant] = {Kind::Splat};
        return success();
      })
      .Default([&](Operation *other) { return checkElementwise(other); });
}

/// Whether `value` is computed from `source` by scalars.
static bool dependsOn(Value value, Value source) {
  if (value == source)
    return true;
  Operation *op = value.getDefiningOp();
  return op && op->getNumRegions() == 0 &&
         llvm::any_of(op->getOperands(), [&](Value operand) {
           return dependsOn(operand, source);
         });
}

bool plan::cutsRegisters(scf::ForOp loop,
                         function_ref<bool(Value)> isInRegisters) {
  WalkResult found = loop.getBody()->walk([&](tensor::ExtractSliceOp slice) {
    bool cuts = isInRegisters(slice.getSource()) &&
                llvm::any_of(slice.getOffsets(), [&](Value offset) {
                  return dependsOn(offset, loop.getInductionVar());
                });
    return cuts ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found.wasInterrupted();
}

LogicalResult RoleChecker::checkLoop(scf::ForOp op) {
  auto isInRegisters = [&](Value tile) {
    auto place = places.find(tile);
    return place != places.end() && place->second.kind == Kind::Registers;
  };
  Operation *end = op.getBody()->getTerminator();
  if (!cutsRegisters(op, isInRegisters)) {
    if (failed(carry(op, op.getInitArgs(), op)))
      return failure();
    bindCarried(op, op.getRegionIterArgs());
    if (failed(checkBlock(*op.getBody())) ||
        failed(carry(op, end->getOperands(), end)))
      return failure();
    bindCarried(op, op.getResults());
    return success();
  }
  std::optional<APInt> trips = op.getStaticTripCount();
  std::optional<int64_t> first = getConstantIntValue(op.getLowerBound());
  std::optional<int64_t> step = getConstantIntValue(op.getStep());
  if (!trips || !first || !step)
    return op->emitOpError("cuts a tile in registers at its own count, so its "
                           "bounds must be constants");
  // More parts than any tile has in the registers of a thread.
  if (trips->ugt(arch.maxRegistersPerThread))
    return op->emitOpError("cuts a tile in registers at its own count, so it "
                           "is unrolled; cut it into at most ")
           << arch.maxRegistersPerThread << " parts";
  auto bind = [&](ValueRange to, ValueRange from) {
    SmallVector<Place> all;
    for (Value value : from)
      all.push_back(places.lookup(value));
    for (auto [value, place] : llvm::zip_equal(to, all))
      places[value] = place;
  };
  bind(op.getRegionIterArgs(), op.getInitArgs());
  for (uint64_t i = 0; i < trips->getZExtValue(); ++i) {
    counts[op.getInductionVar()] = *first + int64_t(i) * *step;
    if (failed(checkBlock(*op.getBody())))
      return failure();
    bind(op.getRegionIterArgs(), end->getOperands());
  }
  bind(op.getResults(), op.getRegionIterArgs());
  return success();
}

LogicalResult RoleChecker::carry(scf::ForOp op, ValueRange values,
                                 Operation *user) {
  for (auto [index, value] : llvm::enumerate(values)) {
    if (!isa<RankedTensorType>(value.getType()))
      continue;
    if (!isTensorCoreProduct(getMaker(op.getResult(index)), arch)) {
      if (failed(read(value, user)))
        return failure();
    } else if (places.lookup(value).kind != Kind::Accumulator &&
               !matchPattern(value, m_AnyZeroFloat())) {
      return op->emitOpError(
          "starts a sum in tensor memory with a tile that is not zero, which "
          "has no code yet; start with zero and add the tile behind the "
          "products");
    }
  }
  return success();
}

void RoleChecker::bindCarried(scf::ForOp op, ValueRange values) {
  for (auto [index, value] : llvm::enumerate(values))
    if (isa<RankedTensorType>(value.getType()))
      places[value] = {isTensorCoreProduct(getMaker(op.getResult(index)), arch)
                           ? Kind::Accumulator
                           : Kind::Registers};
}

LogicalResult RoleChecker::checkIf(scf::IfOp op) {
  WalkResult ends = op->walk([&](Operation *inner) {
    if (!isa<ProduceOp, ConsumeOp>(inner))
      return WalkResult::advance();
    inner->emitOpError("stands in a branch, and roles that don't know whether "
                       "it is taken would lose count of the slots; use masks");
    return WalkResult::interrupt();
  });
  if (ends.wasInterrupted())
    return failure();
  for (Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    if (failed(checkBlock(region.front())))
      return failure();
    Operation *end = region.front().getTerminator();
    for (Value value : end->getOperands())
      if (isa<RankedTensorType>(value.getType()) && failed(read(value, end)))
        return failure();
  }
  for (Value result : op.getResults()) {
    if (!isa<RankedTensorType>(result.getType()))
      continue;
    if (failed(getLayout(result, op)))
      return failure();
    places[result] = {Kind::Registers};
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

/// What a tensor map describes.
LogicalResult RoleChecker::checkBulkCopy(Operation *copy, Value view, Type type,
                                         ArrayRef<int64_t> dims) {
  auto tile = cast<RankedTensorType>(type);
  std::optional<Panels> panels = getCopyPanels(copy);
  int64_t rank = cast<tile::ViewType>(view.getType()).getRank();
  if (panels && panels->boxes && dims.back() == rank - 1)
    return success();
  return copy->emitOpError()
         << "moves rows of " << tile
         << ", which TMA can't cut into boxes of at most " << arch.tma.maxBoxDim
         << " elements that begin at a multiple of " << arch.tma.boxAlign
         << " bytes; use by(copies), shorter rows, or a multiple of "
         << arch.tma.boxAlign << " bytes";
}

/// Finds the products of a sum.
void RoleChecker::assignSum(Value sum) {
  auto result = dyn_cast<OpResult>(sum);
  if (!result)
    return;
  Operation *op = result.getOwner();
  unsigned number = result.getResultNumber();
  if (auto mma = dyn_cast<tile::MmaOp>(op)) {
    sums.insert(mma);
    assignSum(mma.getAcc());
  } else if (isa<scf::ForOp, scf::IfOp, ConsumeOp>(op)) {
    for (Region &region : op->getRegions())
      if (!region.empty())
        assignSum(region.front().getTerminator()->getOperand(number));
    if (auto loop = dyn_cast<scf::ForOp>(op))
      assignSum(loop.getInitArgs()[number]);
  }
}

LogicalResult RoleChecker::checkProduce(ProduceOp op) {
  auto pipe = op.getPipe().getDefiningOp<PipeOp>();
  if (pipe.getPipe().getType().getMemory() == Memory::message)
    return checkBlock(op.getBody().front());
  Engine engine = *pipe.getProducerEngine();
  Block &body = op.getBody().front();
  Operation *end = body.getTerminator();
  if (engine == Engine::tensor_core)
    for (Value value : end->getOperands())
      assignSum(value);
  for (Operation &inner : body.without_terminator()) {
    auto load = dyn_cast<tile::LoadOp>(inner);
    bool isCopied = load && isa<RankedTensorType>(load.getType()) &&
                    (engine == Engine::tma || engine == Engine::copies);
    if (!isCopied && failed(check(&inner)))
      return failure();
  }
  bool inTensor = pipe.getPipe().getType().getMemory() == Memory::tmem;
  for (auto [number, value] : llvm::enumerate(end->getOperands())) {
    auto load = value.getDefiningOp<tile::LoadOp>();
    std::optional<Panels> panels =
        inTensor ? std::nullopt : getPanels(pipe, number);
    switch (engine) {
    case Engine::tensor_core:
      break;
    case Engine::threads:
      if (failed(inTensor ? writeTensor(value, end)
                          : write(value, panels, end)))
        return failure();
      break;
    case Engine::tma:
      if (failed(checkBulkCopy(load, load.getView(), load.getType(),
                               load.getTileDims())))
        return failure();
      if (load.getPad() &&
          load.getPadOrZero() !=
              tile::LoadOp::getDefaultPad(getElementTypeOrSelf(load.getType())))
        return load->emitOpError("pads with a number, and what TMA fills up is "
                                 "zero; use by(copies)");
      break;
    case Engine::copies:
      break;
    }
  }
  return success();
}

/// Whether the role can tell if there is a product in a sum that it reads.
LogicalResult RoleChecker::checkSum(ConsumeOp op, PipeOp pipe, unsigned index) {
  for (Operation *user : pipe.getPipe().getUsers()) {
    auto produce = dyn_cast<ProduceOp>(user);
    if (!produce)
      continue;
    Operation *end = produce.getBody().front().getTerminator();
    Ways ways = findWays(end->getOperand(index));
    if (llvm::any_of(ways, [](auto &way) { return way.empty(); }))
      continue;
    for (ArrayRef<scf::ForOp> way : ways)
      for (scf::ForOp loop : way) {
        std::optional<ScalarSlice> slice = sliceBounds(loop);
        auto mine = op->getParentOfType<ForEachItemOp>();
        if (slice && (!slice->items ||
                      (mine && mine.getSource() == slice->items.getSource())))
          continue;
        InFlightDiagnostic error =
            op->emitOpError()
            << "reads a sum of products whose number @" << role.getSymName()
            << " cannot tell; let the bounds of the loop of products depend "
               "on the work item alone, or begin with one product before "
               "the loop";
        error.attachNote(loop.getLoc()) << "this loop";
        return error;
      }
  }
  return success();
}

LogicalResult RoleChecker::checkConsume(ConsumeOp op) {
  Block &body = op.getBody().front();
  for (auto [number, value] : llvm::enumerate(op.getPipes())) {
    auto pipe = value.getDefiningOp<PipeOp>();
    bool inTensor = pipe.getPipe().getType().getMemory() == Memory::tmem;
    for (auto [index, argument] :
         llvm::enumerate(op.getSlotArguments(number))) {
      if (!isa<RankedTensorType>(argument.getType()))
        continue;
      if (inTensor && pipe.getProducerEngine() == Engine::tensor_core &&
          failed(checkSum(op, pipe, index)))
        return failure();
      places[argument] = inTensor ? Place{Kind::Tensor}
                                  : Place{Kind::Shared, getPanels(pipe, index)};
    }
  }
  if (failed(checkBlock(body)))
    return failure();
  Operation *end = body.getTerminator();
  for (auto [result, value] :
       llvm::zip_equal(op.getResults(), end->getOperands())) {
    if (!isa<RankedTensorType>(value.getType()))
      continue;
    bool isSum = places.lookup(value).kind == Kind::Accumulator;
    if (!isSum && failed(read(value, end)))
      return failure();
    places[result] = {isSum ? Kind::Accumulator : Kind::Registers};
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Operations on tiles
//===----------------------------------------------------------------------===//

LogicalResult RoleChecker::checkStore(tile::StoreOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getValue().getType());
  if (!type)
    return success();
  auto consume = dyn_cast<ConsumeOp>(op->getParentOp());
  for (unsigned pipe = 0; consume && pipe < consume.getPipes().size(); ++pipe)
    if (consume.getEngine(pipe) == Engine::tma &&
        llvm::is_contained(consume.getSlotArguments(pipe), op.getValue()))
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
  for (Value result : op->getResults()) {
    if (!isa<RankedTensorType>(result.getType()))
      continue;
    if (failed(getLayout(result, op)))
      return failure();
    places[result] = {Kind::Registers};
  }
  return success();
}

LogicalResult RoleChecker::checkReshape(Operation *op) {
  Value source = op->getOperand(0), result = op->getResult(0);
  const Place place = places.lookup(source);
  if (place.kind == Kind::Splat) {
    places[result] = place;
    return success();
  }
  auto transpose = dyn_cast<tile::TransposeOp>(op);
  if (transpose && (place.kind == Kind::Shared ||
                    (place.kind == Kind::Registers &&
                     scratch.operands.contains(getWhole(result)) &&
                     feedsProductsOnly(result)))) {
    places[result] = place;
    places[result].transposed ^= transpose.getPermutation()[0] == 1;
    return success();
  }
  auto from = cast<RankedTensorType>(source.getType());
  auto to = cast<RankedTensorType>(result.getType());
  if (failed(read(source, op)))
    return failure();
  FailureOr<tile::Layout> fromLayout =
      getLayout(from, axes.get(source, op), op);
  FailureOr<tile::Layout> toLayout = getLayout(result, op);
  if (failed(fromLayout) || failed(toLayout))
    return failure();
  places[result] = {Kind::Registers};
  if (findRegisters(*fromLayout, *toLayout, getReshape(op)))
    return success();
  return op->emitOpError()
         << "makes a " << to << " of a " << from << " in the registers of @"
         << role.getSymName()
         << ", where elements would have to change threads: load the tile "
            "in the shape that is needed";
}

LogicalResult RoleChecker::checkSlice(Operation *op) {
  Value source = op->getOperand(0), result = op->getResult(0);
  const Place place = places.lookup(source);
  auto from = cast<RankedTensorType>(source.getType());
  auto to = cast<RankedTensorType>(result.getType());
  if (place.kind == Kind::Splat ||
      (place.kind == Kind::Tensor && to.getDimSize(0) == from.getDimSize(0) &&
       to.getElementType().isF32())) {
    places[result] = place;
    return success();
  }
  SmallVector<int64_t> first;
  if (auto slice = dyn_cast<tile::ExtractSliceOp>(op)) {
    llvm::append_range(first, slice.getOffsets());
  } else {
    for (OpFoldResult offset :
         cast<tensor::ExtractSliceOp>(op).getMixedOffsets()) {
      std::optional<int64_t> number = getConstantIntValue(offset);
      if (auto found = counts.find(dyn_cast<Value>(offset));
          !number && found != counts.end())
        number = found->second;
      if (!number)
        return op->emitOpError()
               << "takes a part of a " << from
               << " in registers at a place that is computed; registers cannot "
                  "be indexed";
      first.push_back(*number);
    }
  }
  if (failed(read(source, op)))
    return failure();
  FailureOr<tile::Layout> fromLayout =
      getLayout(from, axes.get(source, op), op);
  FailureOr<tile::Layout> toLayout = getLayout(result, op);
  if (failed(fromLayout) || failed(toLayout))
    return failure();
  places[result] = {Kind::Registers};
  if (findRegisters(*fromLayout, *toLayout, [&](ArrayRef<int64_t> at) {
        SmallVector<int64_t> moved(at);
        for (auto [coordinate, start] : llvm::zip_equal(moved, first))
          coordinate += start;
        return moved;
      }))
    return success();
  return op->emitOpError() << "takes a " << to << " out of a " << from
                           << " in the registers of @" << role.getSymName()
                           << ", where elements would have to change threads";
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

LogicalResult RoleChecker::checkOperand(Value value, Operation *user) {
  Place place = places.lookup(value);
  // Threads of a warp group write what they have to scratch memory.
  bool isWritten = place.kind != Kind::Shared &&
                   arch.mma == target::MmaInstruction::Wgmma &&
                   scratch.operands.contains(getWhole(value));
  if (isWritten) {
    Value source = skipTransposes(value);
    place.panels = getOperandPanels(cast<RankedTensorType>(source.getType()),
                                    place.transposed);
    if (failed(write(source, place.panels, user)))
      return failure();
  } else if (place.kind != Kind::Shared) {
    return user->emitOpError()
           << "multiplies a " << value.getType()
           << " that is not in a slot of shared memory, which has no code yet";
  }
  if (place.panels && place.panels->isDescribed())
    return success();
  return user->emitOpError()
         << "multiplies a " << value.getType()
         << " that no matrix descriptor describes: use rows in memory of a "
            "multiple of 32 bytes, and a multiple of 8 of them";
}

LogicalResult RoleChecker::checkWgmma(tile::MmaOp op) {
  const Place a = places.lookup(op.getA());
  int64_t rows = role.getWarps() / target::warpsPerGroup * target::wgmmaRows;
  if (role.getWarps() % target::warpsPerGroup != 0 || op.getM() % rows)
    return op->emitOpError()
           << "has " << op.getM() << " rows for " << role.getWarps()
           << " warps; four warps take " << target::wgmmaRows
           << " of them at a time, so this role needs a multiple of "
           << std::max(rows, target::wgmmaRows);
  Type aType = op.getA().getType().getElementType();
  bool isShort = getElementBits(aType) == 16;
  for (auto [value, name] :
       {std::pair<Value, char>(op.getA(), 'a'), {op.getB(), 'b'}})
    if (!isShort && places.lookup(value).transposed)
      return op->emitOpError()
             << "reads " << name << ", of " << getElementTypeOrSelf(value)
             << ", across its rows in memory; wgmma does that for 16-bit types "
                "only, so lay it out along k";
  bool inRegisters = a.kind == Kind::Registers && !a.transposed && isShort;
  if (a.kind == Kind::Registers && !isShort &&
      !scratch.operands.contains(getWhole(op.getA())))
    return op->emitOpError()
           << "takes a, of " << aType
           << ", from registers; wgmma does that for 16-bit types only, so "
              "load it, or convert it to bf16 or f16";
  if ((!inRegisters && failed(checkOperand(op.getA(), op))) ||
      failed(checkOperand(op.getB(), op)) || failed(read(op.getAcc(), op)))
    return failure();
  places[op.getResult()] = {Kind::Registers};
  return success();
}

LogicalResult RoleChecker::checkTcgen05(tile::MmaOp op) {
  if (!sums.contains(op))
    return op->emitOpError("is a sum that no slot of tensor memory is for, "
                           "which has no code yet; let products have a role of "
                           "their own, with 'roles = multi'");
  const Place a = places.lookup(op.getA()), b = places.lookup(op.getB());
  if (failed(checkOperand(op.getB(), op)) ||
      (a.kind != Kind::Tensor && failed(checkOperand(op.getA(), op))))
    return failure();
  for (auto [place, along] : {std::pair(&a, 'm'), std::pair(&b, 'n')})
    if (op.getTf32() && place->transposed &&
        place->panels->atom != Panels::wordAtom)
      return op->emitOpError()
             << "reads TF32 with rows along " << along
             << ", for which tcgen05.mma has a swizzle of 128 bytes only; use "
                "a multiple of 32 along "
             << along << ", or store the operand with rows along k";
  if (places.lookup(op.getAcc()).kind != Kind::Accumulator &&
      !matchPattern(op.getAcc(), m_AnyZeroFloat()))
    return op->emitOpError(
        "starts a sum in tensor memory with a tile that is not zero, which has "
        "no code yet; start with zero and add the tile behind the products");
  places[op.getResult()] = {Kind::Accumulator};
  return success();
}

LogicalResult plan::checkCode(SwitchOp roles,
                              const target::Architecture &arch) {
  for (RoleOp role : roles.getRoles())
    if (failed(RoleChecker(role, arch).run()))
      return failure();
  return success();
}
