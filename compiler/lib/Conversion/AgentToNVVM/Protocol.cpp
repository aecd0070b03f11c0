//===- Protocol.cpp - Set-up, slots, barriers and fences ------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What `lower-pipes` has written out, an instruction or two for each operation.

#include "Messages.h"
#include "drawloom/Analysis/Slots/Placement.h"
#include "drawloom/Target/Architecture.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using namespace drawloom::codegen;

//===----------------------------------------------------------------------===//
// Set-up and end
//===----------------------------------------------------------------------===//

static Value isWarp(CodeWriter &w, int64_t warp) {
  return arith::CmpIOp::create(w.b, arith::CmpIPredicate::eq, w.kernel.warp,
                               w.constant(warp));
}

static Values initBarriers(InitBarriersOp op, InitBarriersOp::Adaptor,
                           CodeWriter &w) {
  w.when(isWarp(w, 0), [&] {
    Value elected = NVVM::ElectSyncOp::create(w.b, w.b.getI1Type(), Value());
    w.when(elected, [&] {
      for (Value value : op.getBarriers()) {
        auto ring = value.getDefiningOp<BarriersOp>();
        for (int64_t slot = 0; slot < ring.getCount(); ++slot)
          NVVM::MBarrierInitOp::create(
              w.b, w.getShared(ring.getAt() + slot * plan::barrierBytes),
              w.constant(ring.getArrivals()), Value());
      }
      // Engines see the barriers as they are now.
      NVVM::FenceMbarrierInitOp::create(w.b);
    });
  });
  return {};
}

static Values allocTensor(AllocTensorOp op, AllocTensorOp::Adaptor,
                          CodeWriter &w) {
  w.when(isWarp(w, op.getWarp()), [&] {
    NVVM::Tcgen05AllocOp::create(w.b, w.getShared(op.getTo()),
                                 w.constant(op.getColumns()), w.kernel.group);
    // The next CTA of this SM may allocate when this one has ended.
    NVVM::Tcgen05RelinquishAllocPermitOp::create(w.b, w.kernel.group);
  });
  return {};
}

static Values readTensorAddress(TensorAddressOp op, TensorAddressOp::Adaptor,
                                CodeWriter &w) {
  return {
      LLVM::LoadOp::create(w.b, w.b.getI32Type(), w.getShared(op.getFrom()))};
}

static Values freeTensor(FreeTensorOp op, FreeTensorOp::Adaptor operands,
                         CodeWriter &w) {
  w.when(isWarp(w, op.getWarp()), [&] {
    Type type = getPointerType(w.b.getContext(), NVVM::NVVMMemorySpace::Tensor);
    NVVM::Tcgen05DeallocOp::create(
        w.b, LLVM::IntToPtrOp::create(w.b, type, operands.getAddress()),
        w.constant(op.getColumns()), w.kernel.group);
  });
  return {};
}

//===----------------------------------------------------------------------===//
// Slots and barriers
//===----------------------------------------------------------------------===//

/// The same place in another CTA, as an address that copies take. It has its
/// CTA in its upper bits.
static Value mapToCta(CodeWriter &w, Value pointer, Value cta) {
  auto *context = w.b.getContext();
  Type cluster = getPointerType(context, NVVM::NVVMMemorySpace::SharedCluster);
  Value there = NVVM::MapaOp::create(w.b, cluster, pointer, cta);
  Value number = LLVM::PtrToIntOp::create(w.b, w.b.getI32Type(), there);
  return LLVM::IntToPtrOp::create(
      w.b, getPointerType(context, NVVM::NVVMMemorySpace::Shared), number);
}

static Values findBarrier(BarrierOp op, BarrierOp::Adaptor operands,
                          CodeWriter &w) {
  auto ring = op.getBarriers().getDefiningOp<BarriersOp>();
  Value offset = arith::ShLIOp::create(w.b, operands.getIndex(), w.constant(3));
  Value barrier =
      getBytesAfter(w.b, w.getShared(ring.getAt()), LLVM::GEPArg(offset));
  if (operands.getCta())
    barrier = mapToCta(w, barrier, operands.getCta());
  return {barrier};
}

static Values findSlot(SlotOp op, SlotOp::Adaptor operands, CodeWriter &w) {
  auto ring = op.getSlots().getDefiningOp<SlotsOp>();
  int64_t first = ring.getAt() + ring.getOffsets()[op.getValue()];
  Value offset = arith::MulIOp::create(w.b, operands.getIndex(),
                                       w.constant(ring.getStride()),
                                       arith::IntegerOverflowFlags::nuw);
  if (op.getType().getSpace() == tile::Space::Smem)
    return {getBytesAfter(w.b, w.getShared(first), LLVM::GEPArg(offset))};
  Value tensor = w.lookup(w.kernel.tensor);
  Value base = arith::AddIOp::create(w.b, tensor, w.constant(first));
  return {arith::AddIOp::create(w.b, base, offset)};
}

static Values advance(AdvanceOp op, AdvanceOp::Adaptor operands,
                      CodeWriter &w) {
  Value next = arith::AddIOp::create(w.b, operands.getSlot(), w.constant(1));
  Value wraps = arith::CmpIOp::create(w.b, arith::CmpIPredicate::eq, next,
                                      w.constant(op.getCount()));
  Value slot = arith::SelectOp::create(w.b, wraps, w.constant(0), next);
  Value flip = arith::ExtUIOp::create(w.b, w.b.getI32Type(), wraps);
  return {slot, arith::XOrIOp::create(w.b, operands.getPhase(), flip)};
}

//===----------------------------------------------------------------------===//
// Waiting and arriving
//===----------------------------------------------------------------------===//

// What CTAs pass to each other lies in shared or in tensor memory. An
// acquire or release of the cluster's scope is for global memory, too: ptxas
// invalidates L1 (CCTL.IVALL), or waits for all that the thread has written
// (MEMBAR.ALL.GPU). So waits and arrivals between CTAs are relaxed, and fences
// order what is passed.
//
// Shared memory (PTX ISA, 9.7.13.4): with .sync_restrict::shared::cluster, the
// effect of an acquiring fence "only applies to operations performed on objects
// in .shared::cluster state space", and with .sync_restrict::shared::cta, that
// of a releasing one to those in .shared::cta, which are those of the own CTA.
//
// Execution: tcgen05.fence, which `lower-pipes` has written out, "composes with
// execution ordering instructions" (9.7.16.6.3), and the patterns of 9.7.16.6.4
// have mbarrier.arrive.relaxed.cluster and mbarrier.try_wait.relaxed.cluster,
// after which the completion of MMAs "is guaranteed".

static BarriersOp getRing(Value barrier) {
  return barrier.getDefiningOp<BarrierOp>()
      .getBarriers()
      .getDefiningOp<BarriersOp>();
}

static Values wait(WaitOp op, WaitOp::Adaptor operands, CodeWriter &w) {
  BarriersOp ring = getRing(op.getBarrier());
  bool isOfCluster = ring.getScope() != Scope::cta;
  // try_wait may answer 'no' before its time, so it is asked again.
  auto loop = scf::WhileOp::create(w.b, TypeRange(), ValueRange());
  OpBuilder::InsertionGuard guard(w.b);
  w.b.createBlock(&loop.getBefore());
  Value done = NVVM::MBarrierTryWaitOp::create(
      w.b, w.b.getI1Type(), operands.getBarrier(), operands.getParity(),
      Value(),
      isOfCluster ? NVVM::MemScopeKind::CLUSTER : NVVM::MemScopeKind::CTA,
      /*relaxed=*/isOfCluster);
  Value again = arith::XOrIOp::create(w.b, done, w.constant(1, 1));
  scf::ConditionOp::create(w.b, again, ValueRange());
  w.b.createBlock(&loop.getAfter());
  scf::YieldOp::create(w.b);
  w.b.setInsertionPointAfter(loop);
  if (isOfCluster && ring.getOrders() != Ordering::execution)
    NVVM::FenceSyncRestrictOp::create(w.b, NVVM::MemOrderKind::ACQUIRE);
  return {};
}

/// One lane of the warp arrives in each of the CTAs.
static void arriveInEach(CodeWriter &w, Value barrier, Value ctas,
                         Ordering orders) {
  w.when(w.isMine(ctas), [&] {
    Type cluster =
        getPointerType(w.b.getContext(), NVVM::NVVMMemorySpace::SharedCluster);
    Value there = NVVM::MapaOp::create(w.b, cluster, barrier, w.kernel.lane);
    if (orders == Ordering::local)
      NVVM::FenceSyncRestrictOp::create(w.b, NVVM::MemOrderKind::RELEASE);
    // No restricted fence covers what was written in other CTAs.
    NVVM::MBarrierArriveOp::create(w.b, Type(), there, Value(),
                                   NVVM::MemScopeKind::CLUSTER,
                                   /*relaxed=*/orders != Ordering::remote);
  });
}

static Values arrive(ArriveOp op, ArriveOp::Adaptor operands, CodeWriter &w) {
  Value barrier = operands.getBarrier(), ctas = operands.getCtas();
  switch (op.getEngine()) {
  case Engine::tensor_core:
    w.when(w.electIssuer(), [&] {
      NVVM::Tcgen05CommitOp::create(w.b, barrier, w.getMask(ctas),
                                    w.kernel.group);
    });
    break;
  case Engine::cp_async:
    // The phase stays open until the thread's copies have landed. That alone
    // says nothing of what it has stored itself, at edges and where memory is
    // not aligned: the warp's arrival does.
    NVVM::CpAsyncMBarrierArriveOp::create(w.b, barrier, /*noinc=*/false);
    [[fallthrough]];
  case Engine::threads:
  case Engine::tma:
    // The lanes' accesses come before the one arrival that stands for them.
    NVVM::SyncWarpOp::create(w.b, w.constant(-1));
    if (ctas) {
      arriveInEach(w, barrier, ctas, getRing(op.getBarrier()).getOrders());
      break;
    }
    w.when(w.own.elected, [&] {
      NVVM::MBarrierArriveOp::create(w.b, Type(), barrier, Value());
    });
    break;
  }
  return {};
}

static Values expect(ExpectOp, ExpectOp::Adaptor operands, CodeWriter &w) {
  NVVM::MBarrierArriveExpectTxOp::create(
      w.b, Type(), operands.getBarrier(), operands.getBytes(),
      NVVM::MemScopeKind::CTA, /*relaxed=*/false, Value());
  return {};
}

static Values fence(FenceOp op, FenceOp::Adaptor, CodeWriter &w) {
  switch (op.getFence()) {
  case Fence::async:
    w.fenceProxy();
    break;
  case Fence::tensor_before:
    NVVM::Tcgen05FenceOp::create(w.b,
                                 NVVM::Tcgen05FenceKind::BEFORE_THREAD_SYNC);
    break;
  case Fence::tensor_after:
    NVVM::Tcgen05FenceOp::create(w.b,
                                 NVVM::Tcgen05FenceKind::AFTER_THREAD_SYNC);
    break;
  }
  return {};
}

static Values drain(DrainOp op, DrainOp::Adaptor, CodeWriter &w) {
  switch (op.getWork()) {
  case Work::cp_async:
    NVVM::CpAsyncCommitGroupOp::create(w.b);
    NVVM::CpAsyncWaitGroupOp::create(w.b, 0);
    break;
  case Work::stores:
    NVVM::CpAsyncBulkWaitGroupOp::create(w.b, op.getPending(),
                                         w.b.getUnitAttr());
    break;
  case Work::tensor_stores:
    NVVM::Tcgen05WaitOp::create(w.b, NVVM::Tcgen05WaitKind::STORE);
    break;
  // `agent.await` by now.
  case Work::wgmma:
    break;
  }
  return {};
}

static Values closePuts(CommitStoresOp, CommitStoresOp::Adaptor,
                        CodeWriter &w) {
  NVVM::CpAsyncBulkCommitGroupOp::create(w.b);
  return {};
}

static Values elect(ElectOp op, ElectOp::Adaptor, CodeWriter &w) {
  return {op.getParticipants() == Participants::warp ? w.own.elected
                                                     : w.own.leader};
}

static Values any(AnyOp, AnyOp::Adaptor operands, CodeWriter &w) {
  Value own = vector::ReductionOp::create(w.b, vector::CombiningKind::OR,
                                          operands.getTile());
  return {NVVM::VoteSyncOp::create(w.b, w.b.getI1Type(), w.constant(-1), own,
                                   NVVM::VoteSyncKind::any)};
}

static Values sync(SyncOp op, SyncOp::Adaptor, CodeWriter &w) {
  switch (op.getParticipants()) {
  case Participants::warp:
    NVVM::SyncWarpOp::create(w.b, w.constant(-1));
    break;
  case Participants::role:
    w.syncRole();
    break;
  case Participants::cta:
    NVVM::BarrierOp::create(w.b);
    break;
  case Participants::cluster:
    NVVM::ClusterArriveOp::create(w.b, w.b.getUnitAttr());
    NVVM::ClusterWaitOp::create(w.b, w.b.getUnitAttr());
    break;
  }
  return {};
}

/// The bits of the CTAs that share something with the first one, moved to the
/// first of those that share it with this one.
static Values findPeers(PeersOp op, PeersOp::Adaptor, CodeWriter &w) {
  Value rank = NVVM::ClusterId::create(w.b, w.b.getI32Type());
  Value first = rank, place = w.constant(0), rest = rank;
  SmallVector<int64_t> ranks = {0};
  int64_t stride = 1, count = 1;
  for (auto [dim, size] : llvm::enumerate(op.getCluster())) {
    if (llvm::is_contained(op.getAlong(), int64_t(dim))) {
      Value at = arith::RemUIOp::create(w.b, rest, w.constant(size));
      auto times = [&](int64_t number) {
        return arith::MulIOp::create(w.b, at, w.constant(number));
      };
      first = arith::SubIOp::create(w.b, first, times(stride));
      place = arith::AddIOp::create(w.b, place, times(count));
      SmallVector<int64_t> known(ranks);
      for (int64_t i = 1; i < size; ++i)
        for (int64_t other : known)
          ranks.push_back(other + i * stride);
      count *= size;
    }
    rest = arith::DivUIOp::create(w.b, rest, w.constant(size));
    stride *= size;
  }
  int64_t bits = 0;
  for (int64_t other : ranks)
    bits |= int64_t(1) << other;
  return {arith::ShLIOp::create(w.b, w.constant(bits), first), place};
}

void codegen::addProtocol(PatternList &list) {
  list.add<InitBarriersOp>(initBarriers);
  list.add<AllocTensorOp>(allocTensor);
  list.add<TensorAddressOp>(readTensorAddress);
  list.add<FreeTensorOp>(freeTensor);
  list.add<BarrierOp>(findBarrier);
  list.add<SlotOp>(findSlot);
  list.add<AdvanceOp>(advance);
  list.add<WaitOp>(wait);
  list.add<ArriveOp>(arrive);
  list.add<ExpectOp>(expect);
  list.add<FenceOp>(fence);
  list.add<DrainOp>(drain);
  list.add<CommitStoresOp>(closePuts);
  list.add<ElectOp>(elect);
  list.add<AnyOp>(any);
  list.add<SyncOp>(sync);
  list.add<PeersOp>(findPeers);
  addMessages(list);
}
