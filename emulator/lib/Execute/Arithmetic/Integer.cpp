//===- Integer.cpp - Integer arithmetic ----------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, section 9.7.1. Integers wrap; so that C++ agrees, arithmetic is done
// on unsigned values of at least 32 bits. The ISA leaves the result of a
// division by zero open: it is all ones here, as on the hardware.

#include "Execute/Arithmetic/Arithmetic.h"
#include <cmath>

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

namespace {

struct Add {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(Wrapping<T>(a) + Wrapping<T>(b));
  }
};
struct Sub {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(Wrapping<T>(a) - Wrapping<T>(b));
  }
};
struct MulLo {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(Wrapping<T>(a) * Wrapping<T>(b));
  }
};
struct MulHi {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(Wide<T>(a) * Wide<T>(b) >> (8 * sizeof(T)));
  }
};
struct Min {
  template <typename T>
  static T apply(T a, T b) {
    return a < b ? a : b;
  }
};
struct Max {
  template <typename T>
  static T apply(T a, T b) {
    return a > b ? a : b;
  }
};
template <typename Op>
struct Relu {
  template <typename T>
  static T apply(T a, T b) {
    return Max::apply<T>(Op::template apply<T>(a, b), 0);
  }
};
struct Neg {
  template <typename T>
  static T apply(T a) {
    return static_cast<T>(-Wrapping<T>(a));
  }
};
struct Abs {
  template <typename T>
  static T apply(T a) {
    return a < 0 ? Neg::apply(a) : a;
  }
};
struct Sad {
  template <typename T>
  static T apply(T a, T b, T c) {
    return Add::apply(c, a < b ? Sub::apply(b, a) : Sub::apply(a, b));
  }
};

/// The product of the low 24 bits, as a value of 48.
template <typename T>
static Wide<T> product24(T a, T b) {
  a = static_cast<T>(static_cast<uint32_t>(a) << 8) >> 8;
  b = static_cast<T>(static_cast<uint32_t>(b) << 8) >> 8;
  return Wide<T>(a) * Wide<T>(b);
}
struct Mul24Lo {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(product24(a, b));
  }
};
struct Mul24Hi {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(product24(a, b) >> 16);
  }
};

/// 32-bit signed results that stay in range.
template <typename Op>
struct Saturating {
  template <typename T>
  static T apply(T a, T b) {
    auto exact = std::is_same_v<Op, Add> ? Wide<T>(a) + Wide<T>(b)
                                         : Wide<T>(a) - Wide<T>(b);
    return static_cast<T>(Min::apply<Wide<T>>(
        Max::apply<Wide<T>>(exact, minimumOf<T>), maximumOf<T>));
  }
};

/// A product and a sum of the same type.
template <typename Mul, typename Sum = Add>
struct Mad {
  template <typename T>
  static T apply(T a, T b, T c) {
    return Sum::template apply<T>(Mul::template apply<T>(a, b), c);
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

// Quotients of 32 bits are computed in double precision, which vectorizes. A
// quotient that isn't an integer is at least 1/b away from one, and the error
// of the division is at most a/b * 2^-53 < 2^-21 / b: truncation is exact.

static double toDouble(uint32_t value) {
  return std::bit_cast<double>(0x4330000000000000u | value) - 0x1p52;
}
static uint32_t quotient(uint32_t a, uint32_t b) {
  double exact = std::trunc(toDouble(a) / toDouble(b ? b : 1));
  return static_cast<uint32_t>(std::bit_cast<uint64_t>(exact + 0x1p52));
}

namespace {
struct Div {
  template <typename T>
  static T apply(T a, T b) {
    if constexpr (sizeof(T) == 8) {
      if (b == 0)
        return static_cast<T>(-1);
      return b == static_cast<T>(-1) && std::is_signed_v<T> ? Neg::apply(a)
                                                            : a / b;
    } else if constexpr (std::is_signed_v<T>) {
      uint32_t magnitude =
          quotient(a < 0 ? -uint32_t(a) : a, b < 0 ? -uint32_t(b) : b);
      uint32_t value = (a < 0) != (b < 0) ? -magnitude : magnitude;
      return static_cast<T>(b == 0 ? ~0u : value);
    } else {
      return static_cast<T>(b == 0 ? ~0u : quotient(a, b));
    }
  }
};
struct Rem {
  template <typename T>
  static T apply(T a, T b) {
    T value = Sub::apply(a, MulLo::apply(Div::apply(a, b), b));
    return b == 0 ? static_cast<T>(-1) : value;
  }
};
} // namespace

/// 64-bit division has no vector code: only the lanes that execute divide.
template <typename T, typename Op>
static const Inst *divide(Warp &warp, const Inst *inst, uint32_t mask) {
  if constexpr (sizeof(T) < 8)
    return binaryHandler<T, Op>(warp, inst, mask);
  auto d = destination<T>(warp, inst->slot[0]);
  auto a = source<T>(warp, inst->slot[1]);
  auto b = source<T>(warp, inst->slot[2]);
  forEachLane(mask,
              [=](unsigned lane) { d.set(lane, Op::apply(a[lane], b[lane])); });
  return inst + 1;
}

template <typename Op>
static bool decodeDivide(Decoder &decoder, Inst &inst) {
  Type type = decoder.type();
  inst.fn = withInteger<Execute *>(type, nullptr,
                                   [&]<typename T>() { return divide<T, Op>; });
  if (inst.fn)
    decodeOperands(decoder, inst, type, 2);
  return inst.fn != nullptr;
}

//===----------------------------------------------------------------------===//
// Wide results
//===----------------------------------------------------------------------===//

template <typename T>
static const Inst *mulWide(Warp &warp, const Inst *inst, uint32_t mask) {
  auto a = source<T>(warp, inst->slot[1]);
  auto b = source<T>(warp, inst->slot[2]);
  setLanes<Wide<T>>(warp, inst->slot[0], mask, [=](unsigned lane) {
    return Wide<T>(a[lane]) * Wide<T>(b[lane]);
  });
  return inst + 1;
}

template <typename T>
static const Inst *madWide(Warp &warp, const Inst *inst, uint32_t mask) {
  auto a = source<T>(warp, inst->slot[1]);
  auto b = source<T>(warp, inst->slot[2]);
  auto c = source<Wide<T>>(warp, inst->slot[3]);
  setLanes<Wide<T>>(warp, inst->slot[0], mask, [=](unsigned lane) {
    return Add::apply<Wide<T>>(Wide<T>(a[lane]) * Wide<T>(b[lane]), c[lane]);
  });
  return inst + 1;
}

static bool decodeMulWide(Decoder &decoder, Inst &inst) {
  Type type = decoder.type();
  inst.fn =
      withInteger<Execute *>(type, nullptr, [&]<typename T>() -> Execute * {
        if constexpr (sizeof(T) < 8)
          return mulWide<T>;
        return nullptr;
      });
  decodeOperands(decoder, inst, type, 2);
  return inst.fn != nullptr;
}

static bool decodeMadWide(Decoder &decoder, Inst &inst) {
  Type type = decoder.type();
  inst.fn =
      withInteger<Execute *>(type, nullptr, [&]<typename T>() -> Execute * {
        if constexpr (sizeof(T) < 8)
          return madWide<T>;
        return nullptr;
      });
  decodeOperands(decoder, inst, type, 2);
  inst.slot[3] = decoder.source(3, ptx::widen(type));
  return inst.fn != nullptr;
}

//===----------------------------------------------------------------------===//
// Decoders of the plain shapes
//===----------------------------------------------------------------------===//

template <typename Op>
static bool decodeUnary(Decoder &decoder, Inst &inst) {
  Type type = decoder.type();
  inst.fn = withInteger<Execute *>(
      type, nullptr, [&]<typename T>() { return unaryHandler<T, Op>; });
  if (inst.fn)
    decodeOperands(decoder, inst, type, 1);
  return inst.fn != nullptr;
}

template <typename Op>
static bool decodeBinary(Decoder &decoder, Inst &inst) {
  Type type = decoder.type();
  if (decoder.has(Modifier::CarryOut))
    return false;
  if (type == Type::U16x2)
    inst.fn = packedBinaryHandler<uint16_t, Op>;
  else if (type == Type::S16x2)
    inst.fn = packedBinaryHandler<int16_t, Op>;
  else
    inst.fn = withInteger<Execute *>(
        type, nullptr, [&]<typename T>() { return binaryHandler<T, Op>; });
  if (inst.fn)
    decodeOperands(decoder, inst, type, 2);
  return inst.fn != nullptr;
}

/// min.relu and max.relu.
template <typename Op>
static bool decodeRelu(Decoder &decoder, Inst &inst) {
  Type type = decoder.type();
  if (!decoder.has(Modifier::Relu))
    return false;
  inst.fn = type == Type::S32 ? binaryHandler<int32_t, Relu<Op>>
                              : packedBinaryHandler<int16_t, Relu<Op>>;
  decodeOperands(decoder, inst, type, 2);
  return true;
}

/// add.sat.s32 and sub.sat.s32.
template <typename Op>
static bool decodeSaturating(Decoder &decoder, Inst &inst) {
  if (!decoder.has(Modifier::Sat) || decoder.type() != Type::S32)
    return false;
  inst.fn = binaryHandler<int32_t, Saturating<Op>>;
  decodeOperands(decoder, inst, Type::S32, 2);
  return true;
}

template <typename Mul>
static bool decodeMad(Decoder &decoder, Inst &inst) {
  Type type = decoder.type();
  if (decoder.has(Modifier::CarryOut))
    return false;
  if (decoder.has(Modifier::Sat))
    inst.fn = ternaryHandler<int32_t, Mad<Mul, Saturating<Add>>>;
  else
    inst.fn = withInteger<Execute *>(type, nullptr, [&]<typename T>() {
      return ternaryHandler<T, Mad<Mul>>;
    });
  decodeOperands(decoder, inst, type, 3);
  return true;
}

/// The same for the multiplications of 24 bits.
template <typename Mul>
static bool decodeMul24(Decoder &decoder, Inst &inst) {
  Type type = decoder.type();
  inst.fn = type == Type::S32 ? binaryHandler<int32_t, Mul>
                              : binaryHandler<uint32_t, Mul>;
  decodeOperands(decoder, inst, type, 2);
  return true;
}
template <typename Mul>
static bool decodeMad24(Decoder &decoder, Inst &inst) {
  Type type = decoder.type();
  if (decoder.has(Modifier::Sat))
    inst.fn = ternaryHandler<int32_t, Mad<Mul, Saturating<Add>>>;
  else
    inst.fn = type == Type::S32 ? ternaryHandler<int32_t, Mad<Mul>>
                                : ternaryHandler<uint32_t, Mad<Mul>>;
  decodeOperands(decoder, inst, type, 3);
  return true;
}

static bool decodeSad(Decoder &decoder, Inst &inst) {
  Type type = decoder.type();
  inst.fn = withInteger<Execute *>(
      type, nullptr, [&]<typename T>() { return ternaryHandler<T, Sad>; });
  decodeOperands(decoder, inst, type, 3);
  return inst.fn != nullptr;
}

//===----------------------------------------------------------------------===//
// Dot products
//===----------------------------------------------------------------------===//

/// dp4a and dp2a: A is the type of an element of `a` (a byte, or a half word),
/// B a byte. imm is the element of `b` that the first one of `a` meets.
template <typename A, typename B>
static const Inst *dotProduct(Warp &warp, const Inst *inst, uint32_t mask) {
  auto a = source<uint32_t>(warp, inst->slot[1]);
  auto b = source<uint32_t>(warp, inst->slot[2]);
  auto c = source<uint32_t>(warp, inst->slot[3]);
  unsigned skip = 8 * inst->imm;
  setLanes<uint32_t>(warp, inst->slot[0], mask, [=](unsigned lane) {
    uint32_t sum = c[lane], va = a[lane], vb = b[lane] >> skip;
    for (unsigned i = 0; i != 4 / sizeof(A); ++i)
      sum += static_cast<uint32_t>(static_cast<A>(va >> 8 * sizeof(A) * i) *
                                   static_cast<B>(vb >> 8 * i));
    return sum;
  });
  return inst + 1;
}

template <typename Unsigned, typename Signed>
static bool decodeDotProduct(Decoder &decoder, Inst &inst) {
  Type a = decoder.type(ptx::Slot::AType), b = decoder.type(ptx::Slot::BType);
  bool signedB = b == Type::S32;
  inst.fn =
      a == Type::S32
          ? (signedB ? dotProduct<Signed, int8_t> : dotProduct<Signed, uint8_t>)
          : (signedB ? dotProduct<Unsigned, int8_t>
                     : dotProduct<Unsigned, uint8_t>);
  inst.imm = decoder.opcode() == Opcode::Dp2aHi ? 2 : 0;
  decodeOperands(decoder, inst, Type::U32, 3);
  return true;
}

void drawloom::emu::registerInteger(DecodeTable &table) {
  table.add(Opcode::Add, decodeSaturating<Add>);
  table.add(Opcode::Add, decodeBinary<Add>);
  table.add(Opcode::Sub, decodeSaturating<Sub>);
  table.add(Opcode::Sub, decodeBinary<Sub>);
  table.add(Opcode::MulLo, decodeBinary<MulLo>);
  table.add(Opcode::MulHi, decodeBinary<MulHi>);
  table.add(Opcode::MulWide, decodeMulWide);
  table.add(Opcode::Mul24Lo, decodeMul24<Mul24Lo>);
  table.add(Opcode::Mul24Hi, decodeMul24<Mul24Hi>);
  table.add(Opcode::MadLo, decodeMad<MulLo>);
  table.add(Opcode::MadHi, decodeMad<MulHi>);
  table.add(Opcode::MadWide, decodeMadWide);
  table.add(Opcode::Mad24Lo, decodeMad24<Mul24Lo>);
  table.add(Opcode::Mad24Hi, decodeMad24<Mul24Hi>);
  table.add(Opcode::Sad, decodeSad);
  table.add(Opcode::Div, decodeDivide<Div>);
  table.add(Opcode::Rem, decodeDivide<Rem>);
  table.add(Opcode::Abs, decodeUnary<Abs>);
  table.add(Opcode::Neg, decodeUnary<Neg>);
  table.add(Opcode::Min, decodeRelu<Min>);
  table.add(Opcode::Min, decodeBinary<Min>);
  table.add(Opcode::Max, decodeRelu<Max>);
  table.add(Opcode::Max, decodeBinary<Max>);
  table.add(Opcode::Dp4a, decodeDotProduct<uint8_t, int8_t>);
  table.add(Opcode::Dp2aLo, decodeDotProduct<uint16_t, int16_t>);
  table.add(Opcode::Dp2aHi, decodeDotProduct<uint16_t, int16_t>);
}
