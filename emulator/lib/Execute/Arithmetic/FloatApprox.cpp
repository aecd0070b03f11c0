//===- FloatApprox.cpp - Approximate functions ---------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, sections 9.7.3.8, 9.7.3.13 to 9.7.3.22, 9.7.4.9 and 9.7.4.10. For
// these the ISA gives special values and a largest error, not bits. Results are
// as close as is cheap; docs/EmulatedForms.md has the table of errors.

#include "Execute/Arithmetic/Arithmetic.h"
#include "Execute/Arithmetic/FloatMath.h"

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Slot;
using ptx::Type;

namespace {

/// 2^x: the integer part goes into the exponent, the rest, in [-1/2, 1/2], into
/// a polynomial. Its coefficients are ln(2)^n / n!; what is left out is less
/// than 2^-27 of the value. The power is applied in two steps, so that only
/// the last one can round to a subnormal number.
struct Ex2 {
  static float apply(float x) {
    // NaN goes the way of -160 and is put right at the end.
    float clamped = x > 130 ? 130 : x >= -160 ? x : -160;
    float whole = __builtin_rintf(clamped), part = clamped - whole;
    float value = 1.5252733804059840e-5f;
    value = __builtin_fmaf(value, part, 1.5403530393381609e-4f);
    value = __builtin_fmaf(value, part, 1.3333558146428443e-3f);
    value = __builtin_fmaf(value, part, 9.6181291076284772e-3f);
    value = __builtin_fmaf(value, part, 5.5504108664821580e-2f);
    value = __builtin_fmaf(value, part, 2.4022650695910072e-1f);
    value = __builtin_fmaf(value, part, 6.9314718055994531e-1f);
    value = __builtin_fmaf(value, part, 1.0f);
    auto exponent = static_cast<int32_t>(whole);
    int32_t half = exponent >> 1;
    float scale = fromBits(uint32_t(127 + half) << 23);
    float rest = fromBits(uint32_t(127 + exponent - half) << 23);
    return x == x ? value * scale * rest : x;
  }
};
struct Lg2 {
  static float apply(float x) {
    return static_cast<float>(std::log2(static_cast<double>(x)));
  }
};
struct Sin {
  static float apply(float x) {
    return static_cast<float>(std::sin(static_cast<double>(x)));
  }
};
struct Cos {
  static float apply(float x) {
    return static_cast<float>(std::cos(static_cast<double>(x)));
  }
};
struct Tanh {
  static float apply(float x) {
    return static_cast<float>(std::tanh(static_cast<double>(x)));
  }
};
struct Rcp {
  static float apply(float x) { return 1 / x; }
};
struct Sqrt {
  static float apply(float x) { return __builtin_sqrtf(x); }
};
struct Rsqrt {
  static float apply(float x) { return 1 / __builtin_sqrtf(x); }
};

/// Whether a loop over lanes vectorizes: no calls of the C library.
template <typename Op>
constexpr bool isInline = std::is_same_v<Op, Ex2> || std::is_same_v<Op, Rcp> ||
                          std::is_same_v<Op, Sqrt> || std::is_same_v<Op, Rsqrt>;

/// Op on floats with .ftz.
template <typename Op, bool Ftz>
struct Single {
  static float apply(float x) {
    return canonical(Ftz ? flush(Op::apply(flush(x))) : Op::apply(x));
  }
};
/// Op on half precision or bfloat.
template <typename Op, typename F, bool Ftz>
struct Short {
  static uint16_t apply(uint16_t bits) {
    uint16_t value =
        F::narrow(Op::apply(F::widen(Ftz ? flush16<F>(bits) : bits)));
    return Ftz ? flush16<F>(value) : value;
  }
};

/// a * (1/b). Where 1/b would be subnormal it is 0, as the ISA has it. For a
/// subnormal b it gives no bound; nvcc's fmodf needs a quotient there.
template <bool Ftz>
struct DivApprox {
  static float apply(float a, float b) {
    if (Ftz) {
      a = flush(a);
      b = flush(b);
    }
    bool isNormal = std::fabs(b) >= std::numeric_limits<float>::min();
    float value = canonical(Ftz || isNormal ? a * flush(1 / b) : a / b);
    return Ftz ? flush(value) : value;
  }
};
template <bool Ftz>
struct DivFull {
  static float apply(float a, float b) {
    return canonical(Ftz ? flush(flush(a) / flush(b)) : a / b);
  }
};
} // namespace

/// Lane by lane, for what calls the C library.
template <typename T, typename Op>
static const Inst *unaryCalls(Warp &warp, const Inst *inst, uint32_t mask) {
  auto d = destination<T>(warp, inst->slot[0]);
  auto a = source<T>(warp, inst->slot[1]);
  forEachLane(mask, [=](unsigned lane) { d.set(lane, Op::apply(a[lane])); });
  return inst + 1;
}
template <typename E, typename Op>
static const Inst *packedCalls(Warp &warp, const Inst *inst, uint32_t mask) {
  auto *d = elements<E>(warp, inst->slot[0]);
  const auto *a = elements<E>(warp, inst->slot[1]);
  forEachLane(mask, [=](unsigned lane) {
    for (unsigned i = 2 * lane; i != 2 * lane + 2; ++i)
      d[i] = Op::apply(a[i]);
  });
  return inst + 1;
}

template <typename Op, bool Ftz>
static Execute *singleHandler() {
  if constexpr (isInline<Op>)
    return unaryHandler<float, Single<Op, Ftz>>;
  else
    return unaryCalls<float, Single<Op, Ftz>>;
}
template <typename Op, typename F, bool Ftz>
static Execute *shortHandler(bool packed) {
  using Function = Short<Op, F, Ftz>;
  if constexpr (isInline<Op>)
    return packed ? packedUnaryHandler<uint16_t, Function>
                  : unaryHandler<uint16_t, Function>;
  else
    return packed ? packedCalls<uint16_t, Function>
                  : unaryCalls<uint16_t, Function>;
}

//===----------------------------------------------------------------------===//
// Double precision
//===----------------------------------------------------------------------===//

/// rcp and rsqrt with .ftz look at the upper word only, and give one.
template <bool Root>
static const Inst *coarseDouble(Warp &warp, const Inst *inst, uint32_t mask) {
  auto d = destination<uint64_t>(warp, inst->slot[0]);
  auto a = source<uint64_t>(warp, inst->slot[1]);
  forEachLane(mask, [=](unsigned lane) {
    constexpr uint64_t sign = uint64_t(1) << 63, infinity = 0x7ff0000000000000;
    uint64_t bits = a[lane] & 0xffffffff00000000;
    if (!(bits & infinity))
      bits &= sign;
    // The root of -0 is -0, and its reciprocal is -infinity.
    double value = fromBits(bits);
    double result = 1 / (Root ? std::sqrt(value) : value);
    if (result != result) {
      d.set(lane, 0x7fffffff00000000);
      return;
    }
    uint64_t rounded = (bitsOf(result) + 0x80000000) & 0xffffffff00000000;
    d.set(lane, rounded & infinity ? rounded : rounded & sign);
  });
  return inst + 1;
}

namespace {
struct RsqrtDouble {
  static double apply(double x) {
    double value = 1 / __builtin_sqrt(x);
    uint64_t nan = x == x ? canonicalNaN64 : bitsOf(x) | 0x0008000000000000;
    return value == value ? value : fromBits(nan);
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Decoders
//===----------------------------------------------------------------------===//

template <typename Op>
static bool decodeApprox(Decoder &decoder, Inst &inst) {
  Type type = decoder.type();
  if (!decoder.has(Modifier::Approx))
    return false;
  bool ftz = decoder.has(Modifier::Ftz);
  switch (type) {
  case Type::F32:
    inst.fn = ftz ? singleHandler<Op, true>() : singleHandler<Op, false>();
    break;
  case Type::F16:
  case Type::F16x2:
    inst.fn = shortHandler<Op, Half, false>(type == Type::F16x2);
    break;
  case Type::BF16:
  case Type::BF16x2:
    inst.fn = ftz ? shortHandler<Op, BFloat, true>(type == Type::BF16x2)
                  : shortHandler<Op, BFloat, false>(type == Type::BF16x2);
    break;
  default:
    return false;
  }
  decodeOperands(decoder, inst, type, 1);
  return true;
}

static bool decodeDivApprox(Decoder &decoder, Inst &inst) {
  Modifier mode = decoder.get(Slot::Mode);
  bool ftz = decoder.has(Modifier::Ftz);
  if (mode == Modifier::Approx)
    inst.fn = ftz ? binaryHandler<float, DivApprox<true>>
                  : binaryHandler<float, DivApprox<false>>;
  else if (mode == Modifier::Full)
    inst.fn = ftz ? binaryHandler<float, DivFull<true>>
                  : binaryHandler<float, DivFull<false>>;
  else
    return false;
  decodeOperands(decoder, inst, Type::F32, 2);
  return true;
}

static bool decodeDouble(Decoder &decoder, Inst &inst) {
  if (decoder.type() != Type::F64 || !decoder.has(Modifier::Approx))
    return false;
  bool root = decoder.opcode() == Opcode::Rsqrt;
  if (decoder.has(Modifier::Ftz))
    inst.fn = root ? coarseDouble<true> : coarseDouble<false>;
  else if (root)
    inst.fn = unaryHandler<double, RsqrtDouble>;
  else
    return false;
  decodeOperands(decoder, inst, Type::F64, 1);
  return true;
}

void drawloom::emu::registerFloatApprox(DecodeTable &table) {
  table.add(Opcode::Ex2, decodeApprox<Ex2>);
  table.add(Opcode::Lg2, decodeApprox<Lg2>);
  table.add(Opcode::Sin, decodeApprox<Sin>);
  table.add(Opcode::Cos, decodeApprox<Cos>);
  table.add(Opcode::Tanh, decodeApprox<Tanh>);
  table.add(Opcode::Rcp, decodeApprox<Rcp>);
  table.add(Opcode::Rcp, decodeDouble);
  table.add(Opcode::Sqrt, decodeApprox<Sqrt>);
  table.add(Opcode::Rsqrt, decodeApprox<Rsqrt>);
  table.add(Opcode::Rsqrt, decodeDouble);
  table.add(Opcode::Div, decodeDivApprox);
}
