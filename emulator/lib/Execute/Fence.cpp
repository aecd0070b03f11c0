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

#include "Execute/Engine.h"
#include "Execute/Lanes.h"
#include "Execute/TensorMapWrites.h"
#include "Machine/Machine.h"
#include "Memory/Access.h"

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Slot;

static void tell(Warp &warp, const Inst *inst, uint32_t mask) {
  const ptx::Variant &variant = *warp.program().source(inst)->variant;
  SyncEvent event;
  event.origin = warp.origin(inst, mask);
  event.kind = SyncEvent::Fence;
  event.opcode = variant.opcode();
  event.order = variant.get(Slot::Sem);
  event.scope = variant.opcode() == Opcode::Membar
                    ? variant.get(Slot::CacheLevel)
                    : variant.get(Slot::Scope);
  event.proxy = variant.get(Slot::Proxy);
  warp.listener()->sync(event);
}

static const Inst *fence(Warp &warp, const Inst *inst, uint32_t mask) {
  if (warp.listener()) [[unlikely]]
    tell(warp, inst, mask);
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
  const auto &address = inst->as<EngineAddress>();
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    uint64_t at = address.of(warp, lane);
    if (at == 0)
      continue;
    EngineCheck check(warp, inst, lane);
    if (!check.range("tensor map", at, 128, 128, ptx::StateSpace::Global))
      return Inst::leave();
    Cluster &cluster = warp.cta().cluster();
    TensorMapWrites::of(cluster).acquire(translate(cluster, at, 128));
  }
  return fence(warp, inst, mask);
}

static bool decodeFence(Decoder &decoder, Inst &inst) {
  bool ofTensorMaps = decoder.get(Slot::Proxy) == Modifier::TensorMapGeneric;
  inst.fn = ofTensorMaps ? releaseTensorMaps : fence;
  if (decoder.operandCount() == 0)
    return true;
  inst.fn = acquireTensorMap;
  inst.extra = decoder.keep(decodeEngineAddress(decoder, decoder.operand(0),
                                                ptx::StateSpace::Generic));
  return true;
}

void drawloom::emu::registerFence(DecodeTable &table) {
  for (Opcode opcode :
       {Opcode::Fence, Opcode::FenceProxy, Opcode::Membar, Opcode::MembarProxy})
    table.add(opcode, decodeFence);
}
