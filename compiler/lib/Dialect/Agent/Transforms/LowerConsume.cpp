//===- LowerConsume.cpp - How slots are emptied ---------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A consume begins with a wait for each of its slots to be full. What it reads
// then depends on who has filled them, and what happens where they are given
// back on who empties them:
//
//   %slot, %phase = agent.get %operands.empties : i32, i32
//   %full = agent.barrier %operands.full[%slot]
//   agent.wait %full parity(%phase)
//   %next, %next_phase = agent.advance %slot, %phase of 4
//   agent.set %operands.empties, %next, %next_phase : i32, i32
//   ...
//   %empty = agent.barrier %operands.empty[%slot]
//   agent.arrive %empty by(tensor_core)
//
// LowerProduce.cpp has the invariant.

#include "RoleCode.h"
#include "drawloom/Analysis/RoleTiles/Fragments.h"
#include "drawloom/Dialect/Agent/IR/Engines.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <numeric>

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;

Engine agent::getEngine(ConsumeOp op, unsigned pipe) {
  return op.getEngine(pipe).value_or(Engine::threads);
}

bool agent::isMultipliedByWarpGroups(ConsumeOp op,
                                     const target::Architecture &arch) {
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

namespace {
/// One consume.
class Emptying {
public:
  Emptying(ConsumeOp op, RoleCode &code)
      : op(op), code(code), b(op.getLoc(), op),
        isMultiplied(isMultipliedByWarpGroups(op, code.kernel.arch)),
        mmas(countMmas(op)), tiles(op.getPipes().size()) {}

  LogicalResult lower();

private:
  /// A tile that is read where it is.
  struct Held {
    BlockArgument tile;
    Value buffer;
    Engine engine;
    unsigned pipe;
  };
  void open();
  void take(unsigned number, SmallVectorImpl<Held> &held);
  void takeTiles(unsigned number, SmallVectorImpl<Held> &held);
  void moveScalars();
  void read(ArrayRef<Held> held);
  void clear(Value buffer, Value filled);
  Operation *findLastRead(unsigned number);
  void releaseAfterLastRead(unsigned number);
  void close();
  void keep(unsigned number, Value kept);
  LoweredPipe &getPipe(unsigned number) {
    return code.getPipe(op.getPipes()[number]);
  }

  ConsumeOp op;
  RoleCode &code;
  CodeBuilder b;
  bool isMultiplied;
  int64_t mmas;
  SmallVector<Value> slots;
  /// Of each pipe, the tiles that threads read.
  SmallVector<SmallVector<Value>> tiles;
  SmallVector<Operation *> lastReads;
};
} // namespace

LogicalResult Emptying::lower() {
  open();
  if (failed(code.lowerBlock(op.getBody().front())))
    return failure();
  SmallVector<Value> results(
      op.getBody().front().getTerminator()->getOperands());
  for (unsigned number : llvm::seq(op.getPipes().size())) {
    lastReads.push_back(findLastRead(number));
    if (lastReads.back())
      releaseAfterLastRead(number);
  }
  inlineBody(op);
  close();
  replace(op, results);
  return success();
}

//===----------------------------------------------------------------------===//
// Full slots
//===----------------------------------------------------------------------===//

/// Waits for the slots, and then reads the tiles in them.
void Emptying::open() {
  SmallVector<Held> held;
  bool reads = false, copied = false;
  for (unsigned number : llvm::seq(op.getPipes().size())) {
    take(number, held);
    LoweredPipe &pipe = getPipe(number);
    if (pipe.isMessage())
      continue;
    copied |= pipe.producer == Engine::cp_async;
    reads |=
        pipe.inTensorMemory() || getEngine(op, number) == Engine::tensor_core;
  }
  moveScalars();
  // cp.async writes through the generic proxy, and no thread could fence where
  // it completed: the waiting role does.
  if (copied)
    FenceOp::create(b, Fence::async);
  // Accesses of tensor memory from here on come after the phase of the barrier.
  if (reads)
    FenceOp::create(b, Fence::tensor_after);
  read(held);
}

void Emptying::take(unsigned number, SmallVectorImpl<Held> &held) {
  LoweredPipe &pipe = getPipe(number);
  if (pipe.isStaged) {
    slots.push_back(pipe.staged);
    takeTiles(number, held);
    return;
  }
  Value variable = op.getAt()[number];
  Position at = getPosition(b, variable);
  Value full = getBarrier(b, pipe.full, at.slot);
  waitFor(b, code, full, at.phase, getEngine(op, number));
  advance(b, variable, at, pipe.pipe.getSlots());
  slots.push_back(at.slot);
  if (!pipe.isMessage()) {
    takeTiles(number, held);
  } else if (pipe.slots) {
    ValueRange values = readMessage(b, pipe, at.slot).getValues();
    for (auto [argument, value] :
         llvm::zip_equal(op.getSlotArguments(number), values))
      argument.replaceAllUsesWith(value);
  }
}

void Emptying::takeTiles(unsigned number, SmallVectorImpl<Held> &held) {
  Engine engine = getEngine(op, number);
  // What is stored from the slot is in no registers.
  auto isPut = [&](Operation *user) {
    return engine == Engine::tma && isa<tile::StoreOp>(user);
  };
  for (auto [index, argument] : llvm::enumerate(op.getSlotArguments(number))) {
    Value buffer = getBuffer(b, getPipe(number), index, slots.back());
    if (engine == Engine::tma)
      code.stored[argument] = buffer;
    if (!llvm::all_of(argument.getUsers(), isPut))
      held.push_back({argument, buffer, engine, number});
  }
}

/// Whether MMAs have filled a slot is known before it is read.
void Emptying::moveScalars() {
  Block &body = op.getBody().front();
  auto orZeros = body.getOps<OrZeroOp>();
  if (!orZeros.empty())
    op->getBlock()->getOperations().splice(op->getIterator(),
                                           body.getOperations(), body.begin(),
                                           (*orZeros.begin())->getIterator());
}

/// Where no MMA has written a slot, the threads that read it write zeros first:
/// nothing else asks then whether one has.
void Emptying::clear(Value buffer, Value filled) {
  auto type = cast<tile::BufferType>(buffer.getType());
  int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
  int64_t width = std::gcd(columns, plan::columnsPerLoad);
  plan::Fragments fragments = plan::Fragments::ofAccumulator(
      code.role.getWarps(), rows, code.kernel.arch);
  auto layout = tile::LayoutAttr::get(
      b.getContext(), llvm::cantFail(fragments.getLayout({rows, width})));
  auto part =
      RankedTensorType::get({rows, width}, type.getElementType(), layout);
  when(b, arith::XOrIOp::create(b, filled, constant(b, 1, 1)), [&] {
    Value zeros =
        arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(part)));
    for (int64_t column = 0; column < columns; column += width)
      tile::WriteOp::create(b, zeros, buffer, ValueRange(),
                            ArrayRef<int64_t>{0, column});
    DrainOp::create(b, Work::tensor_stores, 0);
    // Another warp may read what this one has written.
    FenceOp::create(b, Fence::tensor_before);
    SyncOp::create(b, Participants::role);
    FenceOp::create(b, Fence::tensor_after);
  });
}

void Emptying::read(ArrayRef<Held> held) {
  for (Held one : held) {
    auto type = cast<tile::BufferType>(one.buffer.getType());
    for (Operation *user : llvm::make_early_inc_range(one.tile.getUsers()))
      if (auto orZero = dyn_cast<OrZeroOp>(user)) {
        if (!orZero.use_empty())
          clear(one.buffer, orZero.getFilled());
        replace(orZero, one.tile);
      }
    Value tile = tile::ReadOp::create(
        b, RankedTensorType::get(type.getShape(), type.getElementType()),
        one.buffer, ValueRange(), SmallVector<int64_t>(type.getRank(), 0));
    if (one.engine == Engine::tma)
      code.stored[tile] = one.buffer;
    if (one.engine == Engine::threads)
      tiles[one.pipe].push_back(tile);
    one.tile.replaceAllUsesWith(tile);
  }
}

//===----------------------------------------------------------------------===//
// Empty slots
//===----------------------------------------------------------------------===//

/// Gives the slots back, or, with a lag, those of some iterations ago.
void Emptying::close() {
  // A slot goes back when the MMAs that read it are done. Those of later
  // slots may go on.
  if (isMultiplied)
    DrainOp::create(b, Work::wgmma, op.getLag() * mmas);
  auto numbers = llvm::seq<unsigned>(op.getPipes().size());
  if (llvm::any_of(numbers, [&](unsigned number) {
        return getEngine(op, number) == Engine::tma;
      }))
    when(b, code.elect(b, Participants::role),
         [&] { CommitStoresOp::create(b); });
  for (unsigned number : numbers) {
    if (getPipe(number).isStaged || lastReads[number])
      continue;
    if (Value kept = code.getKept(op, number))
      keep(number, kept);
    else
      release(b, code, getPipe(number), getEngine(op, number), slots[number],
              /*pending=*/0);
  }
}

/// The operations that read a tile from memory, however they name it; false if
/// something else uses it.
static bool findReads(Value tile, SmallVectorImpl<Operation *> &reads) {
  return llvm::all_of(tile.getUsers(), [&](Operation *user) {
    if (isa<tile::ConvertLayoutOp>(user)) {
      reads.push_back(user);
      return true;
    }
    return isa<tile::TransposeOp, tensor::ExtractSliceOp, tile::ExtractSliceOp>(
               user) &&
           findReads(user->getResult(0), reads);
  });
}

/// The last of the block's operations that are, or have inside, one of these.
static Operation *findLast(Block &block, ArrayRef<Operation *> operations) {
  Operation *last = nullptr;
  for (Operation *inner : operations)
    if (Operation *op = block.findAncestorOpInBlock(*inner);
        op && (!last || last->isBeforeInBlock(op)))
      last = op;
  return last;
}

/// After what threads read last of a slot. Null if that isn't known, and for
/// slots that are kept.
Operation *Emptying::findLastRead(unsigned number) {
  SmallVector<Operation *> reads;
  if (code.getKept(op, number) || !llvm::all_of(tiles[number], [&](Value tile) {
        return findReads(tile, reads);
      }))
    return nullptr;
  Operation *last = findLast(op.getBody().front(), reads);
  auto loop = dyn_cast_if_present<scf::ForOp>(last);
  // Whatever is after it in the loop is not waited for in the last iteration.
  if (!loop || loop.getStaticTripCount().value_or(APInt(1, 0)).isZero())
    return last;
  return findLast(*loop.getBody(), reads);
}

/// Threads give a slot back right after they have read it for the last time.
void Emptying::releaseAfterLastRead(unsigned number) {
  Operation *last = lastReads[number];
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfter(last);
  auto give = [&] {
    release(b, code, getPipe(number), Engine::threads, slots[number],
            /*pending=*/0);
  };
  auto loop = dyn_cast<scf::ForOp>(last->getParentOp());
  if (!loop || !op->isAncestor(loop))
    return give();
  Value next = arith::AddIOp::create(b, loop.getInductionVar(), loop.getStep());
  when(b,
       arith::CmpIOp::create(b, arith::CmpIPredicate::sge, next,
                             loop.getUpperBound()),
       give);
}

/// The newest slots are kept. Once there are more, one goes back.
void Emptying::keep(unsigned number, Value kept) {
  SmallVector<Value> newest(getVariable(b, kept));
  Value oldest = newest.pop_back_val();
  releaseKept(b, code, {&getPipe(number), getEngine(op, number), kept}, oldest,
              op.getLag());
  newest.insert(newest.begin(), slots[number]);
  SetOp::create(b, kept, newest);
}

void agent::release(CodeBuilder &b, RoleCode &code, LoweredPipe &pipe,
                    Engine engine, Value slot, int64_t pending) {
  if (!pipe.empty)
    return;
  Value empty = getBarrier(b, pipe.empty, slot);
  Value ctas = code.getSignaled(pipe.pipe.getPipe());
  if (engine == Engine::tensor_core) {
    ArriveOp::create(b, empty, Engine::tensor_core, ctas);
    return;
  }
  // A slot that TMA stores from is free when the store has read it. The thread
  // that started the store knows.
  if (engine == Engine::tma)
    when(b, code.elect(b, Participants::role),
         [&] { DrainOp::create(b, Work::stores, pending); });
  if (pipe.inTensorMemory())
    FenceOp::create(b, Fence::tensor_before);
  ArriveOp::create(b, empty, Engine::threads, ctas);
}

LogicalResult agent::lowerConsume(ConsumeOp op, RoleCode &code) {
  return Emptying(op, code).lower();
}
