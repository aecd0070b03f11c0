//===- Mbarrier.cpp - mbarrier instructions ------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, section 9.7.13.15. Lanes do what they do one after the other. The
// order of memory accesses around a barrier (.release, .acquire, .relaxed) is
// what a listener is interested in; here memory is coherent.

#include "Engine/Engine.h"
#include "Engine/MbarrierObject.h"
#include "Machine/Lanes.h"
#include "Machine/Machine.h"
#include "Memory/Access.h"
#include "llvm/ADT/StringExtras.h"

using namespace drawloom;
using namespace drawloom::emu;
using llvm::Twine;
using llvm::utostr;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Operand;
using ptx::Slot;
using ptx::Type;

namespace {

struct MbarrierInfo {
  EngineAddress address;
  Reg count = 0; ///< Arrivals.
  Reg bytes = 0;
  Reg state = 0;
  bool expects = false;
  bool drops = false;
  bool mayComplete = true;
  bool returnsState = false;
  Order order = Order::Weak; ///< Of the arrival or the wait.
  Scope scope = Scope::None;
};

/// What `state` registers hold: the phase before the arrival, the arrivals that
/// were missing then, and enough to tell a state from that of another barrier.
struct State {
  uint64_t bits;

  static State of(const Mbarrier &barrier, bool noComplete) {
    return {(barrier.phase() & 0xffffffff) | uint64_t(barrier.pending()) << 32 |
            uint64_t(noComplete) << 52 | tag(barrier) << 53};
  }
  static uint64_t tag(const Mbarrier &barrier) {
    return barrier.address() / 8 & 0x7ff;
  }
  uint32_t phase() const { return static_cast<uint32_t>(bits); }
  uint32_t pending() const { return bits >> 32 & Mbarrier::maxCount; }
  bool isNoComplete() const { return bits >> 52 & 1; }
  bool isOf(const Mbarrier &barrier) const {
    return bits >> 53 == tag(barrier);
  }
};

} // namespace

static const Inst *failLane(Warp &warp, const Inst *inst, unsigned lane,
                            const Twine &problem) {
  return warp.fail(inst, 1u << lane, ReportKind::Protocol,
                   quoteMnemonic(warp.program(), inst) + ": " + problem);
}

/// What keeps an instruction from working on a barrier that isn't in the CTA's
/// own shared memory; empty if the barrier is there.
static std::string rejectRemote(Warp &warp, uint64_t address) {
  if (isOwn(warp.cta(), address))
    return "";
  return "the mbarrier at " + nameAddress(warp.cta(), address) +
         " isn't in the shared memory of this CTA (rank " +
         utostr(warp.cta().rank()) + ")";
}

//===----------------------------------------------------------------------===//
// init, inval
//===----------------------------------------------------------------------===//

static const Inst *init(Warp &warp, const Inst *inst, uint32_t mask) {
  const auto &info = inst->as<MbarrierInfo>();
  CTA &cta = warp.cta();
  auto count = source<uint32_t>(warp, info.count);
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    uint64_t address = info.address.of(warp, lane);
    std::string problem = rejectRemote(warp, address);
    if (!problem.empty())
      return failLane(warp, inst, lane, problem);
    if (address % 8 || !cta.cluster().shared(address - sharedWindow, 8))
      return failLane(warp, inst, lane,
                      address % 8
                          ? "an mbarrier at " + nameAddress(cta, address) +
                                "; the address must be a multiple of 8"
                          : "an mbarrier at " +
                                describeAddress(cta.cluster(), address, 8));
    Mbarrier &barrier =
        cta.extensions.get<MbarrierSet>(cta).at(address & sharedOffsetMask);
    if (!barrier.init(count[lane], inst, problem))
      return failLane(warp, inst, lane, problem);
    if (warp.listener()) [[unlikely]]
      tellBarrier(
          warp.issuePoint(inst, 1u << lane), barrier,
          MbarrierEvent{.kind = MbarrierEvent::Init, .count = count[lane]});
  }
  return inst + 1;
}

static const Inst *inval(Warp &warp, const Inst *inst, uint32_t mask) {
  const auto &info = inst->as<MbarrierInfo>();
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    uint64_t address = info.address.of(warp, lane);
    std::string problem = rejectRemote(warp, address);
    Mbarrier *barrier = nullptr;
    if (problem.empty())
      barrier = findMbarrier(warp.cta(), address, problem);
    if (!barrier || !barrier->invalidate(problem))
      return failLane(warp, inst, lane, problem);
    if (warp.listener()) [[unlikely]]
      tellBarrier(warp.issuePoint(inst, 1u << lane), *barrier,
                  MbarrierEvent{.kind = MbarrierEvent::Invalidate,
                                .phase = int64_t(barrier->phase())});
  }
  return inst + 1;
}

//===----------------------------------------------------------------------===//
// expect_tx, complete_tx, arrive, arrive_drop
//===----------------------------------------------------------------------===//

template <bool completes>
static const Inst *countBytes(Warp &warp, const Inst *inst, uint32_t mask) {
  const auto &info = inst->as<MbarrierInfo>();
  auto bytes = source<uint32_t>(warp, info.bytes);
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    std::string problem;
    Mbarrier *barrier =
        findMbarrier(warp.cta(), info.address.of(warp, lane), problem);
    if (!barrier)
      return failLane(warp, inst, lane, problem);
    uint64_t phase = barrier->phase();
    if (!(completes ? barrier->complete(bytes[lane], problem)
                    : barrier->expect(bytes[lane], problem)))
      return failLane(warp, inst, lane, problem);
    if (warp.listener()) [[unlikely]]
      tellBarrier(warp.issuePoint(inst, 1u << lane), *barrier,
                  MbarrierEvent{.kind = completes ? MbarrierEvent::CompleteBytes
                                                  : MbarrierEvent::ExpectBytes,
                                .count = bytes[lane],
                                .phase = int64_t(phase),
                                .order = info.order,
                                .scope = info.scope});
  }
  return inst + 1;
}

static const Inst *arrive(Warp &warp, const Inst *inst, uint32_t mask) {
  const auto &info = inst->as<MbarrierInfo>();
  auto count = source<uint32_t>(warp, info.count);
  auto bytes = source<uint32_t>(warp, info.bytes);
  std::string problem;
  Mbarrier *barrier = nullptr;
  uint64_t last = 0;
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    uint64_t address = info.address.of(warp, lane);
    // Lanes mostly arrive at one barrier.
    if (address != last) {
      barrier = findMbarrier(warp.cta(), address, problem);
      if (!barrier)
        return failLane(warp, inst, lane, problem);
      last = address;
      if (info.returnsState)
        problem = rejectRemote(warp, address);
      if (!problem.empty())
        return failLane(warp, inst, lane,
                        problem + ", so the arrival can't have a result; "
                                  "write '_'");
    }
    if (info.expects) {
      uint64_t phase = barrier->phase();
      if (!barrier->expect(bytes[lane], problem))
        return failLane(warp, inst, lane, problem);
      if (warp.listener()) [[unlikely]]
        tellBarrier(warp.issuePoint(inst, 1u << lane), *barrier,
                    MbarrierEvent{.kind = MbarrierEvent::ExpectBytes,
                                  .count = bytes[lane],
                                  .phase = int64_t(phase),
                                  .order = Order::Relaxed,
                                  .scope = info.scope});
    }
    uint64_t phase = barrier->phase();
    State state = State::of(*barrier, !info.mayComplete);
    if (!barrier->arrive(count[lane], info.drops, info.mayComplete, problem))
      return failLane(warp, inst, lane, problem);
    if (warp.listener()) [[unlikely]]
      tellBarrier(warp.issuePoint(inst, 1u << lane), *barrier,
                  MbarrierEvent{.kind = MbarrierEvent::Arrive,
                                .count = count[lane],
                                .phase = int64_t(phase),
                                .order = info.order,
                                .scope = info.scope,
                                .drops = info.drops});
    if (info.returnsState)
      destination<uint64_t>(warp, info.state).set(lane, state.bits);
  }
  return inst + 1;
}

static const Inst *pendingCount(Warp &warp, const Inst *inst, uint32_t mask) {
  auto d = destination<uint32_t>(warp, inst->slot[0]);
  auto a = source<uint64_t>(warp, inst->slot[1]);
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = std::countr_zero(rest);
    State state{a[lane]};
    if (!state.isNoComplete())
      return failLane(warp, inst, lane,
                      "the state isn't the result of an arrival with "
                      ".noComplete");
    d.set(lane, state.pending());
  }
  return inst + 1;
}

//===----------------------------------------------------------------------===//
// test_wait, try_wait
//===----------------------------------------------------------------------===//

namespace {

/// What a suspended wait remembers, in Fragment::waitValue: which phase of
/// which barrier it is for. A wait that is looked at again when two phases have
/// ended would take the parity of one for that of the other.
struct WaitTag {
  static constexpr uint64_t mark = 0xb;

  static uint64_t of(const Mbarrier &barrier) {
    return mark << 60 | (barrier.address() & 0xfffffff) / 8 << 35 |
           (barrier.phase() & phaseMask);
  }
  /// How many phases have ended since; 0 if the tag isn't of this barrier.
  static uint64_t phasesSince(uint64_t tag, const Mbarrier &barrier) {
    uint64_t now = of(barrier);
    if (tag >> 35 != now >> 35)
      return 0;
    return (now - tag) & phaseMask;
  }

private:
  static constexpr uint64_t phaseMask = (uint64_t(1) << 35) - 1;
};

} // namespace

/// Whether the phase that `operand` is for has completed. Answers nothing if
/// the instruction can't be meant. Of a parity, only the lowest bit counts:
/// that is what ptxas makes of it, for both architectures.
static std::optional<bool> isComplete(const Mbarrier &barrier, bool byParity,
                                      uint64_t operand, std::string &problem) {
  if (byParity)
    return (operand ^ barrier.phase()) & 1;
  State state{operand};
  uint32_t behind = static_cast<uint32_t>(barrier.phase()) - state.phase();
  if (state.isOf(barrier) && behind <= 1)
    return behind == 1;
  problem = state.isOf(barrier)
                ? "the state is of phase " + utostr(state.phase()) +
                      ", and the mbarrier is in phase " +
                      utostr(barrier.phase()) +
                      "; a wait can be for that phase or the one before"
                : "the state isn't the result of an arrival at this mbarrier";
  return std::nullopt;
}

template <bool suspends, bool byParity>
static const Inst *wait(Warp &warp, const Inst *inst, uint32_t mask) {
  const auto &info = inst->as<MbarrierInfo>();
  bool isAnswered = suspends && warp.answeredFalse();
  uint64_t tag = std::exchange(warp.current().waitValue, 0);
  auto operandOf = [&](unsigned lane) -> uint64_t {
    if constexpr (byParity)
      return warp.lanes<uint32_t>(info.state)[lane];
    else
      return warp.lanes<uint64_t>(info.state)[lane];
  };
  uint32_t answered = 0, complete = 0;
  struct Group {
    Mbarrier *barrier;
    uint32_t lanes;
  };
  llvm::SmallVector<Group, 4> waiting;
  for (uint32_t rest = mask; rest;) {
    // Lanes that ask the same of the same barrier are answered at once.
    unsigned lane = std::countr_zero(rest);
    uint64_t address = info.address.of(warp, lane);
    uint64_t operand = operandOf(lane);
    uint32_t lanes = 0;
    forEachLane(rest, [&](unsigned other) {
      lanes |= uint32_t(info.address.of(warp, other) == address &&
                        operandOf(other) == operand)
               << other;
    });
    rest &= ~lanes;
    std::string problem = rejectRemote(warp, address);
    Mbarrier *barrier = nullptr;
    if (problem.empty())
      barrier = findMbarrier(warp.cta(), address, problem);
    std::optional<bool> done;
    if (barrier)
      done = isComplete(*barrier, byParity, operand, problem);
    if (!done)
      return warp.fail(inst, lanes, ReportKind::Protocol,
                       quoteMnemonic(warp.program(), inst) + ": " + problem);
    uint64_t since = byParity ? WaitTag::phasesSince(tag, *barrier) : 0;
    if (since > 1)
      return warp.fail(
          inst, lanes, ReportKind::Protocol,
          quoteMnemonic(warp.program(), inst) +
              ": the parity wrapped: " + Twine(since) +
              " phases of the mbarrier at " + nameAddress(warp.cta(), address) +
              " have ended since this wait for phase " +
              Twine(barrier->phase() - since) +
              " began; the arriving threads must know that the wait is over");
    if (*done)
      complete |= lanes;
    else if (suspends && !isAnswered) {
      waiting.push_back({barrier, lanes});
      if (warp.listener()) [[unlikely]]
        tell(warp.issuePoint(inst, lanes),
             SuspendEvent{.address = barrier->address()});
      continue;
    }
    answered |= lanes;
    if (warp.listener()) [[unlikely]]
      tellBarrier(warp.issuePoint(inst, lanes), *barrier,
                  MbarrierEvent{.kind = MbarrierEvent::Wait,
                                .phase = int64_t(barrier->phase() - *done),
                                .order = info.order,
                                .scope = info.scope,
                                .success = *done,
                                .byParity = byParity,
                                .parity = byParity ? uint32_t(operand) : 0});
  }
  warp.setPredicate(inst->slot[0], complete, answered);
  const Inst *next = inst + 1;
  for (const Group &group : waiting)
    next = warp.suspend(inst, group.lanes, *group.barrier,
                        WaitTag::of(*group.barrier));
  // A lane that polls lets others run.
  if (!suspends && answered != complete)
    return warp.yield(next);
  return next;
}

//===----------------------------------------------------------------------===//
// Decoders
//===----------------------------------------------------------------------===//

static MbarrierInfo decodeInfo(Decoder &decoder, unsigned address, Order order,
                               Scope scope) {
  MbarrierInfo info;
  info.order = orderOf(decoder.get(Slot::Sem), order);
  info.scope = scopeOf(decoder.get(Slot::Scope), scope);
  info.address = decodeEngineAddress(decoder, decoder.operand(address),
                                     ptx::spaceOf(decoder.get(Slot::Space)));
  info.count = info.bytes = decoder.constant(1, 4);
  return info;
}

static bool decodeInit(Decoder &decoder, Inst &inst) {
  MbarrierInfo info = decodeInfo(decoder, 0, Order::Weak, Scope::None);
  inst.fn = inval;
  if (decoder.opcode() == Opcode::MbarrierInit) {
    inst.fn = init;
    info.count = decoder.source(1, Type::U32);
  }
  inst.extra = decoder.keep(info);
  return true;
}

static bool decodeBytes(Decoder &decoder, Inst &inst) {
  MbarrierInfo info = decodeInfo(decoder, 0, Order::Relaxed, Scope::Cta);
  inst.fn = decoder.opcode() == Opcode::MbarrierCompleteTx ? countBytes<true>
                                                           : countBytes<false>;
  info.bytes = decoder.source(1, Type::U32);
  inst.extra = decoder.keep(info);
  return true;
}

static bool decodeArrive(Decoder &decoder, Inst &inst) {
  MbarrierInfo info = decodeInfo(decoder, 1, Order::Release, Scope::Cta);
  Opcode opcode = decoder.opcode();
  info.expects = opcode == Opcode::MbarrierArriveExpectTx ||
                 opcode == Opcode::MbarrierArriveDropExpectTx;
  info.drops = opcode == Opcode::MbarrierArriveDrop ||
               opcode == Opcode::MbarrierArriveDropExpectTx ||
               opcode == Opcode::MbarrierArriveDropNoComplete;
  info.mayComplete = opcode != Opcode::MbarrierArriveNoComplete &&
                     opcode != Opcode::MbarrierArriveDropNoComplete;
  if (decoder.operandCount() > 2)
    (info.expects ? info.bytes : info.count) = decoder.source(2, Type::U32);
  info.returnsState = !decoder.operand(0).is(Operand::Sink);
  if (info.returnsState)
    info.state = decoder.dest(0);
  inst.fn = arrive;
  inst.extra = decoder.keep(info);
  return true;
}

static bool decodePendingCount(Decoder &decoder, Inst &inst) {
  inst.fn = pendingCount;
  inst.slot[0] = decoder.dest(0);
  inst.slot[1] = decoder.source(1, Type::B64);
  return true;
}

static bool decodeWait(Decoder &decoder, Inst &inst) {
  MbarrierInfo info = decodeInfo(decoder, 1, Order::Acquire, Scope::Cta);
  bool byParity = false;
  switch (decoder.opcode()) {
  case Opcode::MbarrierTestWait:
    inst.fn = wait<false, false>;
    break;
  case Opcode::MbarrierTestWaitParity:
    inst.fn = wait<false, true>;
    byParity = true;
    break;
  case Opcode::MbarrierTryWait:
    inst.fn = wait<true, false>;
    break;
  default:
    inst.fn = wait<true, true>;
    byParity = true;
    break;
  }
  inst.slot[0] = decoder.predicate(0);
  info.state = decoder.source(2, byParity ? Type::U32 : Type::B64);
  inst.extra = decoder.keep(info);
  return true;
}

void drawloom::emu::registerMbarrier(DecodeTable &table) {
  table.add(Opcode::MbarrierInit, decodeInit);
  table.add(Opcode::MbarrierInval, decodeInit);
  table.add(Opcode::MbarrierExpectTx, decodeBytes);
  table.add(Opcode::MbarrierCompleteTx, decodeBytes);
  for (Opcode opcode :
       {Opcode::MbarrierArrive, Opcode::MbarrierArriveExpectTx,
        Opcode::MbarrierArriveNoComplete, Opcode::MbarrierArriveDrop,
        Opcode::MbarrierArriveDropExpectTx,
        Opcode::MbarrierArriveDropNoComplete})
    table.add(opcode, decodeArrive);
  table.add(Opcode::MbarrierPendingCount, decodePendingCount);
  for (Opcode opcode :
       {Opcode::MbarrierTestWait, Opcode::MbarrierTestWaitParity,
        Opcode::MbarrierTryWait, Opcode::MbarrierTryWaitParity})
    table.add(opcode, decodeWait);
}
