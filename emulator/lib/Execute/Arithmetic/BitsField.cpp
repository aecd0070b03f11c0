//===- BitsField.cpp - Bit fields, counts and permutations ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, sections 9.7.1.14 to 9.7.1.22, 9.7.8.5 to 9.7.8.7 and 9.7.9.7. The
// ISA defines bit fields bit by bit; here they are shifts and masks, written
// without branches so that they vectorize.

#include "Execute/Arithmetic/Arithmetic.h"

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Operand;
using ptx::Slot;
using ptx::Type;

/// Shifts that give 0 for the width or more.
template <typename T>
static T shiftLeft(T value, uint32_t by) {
  return by < 8 * sizeof(T) ? value << by : T(0);
}
template <typename T>
static T shiftRight(T value, uint32_t by) {
  return by < 8 * sizeof(T) ? value >> by : T(0);
}
/// `count` ones, at most the width.
template <typename T>
static T ones(uint32_t count) {
  return ~shiftLeft(T(~T(0)), count);
}

namespace {

/// d and a of one type, b and c of 32 bits.
struct ExtractField {
  template <typename T>
  static T apply(T a, uint32_t b, uint32_t c) {
    using U = std::make_unsigned_t<T>;
    constexpr uint32_t width = 8 * sizeof(T);
    uint32_t position = b & 0xff, length = c & 0xff;
    U bits = shiftRight<U>(a, position);
    U mask = ones<U>(length);
    U field = bits & mask;
    if constexpr (std::is_signed_v<T>) {
      // The sign is the field's last bit, or the last of `a` if the field goes
      // beyond it.
      uint32_t end = position + length - 1;
      uint32_t last = end < width ? end : width - 1;
      bool sign = length != 0 && (U(a) >> last & 1);
      uint32_t inside = position < width ? width - position : 0;
      U outside = ~(mask & ones<U>(inside));
      return static_cast<T>(sign ? field | outside : field);
    }
    return static_cast<T>(field);
  }
};

struct ReverseBits {
  template <typename T>
  static T apply(T a) {
    if constexpr (sizeof(T) == 8)
      return __builtin_bitreverse64(a);
    else
      return __builtin_bitreverse32(a);
  }
};
struct LogicalNegate {
  template <typename T>
  static T apply(T a) {
    return a == 0 ? T(1) : T(0);
  }
};
struct CountOnes {
  template <typename T>
  static uint32_t apply(T a) {
    return std::popcount(a);
  }
};
struct CountLeadingZeros {
  template <typename T>
  static uint32_t apply(T a) {
    return std::countl_zero(a);
  }
};
/// bfind: the highest bit that differs from the sign.
template <bool ShiftAmount>
struct FindBit {
  template <typename T>
  static uint32_t apply(T a) {
    using U = std::make_unsigned_t<T>;
    U bits = static_cast<U>(a < 0 ? ~a : a);
    uint32_t zeros = std::countl_zero(bits);
    uint32_t found = ShiftAmount ? zeros : 8 * sizeof(T) - 1 - zeros;
    return bits ? found : ~0u;
  }
};

/// Funnel shifts of b:a.
template <bool Clamp>
struct FunnelLeft {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    uint64_t whole = uint64_t(b) << 32 | a;
    uint32_t by = Clamp ? (c < 32 ? c : 32) : c & 31;
    return static_cast<uint32_t>(whole << by >> 32);
  }
};
template <bool Clamp>
struct FunnelRight {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    uint64_t whole = uint64_t(b) << 32 | a;
    uint32_t by = Clamp ? (c < 32 ? c : 32) : c & 31;
    return static_cast<uint32_t>(whole >> by);
  }
};

template <bool Clamp>
struct MakeMask {
  static uint32_t apply(uint32_t a, uint32_t b) {
    if (!Clamp) {
      a &= 31;
      b &= 31;
    }
    return shiftLeft<uint32_t>(ones<uint32_t>(b), a);
  }
};

/// szext: only the low `b` bits count.
template <bool Clamp>
struct Extend {
  template <typename T>
  static T apply(T a, T b) {
    uint32_t count = Clamp ? uint32_t(b) : b & 31;
    uint32_t mask = ones<uint32_t>(count), field = uint32_t(a) & mask;
    bool sign = std::is_signed_v<T> && count != 0 && count < 32 &&
                (uint32_t(a) >> ((count - 1) & 31) & 1);
    return static_cast<T>(sign ? field | ~mask : field);
  }
};

/// prmt with a selector in each nibble of c.
struct Permute {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    uint64_t bytes = uint64_t(b) << 32 | a;
    uint32_t result = 0;
    for (unsigned i = 0; i != 4; ++i) {
      uint32_t select = c >> 4 * i;
      uint32_t byte = bytes >> 8 * (select & 7) & 0xff;
      uint32_t sign = byte & 0x80 ? 0xff : 0;
      result |= (select & 8 ? sign : byte) << 8 * i;
    }
    return result;
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Handlers of other shapes
//===----------------------------------------------------------------------===//

/// d is 32 bits, whatever a is.
template <typename T, typename Op>
static const Inst *count(Warp &warp, const Inst *inst, uint32_t mask) {
  auto a = source<T>(warp, inst->slot[1]);
  setLanes<uint32_t>(warp, inst->slot[0], mask, [=](unsigned lane) {
    return Op::template apply<T>(a[lane]);
  });
  return inst + 1;
}

template <typename T>
static const Inst *extractField(Warp &warp, const Inst *inst, uint32_t mask) {
  auto a = source<T>(warp, inst->slot[1]);
  auto b = source<uint32_t>(warp, inst->slot[2]);
  auto c = source<uint32_t>(warp, inst->slot[3]);
  setLanes<T>(warp, inst->slot[0], mask, [=](unsigned lane) {
    return ExtractField::apply<T>(a[lane], b[lane], c[lane]);
  });
  return inst + 1;
}

template <typename T>
static const Inst *insertField(Warp &warp, const Inst *inst, uint32_t mask) {
  auto a = source<T>(warp, inst->slot[1]);
  auto b = source<T>(warp, inst->slot[2]);
  auto c = source<uint32_t>(warp, inst->slot[3]);
  auto d = source<uint32_t>(warp, inst->slot[4]);
  setLanes<T>(warp, inst->slot[0], mask, [=](unsigned lane) {
    uint32_t position = c[lane] & 0xff, length = d[lane] & 0xff;
    T field = shiftLeft(ones<T>(length), position);
    return (b[lane] & ~field) | (shiftLeft(a[lane], position) & field);
  });
  return inst + 1;
}

static const Inst *findNthSet(Warp &warp, const Inst *inst, uint32_t mask) {
  auto d = destination<uint32_t>(warp, inst->slot[0]);
  auto word = source<uint32_t>(warp, inst->slot[1]);
  auto base = source<uint32_t>(warp, inst->slot[2]);
  auto offset = source<int32_t>(warp, inst->slot[3]);
  uint32_t outside = collect([=](unsigned lane) { return base[lane] > 31; });
  if (outside & mask)
    return warp.fail(inst, outside & mask, ReportKind::IllegalInstruction,
                     "fns starts at bit " +
                         llvm::Twine(base[std::countr_zero(outside & mask)]) +
                         " of a 32-bit value; its base must be at most 31");
  forEachLane(mask, [=](unsigned lane) {
    uint32_t bits = word[lane], from = base[lane], found = ~0u;
    int64_t n = offset[lane];
    if (n == 0) {
      found = bits >> from & 1 ? from : ~0u;
    } else {
      int64_t left = (n < 0 ? -n : n) - 1;
      for (int pos = from; pos >= 0 && pos < 32; pos += n > 0 ? 1 : -1)
        if (bits >> pos & 1 && left-- == 0) {
          found = pos;
          break;
        }
    }
    d.set(lane, found);
  });
  return inst + 1;
}

/// The table's bit for (a, b, c), for all 32 bits at once. The terms that the
/// table doesn't have are masked away, so every table is the same code.
static uint32_t lookup(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
  uint32_t result = 0;
  for (unsigned row = 0; row != 8; ++row)
    result |= (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c) &
              -(table >> row & 1);
  return result;
}

static const Inst *lop3(Warp &warp, const Inst *inst, uint32_t mask) {
  auto a = source<uint32_t>(warp, inst->slot[1]);
  auto b = source<uint32_t>(warp, inst->slot[2]);
  auto c = source<uint32_t>(warp, inst->slot[3]);
  uint32_t table = inst->imm;
  setLanes<uint32_t>(warp, inst->slot[0], mask, [=](unsigned lane) {
    return lookup(a[lane], b[lane], c[lane], table);
  });
  return inst + 1;
}

/// lop3 with a predicate: p = (d != 0) op q. The places of p and q follow c.
template <bool Or>
static const Inst *lop3Predicate(Warp &warp, const Inst *inst, uint32_t mask) {
  auto d = destination<uint32_t>(warp, inst->slot[0]);
  auto a = source<uint32_t>(warp, inst->slot[1]);
  auto b = source<uint32_t>(warp, inst->slot[2]);
  auto c = source<uint32_t>(warp, inst->slot[3]);
  uint32_t table = inst->imm, word = 0;
  forEachLane(mask, [&](unsigned lane) {
    uint32_t value = lookup(a[lane], b[lane], c[lane], table);
    d.set(lane, value);
    word |= static_cast<uint32_t>(value != 0) << lane;
  });
  uint32_t q = warp.test(inst->slot[5]);
  warp.setPredicate(inst->slot[4], Or ? word | q : word & q, mask);
  return inst + 1;
}

/// prmt with a mode: imm holds the four selectors for each value of c's low
/// two bits, 16 bits each.
static const Inst *permuteMode(Warp &warp, const Inst *inst, uint32_t mask) {
  auto a = source<uint32_t>(warp, inst->slot[1]);
  auto b = source<uint32_t>(warp, inst->slot[2]);
  auto c = source<uint32_t>(warp, inst->slot[3]);
  uint64_t selectors = inst->imm;
  setLanes<uint32_t>(warp, inst->slot[0], mask, [=](unsigned lane) {
    uint32_t select = selectors >> 16 * (c[lane] & 3) & 0xffff;
    return Permute::apply(a[lane], b[lane], select);
  });
  return inst + 1;
}

//===----------------------------------------------------------------------===//
// Decoders
//===----------------------------------------------------------------------===//

template <typename Op>
static bool decodeUnary(Decoder &decoder, Inst &inst) {
  Type type = decoder.type();
  inst.fn = withBits<Execute *>(
      type, nullptr, [&]<typename T>() { return unaryHandler<T, Op>; });
  decodeOperands(decoder, inst, type, 1);
  return inst.fn != nullptr;
}

template <typename Op>
static bool decodeCount(Decoder &decoder, Inst &inst) {
  Type type = decoder.type();
  inst.fn = ptx::bitsOf(type) == 64 ? count<uint64_t, Op> : count<uint32_t, Op>;
  decodeOperands(decoder, inst, type, 1);
  return true;
}

static bool decodeBfind(Decoder &decoder, Inst &inst) {
  Type type = decoder.type();
  bool shift = decoder.has(Modifier::ShiftAmount);
  inst.fn =
      withInteger<Execute *>(type, nullptr, [&]<typename T>() -> Execute * {
        if constexpr (sizeof(T) >= 4)
          return shift ? count<T, FindBit<true>> : count<T, FindBit<false>>;
        return nullptr;
      });
  decodeOperands(decoder, inst, type, 1);
  return inst.fn != nullptr;
}

static bool decodeBfe(Decoder &decoder, Inst &inst) {
  Type type = decoder.type();
  inst.fn =
      withInteger<Execute *>(type, nullptr, [&]<typename T>() -> Execute * {
        if constexpr (sizeof(T) >= 4)
          return extractField<T>;
        return nullptr;
      });
  decodeOperands(decoder, inst, type, 1);
  inst.slot[2] = decoder.source(2, Type::U32);
  inst.slot[3] = decoder.source(3, Type::U32);
  return inst.fn != nullptr;
}

static bool decodeBfi(Decoder &decoder, Inst &inst) {
  Type type = decoder.type();
  inst.fn =
      ptx::bitsOf(type) == 64 ? insertField<uint64_t> : insertField<uint32_t>;
  decodeOperands(decoder, inst, type, 2);
  inst.slot[3] = decoder.source(3, Type::U32);
  inst.slot[4] = decoder.source(4, Type::U32);
  return true;
}

static bool decodeFns(Decoder &decoder, Inst &inst) {
  inst.fn = findNthSet;
  decodeOperands(decoder, inst, Type::B32, 3);
  return true;
}

static bool decodeLop3(Decoder &decoder, Inst &inst) {
  inst.imm = decoder.operand(4).integer() & 0xff;
  if (decoder.get(Slot::Bool) == Modifier::None) {
    inst.fn = lop3;
    decodeOperands(decoder, inst, Type::B32, 3);
    return true;
  }
  inst.fn = decoder.get(Slot::Bool) == Modifier::Or ? lop3Predicate<true>
                                                    : lop3Predicate<false>;
  llvm::ArrayRef<Operand> results = decoder.parts(0);
  inst.slot[0] = decoder.dest(results[0]);
  for (unsigned index = 1; index != 4; ++index)
    inst.slot[index] = decoder.source(index, Type::B32);
  inst.slot[4] = decoder.predicate(results[1]);
  inst.slot[5] = decoder.predicate(5);
  return true;
}

template <template <bool> typename Op>
static bool decodeFunnel(Decoder &decoder, Inst &inst) {
  inst.fn = decoder.get(Slot::Mode) == Modifier::Clamp
                ? ternaryHandler<uint32_t, Op<true>>
                : ternaryHandler<uint32_t, Op<false>>;
  decodeOperands(decoder, inst, Type::B32, 3);
  return true;
}

static bool decodeBmsk(Decoder &decoder, Inst &inst) {
  inst.fn = decoder.get(Slot::Mode) == Modifier::Clamp
                ? binaryHandler<uint32_t, MakeMask<true>>
                : binaryHandler<uint32_t, MakeMask<false>>;
  decodeOperands(decoder, inst, Type::B32, 2);
  return true;
}

static bool decodeSzext(Decoder &decoder, Inst &inst) {
  bool clamp = decoder.get(Slot::Mode) == Modifier::Clamp;
  if (decoder.type() == Type::S32)
    inst.fn = clamp ? binaryHandler<int32_t, Extend<true>>
                    : binaryHandler<int32_t, Extend<false>>;
  else
    inst.fn = clamp ? binaryHandler<uint32_t, Extend<true>>
                    : binaryHandler<uint32_t, Extend<false>>;
  decodeOperands(decoder, inst, decoder.type(), 2);
  return true;
}

/// The table of prmt's modes in the ISA: four selectors of four nibbles, for
/// c = 3, 2, 1, 0.
static uint64_t permuteSelectors(Modifier mode) {
  switch (mode) {
  case Modifier::PrmtF4e:
    return 0x6543'5432'4321'3210;
  case Modifier::PrmtB4e:
    return 0x0123'7012'6701'5670;
  case Modifier::PrmtRc8:
    return 0x3333'2222'1111'0000;
  case Modifier::PrmtEcl:
    return 0x3333'3222'3211'3210;
  case Modifier::PrmtEcr:
    return 0x3210'2210'1110'0000;
  default:
    return 0x3232'1010'3232'1010;
  }
}

static bool decodePrmt(Decoder &decoder, Inst &inst) {
  Modifier mode = decoder.get(Slot::Mode);
  inst.fn =
      mode == Modifier::None ? ternaryHandler<uint32_t, Permute> : permuteMode;
  inst.imm = mode == Modifier::None ? 0 : permuteSelectors(mode);
  decodeOperands(decoder, inst, Type::B32, 3);
  return true;
}

void drawloom::emu::registerBitsField(DecodeTable &table) {
  table.add(Opcode::Cnot, decodeUnary<LogicalNegate>);
  table.add(Opcode::Brev, decodeUnary<ReverseBits>);
  table.add(Opcode::Popc, decodeCount<CountOnes>);
  table.add(Opcode::Clz, decodeCount<CountLeadingZeros>);
  table.add(Opcode::Bfind, decodeBfind);
  table.add(Opcode::Bfe, decodeBfe);
  table.add(Opcode::Bfi, decodeBfi);
  table.add(Opcode::Fns, decodeFns);
  table.add(Opcode::Lop3, decodeLop3);
  table.add(Opcode::ShfL, decodeFunnel<FunnelLeft>);
  table.add(Opcode::ShfR, decodeFunnel<FunnelRight>);
  table.add(Opcode::Bmsk, decodeBmsk);
  table.add(Opcode::Szext, decodeSzext);
  table.add(Opcode::Prmt, decodePrmt);
}
