//===- LowerEnds.cpp - Slots and the barriers that guard them -------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Who waits for what, does what and tells whom is the table "Slots and
// barriers" of docs/CodeGeneration.md. The invariant: a wait for one of a
// slot's two barriers stands before the first access of the slot, an arrival at
// the other after the last one, and every fence that the two sides' proxies
// ask for stands between the accesses and the arrival, or, where an engine
// arrives, after the wait.

#include "RoleLowering.h"
#include "drawloom/Analysis/RoleTiles/Panels.h"
#include "drawloom/Analysis/Slots/Accumulators.h"
#include "drawloom/Analysis/Slots/Multicast.h"
#include "drawloom/Dialect/Agent/IR/Engines.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include <numeric>

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

void RoleLowering::advance(LoweredPipe &pipe, Ring &ring) {
  Type i32 = b.getI32Type();
  auto next = AdvanceOp::create(b, i32, i32, ring.slot, ring.phase,
                                pipe.pipe.getSlots());
  ring.slot = next.getNext();
  ring.phase = next.getNextPhase();
}

Value agent::getBarrier(ImplicitLocOpBuilder &b, Value barriers, Value slot,
                        Value cta) {
  return BarrierOp::create(b, BarrierType::get(b.getContext()), barriers, slot,
                           cta);
}

Value RoleLowering::getBuffer(LoweredPipe &pipe, unsigned value, Value slot) {
  auto slots = cast<SlotsType>(pipe.slots.getType());
  auto tile = cast<RankedTensorType>(slots.getPayload()[value]);
  if (pipe.inTensorMemory())
    return SlotOp::create(b,
                          tile::BufferType::get(tile.getShape(),
                                                tile.getElementType(),
                                                tile::Space::Tmem),
                          pipe.slots, slot, value);
  std::optional<plan::Panels> panels = plan::getPanels(pipe.pipe, value);
  auto type = tile::BufferType::get(
      tile.getShape(), tile.getElementType(), tile::Space::Smem,
      panels ? plan::getAttr(*panels, b.getContext()) : Attribute());
  return SlotOp::create(b, type, pipe.slots, slot, value);
}

/// Whether there is a slot behind a number of `Ring::kept`.
Value RoleLowering::isSlot(Value kept) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::sge, kept, constant(0));
}

/// Waits for a slot that `engine` then fills or empties. An MMA's commit
/// tells the other side without asking the role's other warps: one that waited
/// and was late would miss the phase. So only the thread that issues waits.
void RoleLowering::waitFor(Value barrier, Value parity, Engine engine) {
  auto wait = [&] { WaitOp::create(b, barrier, parity); };
  if (engine == Engine::tensor_core && role.getWarps() > 1)
    when(elect(Participants::role), wait);
  else
    wait();
}

//===----------------------------------------------------------------------===//
// Produce
//===----------------------------------------------------------------------===//

/// The loads that fill a slot, after everything else in the body.
FailureOr<SmallVector<tile::LoadOp>> RoleLowering::getLoads(ProduceOp op) {
  Block &body = op.getBody().front();
  for (Operation &inner : body.without_terminator())
    if (!isa<tile::LoadOp>(inner) && failed(lowerOp(&inner)))
      return failure();
  b.setLoc(op.getLoc());
  SmallVector<tile::LoadOp> loads;
  for (Value value : body.getTerminator()->getOperands())
    loads.push_back(value.getDefiningOp<tile::LoadOp>());
  return loads;
}

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

/// The half of a tile that this CTA of a pair holds begins further on, in the
/// second one.
void RoleLowering::moveToHalf(tile::LoadOp load, int64_t dim,
                              SmallVectorImpl<Value> &offsets,
                              SmallVectorImpl<int64_t> &numbers) {
  int64_t half = cast<ShapedType>(load.getType()).getDimSize(dim) / 2;
  int64_t moved = load.getTileDims()[dim];
  Value index = arith::IndexCastOp::create(b, b.getIndexType(), place);
  Value more =
      arith::MulIOp::create(b, index, arith::ConstantIndexOp::create(b, half));
  size_t before = llvm::count_if(ArrayRef(numbers).take_front(moved),
                                 ShapedType::isDynamic);
  if (ShapedType::isDynamic(numbers[moved])) {
    offsets[before] = arith::AddIOp::create(b, offsets[before], more);
    return;
  }
  offsets.insert(
      offsets.begin() + before,
      arith::AddIOp::create(b, more,
                            arith::ConstantIndexOp::create(b, numbers[moved])));
  numbers[moved] = ShapedType::kDynamic;
}

/// With `mapped`, a tensor map promises that rows of the view, and of a part of
/// it, begin at multiples of 16 bytes. Then a column that is known to be one,
/// too, makes the copy aligned.
void RoleLowering::startLoad(tile::LoadOp load, ArrayRef<int64_t> along,
                             Value buffer, Engine engine, Value barrier,
                             bool mapped) {
  // Threads copy the whole tile, each CTA for itself: the CTAs that share it do
  // so at the same edges.
  PeersOp sharing;
  if (engine == Engine::tma && !along.empty())
    sharing = getPeers(along);
  SmallVector<Value> offsets;
  for (Value offset : load.getOffsets())
    offsets.push_back(map.lookupOrDefault(offset));
  SmallVector<int64_t> numbers(load.getStaticOffsets());
  if (std::optional<int64_t> dim = load.getHalved())
    moveToHalf(load, *dim, offsets, numbers);
  bool aligned = false;
  if (std::optional<plan::Panels> panels =
          plan::getPanels(cast<tile::BufferType>(buffer.getType()));
      panels && mapped) {
    SmallVector<OpFoldResult> all =
        getMixedValues(numbers, offsets, b.getContext());
    constexpr int64_t chunkBytes = target::tiledMaps.granuleBytes;
    aligned =
        isMultipleOf(all[load.getTileDims().back()],
                     std::gcd(chunkBytes, panels->width) * 8 / panels->bits);
  }
  SlotLoadOp::create(
      b, map.lookupOrDefault(load.getView()), offsets, numbers,
      load.getTileDims(), engine, load.getPadOrZero(), buffer, barrier, aligned,
      sharing ? sharing.getPlace() : Value(),
      sharing ? sharing.getCtas() : Value(),
      sharing ? plan::countAlong(sharing.getCluster(), sharing.getAlong()) : 1);
}

template <typename AccessT>
Value RoleLowering::fits(AccessT access, RankedTensorType tile) {
  Value view = map.lookupOrDefault(access.getView());
  // Of a whole view, a bulk load knows the edges; a bulk store may not begin
  // before the first element.
  auto isKnown = [&](OpFoldResult offset) {
    return signAnalysis.isNonNegative(offset);
  };
  if (isa<BlockArgument>(view) &&
      (isa<tile::LoadOp>(access) ||
       llvm::all_of(access.getMixedOffsets(), isKnown)))
    return {};
  SmallVector<Value> offsets;
  for (Value offset : access.getOffsets())
    offsets.push_back(map.lookupOrDefault(offset));
  return FitsOp::create(b, b.getI1Type(), view, offsets,
                        access.getStaticOffsets(), access.getTileDims(),
                        tile.getShape());
}

LogicalResult RoleLowering::fillByTma(ProduceOp op, LoweredPipe &pipe,
                                      Value slot, Value full) {
  FailureOr<SmallVector<tile::LoadOp>> loads = getLoads(op);
  if (failed(loads))
    return failure();
  // At an edge of a part of a view, which the tensor map does not know, the
  // threads of the warp copy the tile, and its bytes are not expected.
  Value bytes = constant(pipe.counts.fullBytes);
  SmallVector<Value> fit;
  for (auto [number, load] : llvm::enumerate(*loads)) {
    fit.push_back(fits(load, cast<RankedTensorType>(load.getType())));
    if (!fit.back())
      continue;
    Value less =
        arith::SubIOp::create(b, bytes, constant(pipe.footprint.bytes[number]));
    bytes = arith::SelectOp::create(b, fit.back(), bytes, less);
    Value clipped = arith::XOrIOp::create(b, fit.back(), constant(1, 1));
    when(clipped, [&, number = number, load = load] {
      startLoad(load, {}, getBuffer(pipe, number, slot), Engine::cp_async,
                Value(),
                /*mapped=*/true);
      DrainOp::create(b, Work::cp_async, 0);
      FenceOp::create(b, Fence::async);
      SyncOp::create(b, Participants::warp);
    });
  }
  auto expect = [&] { ExpectOp::create(b, full, bytes); };
  bool ofPair = isOfPair(pipe);
  // A branch of its own, so that ptxas sees whole warps issue the copies.
  if (ofPair)
    when(announce(), expect);
  when(elect(Participants::warp), [&] {
    if (ofPair)
      full = getBarrier(b, pipe.full, slot, leader);
    else
      expect();
    for (auto [number, load] : llvm::enumerate(*loads)) {
      auto start = [&, number = number, load = load] {
        startLoad(load, pipe.multicasts[number], getBuffer(pipe, number, slot),
                  Engine::tma, full, /*mapped=*/false);
      };
      if (fit[number])
        when(fit[number], start);
      else
        start();
    }
  });
  return success();
}

LogicalResult RoleLowering::fillByThreads(ProduceOp op, LoweredPipe &pipe,
                                          Value slot, Value full) {
  Block &body = op.getBody().front();
  // What the MMAs have read from the slot comes before these stores.
  if (pipe.inTensorMemory())
    FenceOp::create(b, Fence::tensor_after);
  if (tile::AllGatherOp gather = plan::getGather(pipe.pipe)) {
    sendParts(gather, pipe, slot);
    ArriveOp::create(b, full, Engine::threads, signaled.lookup(op.getPipe()));
    return success();
  }
  if (failed(lowerBlock(body)))
    return failure();
  b.setLoc(op.getLoc());
  if (pipe.isMessage()) {
    SmallVector<Value> values;
    for (Value value : body.getTerminator()->getOperands())
      values.push_back(map.lookupOrDefault(value));
    if (pipe.slots)
      WriteMessageOp::create(b, pipe.slots, slot, constant(1, 1), values);
    ArriveOp::create(b, full, Engine::threads);
    return success();
  }
  for (auto [number, value] :
       llvm::enumerate(body.getTerminator()->getOperands())) {
    Value buffer = getBuffer(pipe, number, slot);
    SmallVector<int64_t> zeros(cast<ShapedType>(value.getType()).getRank(), 0);
    tile::WriteOp::create(b, map.lookupOrDefault(value), buffer, ValueRange(),
                          zeros);
  }
  if (pipe.inTensorMemory()) {
    // The stores are done, and come before what the barrier tells.
    DrainOp::create(b, Work::tensor_stores, 0);
    FenceOp::create(b, Fence::tensor_before);
  } else {
    // Threads write through the generic proxy, engines read through the
    // asynchronous one.
    FenceOp::create(b, Fence::async);
  }
  ArriveOp::create(b, full, Engine::threads);
  return success();
}

LogicalResult RoleLowering::fillByCopies(ProduceOp op, LoweredPipe &pipe,
                                         Value slot, Value full) {
  FailureOr<SmallVector<tile::LoadOp>> loads = getLoads(op);
  if (failed(loads))
    return failure();
  for (auto [number, load] : llvm::enumerate(*loads))
    startLoad(load, {}, getBuffer(pipe, number, slot), Engine::cp_async,
              Value(),
              /*mapped=*/false);
  // Each thread arrives when its copies have landed, so it can go on.
  ArriveOp::create(b, full, Engine::cp_async);
  return success();
}

LogicalResult RoleLowering::fillByMmas(ProduceOp op, LoweredPipe &pipe,
                                       Value slot, Value full) {
  Block &body = op.getBody().front();
  // What the consumer has read from the slot comes before these MMAs.
  FenceOp::create(b, Fence::tensor_after);
  for (auto [number, value] :
       llvm::enumerate(body.getTerminator()->getOperands())) {
    Value buffer = getBuffer(pipe, number, slot);
    plan::forEachMma(value,
                     [&](tile::MmaOp mma) { accumulators[mma] = buffer; });
  }
  if (failed(lowerBlock(body)))
    return failure();
  b.setLoc(op.getLoc());
  ArriveOp::create(b, full, Engine::tensor_core, signaled.lookup(op.getPipe()));
  return success();
}

LogicalResult RoleLowering::lowerProduce(ProduceOp op) {
  LoweredPipe &pipe = pipes.find(op.getPipe())->second;
  Ring &ring = rings[{op.getPipe(), Fills}];
  Value slot = ring.slot;
  Value full = getBarrier(b, pipe.full, slot);
  Value empty = getBarrier(b, pipe.empty, slot);
  waitFor(empty, ring.phase, pipe.producer);
  advance(pipe, ring);
  switch (pipe.producer) {
  case Engine::tma:
    return fillByTma(op, pipe, slot, full);
  case Engine::threads:
    return fillByThreads(op, pipe, slot, full);
  case Engine::cp_async:
    return fillByCopies(op, pipe, slot, full);
  case Engine::tensor_core:
    return fillByMmas(op, pipe, slot, full);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Consume
//===----------------------------------------------------------------------===//

/// Whether warp groups multiply what is in the slots.
bool RoleLowering::isMultipliedByWarpGroups(ConsumeOp op) {
  return arch.mma == target::MmaInstruction::Wgmma &&
         op.getBody()
             .walk([](tile::MmaOp) { return WalkResult::interrupt(); })
             .wasInterrupted();
}

/// The MMAs of a consume that are certain to be issued, each a group. A
/// wait that counts too few is too long, never too short.
static int64_t countMmas(ConsumeOp op) {
  int64_t count = 0;
  op.getBody().walk<WalkOrder::PreOrder>([&](Operation *inner) {
    if (isa<scf::ForOp>(inner))
      return WalkResult::skip();
    count += isa<tile::MmaOp>(inner);
    return WalkResult::advance();
  });
  return count;
}

/// What a consume computes before it reads its tiles: whether MMAs have filled
/// the slots.
static llvm::iterator_range<Block::iterator> getScalars(ConsumeOp op) {
  Block &body = op.getBody().front();
  auto orZeros = body.getOps<OrZeroOp>();
  return {body.begin(),
          orZeros.empty() ? body.begin() : (*orZeros.begin())->getIterator()};
}

/// Waits for the slots, and then reads the tiles in them.
LogicalResult RoleLowering::openSlots(ConsumeOp op,
                                      SmallVectorImpl<Value> &slots) {
  bool reads = false, copied = false;
  struct Held {
    BlockArgument tile;
    Value buffer;
  };
  SmallVector<Held> held;
  for (auto [pipeNumber, value] : llvm::enumerate(op.getPipes())) {
    LoweredPipe &pipe = pipes.find(value)->second;
    Ring &ring = rings[{value, Empties}];
    Value slot = ring.slot;
    Value full = getBarrier(b, pipe.full, slot);
    Engine engine = *pipe.pipe.getConsumerEngine(role);
    waitFor(full, ring.phase, engine);
    advance(pipe, ring);
    slots.push_back(slot);
    if (pipe.slots && pipe.isMessage()) {
      for (auto [argument, value] :
           llvm::zip_equal(op.getSlotArguments(pipeNumber),
                           readMessage(pipe, slot).getValues()))
        map.map(argument, value);
      continue;
    }
    copied |= pipe.producer == Engine::cp_async;
    reads |= pipe.inTensorMemory() || engine == Engine::tensor_core;
    for (auto [number, argument] :
         llvm::enumerate(op.getSlotArguments(pipeNumber))) {
      Value buffer = getBuffer(pipe, number, slot);
      if (engine == Engine::tma)
        stored[argument] = buffer;
      // What is stored from the slot is in no registers.
      auto isPut = [&](Operation *user) {
        return engine == Engine::tma && isa<tile::StoreOp>(user);
      };
      if (!llvm::all_of(argument.getUsers(), isPut))
        held.push_back({argument, buffer});
    }
  }
  // Whether MMAs have filled the slot is known before it is read.
  for (Operation &scalar : getScalars(op))
    if (failed(lowerOp(&scalar)))
      return failure();
  b.setLoc(op.getLoc());
  // cp.async writes through the generic proxy, and no thread could fence where
  // it completed: the waiting role does.
  if (copied)
    FenceOp::create(b, Fence::async);
  // Accesses of tensor memory from here on come after the phase of the barrier.
  if (reads)
    FenceOp::create(b, Fence::tensor_after);
  for (const Held &one : held) {
    auto type = cast<tile::BufferType>(one.buffer.getType());
    Value tile = tile::ReadOp::create(
        b, RankedTensorType::get(type.getShape(), type.getElementType()),
        one.buffer, ValueRange(), SmallVector<int64_t>(type.getRank(), 0));
    map.map(one.tile, tile);
  }
  return success();
}

/// Gives the slots back, or, with a lag, those of some iterations ago.
void RoleLowering::closeSlots(ConsumeOp op, ArrayRef<Value> slots) {
  // A slot goes back when the MMAs that read it are done. Those of later
  // slots may go on.
  if (isMultipliedByWarpGroups(op))
    DrainOp::create(b, Work::wgmma, op.getLag() * countMmas(op));
  bool stores = llvm::any_of(op.getPipes(), [&](Value pipe) {
    return *pipe.getDefiningOp<PipeOp>().getConsumerEngine(role) == Engine::tma;
  });
  if (stores)
    when(elect(Participants::role), [&] { CommitStoresOp::create(b); });
  for (auto [value, slot] : llvm::zip_equal(op.getPipes(), slots)) {
    LoweredPipe &pipe = pipes.find(value)->second;
    Ring &ring = rings[{value, Empties}];
    if (ring.kept.empty()) {
      release(op, pipe, slot, 0);
      continue;
    }
    // The newest `lag` slots are kept. Once there are more, one goes back.
    Value oldest = ring.kept.pop_back_val();
    when(isSlot(oldest), [&] { release(op, pipe, oldest, op.getLag()); });
    ring.kept.insert(ring.kept.begin(), slot);
  }
}

LogicalResult RoleLowering::lowerConsume(ConsumeOp op) {
  SmallVector<Value> slots;
  if (failed(openSlots(op, slots)))
    return failure();
  Block &body = op.getBody().front();
  for (Operation &inner :
       llvm::make_range(getScalars(op).end(), std::prev(body.end())))
    if (failed(lowerOp(&inner)))
      return failure();
  b.setLoc(op.getLoc());
  for (auto [result, value] :
       llvm::zip_equal(op.getResults(), body.getTerminator()->getOperands())) {
    if (Value there = filled.lookup(value)) {
      filled[result] = there;
      continue;
    }
    map.map(result, map.lookupOrDefault(value));
  }
  closeSlots(op, slots);
  return success();
}

/// `pending` stores, the newest ones, may still read their slots.
void RoleLowering::release(ConsumeOp op, LoweredPipe &pipe, Value slot,
                           int64_t pending) {
  Value empty = getBarrier(b, pipe.empty, slot);
  Value ctas = signaled.lookup(pipe.pipe.getPipe());
  Engine engine = *pipe.pipe.getConsumerEngine(role);
  if (engine == Engine::tensor_core) {
    ArriveOp::create(b, empty, Engine::tensor_core, ctas);
    return;
  }
  // A slot that TMA stores from is free when the store has read it. The thread
  // that started the store knows.
  if (engine == Engine::tma)
    when(elect(Participants::role),
         [&] { DrainOp::create(b, Work::stores, pending); });
  if (pipe.inTensorMemory())
    FenceOp::create(b, Fence::tensor_before);
  ArriveOp::create(b, empty, Engine::threads, ctas);
}

/// A bulk store of a tile in a slot.
void RoleLowering::lowerPut(tile::StoreOp op, Value buffer) {
  SmallVector<Value> offsets;
  for (Value offset : op.getOffsets())
    offsets.push_back(map.lookupOrDefault(offset));
  auto put = [&](Engine engine) {
    SlotStoreOp::create(b, buffer, map.lookupOrDefault(op.getView()), offsets,
                        op.getStaticOffsets(), op.getTileDims(), engine);
  };
  Value fit = fits(op, cast<RankedTensorType>(op.getValue().getType()));
  Value one = elect(Participants::role);
  if (!fit) {
    when(one, [&] { put(Engine::tma); });
    return;
  }
  // At an edge of a part of a view all threads store what is in it. They have
  // waited for the slot, so they see all of it.
  when(arith::AndIOp::create(b, one, fit), [&] { put(Engine::tma); });
  when(arith::XOrIOp::create(b, fit, constant(1, 1)),
       [&] { put(Engine::threads); });
}
