//===- Messages.cpp - Messages and dynamic work tiles ---------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What comes out of memory at run time decides where a whole warp goes. All
// lanes take it from the first one, so that ptxas knows that they stay
// together.

#include "Messages.h"
#include "drawloom/Dialect/Agent/IR/MessageOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace drawloom;
using namespace drawloom::agent;
using namespace drawloom::codegen;

/// What the first lane has.
static Value takeFromFirstLane(CodeWriter &w, Value word) {
  return NVVM::ShflOp::create(w.b, w.b.getI32Type(), w.constant(-1), word,
                              w.constant(0), w.constant(31),
                              NVVM::ShflKind::idx, UnitAttr());
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

/// Where a slot begins.
static Value findSlot(CodeWriter &w, SlotsOp ring, Value index) {
  Value offset = arith::MulIOp::create(w.b, index, w.constant(ring.getStride()),
                                       arith::IntegerOverflowFlags::nuw);
  return getBytesAfter(w.b, w.getShared(ring.getAt()), LLVM::GEPArg(offset));
}

static Value findValue(CodeWriter &w, SlotsOp ring, unsigned number,
                       Value slot) {
  return getBytesAfter(w.b, slot,
                       static_cast<int32_t>(ring.getOffsets()[number]));
}

static Values writeMessage(WriteMessageOp op, WriteMessageOp::Adaptor operands,
                           CodeWriter &w) {
  auto ring = op.getSlots().getDefiningOp<SlotsOp>();
  w.when(w.own.leader, [&] {
    Value slot = findSlot(w, ring, operands.getIndex());
    Value there =
        arith::ExtUIOp::create(w.b, w.b.getI32Type(), operands.getThere());
    LLVM::StoreOp::create(w.b, there, slot);
    for (auto [number, value] : llvm::enumerate(operands.getValues()))
      LLVM::StoreOp::create(w.b, toMemory(w.b, value),
                            findValue(w, ring, number, slot));
  });
  return {};
}

static Values readMessage(ReadMessageOp op, ReadMessageOp::Adaptor operands,
                          CodeWriter &w) {
  auto ring = op.getSlots().getDefiningOp<SlotsOp>();
  Value slot = findSlot(w, ring, operands.getIndex());
  auto take = [&](Type type, Value at) -> Value {
    Value value = LLVM::LoadOp::create(w.b, type, at);
    return type.isInteger(32) ? takeFromFirstLane(w, value) : value;
  };
  Value there = take(w.b.getI32Type(), slot);
  Values results = {arith::CmpIOp::create(w.b, arith::CmpIPredicate::ne, there,
                                          w.constant(0))};
  for (auto [number, value] : llvm::enumerate(op.getValues())) {
    Type type = value.getType();
    Type memory = type.isIndex() ? w.b.getI32Type() : getMemoryType(type);
    Value taken = take(memory, findValue(w, ring, number, slot));
    results.push_back(type.isIndex() ? taken : fromMemory(w.b, taken, type));
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Work tiles
//===----------------------------------------------------------------------===//

static Values tryCancel(ClcTryCancelOp op, ClcTryCancelOp::Adaptor operands,
                        CodeWriter &w) {
  NVVM::ClusterLaunchControlTryCancelOp::create(w.b, op.getMulticastAttr(),
                                                w.getShared(op.getTo()),
                                                operands.getBarrier());
  return {};
}

static Values query(ClcQueryOp op, ClcQueryOp::Adaptor, CodeWriter &w) {
  using Query = NVVM::ClusterLaunchControlQueryType;
  constexpr int64_t answerBytes = 16;
  Value answer = LLVM::LoadOp::create(w.b, w.b.getIntegerType(8 * answerBytes),
                                      w.getShared(op.getFrom()), answerBytes);
  Value isCanceled = NVVM::ClusterLaunchControlQueryCancelOp::create(
      w.b, w.b.getI1Type(), Query::IS_CANCELED, answer);
  // A request that failed has no number.
  auto branch = scf::IfOp::create(w.b, w.b.getI32Type(), isCanceled,
                                  /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(w.b);
    w.b.setInsertionPointToEnd(branch.thenBlock());
    Value number = NVVM::ClusterLaunchControlQueryCancelOp::create(
        w.b, w.b.getI32Type(), Query::GET_FIRST_CTA_ID_X, answer);
    scf::YieldOp::create(w.b, number);
    w.b.setInsertionPointToEnd(branch.elseBlock());
    scf::YieldOp::create(w.b, w.constant(-1));
  }
  return {takeFromFirstLane(w, branch.getResult(0))};
}

static Values countTile(AtomicNextTileOp op, AtomicNextTileOp::Adaptor,
                        CodeWriter &w) {
  // The counter is all that a workspace holds, the last parameter.
  auto kernel = op->getParentOfType<tile::KernelOp>();
  Value counter = kernel.getBody().front().getArguments().back();
  Value isFirst = arith::CmpIOp::create(w.b, arith::CmpIPredicate::eq,
                                        w.kernel.lane, w.constant(0));
  auto branch = scf::IfOp::create(w.b, w.b.getI32Type(), isFirst,
                                  /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(w.b);
    w.b.setInsertionPointToEnd(branch.thenBlock());
    Value counted = LLVM::AtomicRMWOp::create(
        w.b, LLVM::AtomicBinOp::add, counter, w.constant(1),
        LLVM::AtomicOrdering::monotonic, "device");
    scf::YieldOp::create(w.b, counted);
    w.b.setInsertionPointToEnd(branch.elseBlock());
    scf::YieldOp::create(w.b, w.constant(0));
  }
  return {takeFromFirstLane(w, branch.getResult(0))};
}

static Values broadcast(ClusterBroadcastOp op,
                        ClusterBroadcastOp::Adaptor operands, CodeWriter &w) {
  w.when(w.isMine(operands.getCtas()), [&] {
    Type cluster =
        getPointerType(w.b.getContext(), NVVM::NVVMMemorySpace::SharedCluster);
    Value there = NVVM::MapaOp::create(w.b, cluster, w.getShared(op.getTo()),
                                       w.kernel.lane);
    LLVM::StoreOp::create(w.b, operands.getNumber(), there);
  });
  return {};
}

static Values receive(ClusterReceiveOp op, ClusterReceiveOp::Adaptor,
                      CodeWriter &w) {
  return {
      takeFromFirstLane(w, LLVM::LoadOp::create(w.b, w.b.getI32Type(),
                                                w.getShared(op.getFrom())))};
}

void codegen::addMessages(PatternList &list) {
  list.add<WriteMessageOp>(writeMessage);
  list.add<ReadMessageOp>(readMessage);
  list.add<ClcTryCancelOp>(tryCancel);
  list.add<ClcQueryOp>(query);
  list.add<AtomicNextTileOp>(countTile);
  list.add<ClusterBroadcastOp>(broadcast);
  list.add<ClusterReceiveOp>(receive);
}
