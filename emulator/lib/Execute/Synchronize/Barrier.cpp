//===- Barrier.cpp - Barriers of a CTA -----------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, section 9.7.13.1.

#include "Decode/Decoder.h"
#include "Machine/Grid.h"
#include "Machine/Lanes.h"

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

namespace {
enum : unsigned { Number, Threads, Result, Vote };

/// What Inst::imm says.
enum Flags : int64_t { Aligned = 1, Waits = 2 };
} // namespace

template <Modifier op>
static void deliver(Warp &warp, const Inst *inst, uint32_t lanes,
                    const NamedBarrier &barrier) {
  if constexpr (op == Modifier::Popc) {
    uint32_t *d = warp.lanes<uint32_t>(inst->slot[Result]);
    forEachLane(lanes, [&](unsigned lane) { d[lane] = barrier.trueCount(); });
  } else {
    bool value =
        op == Modifier::And ? barrier.allTrue() : barrier.trueCount() != 0;
    warp.setPredicate(inst->slot[Result], value ? ~0u : 0, lanes);
  }
}

/// Modifier::None for the barriers without a reduction.
template <Modifier op>
static const Inst *barrier(Warp &warp, const Inst *inst, uint32_t mask) {
  const Inst *next = inst + 1;
  if (inst->imm & Aligned) {
    mask = warp.convergeAll(inst, mask, next);
    if (!mask)
      return next;
  }
  unsigned first = std::countr_zero(mask);
  const uint32_t *numbers = warp.lanes<uint32_t>(inst->slot[Number]);
  uint32_t number = numbers[first];
  uint32_t threads = warp.lanes<uint32_t>(inst->slot[Threads])[first];
  if (number >= 16)
    return warp.fail(inst, mask, ReportKind::IllegalInstruction,
                     "barrier " + llvm::Twine(number) +
                         "; a CTA has barriers 0 to 15");
  if (threads % 32 || threads > 1024)
    return warp.fail(inst, mask, ReportKind::IllegalInstruction,
                     "barrier " + llvm::Twine(number) + " for " +
                         llvm::Twine(threads) +
                         " threads; the number must be a multiple of 32, at "
                         "most 1024");
  // Lanes may name different barriers; each is an instruction of its own.
  uint32_t same = 0;
  forEachLane(mask, [&](unsigned lane) {
    same |= uint32_t(numbers[lane] == number) << lane;
  });
  if (same != mask) {
    if (inst->imm & Aligned)
      return warp.fail(inst, mask, ReportKind::Divergence,
                       "an aligned barrier whose number differs between the "
                       "lanes of a warp");
    warp.setAside(inst, mask & ~same);
    mask = same;
  }
  bool waits = inst->imm & Waits;
  NamedBarrier::Arrival arrival = {warp, inst, mask, threads, waits};
  if constexpr (op != Modifier::None) {
    arrival.trueLanes = warp.test(inst->slot[Vote]);
    arrival.deliver = deliver<op>;
  }
  NamedBarrier &object = warp.cta().barrier(number);
  std::string problem;
  bool completed = object.arrive(arrival, problem);
  if (!problem.empty())
    return warp.fail(inst, mask, ReportKind::Protocol, problem);
  if (!waits)
    return next;
  if (!completed)
    return warp.wait(inst, mask, object, WaitMode::Resume);
  if constexpr (op != Modifier::None)
    deliver<op>(warp, inst, mask, object);
  return next;
}

static int64_t flagsOf(Decoder &decoder) {
  int64_t flags = decoder.has(Modifier::Aligned) ? Aligned : 0;
  switch (decoder.opcode()) {
  case Opcode::BarSync:
  case Opcode::BarCtaSync:
  case Opcode::BarRed:
  case Opcode::BarCtaRed:
    return Aligned | Waits;
  case Opcode::BarArrive:
  case Opcode::BarCtaArrive:
    return Aligned;
  case Opcode::BarrierArrive:
  case Opcode::BarrierCtaArrive:
    return flags;
  default:
    return flags | Waits;
  }
}

static bool decodeBarrier(Decoder &decoder, Inst &inst) {
  inst.fn = barrier<Modifier::None>;
  inst.imm = flagsOf(decoder);
  inst.slot[Number] = decoder.source(0, Type::U32);
  inst.slot[Threads] = decoder.operandCount() > 1 ? decoder.source(1, Type::U32)
                                                  : decoder.constant(0, 4);
  return true;
}

/// d, a{, b}, {!}c
static bool decodeReduction(Decoder &decoder, Inst &inst) {
  switch (decoder.get(ptx::Slot::Op)) {
  case Modifier::Popc:
    inst.fn = barrier<Modifier::Popc>;
    inst.slot[Result] = decoder.dest(0);
    break;
  case Modifier::And:
    inst.fn = barrier<Modifier::And>;
    inst.slot[Result] = decoder.predicate(0);
    break;
  default:
    inst.fn = barrier<Modifier::Or>;
    inst.slot[Result] = decoder.predicate(0);
    break;
  }
  bool hasThreads = decoder.operandCount() > 3;
  inst.imm = flagsOf(decoder);
  inst.slot[Number] = decoder.source(1, Type::U32);
  inst.slot[Threads] =
      hasThreads ? decoder.source(2, Type::U32) : decoder.constant(0, 4);
  inst.slot[Vote] = decoder.predicate(hasThreads ? 3 : 2);
  return true;
}

void drawloom::emu::registerBarrier(DecodeTable &table) {
  for (Opcode opcode :
       {Opcode::BarSync, Opcode::BarCtaSync, Opcode::BarrierSync,
        Opcode::BarrierCtaSync, Opcode::BarArrive, Opcode::BarCtaArrive,
        Opcode::BarrierArrive, Opcode::BarrierCtaArrive})
    table.add(opcode, decodeBarrier);
  for (Opcode opcode : {Opcode::BarRed, Opcode::BarCtaRed, Opcode::BarrierRed,
                        Opcode::BarrierCtaRed})
    table.add(opcode, decodeReduction);
}
