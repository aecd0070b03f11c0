//===- Bits.cpp - Logic and shifts ---------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, section 9.7.8.

#include "Decode/Decoder.h"
#include "Machine/Lanes.h"

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Opcode;
using ptx::Type;

namespace {
struct And {
  template <typename T>
  static T apply(T a, T b) {
    return a & b;
  }
};
struct Or {
  template <typename T>
  static T apply(T a, T b) {
    return a | b;
  }
};
struct Xor {
  template <typename T>
  static T apply(T a, T b) {
    return a ^ b;
  }
};
struct Not {
  template <typename T>
  static T apply(T a) {
    return static_cast<T>(~a);
  }
};

/// A shift by the width or more gives zeros, or copies of the sign.
struct ShiftLeft {
  template <typename T>
  static T apply(T a, uint32_t by) {
    using Wrapping = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
    return by < 8 * sizeof(T) ? static_cast<T>(Wrapping(a) << by) : T(0);
  }
};
struct ShiftRight {
  template <typename T>
  static T apply(T a, uint32_t by) {
    constexpr uint32_t most = 8 * sizeof(T) - 1;
    if constexpr (std::is_signed_v<T>)
      return static_cast<T>(a >> (by < most ? by : most));
    else
      return by <= most ? static_cast<T>(a >> by) : T(0);
  }
};
} // namespace

/// On predicates, the word of 32 bits is the value.
template <typename Op>
static const Inst *predicateBinary(Warp &warp, const Inst *inst,
                                   uint32_t mask) {
  uint32_t value = Op::template apply<uint32_t>(warp.test(inst->slot[1]),
                                                warp.test(inst->slot[2]));
  warp.setPredicate(inst->slot[0], value, mask);
  return inst + 1;
}

static const Inst *predicateNot(Warp &warp, const Inst *inst, uint32_t mask) {
  warp.setPredicate(inst->slot[0], ~warp.test(inst->slot[1]), mask);
  return inst + 1;
}

template <typename Op>
static bool decodeLogic(Decoder &decoder, Inst &inst) {
  Type type = decoder.type();
  inst.slot[0] = decoder.dest(0);
  if (type == Type::Pred) {
    inst.fn = predicateBinary<Op>;
    inst.slot[1] = decoder.predicate(1);
    inst.slot[2] = decoder.predicate(2);
    return true;
  }
  inst.fn = withBits<Execute *>(
      type, nullptr, [&]<typename T>() { return binaryHandler<T, Op>; });
  inst.slot[1] = decoder.source(1, type);
  inst.slot[2] = decoder.source(2, type);
  return inst.fn != nullptr;
}

static bool decodeNot(Decoder &decoder, Inst &inst) {
  Type type = decoder.type();
  inst.slot[0] = decoder.dest(0);
  if (type == Type::Pred) {
    inst.fn = predicateNot;
    inst.slot[1] = decoder.predicate(1);
    return true;
  }
  inst.fn = withBits<Execute *>(
      type, nullptr, [&]<typename T>() { return unaryHandler<T, Not>; });
  inst.slot[1] = decoder.source(1, type);
  return inst.fn != nullptr;
}

template <typename T, typename Op>
static const Inst *shift(Warp &warp, const Inst *inst, uint32_t mask) {
  auto a = source<T>(warp, inst->slot[1]);
  auto by = source<uint32_t>(warp, inst->slot[2]);
  setLanes<T>(warp, inst->slot[0], mask, [=](unsigned lane) {
    return Op::template apply<T>(a[lane], by[lane]);
  });
  return inst + 1;
}

template <typename Op>
static bool decodeShift(Decoder &decoder, Inst &inst) {
  Type type = decoder.type();
  auto pick = [&]<typename T>() -> Execute * { return shift<T, Op>; };
  inst.fn = ptx::isInteger(type) ? withInteger<Execute *>(type, nullptr, pick)
                                 : withBits<Execute *>(type, nullptr, pick);
  inst.slot[0] = decoder.dest(0);
  inst.slot[1] = decoder.source(1, type);
  inst.slot[2] = decoder.source(2, Type::U32);
  return inst.fn != nullptr;
}

void drawloom::emu::registerBits(DecodeTable &table) {
  table.add(Opcode::And, decodeLogic<And>);
  table.add(Opcode::Or, decodeLogic<Or>);
  table.add(Opcode::Xor, decodeLogic<Xor>);
  table.add(Opcode::Not, decodeNot);
  table.add(Opcode::Shl, decodeShift<ShiftLeft>);
  table.add(Opcode::Shr, decodeShift<ShiftRight>);
}
