//===- Cache.cpp - Hints to the caches -----------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, sections 9.7.9.15 to 9.7.9.18. The emulator has no caches: these do
// nothing. A policy is an opaque number; here it holds the modifiers that made
// it, so that a listener could tell policies apart.

#include "Decode/Decoder.h"
#include "Machine/Lanes.h"

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Opcode;
using ptx::Slot;
using ptx::Type;

static const Inst *nothing(Warp &, const Inst *inst, uint32_t) {
  return inst + 1;
}

static bool decodeHint(Decoder &, Inst &inst) {
  inst.fn = nothing;
  return true;
}

static const Inst *createPolicy(Warp &warp, const Inst *inst, uint32_t mask) {
  auto d = destination<uint64_t>(warp, inst->slot[0]);
  uint64_t value = inst->imm;
  forLanes(mask, [=](unsigned lane) { d.set(lane, value); });
  return inst + 1;
}

static bool decodeCreatePolicy(Decoder &decoder, Inst &inst) {
  inst.fn = createPolicy;
  inst.slot[0] = decoder.dest(0);
  inst.imm = static_cast<int64_t>(decoder.get(Slot::PrimaryPriority)) << 16 |
             static_cast<int64_t>(decoder.get(Slot::SecondaryPriority));
  return true;
}

static const Inst *copyPolicy(Warp &warp, const Inst *inst, uint32_t mask) {
  auto d = destination<uint64_t>(warp, inst->slot[0]);
  auto a = source<uint64_t>(warp, inst->slot[1]);
  forLanes(mask, [=](unsigned lane) { d.set(lane, a[lane]); });
  return inst + 1;
}

static bool decodeCopyPolicy(Decoder &decoder, Inst &inst) {
  inst.fn = copyPolicy;
  inst.slot[0] = decoder.dest(0);
  inst.slot[1] = decoder.source(1, Type::B64);
  return true;
}

void drawloom::emu::registerCache(DecodeTable &table) {
  for (Opcode opcode : {Opcode::Prefetch, Opcode::Prefetchu,
                        Opcode::Applypriority, Opcode::Discard})
    table.add(opcode, decodeHint);
  table.add(Opcode::CreatepolicyFractional, decodeCreatePolicy);
  table.add(Opcode::CreatepolicyRange, decodeCreatePolicy);
  table.add(Opcode::CreatepolicyCvt, decodeCopyPolicy);
}
