//===- ConvertPacked.cpp - Two and four numbers in one register ----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, section 9.7.9.21: cvt to and from f16x2, bf16x2 and the formats of
// 8, 6 and 4 bits. The first source goes to the upper bits.
//
// All narrow formats have one encoder: the significand of a float is shifted to
// where its last bit is the last one of the format, rounded, and the exponent
// added. A carry goes into the exponent by itself, and subnormal numbers are
// those whose shift is longer.
//
// Stochastic rounding (.rs) adds random bits to those that are cut off. The ISA
// shows in a figure which bits each value gets; as its text has it, two values
// of 8 or 6 bits share 16 bits, and each of 4 bits has 8 of its own. They stand
// at the top of what is cut off.

#include "Execute/Arithmetic/Arithmetic.h"
#include "Execute/Arithmetic/FloatMath.h"

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Slot;
using ptx::Type;

namespace {
/// A floating-point format of up to 16 bits.
struct Format {
  uint8_t bits; ///< With the sign.
  uint8_t mantissaBits;
  int8_t leastExponent; ///< Of a normal number.
  uint16_t largest;     ///< The largest finite number.
  uint16_t infinity;    ///< What is larger; `largest` if there is none.
  uint16_t nan;         ///< What a NaN becomes.
};
} // namespace

static constexpr Format f16{16, 10, -14, 0x7bff, 0x7c00, canonicalNaN16};
static constexpr Format bf16{16, 7, -126, 0x7f7f, 0x7f80, canonicalNaN16};
static constexpr Format e4m3{8, 3, -6, 0x7e, 0x7e, 0x7f};
static constexpr Format e5m2{8, 2, -14, 0x7b, 0x7c, 0x7f};
static constexpr Format e2m3{6, 3, 0, 0x1f, 0x1f, 0x1f};
static constexpr Format e3m2{6, 2, -2, 0x1f, 0x1f, 0x1f};
static constexpr Format e2m1{4, 1, 0, 0x7, 0x7, 0x7};

/// How a number is rounded and limited.
namespace {
struct Options {
  bool relu = false;
  bool satfinite = false;
};
} // namespace

/// Encodes a float. With `RandomBits`, the rounding is stochastic with that
/// many bits from `random`; to nearest otherwise.
template <Format F, unsigned RandomBits>
static uint32_t encode(float value, uint32_t random, Options options) {
  constexpr uint32_t signBit = 1u << (F.bits - 1);
  uint32_t bits = bitsOf(value), magnitude = bits & 0x7fffffff;
  int32_t field = magnitude >> 23;
  int32_t exponent = (field ? field : 1) - 127;
  uint32_t significand = (magnitude & 0x7fffff) | (field ? 0x800000 : 0);
  int32_t below = exponent < F.leastExponent ? F.leastExponent - exponent : 0;
  uint32_t shift = 23 - F.mantissaBits + below;
  // The sum must fit into 32 bits. What is lost of a number so small is below
  // the random bits.
  uint32_t beyond = shift > 30 ? shift - 30 : 0;
  significand >>= beyond < 31 ? beyond : 31;
  shift -= beyond;
  uint32_t round;
  if constexpr (RandomBits != 0) {
    random &= (1u << RandomBits) - 1;
    round = shift >= RandomBits ? random << ((shift - RandomBits) & 31)
                                : random >> ((RandomBits - shift) & 31);
  } else {
    round = (1u << (shift - 1)) - 1 + (significand >> shift & 1);
  }
  uint32_t code = (significand + round) >> shift;
  if (below == 0)
    code += static_cast<uint32_t>(exponent - F.leastExponent) << F.mantissaBits;
  uint32_t limit = options.satfinite ? F.largest : F.infinity;
  code = code > F.largest ? limit : code;
  bool negative = bits >> 31;
  code = negative ? (options.relu ? 0 : code | signBit) : code;
  return magnitude > 0x7f800000 ? F.nan : code;
}

/// The number that a code of up to 8 bits is, as half precision holds it.
template <Format F>
static uint16_t decodeToHalf(uint32_t code) {
  constexpr uint32_t signBit = 1u << (F.bits - 1);
  uint32_t magnitude = code & (signBit - 1);
  uint32_t field = magnitude >> F.mantissaBits;
  uint32_t mantissa = magnitude & ((1u << F.mantissaBits) - 1);
  float normal = fromBits((field - 1 + F.leastExponent + 127) << 23 |
                          mantissa << (23 - F.mantissaBits));
  constexpr float unit = std::bit_cast<float>(
      uint32_t(F.leastExponent - F.mantissaBits + 127) << 23);
  float value = field ? normal : static_cast<float>(mantissa) * unit;
  uint16_t bits = Half::narrow(value);
  if (F.infinity != F.largest)
    bits = magnitude >= F.infinity ? Half::exponentMask : bits;
  if (F.nan != F.largest)
    bits = magnitude > F.infinity ? canonicalNaN16 : bits;
  return code & signBit && bits != canonicalNaN16 ? bits | 0x8000 : bits;
}

//===----------------------------------------------------------------------===//
// Handlers
//===----------------------------------------------------------------------===//

static Options optionsOf(const Inst *inst) {
  return {(inst->imm & 1) != 0, (inst->imm & 2) != 0};
}
static int64_t optionBits(Decoder &decoder) {
  return (decoder.has(Modifier::Relu) ? 1 : 0) |
         (decoder.has(Modifier::Satfinite) ? 2 : 0);
}

/// To f16x2 or bf16x2. Kernels end with these.
template <typename F, Rounding R, bool Plain>
static const Inst *toShorts(Warp &warp, const Inst *inst, uint32_t mask) {
  auto a = source<float>(warp, inst->slot[1]);
  auto b = source<float>(warp, inst->slot[2]);
  Options options = optionsOf(inst);
  setLanes<uint32_t>(warp, inst->slot[0], mask, [=](unsigned lane) {
    auto convert = [&](float value) -> uint32_t {
      uint16_t bits = narrowTo<F, R>(value);
      if (Plain)
        return bits;
      bits = options.satfinite ? finite<F>(bits) : bits;
      return options.relu ? relu16<F>(bits) : bits;
    };
    return convert(a[lane]) << 16 | convert(b[lane]);
  });
  return inst + 1;
}

/// Two floats to two codes.
template <Format F>
static const Inst *toPair(Warp &warp, const Inst *inst, uint32_t mask) {
  constexpr unsigned width = F.bits == 4 ? 4 : 8;
  auto a = source<float>(warp, inst->slot[1]);
  auto b = source<float>(warp, inst->slot[2]);
  Options options = optionsOf(inst);
  setLanes<uint16_t>(warp, inst->slot[0], mask, [=](unsigned lane) {
    return encode<F, 0>(a[lane], 0, options) << width |
           encode<F, 0>(b[lane], 0, options);
  });
  return inst + 1;
}
/// Two numbers of half precision, or bfloat, to two codes.
template <Format F, typename From>
static const Inst *shortsToPair(Warp &warp, const Inst *inst, uint32_t mask) {
  constexpr unsigned width = F.bits == 4 ? 4 : 8;
  auto a = source<uint32_t>(warp, inst->slot[1]);
  Options options = optionsOf(inst);
  setLanes<uint16_t>(warp, inst->slot[0], mask, [=](unsigned lane) {
    auto convert = [&](uint32_t bits) {
      return encode<F, 0>(From::widen(static_cast<uint16_t>(bits)), 0, options);
    };
    return convert(a[lane] >> 16) << width | convert(a[lane]);
  });
  return inst + 1;
}
/// Two codes to f16x2.
template <Format F>
static const Inst *fromPair(Warp &warp, const Inst *inst, uint32_t mask) {
  constexpr unsigned width = F.bits == 4 ? 4 : 8;
  constexpr uint32_t field = (1u << F.bits) - 1;
  auto a = source<uint16_t>(warp, inst->slot[1]);
  bool clampsNegative = optionsOf(inst).relu;
  setLanes<uint32_t>(warp, inst->slot[0], mask, [=](unsigned lane) {
    auto convert = [&](uint32_t code) -> uint32_t {
      uint16_t bits = decodeToHalf<F>(code & field);
      return clampsNegative ? relu16<Half>(bits) : bits;
    };
    return convert(a[lane] >> width) << 16 | convert(a[lane]);
  });
  return inst + 1;
}

/// Stochastic rounding of two floats to f16x2 or bf16x2.
template <Format F, unsigned RandomBits>
static const Inst *toShortsRandom(Warp &warp, const Inst *inst, uint32_t mask) {
  auto a = source<float>(warp, inst->slot[1]);
  auto b = source<float>(warp, inst->slot[2]);
  auto random = source<uint32_t>(warp, inst->slot[3]);
  Options options = optionsOf(inst);
  setLanes<uint32_t>(warp, inst->slot[0], mask, [=](unsigned lane) {
    return encode<F, RandomBits>(a[lane], random[lane] >> 16, options) << 16 |
           encode<F, RandomBits>(b[lane], random[lane], options);
  });
  return inst + 1;
}
/// And of four floats to four codes.
template <Format F>
static const Inst *toFourRandom(Warp &warp, const Inst *inst, uint32_t mask) {
  constexpr unsigned width = F.bits == 4 ? 4 : 8;
  constexpr unsigned randomBits = F.bits == 4 ? 8 : 16;
  // Where the random bits of a, b, e and f start.
  constexpr unsigned start[] = {F.bits == 4 ? 24 : 16, F.bits == 4 ? 8 : 16,
                                F.bits == 4 ? 16 : 0, 0};
  Source<float> values[4];
  for (unsigned i = 0; i != 4; ++i)
    values[i] = source<float>(warp, inst->slot[1 + i]);
  auto random = source<uint32_t>(warp, inst->slot[5]);
  Options options = optionsOf(inst);
  setLanes<uint32_t>(warp, inst->slot[0], mask, [=](unsigned lane) {
    uint32_t result = 0;
    for (unsigned i = 0; i != 4; ++i)
      result = result << width |
               encode<F, randomBits>(values[i][lane], random[lane] >> start[i],
                                     options);
    return result;
  });
  return inst + 1;
}

//===----------------------------------------------------------------------===//
// Scale factors: ue8m0 is a power of two
//===----------------------------------------------------------------------===//

/// The exponent of a magnitude, rounded towards zero or up. 2^-127 is the
/// smallest power, so that everything down to 0 is rounded up to it.
template <Rounding R>
static uint32_t encodeScale(float value, bool satfinite) {
  uint32_t magnitude = bitsOf(value) & 0x7fffffff;
  uint32_t code = magnitude >> 23;
  if (R == Rounding::Up && magnitude > 0x00400000 && magnitude < 0x7f800000)
    code += (magnitude & 0x7fffff) != 0;
  code = satfinite && code == 0xff ? 0xfe : code;
  return magnitude > 0x7f800000 ? 0xff : code;
}
static uint32_t decodeScale(uint32_t code) {
  return code == 0 ? 0x0040 : code == 0xff ? canonicalNaN16 : code << 7;
}

template <Rounding R>
static const Inst *toScales(Warp &warp, const Inst *inst, uint32_t mask) {
  auto a = source<float>(warp, inst->slot[1]);
  auto b = source<float>(warp, inst->slot[2]);
  bool satfinite = optionsOf(inst).satfinite;
  setLanes<uint16_t>(warp, inst->slot[0], mask, [=](unsigned lane) {
    return encodeScale<R>(a[lane], satfinite) << 8 |
           encodeScale<R>(b[lane], satfinite);
  });
  return inst + 1;
}
template <Rounding R>
static const Inst *shortsToScales(Warp &warp, const Inst *inst, uint32_t mask) {
  auto a = source<uint32_t>(warp, inst->slot[1]);
  bool satfinite = optionsOf(inst).satfinite;
  setLanes<uint16_t>(warp, inst->slot[0], mask, [=](unsigned lane) {
    float upper = fromBits(a[lane] & 0xffff0000);
    float lower = fromBits(a[lane] << 16);
    return encodeScale<R>(upper, satfinite) << 8 |
           encodeScale<R>(lower, satfinite);
  });
  return inst + 1;
}
static const Inst *fromScales(Warp &warp, const Inst *inst, uint32_t mask) {
  auto a = source<uint16_t>(warp, inst->slot[1]);
  setLanes<uint32_t>(warp, inst->slot[0], mask, [=](unsigned lane) {
    return decodeScale(a[lane] >> 8) << 16 | decodeScale(a[lane] & 0xff);
  });
  return inst + 1;
}

//===----------------------------------------------------------------------===//
// s2f6: 64ths, in two's complement
//===----------------------------------------------------------------------===//

/// The power of two that a scale factor is; NaN for 0xff.
static double scaleOf(uint32_t code) {
  code &= 0xff;
  double power = fromBits(uint64_t(code - 127 + 1023) << 52);
  return code == 0xff ? fromBits(canonicalNaN64) : power;
}
static uint32_t encodeFixed(double value, Options options) {
  double units = __builtin_rint(value * 64);
  units = units < -128 ? -128 : units > 127 ? 127 : units;
  units = options.relu && units < 0 ? 0 : units;
  // A NaN becomes the largest number.
  auto code = static_cast<int32_t>(value == value ? units : 127);
  return static_cast<uint32_t>(code) & 0xff;
}
static uint32_t decodeFixed(uint32_t code, double scale, Options options) {
  double value = static_cast<double>(static_cast<int8_t>(code)) / 64 * scale;
  uint16_t bits = BFloat::narrow(narrowToOdd(value));
  bits = options.satfinite ? finite<BFloat>(bits) : bits;
  return options.relu ? relu16<BFloat>(bits) : bits;
}

/// slot 3 is the pair of scale factors.
static const Inst *toFixed(Warp &warp, const Inst *inst, uint32_t mask) {
  auto a = source<float>(warp, inst->slot[1]);
  auto b = source<float>(warp, inst->slot[2]);
  auto scale = source<uint16_t>(warp, inst->slot[3]);
  Options options = optionsOf(inst);
  setLanes<uint16_t>(warp, inst->slot[0], mask, [=](unsigned lane) {
    return encodeFixed(a[lane] / scaleOf(scale[lane] >> 8), options) << 8 |
           encodeFixed(b[lane] / scaleOf(scale[lane]), options);
  });
  return inst + 1;
}
static const Inst *shortsToFixed(Warp &warp, const Inst *inst, uint32_t mask) {
  auto a = source<uint32_t>(warp, inst->slot[1]);
  auto scale = source<uint16_t>(warp, inst->slot[3]);
  Options options = optionsOf(inst);
  setLanes<uint16_t>(warp, inst->slot[0], mask, [=](unsigned lane) {
    double upper = fromBits(a[lane] & 0xffff0000);
    double lower = fromBits(a[lane] << 16);
    return encodeFixed(upper / scaleOf(scale[lane] >> 8), options) << 8 |
           encodeFixed(lower / scaleOf(scale[lane]), options);
  });
  return inst + 1;
}
static const Inst *fromFixed(Warp &warp, const Inst *inst, uint32_t mask) {
  auto a = source<uint16_t>(warp, inst->slot[1]);
  auto scale = source<uint16_t>(warp, inst->slot[3]);
  Options options = optionsOf(inst);
  setLanes<uint32_t>(warp, inst->slot[0], mask, [=](unsigned lane) {
    return decodeFixed(a[lane] >> 8, scaleOf(scale[lane] >> 8), options) << 16 |
           decodeFixed(a[lane] & 0xff, scaleOf(scale[lane]), options);
  });
  return inst + 1;
}

//===----------------------------------------------------------------------===//
// Decoders
//===----------------------------------------------------------------------===//

/// Calls `pick.operator()<F>()` with the format of a packed type.
template <typename F>
static Execute *withFormat(Type type, F pick) {
  switch (type) {
  case Type::E4M3x2:
  case Type::E4M3x4:
    return pick.template operator()<e4m3>();
  case Type::E5M2x2:
  case Type::E5M2x4:
    return pick.template operator()<e5m2>();
  case Type::E2M3x2:
  case Type::E2M3x4:
    return pick.template operator()<e2m3>();
  case Type::E3M2x2:
  case Type::E3M2x4:
    return pick.template operator()<e3m2>();
  case Type::E2M1x2:
  case Type::E2M1x4:
    return pick.template operator()<e2m1>();
  default:
    return nullptr;
  }
}

template <typename F>
static Execute *shortsHandler(Rounding rounding, bool plain) {
  if (rounding == Rounding::Zero)
    return plain ? toShorts<F, Rounding::Zero, true>
                 : toShorts<F, Rounding::Zero, false>;
  return plain ? toShorts<F, Rounding::Nearest, true>
               : toShorts<F, Rounding::Nearest, false>;
}

/// The handler of a form, by its types.
static Execute *handlerOf(Decoder &decoder, Type to, Type from) {
  Modifier rounding = decoder.get(Slot::Rnd);
  bool up = rounding == Modifier::Rp;
  switch (to) {
  case Type::F16x2:
    if (from != Type::F32)
      return withFormat(from,
                        []<Format F>() -> Execute * { return fromPair<F>; });
    if (rounding == Modifier::Rs)
      return toShortsRandom<f16, 13>;
    return shortsHandler<Half>(roundingOf(rounding), optionBits(decoder) == 0);
  case Type::BF16x2:
    if (from == Type::UE8M0x2)
      return fromScales;
    if (from == Type::S2F6x2)
      return fromFixed;
    if (rounding == Modifier::Rs)
      return toShortsRandom<bf16, 16>;
    return shortsHandler<BFloat>(roundingOf(rounding),
                                 optionBits(decoder) == 0);
  case Type::UE8M0x2:
    if (from == Type::F32)
      return up ? toScales<Rounding::Up> : toScales<Rounding::Zero>;
    return up ? shortsToScales<Rounding::Up> : shortsToScales<Rounding::Zero>;
  case Type::S2F6x2:
    return from == Type::F32 ? toFixed : shortsToFixed;
  default:
    if (rounding == Modifier::Rs)
      return withFormat(
          to, []<Format F>() -> Execute * { return toFourRandom<F>; });
    if (from == Type::F32)
      return withFormat(to, []<Format F>() -> Execute * { return toPair<F>; });
    if (from == Type::F16x2)
      return withFormat(
          to, []<Format F>() -> Execute * { return shortsToPair<F, Half>; });
    return withFormat(
        to, []<Format F>() -> Execute * { return shortsToPair<F, BFloat>; });
  }
}

static bool decodePacked(Decoder &decoder, Inst &inst) {
  Type to = decoder.type(Slot::DType), from = decoder.type(Slot::AType);
  inst.fn = handlerOf(decoder, to, from);
  if (!inst.fn)
    return false;
  // The formats allow wider registers for f16x2 alone.
  for (unsigned index = 0; index != decoder.operandCount(); ++index)
    if (Decoder::laneBytes(Decoder::declaredType(decoder.operand(index))) > 4)
      return false;
  inst.imm = optionBits(decoder);
  inst.slot[0] = decoder.dest(0);
  unsigned next = 1;
  for (unsigned index = 1; index != decoder.operandCount(); ++index)
    for (Reg reg : decoder.sources(index, Type::B32))
      inst.slot[next++] = reg;
  bool isFixed = to == Type::S2F6x2 || from == Type::S2F6x2;
  if (isFixed) {
    // Without scale factors they are 1.
    unsigned values = from == Type::F32 ? 2 : 1;
    inst.slot[3] = decoder.get(Slot::Scaled) == Modifier::None
                       ? decoder.constant(0x7f7f, 4)
                       : decoder.source(1 + values, Type::B16);
  }
  return true;
}

void drawloom::emu::registerConvertPacked(DecodeTable &table) {
  table.add(Opcode::Cvt, decodePacked);
}
