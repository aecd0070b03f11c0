//===- FloatSelect.cpp - Signs, minimum, maximum, classes ----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, sections 9.7.3.1, 9.7.3.2, 9.7.3.9 to 9.7.3.12 and 9.7.4.5 to
// 9.7.4.8: what chooses or changes bits of floating-point numbers and rounds
// nothing. neg and abs change the sign bit alone, of NaNs too.

#include "Execute/Arithmetic/Arithmetic.h"
#include "Execute/Arithmetic/FloatMath.h"

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Slot;
using ptx::Type;

//===----------------------------------------------------------------------===//
// neg, abs, copysign, testp
//===----------------------------------------------------------------------===//

namespace {
/// On the bits of any format: E is the mask of its exponent, 0 if subnormal
/// numbers are kept.
template <bool Absolute, auto E>
struct ChangeSign {
  template <typename T>
  static T apply(T bits) {
    constexpr T sign = T(T(1) << (8 * sizeof(T) - 1));
    if (E != 0)
      bits = bits & T(E) ? bits : bits & sign;
    return Absolute ? bits & T(~sign) : bits ^ sign;
  }
};

struct CopySign {
  template <typename T>
  static T apply(T a, T b) {
    constexpr T sign = T(T(1) << (8 * sizeof(T) - 1));
    return (a & sign) | (b & ~sign);
  }
};
} // namespace

template <bool Absolute>
static bool decodeSign(Decoder &decoder, Inst &inst) {
  Type type = decoder.type();
  bool ftz = decoder.has(Modifier::Ftz);
  switch (type) {
  case Type::F32:
    inst.fn = ftz ? unaryHandler<uint32_t, ChangeSign<Absolute, 0x7f800000>>
                  : unaryHandler<uint32_t, ChangeSign<Absolute, 0>>;
    break;
  case Type::F64:
    inst.fn = unaryHandler<uint64_t, ChangeSign<Absolute, 0>>;
    break;
  case Type::F16:
    inst.fn = ftz ? unaryHandler<uint16_t, ChangeSign<Absolute, 0x7c00>>
                  : unaryHandler<uint16_t, ChangeSign<Absolute, 0>>;
    break;
  case Type::BF16:
    inst.fn = unaryHandler<uint16_t, ChangeSign<Absolute, 0>>;
    break;
  case Type::F16x2:
    inst.fn = ftz ? packedUnaryHandler<uint16_t, ChangeSign<Absolute, 0x7c00>>
                  : packedUnaryHandler<uint16_t, ChangeSign<Absolute, 0>>;
    break;
  case Type::BF16x2:
    inst.fn = packedUnaryHandler<uint16_t, ChangeSign<Absolute, 0>>;
    break;
  default:
    return false;
  }
  decodeOperands(decoder, inst, type, 1);
  return true;
}

static bool decodeCopysign(Decoder &decoder, Inst &inst) {
  Type type = decoder.type();
  inst.fn = type == Type::F32 ? binaryHandler<uint32_t, CopySign>
                              : binaryHandler<uint64_t, CopySign>;
  decodeOperands(decoder, inst, type, 2);
  return true;
}

/// Whether the magnitude is in [low, high): every class is a range of bits, but
/// for `normal`, which has zero as well.
template <typename T, bool OrZero>
static const Inst *testClass(Warp &warp, const Inst *inst, uint32_t mask) {
  auto a = source<T>(warp, inst->slot[1]);
  const auto &range = inst->as<std::pair<T, T>>();
  T low = range.first, high = range.second;
  uint32_t word = collect([=](unsigned lane) {
    T magnitude = a[lane] & maximumOf<std::make_signed_t<T>>;
    return (magnitude >= low && magnitude < high) || (OrZero && magnitude == 0);
  });
  warp.setPredicate(inst->slot[0], word, mask);
  return inst + 1;
}

template <typename T>
static bool decodeClass(Decoder &decoder, Inst &inst, T smallest, T infinity) {
  std::pair<T, T> range;
  bool orZero = false;
  constexpr T end = ~T(0);
  switch (decoder.get(Slot::Op)) {
  case Modifier::Finite:
    range = {0, infinity};
    break;
  case Modifier::Infinite:
    range = {infinity, infinity + 1};
    break;
  case Modifier::Number:
    range = {0, infinity + 1};
    break;
  case Modifier::NotANumber:
    range = {infinity + 1, end};
    break;
  case Modifier::Normal:
    range = {smallest, infinity};
    orZero = true;
    break;
  default: // subnormal
    range = {1, smallest};
    break;
  }
  inst.fn = orZero ? testClass<T, true> : testClass<T, false>;
  inst.extra = decoder.keep(range);
  inst.slot[0] = decoder.predicate(0);
  inst.slot[1] = decoder.source(1, decoder.type());
  return true;
}

static bool decodeTestp(Decoder &decoder, Inst &inst) {
  if (decoder.type() == Type::F32)
    return decodeClass<uint32_t>(decoder, inst, 0x00800000, 0x7f800000);
  return decodeClass<uint64_t>(decoder, inst, 0x0010000000000000,
                               0x7ff0000000000000);
}

//===----------------------------------------------------------------------===//
// min and max
//===----------------------------------------------------------------------===//

namespace {
/// Two operands; with XorSign, of their magnitudes, with the product's sign.
template <bool Max, bool Propagate, bool XorSign, bool Ftz>
struct Extremum {
  static float apply(float a, float b) {
    if (Ftz) {
      a = flush(a);
      b = flush(b);
    }
    if (!XorSign)
      return extremum<Max, Propagate>(a, b);
    uint32_t sign = (bitsOf(a) ^ bitsOf(b)) & 0x80000000;
    float value = extremum<Max, Propagate>(std::fabs(a), std::fabs(b));
    return value == value ? fromBits(bitsOf(value) | sign) : value;
  }
};

/// Three operands. Subnormal ones are below imm.
template <bool Max, bool Propagate, bool Absolute, bool Ftz>
struct Extremum3 {
  static float apply(float a, float b, float c) {
    auto prepare = [](float value) {
      value = Ftz ? flush(value) : value;
      return Absolute ? std::fabs(value) : value;
    };
    return extremum<Max, Propagate>(
        extremum<Max, Propagate>(prepare(a), prepare(b)), prepare(c));
  }
};

template <bool Max>
struct ExtremumDouble {
  static double apply(double a, double b) { return extremum<Max, false>(a, b); }
};

/// The same on half precision or bfloat. No result is rounded.
template <typename F, bool Max, bool Propagate, bool XorSign, bool Ftz>
struct ExtremumShort {
  static uint16_t apply(uint16_t a, uint16_t b) {
    if (Ftz) {
      a = flush16<F>(a);
      b = flush16<F>(b);
    }
    return F::narrow(Extremum<Max, Propagate, XorSign, false>::apply(
        F::widen(a), F::widen(b)));
  }
};

/// A handler for each choice of three modifiers.
template <typename F>
Execute *withModifiers(bool first, bool second, bool third, F pick) {
  switch (first * 4 + second * 2 + third) {
  case 0:
    return pick.template operator()<false, false, false>();
  case 1:
    return pick.template operator()<false, false, true>();
  case 2:
    return pick.template operator()<false, true, false>();
  case 3:
    return pick.template operator()<false, true, true>();
  case 4:
    return pick.template operator()<true, false, false>();
  case 5:
    return pick.template operator()<true, false, true>();
  case 6:
    return pick.template operator()<true, true, false>();
  default:
    return pick.template operator()<true, true, true>();
  }
}
} // namespace

template <bool Max>
static bool decodeExtremum(Decoder &decoder, Inst &inst) {
  Type type = decoder.type();
  bool propagate = decoder.has(Modifier::PropagateNaN);
  bool xorSign = decoder.has(Modifier::XorSign);
  bool ftz = decoder.has(Modifier::Ftz);
  unsigned sources = decoder.operandCount() - 1;
  switch (type) {
  case Type::F32:
    if (sources == 3)
      inst.fn =
          withModifiers(propagate, decoder.has(Modifier::Abs), ftz,
                        []<bool N, bool A, bool Z>() -> Execute * {
                          return ternaryHandler<float, Extremum3<Max, N, A, Z>>;
                        });
    else
      inst.fn = withModifiers(
          propagate, xorSign, ftz, []<bool N, bool X, bool Z>() -> Execute * {
            return binaryHandler<float, Extremum<Max, N, X, Z>>;
          });
    break;
  case Type::F64:
    inst.fn = binaryHandler<double, ExtremumDouble<Max>>;
    break;
  case Type::F16:
    inst.fn = withModifiers(
        propagate, xorSign, ftz, []<bool N, bool X, bool Z>() -> Execute * {
          return binaryHandler<uint16_t, ExtremumShort<Half, Max, N, X, Z>>;
        });
    break;
  case Type::F16x2:
    inst.fn = withModifiers(
        propagate, xorSign, ftz, []<bool N, bool X, bool Z>() -> Execute * {
          return packedBinaryHandler<uint16_t,
                                     ExtremumShort<Half, Max, N, X, Z>>;
        });
    break;
  case Type::BF16:
    inst.fn = withModifiers(
        propagate, xorSign, false, []<bool N, bool X, bool>() -> Execute * {
          return binaryHandler<uint16_t,
                               ExtremumShort<BFloat, Max, N, X, false>>;
        });
    break;
  case Type::BF16x2:
    inst.fn = withModifiers(
        propagate, xorSign, false, []<bool N, bool X, bool>() -> Execute * {
          return packedBinaryHandler<uint16_t,
                                     ExtremumShort<BFloat, Max, N, X, false>>;
        });
    break;
  default:
    return false;
  }
  decodeOperands(decoder, inst, type, sources);
  return true;
}

void drawloom::emu::registerFloatSelect(DecodeTable &table) {
  table.add(Opcode::Neg, decodeSign<false>);
  table.add(Opcode::Abs, decodeSign<true>);
  table.add(Opcode::Copysign, decodeCopysign);
  table.add(Opcode::Testp, decodeTestp);
  table.add(Opcode::Min, decodeExtremum<false>);
  table.add(Opcode::Max, decodeExtremum<true>);
}
