//===- EmitProtocol.cpp - Slots, barriers and fences ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What `lower-pipes` has written out, an instruction or two for each operation.

#include "Emitter.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using namespace drawloom::codegen;

static LLVM::LLVMPointerType sharedPointer(OpBuilder &b) {
  return LLVM::LLVMPointerType::get(
      b.getContext(), static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared));
}

Value Emitter::getBarrier(BarrierOp op) {
  auto ring = op.getBarriers().getDefiningOp<BarriersOp>();
  Value offset = arith::ShLIOp::create(b, lookup(op.getIndex()), constant(3));
  Value start = LLVM::GEPOp::create(
      b, sharedPointer(b), b.getI8Type(), kernel.shared,
      ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(static_cast<int32_t>(ring.getAt()))});
  return LLVM::GEPOp::create(b, sharedPointer(b), b.getI8Type(), start,
                             ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(offset)});
}

/// The part of a tile that is in all lanes of tensor memory, or in some.
static RankedTensorType getFirstRows(tile::BufferType type,
                                     const target::Architecture &arch) {
  SmallVector<int64_t> shape(type.getShape());
  shape.front() = std::min<int64_t>(shape.front(), arch.tensorMemory.lanes);
  return RankedTensorType::get(shape, type.getElementType());
}

/// A pointer into shared memory, or an address in tensor memory.
Tile Emitter::getSlot(SlotOp op) {
  auto ring = op.getSlots().getDefiningOp<SlotsOp>();
  int64_t first = ring.getAt() + ring.getOffsets()[op.getValue()];
  Value offset = arith::MulIOp::create(b, lookup(op.getIndex()),
                                       constant(ring.getStride()),
                                       arith::IntegerOverflowFlags::nuw);
  tile::BufferType type = op.getBuffer().getType();
  Tile tile;
  if (type.getSpace() == tile::Space::Tmem) {
    tile.kind = Tile::Kind::Tensor;
    Value base = arith::AddIOp::create(b, kernel.tensor, constant(first));
    tile.value = arith::AddIOp::create(b, base, offset);
    tile.blockColumns =
        plan::getTileColumns(getFirstRows(type, kernel.arch), 1, kernel.arch);
    return tile;
  }
  tile.kind = Tile::Kind::Shared;
  Value base = LLVM::GEPOp::create(
      b, sharedPointer(b), b.getI8Type(), kernel.shared,
      ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(static_cast<int32_t>(first))});
  tile.value =
      LLVM::GEPOp::create(b, sharedPointer(b), b.getI8Type(), base,
                          ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(offset)});
  tile.panels = getPanels(ring, op.getValue());
  return tile;
}

void Emitter::wait(Value barrier, Value parity) {
  // try_wait may answer 'no' before its time, so it is asked again.
  auto loop = scf::WhileOp::create(b, TypeRange(), ValueRange());
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&loop.getBefore());
  Value done = NVVM::MBarrierTryWaitOp::create(b, b.getI1Type(), barrier,
                                               parity, Value());
  Value again = arith::XOrIOp::create(b, done, constant(1, 1));
  scf::ConditionOp::create(b, again, ValueRange());
  b.createBlock(&loop.getAfter());
  scf::YieldOp::create(b);
}

void Emitter::advance(AdvanceOp op) {
  Value next = arith::AddIOp::create(b, lookup(op.getSlot()), constant(1));
  Value wraps = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, next,
                                      constant(op.getCount()));
  scalars[op.getNext()] = arith::SelectOp::create(b, wraps, constant(0), next);
  Value flip = arith::ExtUIOp::create(b, b.getI32Type(), wraps);
  scalars[op.getNextPhase()] =
      arith::XOrIOp::create(b, lookup(op.getPhase()), flip);
}

void Emitter::arrive(ArriveOp op) {
  Value barrier = lookup(op.getBarrier());
  switch (op.getEngine()) {
  case Engine::copies:
    NVVM::CpAsyncMBarrierArriveOp::create(b, barrier, /*noinc=*/true);
    return;
  case Engine::tensor_core: {
    Value issues = NVVM::ElectSyncOp::create(b, b.getI1Type(), Value());
    when(issues, [&] { NVVM::Tcgen05CommitOp::create(b, barrier, Value()); });
    return;
  }
  case Engine::threads:
  case Engine::tma:
    // The lanes' accesses come before the one arrival that stands for them.
    NVVM::SyncWarpOp::create(b, constant(-1));
    when(elected,
         [&] { NVVM::MBarrierArriveOp::create(b, Type(), barrier, Value()); });
  }
}

void Emitter::fenceProxy() {
  NVVM::FenceProxyOp::create(
      b, NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(b.getContext(),
                                 NVVM::SharedSpace::shared_cta));
}

void Emitter::fence(Fence fence) {
  switch (fence) {
  case Fence::async:
    return fenceProxy();
  case Fence::tensor_before:
    NVVM::Tcgen05FenceOp::create(b, NVVM::Tcgen05FenceKind::BEFORE_THREAD_SYNC);
    return;
  case Fence::tensor_after:
    NVVM::Tcgen05FenceOp::create(b, NVVM::Tcgen05FenceKind::AFTER_THREAD_SYNC);
    return;
  }
}

void Emitter::drain(DrainOp op) {
  switch (op.getWork()) {
  case Work::copies:
    NVVM::CpAsyncCommitGroupOp::create(b);
    NVVM::CpAsyncWaitGroupOp::create(b, 0);
    return;
  case Work::puts:
    NVVM::CpAsyncBulkWaitGroupOp::create(b, op.getPending(), b.getUnitAttr());
    return;
  case Work::tensor_stores:
    NVVM::Tcgen05WaitOp::create(b, NVVM::Tcgen05WaitKind::STORE);
    return;
  // `agent.await` by now.
  case Work::products:
    return;
  }
}

void Emitter::sync(Crowd crowd) {
  if (crowd == Crowd::warp)
    NVVM::SyncWarpOp::create(b, constant(-1));
  else
    NVVM::BarrierOp::create(b);
}

std::optional<LogicalResult> Emitter::emitProtocol(Operation *operation) {
  using Result = std::optional<LogicalResult>;
  return llvm::TypeSwitch<Operation *, Result>(operation)
      .Case([&](BarrierOp op) {
        scalars[op] = getBarrier(op);
        return success();
      })
      .Case([&](SlotOp op) {
        tiles[op] = getSlot(op);
        return success();
      })
      .Case([&](AdvanceOp op) {
        advance(op);
        return success();
      })
      .Case([&](WaitOp op) {
        wait(lookup(op.getBarrier()), lookup(op.getParity()));
        return success();
      })
      .Case([&](ArriveOp op) {
        arrive(op);
        return success();
      })
      .Case([&](ExpectOp op) {
        NVVM::MBarrierArriveExpectTxOp::create(
            b, Type(), lookup(op.getBarrier()), lookup(op.getBytes()),
            NVVM::MemScopeKind::CTA, /*relaxed=*/false, Value());
        return success();
      })
      .Case([&](FenceOp op) {
        fence(op.getFence());
        return success();
      })
      .Case([&](DrainOp op) {
        drain(op);
        return success();
      })
      .Case([&](ClosePutsOp) {
        NVVM::CpAsyncBulkCommitGroupOp::create(b);
        return success();
      })
      .Case([&](ElectOp op) {
        scalars[op] = op.getCrowd() == Crowd::warp ? elected : leader;
        return success();
      })
      .Case([&](SyncOp op) {
        sync(op.getCrowd());
        return success();
      })
      .Case([&](FitsOp op) {
        scalars[op] = fitsTensorMap(op);
        return success();
      })
      .Case([&](FetchOp op) { return emitFetch(op); })
      .Case([&](PutOp op) { return emitPut(op); })
      .Case([&](MultiplyOp op) { return emitMultiply(op); })
      .Case([&](IssueOp op) { return emitIssue(op); })
      .Case([&](PendOp op) {
        bind(op.getSum(), getFragment(op.getTile()));
        return success();
      })
      .Case([&](AwaitOp op) {
        await(op);
        return success();
      })
      .Case([&](OrZeroOp op) {
        tiles[op] = tiles.lookup(op.getTile());
        tiles[op].filled = lookup(op.getFilled());
        return success();
      })
      .Case([&](tile::ReadOp op) {
        // It is read where it is converted.
        tiles[op] = tiles.lookup(op.getBuffer());
        return success();
      })
      .Case([&](tile::WriteOp op) {
        const Tile to = tiles.lookup(op.getBuffer());
        if (to.kind != Tile::Kind::Tensor)
          return writeShared(op.getValue(), to.value, to.panels, op);
        writeTensor(op.getValue(), to.value);
        return success();
      })
      .Default([](Operation *) { return Result(); });
}
