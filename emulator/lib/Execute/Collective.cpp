//===- Collective.cpp - Operations across the lanes of a warp ------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, sections 9.7.9.6 and 9.7.13.2 to 9.7.13.14. The lanes that an
// instruction's member mask names come together first (Warp::converge); then
// each group of lanes with one mask is served on its own.

#include "Decode/Decoder.h"
#include "Execute/Lanes.h"
#include "Machine/Tell.h"
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

/// Calls `body(group)` for each group of lanes that is complete: the lanes that
/// gave one mask, all of which execute. It may answer with those that read from
/// a lane that isn't there.
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
  const Inst *next;
  uint32_t rest = warp.converge(inst, mask, members, next);
  while (rest) {
    uint32_t value = members[std::countr_zero(rest)];
    uint32_t group = 0;
    forEachLane(rest, [&](unsigned lane) {
      group |= uint32_t(members[lane] == value) << lane;
    });
    Absent absent;
    if constexpr (std::is_void_v<decltype(body(group))>)
      body(group);
    else
      absent = body(group);
    if (warp.listener()) [[unlikely]]
      tellMeeting(warp, inst, group, absent);
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

static const Inst *shfl(Warp &warp, const Inst *inst, uint32_t mask) {
  return forGroups(warp, inst, mask, [&](uint32_t group) {
    uint32_t *d = warp.lanes<uint32_t>(inst->slot[D]);
    const uint32_t *b = warp.lanes<uint32_t>(inst->slot[B]);
    const uint32_t *c = warp.lanes<uint32_t>(inst->slot[C]);
    const uint32_t *members = warp.lanes<uint32_t>(inst->slot[Members]);
    uint32_t a[32];
    memcpy(a, warp.lanes<uint32_t>(inst->slot[A]), sizeof(a));
    auto mode = static_cast<Modifier>(inst->imm);
    uint32_t inRange = 0;
    Absent absent;
    forEachLane(group, [&](unsigned lane) {
      auto [from, valid] = sourceLane(mode, lane, b[lane], c[lane]);
      // The value of a lane outside the group is undefined; the lane's own is
      // the same under every schedule.
      bool isThere = group >> from & 1;
      d[lane] = isThere ? a[from] : a[lane];
      absent.lanes |= uint32_t(!isThere) << lane;
      absent.exited |= uint32_t(!isThere && members[lane] >> from & 1) << lane;
      inRange |= uint32_t(valid) << lane;
    });
    warp.setPredicate(inst->slot[P], inRange, group);
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
  return forGroups(warp, inst, mask, [&](uint32_t group) {
    uint32_t ballot = warp.test(inst->slot[A]) & group;
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
      forEachLane(group, [&](unsigned lane) {
        warp.lanes<uint32_t>(inst->slot[D])[lane] = ballot;
      });
      return;
    }
    warp.setPredicate(inst->slot[P], value ? ~0u : 0, group);
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
  return forGroups(warp, inst, mask, [&](uint32_t group) {
    const T *a = warp.lanes<T>(inst->slot[A]);
    uint32_t result[32];
    forEachLane(group, [&](unsigned lane) {
      result[lane] = 0;
      forEachLane(group, [&](unsigned other) {
        result[lane] |= uint32_t(a[lane] == a[other]) << other;
      });
    });
    // The destination may be the source.
    forEachLane(group, [&](unsigned lane) {
      warp.lanes<uint32_t>(inst->slot[D])[lane] = result[lane];
    });
  });
}

template <typename T>
static const Inst *matchAll(Warp &warp, const Inst *inst, uint32_t mask) {
  return forGroups(warp, inst, mask, [&](uint32_t group) {
    const T *a = warp.lanes<T>(inst->slot[A]);
    T first = a[std::countr_zero(group)];
    bool same = true;
    forEachLane(group, [&](unsigned lane) { same &= a[lane] == first; });
    forEachLane(group, [&](unsigned lane) {
      warp.lanes<uint32_t>(inst->slot[D])[lane] = same ? group : 0;
    });
    warp.setPredicate(inst->slot[P], same ? ~0u : 0, group);
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
  return forGroups(warp, inst, mask, [&](uint32_t group) {
    auto a = source<T>(warp, inst->slot[A]);
    T result = a[std::countr_zero(group)];
    forEachLane(group & (group - 1),
                [&](unsigned lane) { result = Op::apply(result, a[lane]); });
    auto d = destination<T>(warp, inst->slot[D]);
    forEachLane(group, [&](unsigned lane) { d.set(lane, result); });
  });
}

/// Zeros differ by their sign; a NaN counts only if it is asked for.
template <bool isMin>
static const Inst *reduxFloat(Warp &warp, const Inst *inst, uint32_t mask) {
  return forGroups(warp, inst, mask, [&](uint32_t group) {
    constexpr uint32_t canonicalNaN = 0x7fffffff;
    auto a = source<float>(warp, inst->slot[A]);
    bool found = false, sawNaN = false;
    float result = 0;
    forEachLane(group, [&](unsigned lane) {
      float value = inst->imm & Absolute ? std::fabs(a[lane]) : a[lane];
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
    forEachLane(group, [&](unsigned lane) {
      warp.lanes<uint32_t>(inst->slot[D])[lane] = bits;
    });
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
  return forGroups(warp, inst, mask, [&](uint32_t group) {
    unsigned leader = std::countr_zero(group);
    forEachLane(group, [&](unsigned lane) {
      warp.lanes<uint32_t>(inst->slot[D])[lane] = leader;
    });
    warp.setPredicate(inst->slot[P], 1u << leader, group);
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
  return forGroups(warp, inst, mask, [](uint32_t) {});
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
