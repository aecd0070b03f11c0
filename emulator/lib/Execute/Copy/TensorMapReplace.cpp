//===- TensorMapReplace.cpp - tensormap instructions --------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, sections 9.7.9.28 and 9.7.13.16.

#include "Engine/Engine.h"
#include "Execute/Copy/TensorMapWrites.h"
#include "Machine/Lanes.h"
#include "Machine/Machine.h"
#include "Memory/Access.h"
#include "drawloom/Emulator/TensorMap.h"
#include <cstring>

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Slot;
using ptx::StateSpace;
using ptx::Type;

namespace {

struct ReplaceInfo {
  AccessInfo map;
  TensorMapField field;
  unsigned ordinal = 0;
  Reg value = 0;
  bool wide = false;
};

struct FieldName {
  Modifier modifier;
  TensorMapField field;
  bool hasOrdinal;
};

} // namespace

static constexpr FieldName fields[] = {
    {Modifier::GlobalAddress, TensorMapField::GlobalAddress, false},
    {Modifier::Rank, TensorMapField::Rank, false},
    {Modifier::BoxDim, TensorMapField::BoxDim, true},
    {Modifier::GlobalDim, TensorMapField::GlobalDim, true},
    {Modifier::GlobalStride, TensorMapField::GlobalStride, true},
    {Modifier::ElementStride, TensorMapField::ElementStride, true},
    {Modifier::Elemtype, TensorMapField::ElementType, false},
    {Modifier::InterleaveLayout, TensorMapField::InterleaveLayout, false},
    {Modifier::SwizzleMode, TensorMapField::SwizzleMode, false},
    {Modifier::SwizzleAtomicity, TensorMapField::SwizzleAtomicity, false},
    {Modifier::FillMode, TensorMapField::FillMode, false},
};

static const Inst *replace(Warp &warp, const Inst *inst, uint32_t mask) {
  const auto &info = inst->as<ReplaceInfo>();
  char *host[32];
  if (!resolve(warp, inst, mask, info.map, host))
    return Inst::leave();
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    uint64_t value = info.wide ? warp.lanes<uint64_t>(info.value)[lane]
                               : warp.lanes<uint32_t>(info.value)[lane];
    if (llvm::Error problem =
            replaceTensorMapField(host[lane], info.field, info.ordinal, value))
      return warp.fail(inst, 1u << lane, ReportKind::IllegalInstruction,
                       quoteMnemonic(warp.program(), inst) + ": " +
                           llvm::toString(std::move(problem)));
    TensorMapWrites::of(warp.cta().cluster()).write(host[lane], inst, false);
  }
  return inst + 1;
}

static bool decodeReplace(Decoder &decoder, Inst &inst) {
  const FieldName *name = llvm::find_if(fields, [&](const FieldName &field) {
    return field.modifier == decoder.get(Slot::TensorMapField);
  });
  if (name == std::end(fields))
    return false;
  ReplaceInfo info;
  info.map =
      decodeAccess(decoder, 0, sizeof(TensorMapBytes), AccessKind::Write);
  info.map.alignment = tensorMapAlignment;
  info.field = name->field;
  if (name->hasOrdinal)
    info.ordinal = decoder.operand(1).integer();
  info.wide = decoder.type() == Type::B64;
  info.value = decoder.source(name->hasOrdinal ? 2 : 1, decoder.type());
  inst.fn = replace;
  inst.extra = decoder.keep(info);
  return true;
}

namespace {
struct CopyInfo {
  AccessInfo to, from;
};
} // namespace

/// All lanes name the same map, and one copy of it is enough.
static const Inst *copyMap(Warp &warp, const Inst *inst, uint32_t mask) {
  const Inst *next = inst + 1;
  mask = warp.convergeAll(inst, mask, next);
  if (!mask)
    return next;
  const auto &info = inst->as<CopyInfo>();
  char *to[32], *from[32];
  if (!resolve(warp, inst, mask, info.from, from) ||
      !resolve(warp, inst, mask, info.to, to))
    return Inst::leave();
  forEachLane(mask, [&](unsigned lane) {
    memmove(to[lane], from[lane], sizeof(TensorMapBytes));
    TensorMapWrites::of(warp.cta().cluster()).write(to[lane], inst, true);
  });
  if (warp.listener()) [[unlikely]]
    tell(warp.issuePoint(inst, mask),
         FenceEvent{.kind = FenceEvent::ProxyTensorMap,
                    .order = Order::Release,
                    .scope = scopeOf(
                        warp.program().source(inst)->variant->get(Slot::Scope),
                        Scope::None)});
  return next;
}

static bool decodeCopyMap(Decoder &decoder, Inst &inst) {
  CopyInfo info;
  info.to = decodeAccess(decoder, 0, sizeof(TensorMapBytes), AccessKind::Write);
  info.from = decodeAccess(decoder, 1, sizeof(TensorMapBytes), AccessKind::Read,
                           Slot::SrcSpace);
  info.to.alignment = info.from.alignment = 128;
  // Its .sem and .scope are those of the fence.
  info.to.order = info.from.order = Order::Weak;
  info.to.scope = info.from.scope = Scope::None;
  inst.fn = copyMap;
  inst.extra = decoder.keep(info);
  return true;
}

void drawloom::emu::registerTensorMapReplace(DecodeTable &table) {
  table.add(Opcode::TensormapReplace, decodeReplace);
  table.add(Opcode::TensormapCpFenceproxy, decodeCopyMap);
}
