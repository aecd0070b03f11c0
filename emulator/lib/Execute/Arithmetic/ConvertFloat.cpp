//===- ConvertFloat.cpp - Conversions of floating-point numbers ----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, section 9.7.9.21: cvt of one value to or from floating point. It
// goes through an array of 32 doubles, in up to three loops:
//
//   load    from any type. A double holds all of them exactly but 64-bit
//           integers, which are rounded to odd (FloatMath.h).
//   round   to an integral value, if the rounding is one of those
//   store   to any type, rounded and limited as the modifiers say
//
// So there is a loop for each type on either side, not for each pair.

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
struct Conversion;
using Load = void(Warp &warp, Reg reg, double *values, const Conversion &);
using Store = void(Warp &warp, Reg reg, uint32_t mask, const double *values,
                   const Conversion &);

struct Conversion {
  Load *load = nullptr;
  Store *store = nullptr;
  std::optional<Rounding> toIntegral;
  uint32_t sourceLimit = 0; ///< For flushBelow.
  uint32_t resultLimit = 0;
  bool sat = false, relu = false, satfinite = false;
  // Of integers.
  double low = 0, high = 0;
  int64_t nan = 0;
  uint64_t keep = 0; ///< Ones up to where the result ends in its register.
};
} // namespace

//===----------------------------------------------------------------------===//
// Load
//===----------------------------------------------------------------------===//

template <typename F>
[[gnu::always_inline]] static inline void fill(double *values, F value) {
#pragma clang loop vectorize(assume_safety)
  for (unsigned lane = 0; lane != 32; ++lane) [[clang::always_inline]]
    values[lane] = value(lane);
}

/// An integer of up to 32 bits, in a register of S.
template <typename T, typename S>
static void loadInteger(Warp &warp, Reg reg, double *values,
                        const Conversion &) {
  auto a = source<S>(warp, reg);
  fill(values, [=](unsigned lane) {
    return static_cast<double>(static_cast<T>(a[lane]));
  });
}
/// Of 64 bits: two halves that are exact, and their sum rounded to odd.
template <typename T>
static void loadLong(Warp &warp, Reg reg, double *values, const Conversion &) {
  auto a = source<T>(warp, reg);
  using Upper = std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>;
  fill(values, [=](unsigned lane) {
    auto upper = static_cast<Upper>(a[lane] >> 32);
    auto lower = static_cast<uint32_t>(a[lane]);
    return addToOdd(static_cast<double>(upper) * 0x1p32,
                    static_cast<double>(lower));
  });
}
template <typename S>
static void loadSingle(Warp &warp, Reg reg, double *values,
                       const Conversion &conversion) {
  auto a = source<S>(warp, reg);
  uint32_t limit = conversion.sourceLimit;
  fill(values, [=](unsigned lane) {
    return static_cast<double>(
        flushBelow(fromBits(static_cast<uint32_t>(a[lane])), limit));
  });
}
template <typename F, typename S>
static void loadShort(Warp &warp, Reg reg, double *values, const Conversion &) {
  auto a = source<S>(warp, reg);
  fill(values, [=](unsigned lane) {
    return static_cast<double>(F::widen(static_cast<uint16_t>(a[lane])));
  });
}
static void loadDouble(Warp &warp, Reg reg, double *values,
                       const Conversion &) {
  auto a = source<double>(warp, reg);
  fill(values, [=](unsigned lane) { return a[lane]; });
}

template <typename S>
static Load *loadHandler(Type type) {
  switch (type) {
  case Type::U8:
    return loadInteger<uint8_t, S>;
  case Type::S8:
    return loadInteger<int8_t, S>;
  case Type::U16:
    return loadInteger<uint16_t, S>;
  case Type::S16:
    return loadInteger<int16_t, S>;
  case Type::U32:
    return loadInteger<uint32_t, S>;
  case Type::S32:
    return loadInteger<int32_t, S>;
  case Type::U64:
    return loadLong<uint64_t>;
  case Type::S64:
    return loadLong<int64_t>;
  case Type::F16:
    return loadShort<Half, S>;
  case Type::BF16:
    return loadShort<BFloat, S>;
  case Type::F32:
    return loadSingle<S>;
  case Type::F64:
    return loadDouble;
  default:
    return nullptr;
  }
}

//===----------------------------------------------------------------------===//
// Round
//===----------------------------------------------------------------------===//

static void roundToIntegral(double *values, Rounding rounding) {
  switch (rounding) {
  case Rounding::Nearest:
    return fill(values,
                [=](unsigned lane) { return __builtin_rint(values[lane]); });
  case Rounding::Zero:
    return fill(values,
                [=](unsigned lane) { return __builtin_trunc(values[lane]); });
  case Rounding::Down:
    return fill(values,
                [=](unsigned lane) { return __builtin_floor(values[lane]); });
  case Rounding::Up:
    return fill(values,
                [=](unsigned lane) { return __builtin_ceil(values[lane]); });
  }
}

//===----------------------------------------------------------------------===//
// Store
//===----------------------------------------------------------------------===//

/// To an integer of up to 32 bits, in a register of S.
template <bool Signed, typename S>
static void storeInteger(Warp &warp, Reg reg, uint32_t mask,
                         const double *values, const Conversion &conversion) {
  double low = conversion.low, high = conversion.high;
  S nan = static_cast<S>(conversion.nan);
  S keep = static_cast<S>(conversion.keep);
  setLanes<S>(warp, reg, mask, [=](unsigned lane) {
    double value = values[lane];
    double limited = value > low ? (value < high ? value : high) : low;
    S bits;
    if constexpr (Signed)
      bits = static_cast<S>(static_cast<int32_t>(limited));
    else
      bits = static_cast<uint32_t>(bitsOf(limited + 0x1p52));
    return static_cast<S>((value == value ? bits : nan) & keep);
  });
}
template <typename T>
static void storeLong(Warp &warp, Reg reg, uint32_t mask, const double *values,
                      const Conversion &conversion) {
  auto d = destination<T>(warp, reg);
  forEachLane(mask, [=, &conversion](unsigned lane) {
    double value = values[lane];
    T result;
    if (value != value)
      result = static_cast<T>(conversion.nan);
    else if (value < conversion.low)
      result = minimumOf<T>;
    else if (value >= conversion.high)
      result = maximumOf<T>;
    else
      result = static_cast<T>(value);
    d.set(lane, result);
  });
}
template <Rounding R, typename S>
static void storeSingle(Warp &warp, Reg reg, uint32_t mask,
                        const double *values, const Conversion &conversion) {
  uint32_t limit = conversion.resultLimit;
  bool sat = conversion.sat;
  setLanes<S>(warp, reg, mask, [=](unsigned lane) {
    float value = flushBelow(narrow<R>(values[lane]), limit);
    return static_cast<S>(bitsOf(sat ? saturate(value) : canonical(value)));
  });
}
template <typename F, Rounding R, typename S>
static void storeShort(Warp &warp, Reg reg, uint32_t mask, const double *values,
                       const Conversion &conversion) {
  bool sat = conversion.sat, clampsNegative = conversion.relu;
  bool satfinite = conversion.satfinite;
  setLanes<S>(warp, reg, mask, [=](unsigned lane) {
    float value = narrowToOdd(values[lane]);
    value = sat ? saturate(value) : value;
    uint16_t bits = narrowTo<F, R>(value);
    bits = satfinite ? finite<F>(bits) : bits;
    bits = clampsNegative ? relu16<F>(bits) : bits;
    return static_cast<S>(bits);
  });
}
static void storeDouble(Warp &warp, Reg reg, uint32_t mask,
                        const double *values, const Conversion &conversion) {
  bool sat = conversion.sat;
  setLanes<double>(warp, reg, mask, [=](unsigned lane) {
    return sat ? saturate(values[lane]) : values[lane];
  });
}

template <typename S>
static Store *storeHandler(Type type, Rounding rounding) {
  switch (type) {
  case Type::U8:
  case Type::U16:
  case Type::U32:
    return storeInteger<false, S>;
  case Type::S8:
  case Type::S16:
  case Type::S32:
    return storeInteger<true, S>;
  case Type::U64:
    return storeLong<uint64_t>;
  case Type::S64:
    return storeLong<int64_t>;
  case Type::F16:
    return withRounding(rounding, []<Rounding R>() -> Store * {
      return storeShort<Half, R, S>;
    });
  case Type::BF16:
    return withRounding(rounding, []<Rounding R>() -> Store * {
      return storeShort<BFloat, R, S>;
    });
  case Type::F32:
    return withRounding(
        rounding, []<Rounding R>() -> Store * { return storeSingle<R, S>; });
  case Type::F64:
    return storeDouble;
  default:
    return nullptr;
  }
}

//===----------------------------------------------------------------------===//
// cvt
//===----------------------------------------------------------------------===//

static const Inst *convert(Warp &warp, const Inst *inst, uint32_t mask) {
  const auto &conversion = inst->as<Conversion>();
  alignas(64) double values[32];
  conversion.load(warp, inst->slot[1], values, conversion);
  if (conversion.toIntegral)
    roundToIntegral(values, *conversion.toIntegral);
  conversion.store(warp, inst->slot[0], mask, values, conversion);
  return inst + 1;
}

/// From 64-bit integers to double precision; imm is the rounding. The error of
/// the sum of the halves says which way the nearest number is off.
template <typename T>
static const Inst *longToDouble(Warp &warp, const Inst *inst, uint32_t mask) {
  auto a = source<T>(warp, inst->slot[1]);
  auto d = destination<double>(warp, inst->slot[0]);
  bool sat = inst->imm & 4;
  auto rounding = static_cast<Rounding>(inst->imm & 3);
  using Upper = std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>;
  forEachLane(mask, [=](unsigned lane) {
    double upper = static_cast<Upper>(a[lane] >> 32) * 0x1p32;
    double lower = static_cast<uint32_t>(a[lane]);
    double sum = upper + lower, error = lower - (sum - upper);
    bool down =
        rounding == Rounding::Down || (rounding == Rounding::Zero && sum > 0);
    bool up =
        rounding == Rounding::Up || (rounding == Rounding::Zero && sum < 0);
    if (error < 0 && down)
      sum = std::nextafter(sum, -HUGE_VAL);
    else if (error > 0 && up)
      sum = std::nextafter(sum, HUGE_VAL);
    d.set(lane, sat ? saturate(sum) : sum);
  });
  return inst + 1;
}

static bool isIntegral(Modifier rounding) {
  return rounding == Modifier::Rni || rounding == Modifier::Rzi ||
         rounding == Modifier::Rmi || rounding == Modifier::Rpi;
}

/// Limits, NaN and extension of an integer result.
static void describeInteger(Conversion &conversion, Type to, Type from,
                            unsigned registerBits) {
  unsigned bits = ptx::bitsOf(to);
  bool isSigned = ptx::kindOf(to) == ptx::TypeKind::Signed;
  double range = std::ldexp(1.0, isSigned ? bits - 1 : bits);
  conversion.low = isSigned ? -range : 0;
  conversion.high = bits == 64 ? range : range - 1;
  if (from == Type::F64 || bits == 64)
    conversion.nan = isSigned ? int64_t(~uint64_t(0) << (bits - 1))
                              : int64_t(uint64_t(1) << (bits - 1));
  conversion.keep = ~uint64_t(0) >> (64 - (isSigned ? registerBits : bits));
}

static bool decodeFloats(Decoder &decoder, Inst &inst) {
  Type to = decoder.type(Slot::DType), from = decoder.type(Slot::AType);
  Modifier rounding = decoder.get(Slot::Rnd);
  auto bitsOf = [&](unsigned index, Type type) {
    const Operand &operand = decoder.operand(index);
    bool isRegister =
        operand.is(Operand::Register) || operand.is(Operand::Special);
    return isRegister ? ptx::bitsOf(operand.type()) : ptx::bitsOf(type);
  };
  unsigned fromBits = bitsOf(1, from), toBits = bitsOf(0, to);
  if (fromBits > 64 || toBits > 64 || rounding == Modifier::Rs ||
      rounding == Modifier::Rna)
    return false;
  inst.slot[0] = decoder.dest(0);
  inst.slot[1] = decoder.source(1, from);
  bool isLong = from == Type::U64 || from == Type::S64;
  if (to == Type::F64 && isLong) {
    inst.fn =
        from == Type::U64 ? longToDouble<uint64_t> : longToDouble<int64_t>;
    inst.imm = static_cast<int64_t>(roundingOf(rounding)) |
               (decoder.has(Modifier::Sat) ? 4 : 0);
    return true;
  }
  Conversion conversion;
  Rounding result =
      isIntegral(rounding) ? Rounding::Nearest : roundingOf(rounding);
  conversion.load = fromBits == 64 ? loadHandler<uint64_t>(from)
                                   : loadHandler<uint32_t>(from);
  conversion.store = toBits == 64 ? storeHandler<uint64_t>(to, result)
                                  : storeHandler<uint32_t>(to, result);
  if (!conversion.load || !conversion.store)
    return false;
  if (isIntegral(rounding))
    conversion.toIntegral = roundingOf(rounding);
  uint32_t limit = flushLimit(decoder.has(Modifier::Ftz));
  conversion.sourceLimit = conversion.resultLimit = limit;
  conversion.sat = decoder.has(Modifier::Sat);
  conversion.relu = decoder.has(Modifier::Relu);
  conversion.satfinite = decoder.has(Modifier::Satfinite);
  if (ptx::isInteger(to))
    describeInteger(conversion, to, from, toBits);
  inst.fn = convert;
  inst.extra = decoder.keep(conversion);
  return true;
}

//===----------------------------------------------------------------------===//
// Common ones in one loop
//===----------------------------------------------------------------------===//

namespace {
struct SignedToSingle {
  static uint32_t apply(uint32_t a) {
    return bitsOf(static_cast<float>(static_cast<int32_t>(a)));
  }
};
template <typename F>
struct ShortToSingle {
  static uint32_t apply(uint32_t a) {
    return bitsOf(canonical(F::widen(static_cast<uint16_t>(a))));
  }
};
template <typename F>
struct SingleToShort {
  static uint32_t apply(uint32_t a) { return F::narrow(fromBits(a)); }
};

struct CommonForm {
  Type to, from;
  Execute *fn;
};
} // namespace

static constexpr CommonForm commonForms[] = {
    {Type::F32, Type::S32, unaryHandler<uint32_t, SignedToSingle>},
    {Type::F32, Type::F16, unaryHandler<uint32_t, ShortToSingle<Half>>},
    {Type::F32, Type::BF16, unaryHandler<uint32_t, ShortToSingle<BFloat>>},
    {Type::F16, Type::F32, unaryHandler<uint32_t, SingleToShort<Half>>},
    {Type::BF16, Type::F32, unaryHandler<uint32_t, SingleToShort<BFloat>>},
};

/// Those without modifiers but .rn, in registers of up to 32 bits.
static bool decodeCommon(Decoder &decoder, Inst &inst) {
  for (unsigned index : {0, 1})
    if (Decoder::laneBytes(Decoder::declaredType(decoder.operand(index))) != 4)
      return false;
  for (Modifier modifier :
       {Modifier::Ftz, Modifier::Sat, Modifier::Relu, Modifier::Satfinite,
        Modifier::Rz, Modifier::Rm, Modifier::Rp})
    if (decoder.has(modifier))
      return false;
  for (const CommonForm &form : commonForms)
    if (form.to == decoder.type(Slot::DType) &&
        form.from == decoder.type(Slot::AType)) {
      inst.fn = form.fn;
      decodeOperands(decoder, inst, form.from, 1);
      return true;
    }
  return false;
}

//===----------------------------------------------------------------------===//
// tf32
//===----------------------------------------------------------------------===//

namespace {
/// tf32 is a float whose last 13 bits are 0.
template <Modifier Mode, bool Satfinite, bool Relu>
struct ToTf32 {
  static float apply(float value) {
    uint32_t bits = bitsOf(value), result;
    if (Mode == Modifier::Rna)
      result = bits + 0x1000;
    else if (Mode == Modifier::Rn)
      result = bits + 0xfff + (bits >> 13 & 1);
    else
      result = bits;
    result &= ~0x1fffu;
    if (Satfinite && (result & 0x7fffffff) >= 0x7f800000)
      result = (result & 0x80000000) | 0x7f7fe000;
    result = value == value ? result : canonicalNaN32;
    return Relu ? relu(fromBits(result)) : fromBits(result);
  }
};
} // namespace

template <Modifier Mode>
static Execute *tf32Handler(bool satfinite, bool relu) {
  if (satfinite)
    return relu ? unaryHandler<float, ToTf32<Mode, true, true>>
                : unaryHandler<float, ToTf32<Mode, true, false>>;
  return relu ? unaryHandler<float, ToTf32<Mode, false, true>>
              : unaryHandler<float, ToTf32<Mode, false, false>>;
}

static bool decodeTf32(Decoder &decoder, Inst &inst) {
  if (decoder.type(Slot::DType) != Type::TF32)
    return false;
  bool satfinite = decoder.has(Modifier::Satfinite);
  bool relu = decoder.has(Modifier::Relu);
  switch (decoder.get(Slot::Rnd)) {
  case Modifier::Rna:
    inst.fn = tf32Handler<Modifier::Rna>(satfinite, relu);
    break;
  case Modifier::Rn:
    inst.fn = tf32Handler<Modifier::Rn>(satfinite, relu);
    break;
  default:
    inst.fn = tf32Handler<Modifier::Rz>(satfinite, relu);
    break;
  }
  decodeOperands(decoder, inst, Type::F32, 1);
  return true;
}

void drawloom::emu::registerConvertFloat(DecodeTable &table) {
  table.add(Opcode::Cvt, decodeCommon);
  table.add(Opcode::Cvt, decodeTf32);
  table.add(Opcode::Cvt, decodeFloats);
}
