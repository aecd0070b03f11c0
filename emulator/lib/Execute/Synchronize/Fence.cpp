//===- Fence.cpp - fence and membar --------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, section 9.7.13.4. Memory is coherent and one thing happens at a
// time, so a fence changes no value. A listener sees what it promises. Those of
// the tensormap proxy are noted, since a copy of a map that was changed without
// them is reported.

#include "Engine/Engine.h"
#include "Execute/Copy/TensorMapWrites.h"
#include "Machine/Lanes.h"
#include "Machine/Machine.h"
#include "Memory/Access.h"

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Slot;

namespace {
struct FenceInfo {
  FenceEvent event;
  EngineAddress address; ///< Of the tensor map of an acquire.
};
} // namespace

static const Inst *fence(Warp &warp, const Inst *inst, uint32_t mask) {
  if (warp.listener()) [[unlikely]]
    tell(warp.issuePoint(inst, mask), inst->as<FenceInfo>().event);
  return inst + 1;
}

static const Inst *releaseTensorMaps(Warp &warp, const Inst *inst,
                                     uint32_t mask) {
  TensorMapWrites::of(warp.cta().cluster()).release();
  return fence(warp, inst, mask);
}

/// For 128 bytes at an address. It touches nothing there, and null is in no
/// window and so a global address: that is what CUTLASS's grouped kernels pass
/// in warps that have no tensor map.
static const Inst *acquireTensorMap(Warp &warp, const Inst *inst,
                                    uint32_t mask) {
  const auto &info = inst->as<FenceInfo>();
  RangeList maps;
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    uint64_t at = info.address.of(warp, lane);
    if (at == 0)
      continue;
    EngineCheck check(warp, inst, lane);
    if (!check.range("tensor map", at, 128, 128, ptx::StateSpace::Global))
      return Inst::leave();
    Cluster &cluster = warp.cta().cluster();
    TensorMapWrites::of(cluster).acquire(translate(cluster, at, 128));
    maps.addLane(lane, at, 128);
  }
  if (warp.listener()) [[unlikely]] {
    FenceEvent event = info.event;
    event.ranges = maps.get();
    tell(warp.issuePoint(inst, mask), event);
  }
  return inst + 1;
}

static FenceEvent eventOf(const ptx::Variant &variant) {
  FenceEvent event;
  switch (variant.get(Slot::Proxy)) {
  case Modifier::None:
    event.order = Order::AcquireRelease;
    break;
  case Modifier::Alias:
    event.kind = FenceEvent::ProxyAlias;
    break;
  case Modifier::TensorMapGeneric:
    event.kind = FenceEvent::ProxyTensorMap;
    break;
  default:
    event.kind = FenceEvent::ProxyAsync;
    break;
  }
  event.order = orderOf(variant.get(Slot::Sem), event.order);
  event.scope = scopeOf(variant.get(Slot::Scope), Scope::None);
  if (variant.opcode() == Opcode::Membar) {
    event.order = Order::SequentiallyConsistent;
    event.scope = scopeOf(variant.get(Slot::CacheLevel), Scope::None);
  }
  event.space = ptx::spaceOf(variant.get(Slot::Space));
  switch (variant.get(Slot::Restrict)) {
  case Modifier::MbarrierInit:
    event.kind = FenceEvent::MbarrierInit;
    break;
  case Modifier::SyncRestrictSharedCta:
    event.space = ptx::StateSpace::SharedCta;
    break;
  case Modifier::SyncRestrictSharedCluster:
    event.space = ptx::StateSpace::SharedCluster;
    break;
  default:
    break;
  }
  return event;
}

static bool decodeFence(Decoder &decoder, Inst &inst) {
  bool ofTensorMaps = decoder.get(Slot::Proxy) == Modifier::TensorMapGeneric;
  inst.fn = ofTensorMaps ? releaseTensorMaps : fence;
  FenceInfo info;
  info.event = eventOf(decoder.variant());
  if (decoder.operandCount()) {
    inst.fn = acquireTensorMap;
    info.address = decodeEngineAddress(decoder, decoder.operand(0),
                                       ptx::StateSpace::Generic);
  }
  inst.extra = decoder.keep(info);
  return true;
}

void drawloom::emu::registerFence(DecodeTable &table) {
  for (Opcode opcode :
       {Opcode::Fence, Opcode::FenceProxy, Opcode::Membar, Opcode::MembarProxy})
    table.add(opcode, decodeFence);
}
