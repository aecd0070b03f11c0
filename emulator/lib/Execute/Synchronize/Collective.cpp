//===- Collective.cpp - Operations across the lanes of a warp ------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, sections 9.7.9.6 and 9.7.13.2 to 9.7.13.14. The lanes that an
// instruction's member mask names come together first (Warp::converge); then
// each group of lanes with one mask is served on its own. From sm_70 on, lanes
// of a group may be at different instructions, if qualifiers and mask are the
// same: each has its operands where its own instruction has them.

#include "Decode/Decoder.h"
#include "Engine/Engine.h"
#include "Machine/Lanes.h"
#include "Machine/Tell.h"
#include "Machine/Undefined.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Operand;
using ptx::Slot;
using ptx::Type;

namespace {
/// Where the operands are; the same for all of these instructions.
enum : unsigned { D, P, A, B, C, Members };

/// The operands of a group: those of one instruction, or of the instruction
/// that each lane is at.
class Operands {
public:
  Operands(Warp &warp, const Inst *inst, const Inst *const *at = nullptr)
      : warp(warp), inst(inst), at(at) {}

  template <typename T>
  T get(unsigned slot, unsigned lane) const {
    return source<T>(warp, of(lane)->slot[slot])[lane];
  }
  template <typename T>
  void set(unsigned slot, unsigned lane, T value) const {
    destination<T>(warp, of(lane)->slot[slot]).set(lane, value);
  }
  Reg reg(unsigned slot, unsigned lane) const { return of(lane)->slot[slot]; }
  uint32_t test(unsigned slot, uint32_t group) const {
    if (!at)
      return warp.test(inst->slot[slot]) & group;
    uint32_t result = 0;
    forEachLane(group, [&](unsigned lane) {
      result |= warp.test(at[lane]->slot[slot]) & 1u << lane;
    });
    return result;
  }
  void setPredicate(unsigned slot, uint32_t value, uint32_t group) const {
    if (!at)
      return warp.setPredicate(inst->slot[slot], value, group);
    forEachLane(group, [&](unsigned lane) {
      warp.setPredicate(at[lane]->slot[slot], value, 1u << lane);
    });
  }

private:
  const Inst *of(unsigned lane) const { return at ? at[lane] : inst; }

  Warp &warp;
  const Inst *inst;
  const Inst *const *at;
};

/// Lanes that read from one that isn't there; of these, those that name it.
struct Absent {
  uint32_t lanes = 0, exited = 0;
};
} // namespace

/// Lanes have met. Only bar.warp.sync orders their accesses to memory.
[[gnu::cold, gnu::noinline]] static void
tellMeeting(Warp &warp, const Inst *inst, uint32_t group, Absent absent) {
  bool orders = warp.program().source(inst)->opcode() == Opcode::BarWarpSync;
  tell(warp.issuePoint(inst, group),
       BarrierEvent{.kind = BarrierEvent::Complete,
                    .level = BarrierEvent::Warp,
                    .order = orders ? Order::AcquireRelease : Order::Relaxed,
                    .absent = absent.lanes,
                    .exited = absent.exited});
}

/// Serves one group.
template <typename F>
static void serve(Warp &warp, const Inst *inst, uint32_t group,
                  const Operands &operands, F body) {
  Absent absent;
  if constexpr (std::is_void_v<decltype(body(group, operands))>)
    body(group, operands);
  else
    absent = body(group, operands);
  if (warp.listener()) [[unlikely]]
    tellMeeting(warp, inst, group, absent);
}

/// Serves groups that lanes `mask` complete and whose other lanes wait at other
/// instructions. Returns those of `mask` that were served.
template <typename F>
[[gnu::cold, gnu::noinline]] static uint32_t
serveDiverged(Warp &warp, const Inst *inst, uint32_t mask, F body) {
  uint32_t served = 0;
  const uint32_t *members = warp.lanes<uint32_t>(inst->slot[Members]);
  std::string mnemonic = quoteMnemonic(warp.program(), inst);
  while (uint32_t rest = mask & ~served) {
    uint32_t value = members[std::countr_zero(rest)];
    uint32_t here = 0, elsewhere = 0;
    forEachLane(rest, [&](unsigned lane) {
      here |= uint32_t(members[lane] == value) << lane;
    });
    const Inst *at[32];
    std::fill_n(at, 32, inst);
    bool isDiverged = false;
    warp.forEachConverging([&](const Inst *other, uint32_t lanes) {
      if (quoteMnemonic(warp.program(), other) != mnemonic)
        return;
      const uint32_t *named = warp.lanes<uint32_t>(other->slot[Members]);
      forEachLane(lanes, [&](unsigned lane) {
        if (named[lane] != value)
          return;
        elsewhere |= 1u << lane;
        at[lane] = other;
        isDiverged |= other != inst;
      });
    });
    if (!isDiverged || value & warp.live() & ~(here | elsewhere))
      return served;
    serve(warp, inst, here | elsewhere, Operands(warp, inst, at), body);
    warp.passConverging(elsewhere);
    served |= here;
  }
  return served;
}

/// Calls `body(group, operands)` for each group of lanes that is complete: the
/// lanes that gave one mask, all of which execute. It may answer with those
/// that read from a lane that isn't there.
template <typename F>
static const Inst *forGroups(Warp &warp, const Inst *inst, uint32_t mask,
                             F body) {
  const uint32_t *members = warp.lanes<uint32_t>(inst->slot[Members]);
  uint32_t outside =
      mask & ~collect([=](unsigned lane) { return members[lane] >> lane & 1; });
  if (outside) [[unlikely]]
    return warp.fail(
        inst, outside, ReportKind::IllegalInstruction,
        "executed by lanes that their own member mask (0x" +
            llvm::utohexstr(members[std::countr_zero(outside)], true) +
            ") doesn't name");
  if (warp.hasConverging()) [[unlikely]] {
    mask &= ~serveDiverged(warp, inst, mask, body);
    if (!mask)
      return inst + 1;
  }
  const Inst *next;
  uint32_t rest = warp.converge(inst, mask, members, next);
  while (rest) {
    uint32_t value = members[std::countr_zero(rest)];
    uint32_t group = 0;
    forEachLane(rest, [&](unsigned lane) {
      group |= uint32_t(members[lane] == value) << lane;
    });
    serve(warp, inst, group, Operands(warp, inst), body);
    rest &= ~group;
  }
  return next;
}

/// The source lane of shfl, and whether it is in range.
static std::pair<unsigned, bool> sourceLane(Modifier mode, unsigned lane,
                                            uint32_t b, uint32_t c) {
  unsigned offset = b & 31, clamp = c & 31, segment = c >> 8 & 31;
  int least = lane & segment;
  int most = least | (clamp & ~segment);
  int from;
  bool inRange;
  switch (mode) {
  case Modifier::Up:
    from = int(lane) - int(offset);
    inRange = from >= most;
    break;
  case Modifier::Down:
    from = lane + offset;
    inRange = from <= most;
    break;
  case Modifier::Bfly:
    from = lane ^ offset;
    inRange = from <= most;
    break;
  default:
    from = least | (offset & ~segment);
    inRange = from <= most;
    break;
  }
  return {inRange ? unsigned(from) : lane, inRange};
}

/// Undefined values move with the others; that of a lane outside the group
/// is one.
[[gnu::cold, gnu::noinline]] static void
shuffleUndefined(Warp &warp, const Inst *inst, uint32_t group,
                 const Operands &operands, const uint8_t *origins,
                 uint32_t absent) {
  UndefinedValues &values = warp.followUndefined();
  uint16_t bytes[32];
  uint32_t sources[32];
  forEachLane(group, [&](unsigned lane) {
    unsigned from = origins[lane];
    bool isAbsent = absent >> lane & 1;
    Reg source = operands.reg(A, from);
    bytes[lane] = isAbsent ? 0xf : values.bytesOf(source, from);
    sources[lane] =
        isAbsent ? warp.program().indexOf(inst) : values.sourceOf(source);
  });
  forEachLane(group, [&](unsigned lane) {
    values.set(operands.reg(D, lane), lane, bytes[lane], sources[lane]);
    values.set(operands.reg(P, lane), lane, 0, 0);
  });
}

static const Inst *shfl(Warp &warp, const Inst *inst, uint32_t mask) {
  return forGroups(warp, inst, mask, [&](uint32_t group, Operands operands) {
    uint32_t a[32]; // The destination may be the source.
    forEachLane(group, [&](unsigned lane) {
      a[lane] = operands.get<uint32_t>(A, lane);
    });
    auto mode = static_cast<Modifier>(inst->imm);
    uint32_t inRange = 0;
    uint8_t origins[32];
    Absent absent;
    forEachLane(group, [&](unsigned lane) {
      auto [from, valid] =
          sourceLane(mode, lane, operands.get<uint32_t>(B, lane),
                     operands.get<uint32_t>(C, lane));
      // The value of a lane outside the group is undefined; the lane's own is
      // the same under every schedule.
      bool isThere = group >> from & 1;
      origins[lane] = from;
      operands.set(D, lane, isThere ? a[from] : a[lane]);
      absent.lanes |= uint32_t(!isThere) << lane;
      absent.exited |=
          uint32_t(!isThere &&
                   operands.get<uint32_t>(Members, lane) >> from & 1)
          << lane;
      inRange |= uint32_t(valid) << lane;
    });
    operands.setPredicate(P, inRange, group);
    if (warp.undefined() || (absent.lanes && warp.listener())) [[unlikely]]
      shuffleUndefined(warp, inst, group, operands, origins, absent.lanes);
    return absent;
  });
}

static bool decodeShfl(Decoder &decoder, Inst &inst) {
  inst.fn = shfl;
  llvm::ArrayRef<Operand> results = decoder.parts(0);
  inst.slot[D] = decoder.dest(results[0]);
  inst.slot[P] =
      decoder.predicate(results.size() > 1 ? results[1] : Operand::makeSink());
  inst.slot[A] = decoder.source(1, Type::B32);
  inst.slot[B] = decoder.source(2, Type::U32);
  inst.slot[C] = decoder.source(3, Type::U32);
  inst.slot[Members] = decoder.source(4, Type::U32);
  inst.imm = static_cast<int64_t>(decoder.get(Slot::Mode));
  return true;
}

static const Inst *vote(Warp &warp, const Inst *inst, uint32_t mask) {
  return forGroups(warp, inst, mask, [&](uint32_t group, Operands operands) {
    uint32_t ballot = operands.test(A, group);
    bool value;
    switch (static_cast<Modifier>(inst->imm)) {
    case Modifier::All:
      value = ballot == group;
      break;
    case Modifier::Any:
      value = ballot != 0;
      break;
    case Modifier::Uni:
      value = ballot == 0 || ballot == group;
      break;
    default:
      forEachLane(group, [&](unsigned lane) { operands.set(D, lane, ballot); });
      return;
    }
    operands.setPredicate(P, value ? ~0u : 0, group);
  });
}

static bool decodeVote(Decoder &decoder, Inst &inst) {
  inst.fn = vote;
  if (decoder.type() == Type::Pred)
    inst.slot[P] = decoder.predicate(0);
  else
    inst.slot[D] = decoder.dest(0);
  inst.slot[A] = decoder.predicate(1);
  inst.slot[Members] = decoder.source(2, Type::U32);
  inst.imm = static_cast<int64_t>(decoder.get(Slot::Mode));
  return true;
}

template <typename T>
static const Inst *matchAny(Warp &warp, const Inst *inst, uint32_t mask) {
  return forGroups(warp, inst, mask, [&](uint32_t group, Operands operands) {
    T a[32]; // The destination may be the source.
    forEachLane(group,
                [&](unsigned lane) { a[lane] = operands.get<T>(A, lane); });
    forEachLane(group, [&](unsigned lane) {
      uint32_t same = 0;
      forEachLane(group, [&](unsigned other) {
        same |= uint32_t(a[lane] == a[other]) << other;
      });
      operands.set(D, lane, same);
    });
  });
}

template <typename T>
static const Inst *matchAll(Warp &warp, const Inst *inst, uint32_t mask) {
  return forGroups(warp, inst, mask, [&](uint32_t group, Operands operands) {
    T first = operands.get<T>(A, std::countr_zero(group));
    bool same = true;
    forEachLane(group, [&](unsigned lane) {
      same &= operands.get<T>(A, lane) == first;
    });
    forEachLane(group, [&](unsigned lane) {
      operands.set<uint32_t>(D, lane, same ? group : 0);
    });
    operands.setPredicate(P, same ? ~0u : 0, group);
  });
}

static bool decodeMatch(Decoder &decoder, Inst &inst) {
  bool wide = ptx::bitsOf(decoder.type()) == 64;
  if (decoder.opcode() == Opcode::MatchAny)
    inst.fn = wide ? matchAny<uint64_t> : matchAny<uint32_t>;
  else
    inst.fn = wide ? matchAll<uint64_t> : matchAll<uint32_t>;
  llvm::ArrayRef<Operand> results = decoder.parts(0);
  inst.slot[D] = decoder.dest(results[0]);
  inst.slot[P] =
      decoder.predicate(results.size() > 1 ? results[1] : Operand::makeSink());
  inst.slot[A] = decoder.source(1, decoder.type());
  inst.slot[Members] = decoder.source(2, Type::U32);
  return true;
}

namespace {
enum ReduxFlags : int64_t { Absolute = 1, PropagatesNaN = 2 };

struct Sum {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(uint32_t(a) + uint32_t(b));
  }
};
struct Least {
  template <typename T>
  static T apply(T a, T b) {
    return b < a ? b : a;
  }
};
struct Most {
  template <typename T>
  static T apply(T a, T b) {
    return b > a ? b : a;
  }
};
struct BitAnd {
  template <typename T>
  static T apply(T a, T b) {
    return a & b;
  }
};
struct BitOr {
  template <typename T>
  static T apply(T a, T b) {
    return a | b;
  }
};
struct BitXor {
  template <typename T>
  static T apply(T a, T b) {
    return a ^ b;
  }
};
} // namespace

template <typename T, typename Op>
static const Inst *redux(Warp &warp, const Inst *inst, uint32_t mask) {
  return forGroups(warp, inst, mask, [&](uint32_t group, Operands operands) {
    T result = operands.get<T>(A, std::countr_zero(group));
    forEachLane(group & (group - 1), [&](unsigned lane) {
      result = Op::apply(result, operands.get<T>(A, lane));
    });
    forEachLane(group, [&](unsigned lane) { operands.set(D, lane, result); });
  });
}

/// Zeros differ by their sign; a NaN counts only if it is asked for.
template <bool isMin>
static const Inst *reduxFloat(Warp &warp, const Inst *inst, uint32_t mask) {
  return forGroups(warp, inst, mask, [&](uint32_t group, Operands operands) {
    constexpr uint32_t canonicalNaN = 0x7fffffff;
    bool found = false, sawNaN = false;
    float result = 0;
    forEachLane(group, [&](unsigned lane) {
      auto value = operands.get<float>(A, lane);
      if (inst->imm & Absolute)
        value = std::fabs(value);
      if (std::isnan(value)) {
        sawNaN = true;
        return;
      }
      bool less = value < result || (value == result && std::signbit(value) &&
                                     !std::signbit(result));
      bool greater =
          value > result ||
          (value == result && std::signbit(result) && !std::signbit(value));
      if (!found || (isMin ? less : greater))
        result = value;
      found = true;
    });
    uint32_t bits = std::bit_cast<uint32_t>(result);
    if (!found || (sawNaN && inst->imm & PropagatesNaN))
      bits = canonicalNaN;
    forEachLane(group, [&](unsigned lane) { operands.set(D, lane, bits); });
  });
}

static bool decodeRedux(Decoder &decoder, Inst &inst) {
  Type type = decoder.type();
  switch (decoder.get(Slot::Op)) {
  case Modifier::Add:
    inst.fn = redux<uint32_t, Sum>;
    break;
  case Modifier::Min:
    inst.fn = type == Type::F32   ? reduxFloat<true>
              : type == Type::S32 ? redux<int32_t, Least>
                                  : redux<uint32_t, Least>;
    break;
  case Modifier::Max:
    inst.fn = type == Type::F32   ? reduxFloat<false>
              : type == Type::S32 ? redux<int32_t, Most>
                                  : redux<uint32_t, Most>;
    break;
  case Modifier::And:
    inst.fn = redux<uint32_t, BitAnd>;
    break;
  case Modifier::Or:
    inst.fn = redux<uint32_t, BitOr>;
    break;
  case Modifier::Xor:
    inst.fn = redux<uint32_t, BitXor>;
    break;
  default:
    return false;
  }
  inst.slot[D] = decoder.dest(0);
  inst.slot[A] = decoder.source(1, type);
  inst.slot[Members] = decoder.source(2, Type::U32);
  inst.imm = (decoder.has(Modifier::Abs) ? Absolute : 0) |
             (decoder.has(Modifier::PropagateNaN) ? PropagatesNaN : 0);
  return true;
}

/// The lowest lane of the group is the leader.
static const Inst *elect(Warp &warp, const Inst *inst, uint32_t mask) {
  return forGroups(warp, inst, mask, [&](uint32_t group, Operands operands) {
    uint32_t leader = std::countr_zero(group);
    forEachLane(group, [&](unsigned lane) { operands.set(D, lane, leader); });
    operands.setPredicate(P, 1u << leader, group);
  });
}

static bool decodeElect(Decoder &decoder, Inst &inst) {
  inst.fn = elect;
  llvm::ArrayRef<Operand> results = decoder.parts(0);
  inst.slot[D] = decoder.dest(results[0]);
  inst.slot[P] = decoder.predicate(results[1]);
  inst.slot[Members] = decoder.source(1, Type::U32);
  return true;
}

static const Inst *warpSync(Warp &warp, const Inst *inst, uint32_t mask) {
  return forGroups(warp, inst, mask, [](uint32_t, Operands) {});
}

static bool decodeWarpSync(Decoder &decoder, Inst &inst) {
  inst.fn = warpSync;
  inst.slot[Members] = decoder.source(0, Type::B32);
  return true;
}

static const Inst *activemask(Warp &warp, const Inst *inst, uint32_t mask) {
  auto d = destination<uint32_t>(warp, inst->slot[D]);
  forLanes(mask, [=](unsigned lane) { d.set(lane, mask); });
  return inst + 1;
}

static bool decodeActivemask(Decoder &decoder, Inst &inst) {
  inst.fn = activemask;
  inst.slot[D] = decoder.dest(0);
  return true;
}

void drawloom::emu::registerCollective(DecodeTable &table) {
  table.add(Opcode::Shfl, decodeShfl);
  table.add(Opcode::Vote, decodeVote);
  table.add(Opcode::MatchAny, decodeMatch);
  table.add(Opcode::MatchAll, decodeMatch);
  table.add(Opcode::Redux, decodeRedux);
  table.add(Opcode::Elect, decodeElect);
  table.add(Opcode::BarWarpSync, decodeWarpSync);
  table.add(Opcode::Activemask, decodeActivemask);
}
