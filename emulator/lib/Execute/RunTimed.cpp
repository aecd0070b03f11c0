//===- RunTimed.cpp - A warp's turn by the clock --------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/MbarrierObject.h"
#include "Machine/Machine.h"
#include "Memory/Access.h"
#include "Timing/Clock.h"
#include "llvm/Support/MathExtras.h"

using namespace drawloom;
using namespace drawloom::emu;
using llvm::divideCeil;

//===----------------------------------------------------------------------===//
// Memory instructions
//===----------------------------------------------------------------------===//

/// How often the banks of shared memory are gone through for lanes that touch
/// `bytes` each: 4-byte words in 32 banks, lanes with the same word together.
static unsigned passesOf(const uint64_t *addresses, uint32_t mask,
                         uint32_t bytes) {
  // Lanes with more than four bytes go in groups that fill the banks.
  unsigned words = std::max(1u, bytes / 4), passes = 0;
  unsigned group = std::max(1u, 32 / words);
  for (unsigned first = 0; first < 32; first += group) {
    uint64_t seen[32];
    uint8_t depth[32] = {};
    unsigned worst = 0, count = 0;
    for (unsigned lane = first; lane != first + group; ++lane) {
      if (!(mask >> lane & 1))
        continue;
      uint64_t word = addresses[lane] / 4;
      if (std::find(seen, seen + count, word) != seen + count)
        continue;
      seen[count++] = word;
      for (unsigned at = 0; at != words; ++at)
        worst = std::max<unsigned>(worst, ++depth[(word + at) % 32]);
    }
    passes += worst;
  }
  return std::max(passes, 1u);
}

namespace {
/// When the SM takes a memory instruction, until when the warp stands still,
/// and when its data is there.
struct Access {
  uint64_t taken, done;
};
} // namespace

static Access access(Clock &clock, Warp &warp, const AccessInfo &info,
                     uint32_t mask, uint64_t now) {
  const ClockConstants &constants = clock.constants;
  SmClock &unit = clock.sm(warp.cta().sm().index);
  bool reads = info.kind == AccessKind::Read;
  uint64_t addresses[32];
  info.addresses(warp, info, addresses);
  unsigned first = llvm::countr_zero(mask);
  uint64_t address = addresses[first];
  if (isShared(address)) {
    unsigned passes = passesOf(addresses, mask, info.bytes);
    uint64_t bytes = uint64_t(passes) * constants.sharedBytes;
    uint64_t done =
        (reads ? unit.sharedReads : unit.sharedWrites).reserve(now, bytes);
    bool isRemote = (uint32_t(address) >> sharedRankShift) != warp.cta().rank();
    return {done,
            done + passes +
                (isRemote ? constants.remoteLatency : constants.sharedLatency)};
  }
  if (isLocal(address)) // In L1.
    return {now, now + constants.sharedLatency};
  if (address < globalBase)
    return {now, now};
  MemoryClock::Traffic traffic;
  uint64_t previous = ~uint64_t(0);
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    // Sectors of 32 bytes.
    uint64_t at = addresses[llvm::countr_zero(rest)];
    uint64_t begin = at & ~uint64_t(31);
    if (begin == previous)
      continue;
    previous = begin;
    uint64_t end = llvm::alignTo(at + info.bytes, 32);
    clock.memory.touch(begin, end - begin, now, traffic);
  }
  uint64_t moved = clock.memory.transfer(traffic, now);
  if (info.kind == AccessKind::Write) {
    uint64_t done = unit.stores.reserve(std::max(now, moved), traffic.bytes);
    return {done, done};
  }
  uint64_t latency =
      clock.latencyOf(warp.cta().sm().index, address,
                      reads ? constants.l2Latency : constants.atomicLatency);
  return {moved, moved + latency + clock.memory.latency(traffic, now)};
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

void Warp::wakeTimed(Fragment &fragment) {
  Machine &machine = machineField;
  const ClockConstants &constants = machine.clock()->constants;
  uint64_t delay = 0;
  switch (fragment.object->waitKind()) {
  case WaitKind::Mbarrier:
    delay = constants.mbarrierWake;
    if (machine.actor && machine.actor != &ctaField)
      delay += constants.remoteLatency;
    break;
  case WaitKind::Barrier:
    delay =
        constants.barrierBase + constants.barrierWarp * ctaField.warps().size();
    break;
  case WaitKind::Cluster:
    delay = constants.clusterBarrier;
    break;
  case WaitKind::Other:
    break;
  }
  fragment.readyAt = machine.now + delay;
  const Inst *at = fragment.resumes ? fragment.pc - 1 : fragment.pc;
  uint32_t byte = 0;
  if (fragment.object->waitKind() == WaitKind::Mbarrier)
    byte =
        static_cast<Mbarrier &>(*fragment.object).address() & sharedOffsetMask;
  fragment.waited = {uint32_t(programField.indexOf(at)),
                     fragment.object->waitKind(), byte};
}

/// The warp has done nothing since it last issued an instruction, as the
/// fragment that goes on now was waiting.
static void countWait(WarpClock &state, uint32_t warp, Fragment &fragment) {
  if (!fragment.waited || fragment.readyAt <= state.time)
    return;
  const Fragment::Waited &waited = *fragment.waited;
  const uint64_t cycles = fragment.readyAt - state.time;
  state.program->stall(waited.instruction, StallKind::Wait, cycles);
  state.program->warp(warp).waits[{waited.kind, waited.byte}] += cycles;
}

void Warp::startClock(Clock &clock, uint64_t time) {
  timeField = std::make_unique<WarpClock>();
  timeField->program = &clock.of(*ctaField.grid().launch().kernel);
  timeField->sm = &clock.sm(ctaField.sm().index);
  timeField->ready.resize(timeField->program->registerCount);
  timeField->time = timeField->start = time;
  timeField->scheduler = indexField % 4;
}

uint64_t Warp::nextTime() const {
  uint64_t earliest = ~uint64_t(0);
  for (const std::unique_ptr<Fragment> &fragment : fragments)
    if (fragment->state == Fragment::Ready)
      earliest = std::min(earliest, fragment->readyAt);
  return std::max(earliest, timeField->time);
}

//===----------------------------------------------------------------------===//
// The turn
//===----------------------------------------------------------------------===//

/// When the scheduler and a unit take an instruction that could go at `time`.
static uint64_t issue(Clock &clock, WarpClock &warp, const InstTiming &timing,
                      uint64_t time) {
  SmClock &sm = *warp.sm;
  unsigned scheduler = warp.scheduler;
  if (timing.slots)
    time = sm.issue[scheduler].reserve(time, timing.slots);
  switch (timing.unit) {
  case InstTiming::Alu:
    return sm.alu[scheduler].reserve(time, timing.cost);
  case InstTiming::Fma:
    return sm.fma[scheduler].reserve(time, timing.cost);
  case InstTiming::Mufu:
    return sm.mufu[scheduler].reserve(time, timing.cost);
  case InstTiming::Lsu:
    return sm.lsu.reserve(time, timing.cost);
  case InstTiming::Tensor:
    sm.tensorBusy += timing.cost / 4;
    clock.activity.addTensor(time, timing.cost / 4);
    return sm.tensor[scheduler].reserve(time, timing.cost);
  case InstTiming::NoUnit:
    break;
  }
  return time;
}

/// When what an instruction writes that was issued at `time` is ready.
static uint64_t finish(Clock &clock, Warp &warp, WarpClock &state,
                       const InstTiming &timing, const Inst *inst,
                       uint32_t mask, uint64_t time) {
  const uint64_t bytes = uint64_t(timing.writes + timing.reads) * 128;
  switch (timing.kind) {
  case InstTiming::Memory: {
    if (!mask)
      return time;
    Access found = access(clock, warp, inst->as<AccessInfo>(), mask, time);
    if (found.taken > state.time) {
      state.program->stall(warp.program().indexOf(inst), StallKind::Issue,
                           found.taken - state.time);
      state.time = found.taken;
    }
    return found.done;
  }
  case InstTiming::TensorLoad: {
    uint64_t done = state.sm->tensorLoads.reserve(time, bytes) +
                    timing.latency + timing.writes / 4;
    state.tensorReady = std::max(state.tensorReady, done);
    return done;
  }
  case InstTiming::TensorStore:
    state.tensorReady = std::max(state.tensorReady,
                                 state.sm->tensorStores.reserve(time, bytes) +
                                     timing.reads / 2);
    return time;
  default:
    return time + timing.latency;
  }
}

/// Cycles that a warp may be ahead of others between events: calendars know
/// more of the past than that.
static constexpr uint64_t aheadCycles = 2048;

uint64_t Warp::runTimed(Clock &clock) {
  WarpClock &state = *timeField;
  ProgramClock &program = *state.program;
  const Inst *code = programField.code.data();
  uint64_t count = 0;
  turnOver = false;
  machineField.actor = &ctaField;
  while (!turnOver && count != Scheduler::turnLength && pick()) {
    const Inst *pc = currentField->pc;
    countWait(state, indexField, *currentField);
    currentField->waited.reset();
    state.time = std::max(state.time, currentField->readyAt);
    do {
      const uint32_t index = pc - code;
      const InstTiming &timing = program.timings[index];
      const uint32_t *regs = program.registers.data() + timing.registers;
      uint64_t ready = state.time;
      for (unsigned i = 0; i != timing.reads; ++i)
        ready = std::max(ready, state.ready[regs[i]]);
      if (timing.kind == InstTiming::TensorWait)
        ready = std::max(ready, state.tensorReady);
      uint64_t at = ready;
      if (timing.kind == InstTiming::Renames) {
        at = state.time;
      } else {
        // An event that isn't the earliest thing that could happen has to wait
        // for its turn.
        if (ready > machineField.horizon + (timing.isEvent ? 0 : aheadCycles)) {
          state.time = ready;
          turnOver = true;
          break;
        }
        at = issue(clock, state, timing, ready);
        if (ready > state.time)
          program.stall(index, StallKind::Operand, ready - state.time);
        if (at > ready)
          program.stall(index, StallKind::Issue, at - ready);
        state.time = at + std::max<unsigned>(1, timing.slots) + timing.hold;
      }
      uint32_t mask = activeField & (predicate(pc->guard) ^ pc->guardFlip);
      uint64_t done = timing.kind == InstTiming::Renames
                          ? ready
                          : finish(clock, *this, state, timing, pc, mask, at);
      for (unsigned i = 0; i != timing.writes; ++i)
        state.ready[regs[timing.reads + i]] = done;
      machineField.now = at;
      ++count;
      pc = mask ? pc->fn(*this, pc, mask) : pc + 1;
    } while (pc < stop && count != Scheduler::turnLength);
    if (pc == codeEnd) [[unlikely]]
      pc = exit(pc - 1, activeField);
    if (pc != Inst::leave())
      currentField->pc = pc;
  }
  if (!liveField && state.start != ~uint64_t(0)) {
    clock.exited(state, indexField, state.time);
    state.start = ~uint64_t(0);
  }
  return count;
}
