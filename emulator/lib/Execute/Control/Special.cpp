//===- Special.cpp - Clocks, sleep, traps and the stack ------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, sections 9.7.17, 9.7.19 and 10. The clock counts warp instructions
// of the whole machine, and a nanosecond is one of them: time passes when
// something happens, and the same run has the same times.

#include "Decode/Decoder.h"
#include "Machine/Lanes.h"
#include "Machine/Machine.h"
#include "Machine/Tell.h"

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Opcode;
using ptx::Operand;
using ptx::SpecialRegister;
using ptx::Type;

/// Reads the clock, shifted by `imm`, and ends the turn: two readings differ.
template <typename T>
static const Inst *readClock(Warp &warp, const Inst *inst, uint32_t mask) {
  auto d = destination<T>(warp, inst->slot[0]);
  T value = static_cast<T>(warp.machine().steps() >> inst->imm);
  forLanes(mask, [=](unsigned lane) { d.set(lane, value); });
  return warp.yield(inst + 1);
}

/// mov from a special register that changes while a warp lives.
static bool decodeMovClock(Decoder &decoder, Inst &inst) {
  const Operand &from = decoder.operand(1);
  if (!from.is(Operand::Special))
    return false;
  switch (from.special()) {
  case SpecialRegister::Clock64:
  case SpecialRegister::GlobalTimer:
    inst.fn = readClock<uint64_t>;
    break;
  case SpecialRegister::Clock:
  case SpecialRegister::GlobalTimerLo:
    inst.fn = readClock<uint32_t>;
    break;
  case SpecialRegister::ClockHi:
  case SpecialRegister::GlobalTimerHi:
    inst.fn = readClock<uint32_t>;
    inst.imm = 32;
    break;
  default:
    return false;
  }
  if (Decoder::laneBytes(decoder.type()) !=
      Decoder::laneBytes(ptx::infoOf(from.special()).type))
    return false;
  inst.slot[0] = decoder.dest(0);
  return true;
}

/// Sleeping is letting others run.
static const Inst *nanosleep(Warp &warp, const Inst *inst, uint32_t) {
  return warp.yield(inst + 1);
}

static bool decodeNanosleep(Decoder &, Inst &inst) {
  inst.fn = nanosleep;
  return true;
}

static const Inst *trap(Warp &warp, const Inst *inst, uint32_t mask) {
  return warp.fail(inst, mask, ReportKind::Trap,
                   "the kernel executed a 'trap'");
}

static bool decodeTrap(Decoder &, Inst &inst) {
  inst.fn = trap;
  return true;
}

static const Inst *brkpt(Warp &warp, const Inst *inst, uint32_t mask) {
  return warp.fail(inst, mask, ReportKind::Trap,
                   "the kernel executed a 'brkpt', and no debugger is there");
}

static bool decodeBrkpt(Decoder &, Inst &inst) {
  inst.fn = brkpt;
  return true;
}

static const Inst *nothing(Warp &, const Inst *inst, uint32_t) {
  return inst + 1;
}

/// Performance events aren't counted.
static bool decodePmevent(Decoder &, Inst &inst) {
  inst.fn = nothing;
  return true;
}

template <typename T>
static const Inst *stacksave(Warp &warp, const Inst *inst, uint32_t mask) {
  auto d = destination<T>(warp, inst->slot[0]);
  auto end = source<uint32_t>(warp, warp.program().stackPointer);
  forLanes(mask, [=](unsigned lane) { d.set(lane, end[lane]); });
  return inst + 1;
}

template <typename T>
static const Inst *stackrestore(Warp &warp, const Inst *inst, uint32_t mask) {
  const Program &program = warp.program();
  const ProgramFunction &function = program.functionOf(inst);
  const uint32_t *frames = warp.lanes<uint32_t>(program.frameBase);
  uint32_t *ends = warp.lanes<uint32_t>(program.stackPointer);
  auto a = source<T>(warp, inst->slot[0]);
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    // What stacksave gave: the frame's variables stay, and nothing comes back.
    uint32_t least = frames[lane] + function.frameBytes;
    if (a[lane] < least || a[lane] > ends[lane])
      return warp.fail(inst, 1u << lane, ReportKind::IllegalAddress,
                       "'stackrestore' to byte " + llvm::Twine(a[lane]) +
                           " of the stack, which is no place that a stacksave "
                           "of '" +
                           function.function->name +
                           "' has given: " + llvm::Twine(least) + " to " +
                           llvm::Twine(ends[lane]) + " are possible");
    ends[lane] = a[lane];
  }
  return inst + 1;
}

template <typename T>
static const Inst *allocate(Warp &warp, const Inst *inst, uint32_t mask) {
  T *pointers = warp.lanes<T>(inst->slot[0]);
  const T *sizes = warp.lanes<T>(inst->slot[1]);
  uint32_t *ends = warp.lanes<uint32_t>(warp.program().stackPointer);
  uint64_t alignment = inst->imm;
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    uint64_t start = (ends[lane] + alignment - 1) & ~(alignment - 1);
    uint64_t size = sizes[lane];
    if (start > localWindowSize || size > localWindowSize - start)
      return warp.fail(inst, 1u << lane, ReportKind::StackOverflow,
                       "'alloca' of " + llvm::Twine(size) + " bytes behind " +
                           llvm::Twine(start) +
                           " that are in use; a thread has " +
                           llvm::Twine(localWindowSize));
    pointers[lane] = static_cast<T>(start);
    ends[lane] = static_cast<uint32_t>(start + size);
    if (warp.listener()) [[unlikely]] {
      MemoryRange range = {localWindow + start, uint32_t(size), 1, 0,
                           1u << lane};
      tell(warp.issuePoint(inst, 1u << lane),
           LocalEvent{.kind = LocalEvent::Allocate, .ranges = range});
    }
  }
  return inst + 1;
}

static bool decodeStack(Decoder &decoder, Inst &inst) {
  Type type = decoder.type();
  bool wide = type == Type::U64;
  switch (decoder.opcode()) {
  case Opcode::Stacksave:
    inst.fn = wide ? stacksave<uint64_t> : stacksave<uint32_t>;
    inst.slot[0] = decoder.dest(0);
    return true;
  case Opcode::Stackrestore:
    inst.fn = wide ? stackrestore<uint64_t> : stackrestore<uint32_t>;
    inst.slot[0] = decoder.source(0, type);
    return true;
  default:
    inst.fn = wide ? allocate<uint64_t> : allocate<uint32_t>;
    inst.slot[0] = decoder.dest(0);
    inst.slot[1] = decoder.source(1, type);
    inst.imm = decoder.operandCount() > 2
                   ? std::max<int64_t>(decoder.operand(2).integer(), 8)
                   : 8;
    return true;
  }
}

void drawloom::emu::registerSpecial(DecodeTable &table) {
  table.add(Opcode::Mov, decodeMovClock);
  table.add(Opcode::Nanosleep, decodeNanosleep);
  table.add(Opcode::Trap, decodeTrap);
  table.add(Opcode::Brkpt, decodeBrkpt);
  table.add(Opcode::Pmevent, decodePmevent);
  table.add(Opcode::PmeventMask, decodePmevent);
  table.add(Opcode::Stacksave, decodeStack);
  table.add(Opcode::Stackrestore, decodeStack);
  table.add(Opcode::Alloca, decodeStack);
}
