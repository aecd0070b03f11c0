//===- Compare.cpp - Comparison and selection ----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, sections 9.7.6 and 9.7.7. Integers, which kernels compare all the
// time, have a handler for each comparison. For floating point, two values are
// less, equal, greater or unordered, and a comparison is the set of outcomes
// that it accepts: one handler for each type does all fourteen.

#include "Execute/Arithmetic/Arithmetic.h"
#include "Execute/Arithmetic/FloatMath.h"

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Operand;
using ptx::Slot;
using ptx::Type;

namespace {
struct Eq {
  template <typename T>
  static bool apply(T a, T b) {
    return a == b;
  }
};
struct Ne {
  template <typename T>
  static bool apply(T a, T b) {
    return a != b;
  }
};
struct Lt {
  template <typename T>
  static bool apply(T a, T b) {
    return a < b;
  }
};
struct Le {
  template <typename T>
  static bool apply(T a, T b) {
    return a <= b;
  }
};
struct Gt {
  template <typename T>
  static bool apply(T a, T b) {
    return a > b;
  }
};
struct Ge {
  template <typename T>
  static bool apply(T a, T b) {
    return a >= b;
  }
};

/// The outcomes of a comparison, as a set.
enum Outcome : uint8_t { Less = 1, Equal = 2, Greater = 4, Unordered = 8 };

/// What is done with the third predicate.
enum class Combine : uint8_t { None, And, Or, Xor };

/// Inst::imm: everything about a comparison that isn't in its handler.
struct Comparison {
  uint8_t outcomes = 0;
  Combine combine = Combine::None;
  bool ftz = false;
  uint8_t unused = 0;
  uint32_t trueValue = 0; ///< Of set.
};
static_assert(sizeof(Comparison) == sizeof(int64_t));

/// The slots of setp and set. set has its destination in P.
enum : unsigned { P, Q, A, B, C };
} // namespace

static Comparison comparisonOf(const Inst *inst) {
  return std::bit_cast<Comparison>(inst->imm);
}

static uint8_t outcomesOf(Modifier modifier) {
  switch (modifier) {
  case Modifier::Eq:
    return Equal;
  case Modifier::Ne:
    return Less | Greater;
  case Modifier::Lt:
  case Modifier::Lo:
    return Less;
  case Modifier::Le:
  case Modifier::Ls:
    return Less | Equal;
  case Modifier::Gt:
  case Modifier::Hi:
    return Greater;
  case Modifier::Ge:
  case Modifier::Hs:
    return Greater | Equal;
  case Modifier::Equ:
    return Equal | Unordered;
  case Modifier::Neu:
    return Less | Greater | Unordered;
  case Modifier::Ltu:
    return Less | Unordered;
  case Modifier::Leu:
    return Less | Equal | Unordered;
  case Modifier::Gtu:
    return Greater | Unordered;
  case Modifier::Geu:
    return Greater | Equal | Unordered;
  case Modifier::Num:
    return Less | Equal | Greater;
  default: // nan
    return Unordered;
  }
}

static uint32_t combine(Warp &warp, const Inst *inst, uint32_t value) {
  switch (comparisonOf(inst).combine) {
  case Combine::And:
    return value & warp.test(inst->slot[C]);
  case Combine::Or:
    return value | warp.test(inst->slot[C]);
  case Combine::Xor:
    return value ^ warp.test(inst->slot[C]);
  default:
    return value;
  }
}

/// The lanes in which the comparison holds. `a` and `b` give a lane's value.
template <typename Left, typename Right>
static uint32_t accept(uint8_t outcomes, Left a, Right b) {
  uint32_t less = collect([=](unsigned lane) { return a(lane) < b(lane); });
  uint32_t equal = collect([=](unsigned lane) { return a(lane) == b(lane); });
  uint32_t greater = collect([=](unsigned lane) { return a(lane) > b(lane); });
  return (outcomes & Less ? less : 0) | (outcomes & Equal ? equal : 0) |
         (outcomes & Greater ? greater : 0) |
         (outcomes & Unordered ? ~(less | equal | greater) : 0);
}

//===----------------------------------------------------------------------===//
// What is compared
//===----------------------------------------------------------------------===//

// Each has `get(warp, inst, half)`: the lanes of all comparisons that hold, for
// the low or the high half of a packed type.

namespace {
template <typename T>
struct Values {
  static uint32_t get(Warp &warp, const Inst *inst, unsigned) {
    auto a = source<T>(warp, inst->slot[A]);
    auto b = source<T>(warp, inst->slot[B]);
    return accept(
        comparisonOf(inst).outcomes, [=](unsigned lane) { return a[lane]; },
        [=](unsigned lane) { return b[lane]; });
  }
};

struct Floats {
  static uint32_t get(Warp &warp, const Inst *inst, unsigned) {
    auto a = source<float>(warp, inst->slot[A]);
    auto b = source<float>(warp, inst->slot[B]);
    uint32_t limit = flushLimit(comparisonOf(inst).ftz);
    return accept(
        comparisonOf(inst).outcomes,
        [=](unsigned lane) { return flushBelow(a[lane], limit); },
        [=](unsigned lane) { return flushBelow(b[lane], limit); });
  }
};

/// f16 and bf16, also two of them.
template <typename F>
struct Halves {
  static uint32_t get(Warp &warp, const Inst *inst, unsigned half) {
    auto a = source<uint32_t>(warp, inst->slot[A]);
    auto b = source<uint32_t>(warp, inst->slot[B]);
    bool ftz = comparisonOf(inst).ftz;
    unsigned shift = 16 * half;
    auto widen = [=](uint32_t word) {
      uint16_t bits = word >> shift;
      return F::widen(ftz ? flush16<F>(bits) : bits);
    };
    return accept(
        comparisonOf(inst).outcomes,
        [=](unsigned lane) { return widen(a[lane]); },
        [=](unsigned lane) { return widen(b[lane]); });
  }
};
} // namespace

/// Calls `pick.operator()<Kind>()` with what compares values of `type`.
template <typename R, typename F>
static R withKind(Type type, R otherwise, F pick) {
  switch (type) {
  case Type::F32:
    return pick.template operator()<Floats>();
  case Type::F64:
    return pick.template operator()<Values<double>>();
  case Type::F16:
  case Type::F16x2:
    return pick.template operator()<Halves<Half>>();
  case Type::BF16:
  case Type::BF16x2:
    return pick.template operator()<Halves<BFloat>>();
  default: {
    auto values = [&]<typename T>() {
      return pick.template operator()<Values<T>>();
    };
    return ptx::isInteger(type) ? withInteger<R>(type, otherwise, values)
                                : withBits<R>(type, otherwise, values);
  }
  }
}

//===----------------------------------------------------------------------===//
// setp
//===----------------------------------------------------------------------===//

/// p = (a cmp b) op c, q = !(a cmp b) op c.
static const Inst *finish(Warp &warp, const Inst *inst, uint32_t mask,
                          uint32_t value) {
  uint32_t p = combine(warp, inst, value), q = combine(warp, inst, ~value);
  warp.setPredicate(inst->slot[P], p, mask);
  warp.setPredicate(inst->slot[Q], q, mask);
  return inst + 1;
}

template <typename T, typename Op>
static const Inst *compare(Warp &warp, const Inst *inst, uint32_t mask) {
  auto a = source<T>(warp, inst->slot[A]);
  auto b = source<T>(warp, inst->slot[B]);
  uint32_t value =
      collect([=](unsigned lane) { return Op::apply(a[lane], b[lane]); });
  return finish(warp, inst, mask, value);
}

template <typename Kind>
static const Inst *compareFloat(Warp &warp, const Inst *inst, uint32_t mask) {
  return finish(warp, inst, mask, Kind::get(warp, inst, 0));
}

/// Two comparisons: p for the low halves, q for the high ones.
template <typename Kind>
static const Inst *comparePair(Warp &warp, const Inst *inst, uint32_t mask) {
  uint32_t p = combine(warp, inst, Kind::get(warp, inst, 0));
  uint32_t q = combine(warp, inst, Kind::get(warp, inst, 1));
  warp.setPredicate(inst->slot[P], p, mask);
  warp.setPredicate(inst->slot[Q], q, mask);
  return inst + 1;
}

template <typename T>
static Execute *comparisonHandler(Modifier modifier) {
  switch (outcomesOf(modifier)) {
  case Equal:
    return compare<T, Eq>;
  case Less | Greater:
    return compare<T, Ne>;
  case Less:
    return compare<T, Lt>;
  case Less | Equal:
    return compare<T, Le>;
  case Greater:
    return compare<T, Gt>;
  default:
    return compare<T, Ge>;
  }
}

/// What setp and set have in common: the operands from number `first` on.
static void decodeComparison(Decoder &decoder, Inst &inst, Type type,
                             uint32_t trueValue) {
  Comparison comparison;
  comparison.outcomes = outcomesOf(decoder.get(Slot::Cmp));
  comparison.ftz = decoder.has(Modifier::Ftz);
  comparison.trueValue = trueValue;
  switch (decoder.get(Slot::Bool)) {
  case Modifier::And:
    comparison.combine = Combine::And;
    break;
  case Modifier::Or:
    comparison.combine = Combine::Or;
    break;
  case Modifier::Xor:
    comparison.combine = Combine::Xor;
    break;
  default:
    break;
  }
  inst.imm = std::bit_cast<int64_t>(comparison);
  inst.slot[A] = decoder.source(1, type);
  inst.slot[B] = decoder.source(2, type);
  if (comparison.combine != Combine::None)
    inst.slot[C] = decoder.predicate(3);
}

static bool isPacked(Type type) {
  return type == Type::F16x2 || type == Type::BF16x2;
}

static bool decodeSetp(Decoder &decoder, Inst &inst) {
  Type type = decoder.type();
  Modifier cmp = decoder.get(Slot::Cmp);
  if (ptx::isInteger(type))
    inst.fn = withInteger<Execute *>(
        type, nullptr, [&]<typename T>() { return comparisonHandler<T>(cmp); });
  else if (ptx::kindOf(type) == ptx::TypeKind::Bits)
    inst.fn = withBits<Execute *>(type, nullptr, [&]<typename T>() {
      return cmp == Modifier::Eq ? compare<T, Eq> : compare<T, Ne>;
    });
  else
    inst.fn = withKind<Execute *>(type, nullptr, [&]<typename Kind>() {
      return isPacked(type) ? comparePair<Kind> : compareFloat<Kind>;
    });
  if (!inst.fn)
    return false;
  llvm::ArrayRef<Operand> results = decoder.parts(0);
  inst.slot[P] = decoder.predicate(results[0]);
  inst.slot[Q] =
      decoder.predicate(results.size() > 1 ? results[1] : Operand::makeSink());
  decodeComparison(decoder, inst, type, 0);
  return true;
}

//===----------------------------------------------------------------------===//
// set
//===----------------------------------------------------------------------===//

template <typename Kind>
static const Inst *set(Warp &warp, const Inst *inst, uint32_t mask) {
  uint32_t value = combine(warp, inst, Kind::get(warp, inst, 0));
  uint32_t trueValue = comparisonOf(inst).trueValue;
  setLanes<uint32_t>(warp, inst->slot[P], mask, [=](unsigned lane) {
    return value >> lane & 1 ? trueValue : 0;
  });
  return inst + 1;
}

template <typename Kind>
static const Inst *setPair(Warp &warp, const Inst *inst, uint32_t mask) {
  uint32_t low = combine(warp, inst, Kind::get(warp, inst, 0));
  uint32_t high = combine(warp, inst, Kind::get(warp, inst, 1));
  uint32_t trueValue = comparisonOf(inst).trueValue;
  setLanes<uint32_t>(warp, inst->slot[P], mask, [=](unsigned lane) {
    return (low >> lane & 1 ? trueValue : 0) |
           (high >> lane & 1 ? trueValue << 16 : 0);
  });
  return inst + 1;
}

/// What set writes where the comparison holds.
static uint32_t trueValueOf(Type type, bool packed) {
  switch (type) {
  case Type::F32:
    return 0x3f800000;
  case Type::F16:
  case Type::F16x2:
    return Half::one;
  case Type::BF16:
  case Type::BF16x2:
    return BFloat::one;
  default:
    return packed || ptx::bitsOf(type) == 16 ? 0xffff : 0xffffffff;
  }
}

static bool decodeSet(Decoder &decoder, Inst &inst) {
  Type type = decoder.type(Slot::SType);
  inst.fn = withKind<Execute *>(type, nullptr, [&]<typename Kind>() {
    return isPacked(type) ? setPair<Kind> : set<Kind>;
  });
  if (!inst.fn)
    return false;
  inst.slot[P] = decoder.dest(0);
  decodeComparison(decoder, inst, type,
                   trueValueOf(decoder.type(Slot::DType), isPacked(type)));
  return true;
}

//===----------------------------------------------------------------------===//
// selp and slct
//===----------------------------------------------------------------------===//

template <typename T>
static const Inst *select(Warp &warp, const Inst *inst, uint32_t mask) {
  auto a = source<T>(warp, inst->slot[1]);
  auto b = source<T>(warp, inst->slot[2]);
  uint32_t which = warp.test(inst->slot[3]);
  setLanes<T>(warp, inst->slot[0], mask, [=](unsigned lane) {
    return which >> lane & 1 ? a[lane] : b[lane];
  });
  return inst + 1;
}

static bool decodeSelp(Decoder &decoder, Inst &inst) {
  Type type = decoder.type();
  inst.fn = withBits<Execute *>(type, nullptr,
                                [&]<typename T>() { return select<T>; });
  decodeOperands(decoder, inst, type, 2);
  inst.slot[3] = decoder.predicate(3);
  return inst.fn != nullptr;
}

/// d = c >= 0 ? a : b. A NaN selects b; imm is flushBelow's limit.
template <typename T, typename S>
static const Inst *selectBySign(Warp &warp, const Inst *inst, uint32_t mask) {
  auto a = source<T>(warp, inst->slot[1]);
  auto b = source<T>(warp, inst->slot[2]);
  auto c = source<S>(warp, inst->slot[3]);
  uint32_t limit = inst->imm;
  setLanes<T>(warp, inst->slot[0], mask, [=](unsigned lane) {
    S sign = c[lane];
    if constexpr (std::is_same_v<S, float>)
      sign = flushBelow(sign, limit);
    return sign >= 0 ? a[lane] : b[lane];
  });
  return inst + 1;
}

static bool decodeSlct(Decoder &decoder, Inst &inst) {
  Type type = decoder.type(Slot::DType), sign = decoder.type(Slot::SType);
  inst.fn = withBits<Execute *>(type, nullptr, [&]<typename T>() {
    return sign == Type::F32 ? selectBySign<T, float>
                             : selectBySign<T, int32_t>;
  });
  inst.imm = flushLimit(decoder.has(Modifier::Ftz));
  decodeOperands(decoder, inst, type, 2);
  inst.slot[3] = decoder.source(3, sign);
  return inst.fn != nullptr;
}

void drawloom::emu::registerCompare(DecodeTable &table) {
  table.add(Opcode::Setp, decodeSetp);
  table.add(Opcode::Set, decodeSet);
  table.add(Opcode::Selp, decodeSelp);
  table.add(Opcode::Slct, decodeSlct);
}
