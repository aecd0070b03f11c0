//===- EmitPipes.cpp - Slots and the barriers that guard them -------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Who waits for what, does what and tells whom is the table "Slots and
// barriers" of docs/CodeGeneration.md. The invariant: a wait for one of a
// slot's two barriers stands before the first access of the slot, an arrival at
// the other behind the last one, and every fence that the two sides' proxies
// ask for stands between the accesses and the arrival, or, where an engine
// arrives, behind the wait.

#include "Emitter.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using namespace drawloom::codegen;

static LLVM::LLVMPointerType sharedPointer(OpBuilder &b) {
  return LLVM::LLVMPointerType::get(
      b.getContext(), static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared));
}

Value Emitter::getBarrier(int64_t first, Value slot) {
  Value offset = arith::ShLIOp::create(b, slot, constant(3));
  Value start = LLVM::GEPOp::create(
      b, sharedPointer(b), b.getI8Type(), kernel.shared,
      ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(static_cast<int32_t>(first))});
  return LLVM::GEPOp::create(b, sharedPointer(b), b.getI8Type(), start,
                             ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(offset)});
}

/// A pointer into shared memory, or an address in tensor memory.
Value Emitter::getSlot(PipeInfo &pipe, unsigned index, Value slot) {
  Value offset =
      arith::MulIOp::create(b, slot, constant(pipe.place.getStride()),
                            arith::IntegerOverflowFlags::nuw);
  if (pipe.op.getPipe().getType().getMemory() == Memory::tmem) {
    Value base = arith::AddIOp::create(
        b, kernel.tensor,
        constant(pipe.place.getStart() + pipe.offsets[index]));
    return arith::AddIOp::create(b, base, offset);
  }
  int64_t start = pipe.place.getStart() + pipe.offsets[index];
  Value base = LLVM::GEPOp::create(
      b, sharedPointer(b), b.getI8Type(), kernel.shared,
      ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(static_cast<int32_t>(start))});
  return LLVM::GEPOp::create(b, sharedPointer(b), b.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(offset)});
}

void Emitter::wait(Value barrier, Value phase) {
  // try_wait may answer 'no' before its time, so it is asked again.
  auto loop = scf::WhileOp::create(b, TypeRange(), ValueRange());
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&loop.getBefore());
  Value done = NVVM::MBarrierTryWaitOp::create(b, b.getI1Type(), barrier, phase,
                                               Value());
  Value again = arith::XOrIOp::create(b, done, constant(1, 1));
  scf::ConditionOp::create(b, again, ValueRange());
  b.createBlock(&loop.getAfter());
  scf::YieldOp::create(b);
}

/// Whether there is a slot behind a number of `Ring::kept`.
Value Emitter::isSlot(Value kept) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::sge, kept, constant(0));
}

void Emitter::advance(PipeInfo &pipe, Ring &ring) {
  Value next = arith::AddIOp::create(b, ring.slot, constant(1));
  Value wraps = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, next,
                                      constant(pipe.op.getSlots()));
  ring.slot = arith::SelectOp::create(b, wraps, constant(0), next);
  Value flip = arith::ExtUIOp::create(b, b.getI32Type(), wraps);
  ring.phase = arith::XOrIOp::create(b, ring.phase, flip);
}

void Emitter::arriveByWarp(Value barrier) {
  // The lanes' accesses come before the one arrival that stands for them.
  NVVM::SyncWarpOp::create(b, constant(-1));
  when(elected,
       [&] { NVVM::MBarrierArriveOp::create(b, Type(), barrier, Value()); });
}

void Emitter::fenceProxy() {
  NVVM::FenceProxyOp::create(
      b, NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(b.getContext(),
                                 NVVM::SharedSpace::shared_cta));
}

/// The loads that fill a slot, after everything else in the body is written
/// down.
FailureOr<SmallVector<tile::LoadOp>> Emitter::getLoads(ProduceOp op) {
  Block &body = op.getBody().front();
  for (Operation &inner : body.without_terminator())
    if (!isa<tile::LoadOp>(inner) && failed(emitOp(&inner)))
      return failure();
  b.setLoc(op.getLoc());
  SmallVector<tile::LoadOp> loads;
  for (Value value : body.getTerminator()->getOperands())
    loads.push_back(value.getDefiningOp<tile::LoadOp>());
  return loads;
}

LogicalResult Emitter::fillByTma(ProduceOp op, PipeInfo &pipe, Value index,
                                 Value full) {
  FailureOr<SmallVector<tile::LoadOp>> loads = getLoads(op);
  if (failed(loads))
    return failure();
  // At an edge of a part of a view, which the tensor map does not know, the
  // threads of the warp copy the tile, and its bytes are not expected.
  Value bytes = constant(pipe.counts.fullBytes);
  SmallVector<Value> fits;
  for (auto [number, load] : llvm::enumerate(*loads)) {
    auto type = cast<RankedTensorType>(load.getType());
    fits.push_back(fitsTensorMap(load.getView(), load.getMixedOffsets(),
                                 load.getTileDims(), type.getShape()));
    if (!fits.back())
      continue;
    Value less =
        arith::SubIOp::create(b, bytes, constant(pipe.slot.bytes[number]));
    bytes = arith::SelectOp::create(b, fits.back(), bytes, less);
    Value clipped = arith::XOrIOp::create(b, fits.back(), constant(1, 1));
    when(clipped, [&, number = number, load = load] {
      loadByThreads(load, *pipe.panels[number], getSlot(pipe, number, index),
                    kernel.lane, kernel.arch.warpSize);
      NVVM::CpAsyncCommitGroupOp::create(b);
      NVVM::CpAsyncWaitGroupOp::create(b, 0);
      fenceProxy();
      NVVM::SyncWarpOp::create(b, constant(-1));
    });
  }
  LogicalResult result = success();
  when(elected, [&] {
    NVVM::MBarrierArriveExpectTxOp::create(b, Type(), full, bytes,
                                           NVVM::MemScopeKind::CTA,
                                           /*relaxed=*/false, Value());
    for (auto [number, load] : llvm::enumerate(*loads)) {
      auto start = [&, number = number, load = load] {
        if (failed(emitLoad(load, *pipe.panels[number],
                            getSlot(pipe, number, index), full)))
          result = failure();
      };
      if (fits[number])
        when(fits[number], start);
      else
        start();
    }
  });
  return result;
}

LogicalResult Emitter::fillByThreads(ProduceOp op, PipeInfo &pipe, Value index,
                                     Value full) {
  Block &body = op.getBody().front();
  Operation *end = body.getTerminator();
  bool inTensor = pipe.op.getPipe().getType().getMemory() == Memory::tmem;
  // What the products have read from the slot comes before these stores.
  if (inTensor)
    NVVM::Tcgen05FenceOp::create(b, NVVM::Tcgen05FenceKind::AFTER_THREAD_SYNC);
  if (failed(emitBlock(body)))
    return failure();
  b.setLoc(op.getLoc());
  for (auto [number, value] : llvm::enumerate(end->getOperands())) {
    Value slot = getSlot(pipe, number, index);
    if (failed(inTensor ? writeTensor(value, slot, end)
                        : writeShared(value, slot, pipe.panels[number], end)))
      return failure();
  }
  if (inTensor) {
    // The stores are done, and come before what the barrier tells.
    NVVM::Tcgen05WaitOp::create(b, NVVM::Tcgen05WaitKind::STORE);
    NVVM::Tcgen05FenceOp::create(b, NVVM::Tcgen05FenceKind::BEFORE_THREAD_SYNC);
  } else {
    // Threads write through the generic proxy, engines read through the
    // asynchronous one.
    fenceProxy();
  }
  arriveByWarp(full);
  return success();
}

LogicalResult Emitter::fillByCopies(ProduceOp op, PipeInfo &pipe, Value index,
                                    Value full) {
  FailureOr<SmallVector<tile::LoadOp>> loads = getLoads(op);
  if (failed(loads))
    return failure();
  int64_t warpSize = kernel.arch.warpSize;
  Value first = arith::MulIOp::create(b, roleWarp, constant(warpSize));
  Value thread = arith::AddIOp::create(b, first, kernel.lane);
  for (auto [number, load] : llvm::enumerate(*loads)) {
    if (!pipe.panels[number] || pipe.panels[number]->bits < 8)
      return load->emitOpError()
             << "copies a " << load.getType()
             << " by threads, which move 16 bytes at a time; use rows in "
                "memory of a multiple of 16 bytes";
    loadByThreads(load, *pipe.panels[number], getSlot(pipe, number, index),
                  thread, role.getWarps() * warpSize);
  }
  // Each thread arrives when its copies have landed, so it can go on.
  NVVM::CpAsyncMBarrierArriveOp::create(b, full, /*noinc=*/true);
  return success();
}

LogicalResult Emitter::emitProduce(ProduceOp op) {
  PipeInfo &pipe = kernel.pipes.find(op.getPipe())->second;
  Ring &ring = rings[{op.getPipe(), Fills}];
  Value index = ring.slot;
  Value full = getBarrier(pipe.place.getFull(), index);
  wait(getBarrier(pipe.place.getEmpty(), index), ring.phase);
  advance(pipe, ring);

  Block &body = op.getBody().front();
  OperandRange values = body.getTerminator()->getOperands();
  switch (pipe.producer) {
  case Engine::tma:
    return fillByTma(op, pipe, index, full);
  case Engine::threads:
    return fillByThreads(op, pipe, index, full);
  case Engine::copies:
    return fillByCopies(op, pipe, index, full);
  case Engine::tensor_core:
    break;
  }
  // What the consumer has read from the slot comes before these products.
  NVVM::Tcgen05FenceOp::create(b, NVVM::Tcgen05FenceKind::AFTER_THREAD_SYNC);
  for (auto [number, value] : llvm::enumerate(values))
    assignSum(value, getSlot(pipe, number, index));
  if (failed(emitBlock(body)))
    return failure();
  b.setLoc(op.getLoc());
  Value issues = NVVM::ElectSyncOp::create(b, b.getI1Type(), Value());
  when(issues, [&] { NVVM::Tcgen05CommitOp::create(b, full, Value()); });
  return success();
}

/// Whether warp groups multiply what is in the slots.
static bool isReadByWarpGroups(ConsumeOp op, const target::Architecture &arch) {
  if (arch.mma != target::MmaInstruction::Wgmma)
    return false;
  return op.getBody()
      .walk([](tile::MmaOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// The part of a tile that is in all lanes of tensor memory, or in some.
static RankedTensorType getFirstRows(RankedTensorType type,
                                     const target::Architecture &arch) {
  SmallVector<int64_t> shape(type.getShape());
  shape.front() = std::min<int64_t>(shape.front(), arch.tensorMemory.lanes);
  return RankedTensorType::get(shape, type.getElementType());
}

LogicalResult Emitter::emitConsume(ConsumeOp op) {
  Block &body = op.getBody().front();
  SmallVector<Value> indices;
  int64_t earlierGroups = groups;
  unsigned argument = 0;
  bool fence = false, copied = false;
  auto getEngine = [&](Value pipe) {
    return *pipe.getDefiningOp<PipeOp>().getConsumerEngine(role);
  };
  for (Value value : op.getPipes()) {
    PipeInfo &pipe = kernel.pipes.find(value)->second;
    Ring &ring = rings[{value, Empties}];
    Value index = ring.slot;
    wait(getBarrier(pipe.place.getFull(), index), ring.phase);
    advance(pipe, ring);
    indices.push_back(index);
    copied |= pipe.producer == Engine::copies;
    bool inTensor = pipe.op.getPipe().getType().getMemory() == Memory::tmem;
    fence |= inTensor || getEngine(value) == Engine::tensor_core;
    for (auto [number, type] :
         llvm::enumerate(pipe.op.getPipe().getType().getPayload())) {
      Tile tile;
      tile.kind = inTensor ? Tile::Kind::Tensor : Tile::Kind::Shared;
      tile.value = getSlot(pipe, number, index);
      tile.panels = pipe.panels[number];
      if (inTensor) {
        FailureOr<Value> filled = getFilled(op, pipe, number);
        if (failed(filled))
          return failure();
        tile.filled = *filled;
        tile.blockColumns = plan::getTileColumns(
            getFirstRows(cast<RankedTensorType>(type), kernel.arch), 1,
            kernel.arch);
      }
      tiles[body.getArgument(argument++)] = tile;
    }
  }
  // cp.async writes through the generic proxy, and nobody could fence where it
  // was done: the one who waits for it does.
  if (copied)
    fenceProxy();
  // Accesses of tensor memory behind this come after what the barrier told.
  if (fence)
    NVVM::Tcgen05FenceOp::create(b, NVVM::Tcgen05FenceKind::AFTER_THREAD_SYNC);
  if (failed(emitBlock(body)))
    return failure();

  b.setLoc(op.getLoc());
  for (auto [result, value] :
       llvm::zip_equal(op.getResults(), body.getTerminator()->getOperands())) {
    if (!isa<RankedTensorType>(value.getType())) {
      scalars[result] = lookup(value);
      continue;
    }
    if (tiles[value].kind == Tile::Kind::Accumulator || goesOnInFlight(value)) {
      tiles[result] = tiles[value];
      continue;
    }
    // The slot is given back, so what is still needed goes to registers.
    FailureOr<Value> fragment = getFragment(value, body.getTerminator());
    if (failed(fragment))
      return failure();
    tiles[result] = {Tile::Kind::Fragment, *fragment, {}};
  }

  // A slot goes back when the products that read it are done. Those of later
  // slots may go on.
  if (isReadByWarpGroups(op, kernel.arch))
    waitForProducts(op.getLag() * (groups - earlierGroups));
  if (llvm::any_of(op.getPipes(),
                   [&](Value pipe) { return getEngine(pipe) == Engine::tma; }))
    when(leader, [&] { NVVM::CpAsyncBulkCommitGroupOp::create(b); });
  for (auto [value, index] : llvm::zip_equal(op.getPipes(), indices)) {
    PipeInfo &pipe = kernel.pipes.find(value)->second;
    Ring &ring = rings[{value, Empties}];
    if (ring.kept.empty()) {
      release(op, pipe, index, 0);
      continue;
    }
    // The newest `lag` slots are kept. Once there are more, one goes back.
    Value oldest = ring.kept.pop_back_val();
    when(isSlot(oldest), [&] { release(op, pipe, oldest, op.getLag()); });
    ring.kept.insert(ring.kept.begin(), index);
  }
  return success();
}

/// `pending` stores, the newest ones, may still read their slots.
void Emitter::release(ConsumeOp op, PipeInfo &pipe, Value slot,
                      int64_t pending) {
  Value empty = getBarrier(pipe.place.getEmpty(), slot);
  Engine engine = *pipe.op.getConsumerEngine(role);
  if (engine == Engine::tensor_core) {
    Value issues = NVVM::ElectSyncOp::create(b, b.getI1Type(), Value());
    when(issues, [&] { NVVM::Tcgen05CommitOp::create(b, empty, Value()); });
    return;
  }
  // A slot that TMA stores from is free when the store has read it. The thread
  // that started the store knows.
  if (engine == Engine::tma)
    when(leader, [&] {
      NVVM::CpAsyncBulkWaitGroupOp::create(b, pending, b.getUnitAttr());
    });
  if (pipe.op.getPipe().getType().getMemory() == Memory::tmem)
    NVVM::Tcgen05FenceOp::create(b, NVVM::Tcgen05FenceKind::BEFORE_THREAD_SYNC);
  arriveByWarp(empty);
}

/// The loop, or the role, that a consume with a lag releases its last slots
/// behind.
static Operation *getLagScope(Operation *op) {
  Operation *scope = op->getParentOp();
  while (!isa<scf::ForOp, ForEachItemOp, RoleOp>(scope))
    scope = scope->getParentOp();
  return scope;
}

static void forEachLag(Operation *scope,
                       llvm::function_ref<void(ConsumeOp, Value)> visit) {
  scope->walk([&](ConsumeOp op) {
    if (op.getLag() > 0 && getLagScope(op) == scope)
      for (Value pipe : op.getPipes())
        visit(op, pipe);
  });
}

void Emitter::startLags(Operation *scope) {
  forEachLag(scope, [&](ConsumeOp op, Value value) {
    Ring &ring = rings[{value, Empties}];
    ring.kept.assign(op.getLag(), constant(-1));
  });
}

void Emitter::endLags(Operation *scope) {
  bool multiplies = false;
  forEachLag(scope, [&](ConsumeOp op, Value) {
    multiplies |= isReadByWarpGroups(op, kernel.arch);
  });
  if (multiplies)
    waitForProducts(0);
  forEachLag(scope, [&](ConsumeOp op, Value value) {
    PipeInfo &pipe = kernel.pipes.find(value)->second;
    Ring &ring = rings[{value, Empties}];
    for (Value oldest : llvm::reverse(ring.kept))
      when(isSlot(oldest), [&] { release(op, pipe, oldest, 0); });
    ring.kept.clear();
  });
}
