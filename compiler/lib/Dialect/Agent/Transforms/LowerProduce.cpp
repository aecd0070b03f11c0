//===- LowerProduce.cpp - How slots are filled ----------------------------===//
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
//
// A produce begins with the wait for the empty slot; the rest depends on who
// fills it:
//
//   %slot, %phase = agent.get %operands.fills : i32, i32
//   %full = agent.barrier %operands.full[%slot]
//   %empty = agent.barrier %operands.empty[%slot]
//   agent.wait %empty parity(%phase)
//   %next, %next_phase = agent.advance %slot, %phase of 4
//   agent.set %operands.fills, %next, %next_phase : i32, i32

#include "RoleCode.h"
#include "drawloom/Analysis/Slots/Accumulators.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

namespace {
/// One produce.
class Filling {
public:
  Filling(ProduceOp op, RoleCode &code)
      : op(op), code(code), pipe(code.getPipe(op.getPipe())),
        b(op.getLoc(), op) {}

  LogicalResult lower();

private:
  LogicalResult fill();
  LogicalResult byTma();
  LogicalResult byThreads();
  LogicalResult byCopies();
  LogicalResult byMmas();
  LogicalResult stage();
  FailureOr<SmallVector<tile::LoadOp>> getLoads();
  void copyClipped(tile::LoadOp load, unsigned number, Value fit);
  void copyWhole(tile::LoadOp load, unsigned number, Value fit, Value barrier);
  LogicalResult lowerBody();
  void writeMessage();
  void writeTiles();
  RescaledPipe *findRescaled();
  Value getBuffer(unsigned number) {
    return agent::getBuffer(b, pipe, number, slot);
  }
  /// What goes into the slot.
  OperandRange getValues() {
    return op.getBody().front().getTerminator()->getOperands();
  }

  ProduceOp op;
  RoleCode &code;
  LoweredPipe &pipe;
  CodeBuilder b;
  Value slot, full;
};
} // namespace

LogicalResult Filling::lower() {
  Position at = getPosition(b, op.getAt());
  slot = at.slot;
  if (pipe.isStaged) {
    if (failed(stage()))
      return failure();
    advance(b, op.getAt(), at, pipe.pipe.getSlots());
    op.erase();
    return success();
  }
  full = getBarrier(b, pipe.full, slot);
  if (pipe.empty)
    waitFor(b, code, getBarrier(b, pipe.empty, slot), at.phase, pipe.producer);
  advance(b, op.getAt(), at, pipe.pipe.getSlots());
  if (failed(fill()))
    return failure();
  op.erase();
  return success();
}

LogicalResult Filling::fill() {
  switch (pipe.producer) {
  case Engine::tma:
    return byTma();
  case Engine::threads:
    return byThreads();
  case Engine::cp_async:
    return byCopies();
  case Engine::tensor_core:
    return byMmas();
  }
  return success();
}

/// What is inside is lowered, and comes before what the builder makes next.
LogicalResult Filling::lowerBody() {
  if (failed(code.lowerBlock(op.getBody().front())))
    return failure();
  inlineBody(op);
  return success();
}

//===----------------------------------------------------------------------===//
// By copies
//===----------------------------------------------------------------------===//

/// The loads that fill the slot, after everything else in the body.
FailureOr<SmallVector<tile::LoadOp>> Filling::getLoads() {
  Block &body = op.getBody().front();
  SmallVector<tile::LoadOp> loads;
  for (Value value : getValues())
    loads.push_back(value.getDefiningOp<tile::LoadOp>());
  if (failed(code.lowerBlock(body)))
    return failure();
  for (Operation &inner : llvm::make_early_inc_range(body.without_terminator()))
    if (!llvm::is_contained(loads, &inner))
      inner.moveBefore(op);
  return loads;
}

/// Threads of the warp copy a tile that does not fit.
void Filling::copyClipped(tile::LoadOp load, unsigned number, Value fit) {
  Value clipped = arith::XOrIOp::create(b, fit, constant(b, 1, 1));
  when(b, clipped, [&] {
    startCopy(b, code,
              {.load = load,
               .engine = Engine::cp_async,
               .buffer = getBuffer(number),
               .barrier = {},
               .mapped = true});
    DrainOp::create(b, Work::cp_async, 0);
    FenceOp::create(b, Fence::async);
    SyncOp::create(b, Participants::warp);
  });
}

/// TMA copies a tile, if it fits.
void Filling::copyWhole(tile::LoadOp load, unsigned number, Value fit,
                        Value barrier) {
  auto start = [&] {
    startCopy(b, code,
              {.load = load,
               .engine = Engine::tma,
               .buffer = getBuffer(number),
               .barrier = barrier,
               .along = pipe.multicasts[number]});
  };
  if (fit)
    when(b, fit, start);
  else
    start();
}

LogicalResult Filling::byTma() {
  FailureOr<SmallVector<tile::LoadOp>> loads = getLoads();
  if (failed(loads))
    return failure();
  // At an edge of a part of a view, which the tensor map does not know, the
  // threads of the warp copy the tile, and its bytes are not expected.
  Value bytes = constant(b, pipe.counts.fullBytes);
  SmallVector<Value> fit;
  for (auto [number, load] : llvm::enumerate(*loads)) {
    fit.push_back(fits(b, load));
    if (!fit.back())
      continue;
    Value less = arith::SubIOp::create(
        b, bytes, constant(b, pipe.footprint.bytes[number]));
    bytes = arith::SelectOp::create(b, fit.back(), bytes, less);
    copyClipped(load, number, fit.back());
  }
  auto expect = [&] { ExpectOp::create(b, full, bytes); };
  // A branch of its own, so that ptxas sees whole warps issue the copies.
  if (pipe.isOfPair)
    when(b, code.announce(b), expect);
  when(b, code.elect(b, Participants::warp), [&] {
    Value barrier = full;
    if (pipe.isOfPair)
      barrier = getBarrier(b, pipe.full, slot, code.leader);
    else
      expect();
    for (auto [number, load] : llvm::enumerate(*loads))
      copyWhole(load, number, fit[number], barrier);
  });
  return success();
}

LogicalResult Filling::byCopies() {
  FailureOr<SmallVector<tile::LoadOp>> loads = getLoads();
  if (failed(loads))
    return failure();
  for (auto [number, load] : llvm::enumerate(*loads))
    startCopy(b, code,
              {.load = load,
               .engine = Engine::cp_async,
               .buffer = getBuffer(number),
               .barrier = {}});
  // Each thread arrives when its copies have landed, so it can go on.
  ArriveOp::create(b, full, Engine::cp_async);
  return success();
}

//===----------------------------------------------------------------------===//
// By threads and by MMAs
//===----------------------------------------------------------------------===//

void Filling::writeMessage() {
  SmallVector<Value> values(getValues());
  if (pipe.slots)
    WriteMessageOp::create(b, pipe.slots, slot, constant(b, 1, 1), values);
}

void Filling::writeTiles() {
  for (auto [number, value] : llvm::enumerate(getValues())) {
    Value buffer = getBuffer(number);
    SmallVector<int64_t> zeros(cast<ShapedType>(value.getType()).getRank(), 0);
    tile::WriteOp::create(b, value, buffer, ValueRange(), zeros);
  }
  if (!pipe.inTensorMemory()) {
    // Threads write through the generic proxy, engines read through the
    // asynchronous one.
    FenceOp::create(b, Fence::async);
    return;
  }
  // The stores are done, and come before what the barrier tells.
  DrainOp::create(b, Work::tensor_stores, 0);
  FenceOp::create(b, Fence::tensor_before);
}

/// How the slot is rescaled; null of other pipes.
RescaledPipe *Filling::findRescaled() {
  for (RescaledPipe &rescaled : code.kernel.rescaled)
    if (rescaled.rescaling.rescaled == pipe.pipe)
      return &rescaled;
  return nullptr;
}

/// The thread that started the stores knows when the oldest one has read its
/// slot, and tells the role before it writes there; and the role tells that
/// thread when it has written.
LogicalResult Filling::stage() {
  if (failed(lowerBody()))
    return failure();
  when(b, code.elect(b, Participants::role),
       [&] { DrainOp::create(b, Work::stores, pipe.pipe.getSlots() - 1); });
  SyncOp::create(b, Participants::role);
  writeTiles();
  SyncOp::create(b, Participants::role);
  pipe.staged = slot;
  return success();
}

LogicalResult Filling::byThreads() {
  // What the MMAs have read from the slot comes before these stores.
  if (pipe.inTensorMemory())
    FenceOp::create(b, Fence::tensor_after);
  auto gathers = op.getBody().getOps<tile::AllGatherOp>();
  if (!gathers.empty()) {
    sendParts(b, code, *gathers.begin(), pipe, slot);
  } else if (failed(lowerBody())) {
    return failure();
  } else if (pipe.isMessage()) {
    writeMessage();
  } else if (RescaledPipe *rescaled = findRescaled()) {
    rescale(b, *rescaled, getBuffer(0));
    FenceOp::create(b, Fence::tensor_before);
  } else {
    writeTiles();
  }
  ArriveOp::create(b, full, Engine::threads,
                   gathers.empty() ? Value() : code.getSignaled(op.getPipe()));
  return success();
}

LogicalResult Filling::byMmas() {
  // What the consumer has read from the slot comes before these MMAs.
  FenceOp::create(b, Fence::tensor_after);
  for (auto [number, value] : llvm::enumerate(getValues())) {
    Value buffer = getBuffer(number);
    plan::forEachMma(value,
                     [&](tile::MmaOp mma) { code.accumulators[mma] = buffer; });
  }
  if (failed(lowerBody()))
    return failure();
  ArriveOp::create(b, full, Engine::tensor_core,
                   code.getSignaled(op.getPipe()));
  return success();
}

LogicalResult agent::lowerProduce(ProduceOp op, RoleCode &code) {
  return Filling(op, code).lower();
}
