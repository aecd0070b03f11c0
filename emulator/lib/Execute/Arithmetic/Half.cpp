//===- Half.cpp - Half precision and bfloat ------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, sections 9.7.4.1 to 9.7.4.4: add, sub, mul and fma of f16, f16x2,
// bf16 and bf16x2, rounded to nearest. They are computed with floats and
// rounded once more, which gives the right result because
//
//   f16   sums      a float has 24 bits, at least 2 * 11 + 2: rounding twice is
//                   rounding once (Figueroa, "When is double rounding
//                   innocuous?", 1995); sums that are subnormal are exact
//         products  22 bits: exact
//         fma       the exact product, added and rounded to odd
//   bf16  sums      24 >= 2 * 8 + 2; subnormal ones are exact
//         products  16 bits: exact, unless they are below 2^-134, and then
//                   they are 0 either way
//         fma       the product can be too small for a float and still count:
//                   in double precision, rounded to odd twice

#include "Execute/Arithmetic/Arithmetic.h"
#include "Execute/Arithmetic/FloatMath.h"

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

namespace {
struct Add {
  template <typename F>
  static float apply(float a, float b) {
    return a + b;
  }
};
struct Sub {
  template <typename F>
  static float apply(float a, float b) {
    return a - b;
  }
};
struct Mul {
  template <typename F>
  static float apply(float a, float b) {
    return a * b;
  }
};
struct Fma {
  template <typename F>
  static float apply(float a, float b, float c) {
    if constexpr (std::is_same_v<F, Half>)
      return addToOdd(a * b, c);
    else
      return narrowToOdd(addToOdd<double>(static_cast<double>(a) * b, c));
  }
};

/// What happens to the result.
enum class Finish { Plain, Sat, Relu };

/// The NaN that a tensor copy writes outside a tensor if asked to. The ISA
/// names it and doesn't give its bits.
inline constexpr uint16_t outOfBoundsNaN = 0x7fff;

template <typename F, typename Op, bool Ftz, Finish How, bool Oob>
struct Short {
  template <typename... T>
  [[gnu::always_inline]] static uint16_t apply(T... operands) {
    float value = Op::template apply<F>(
        F::widen(Ftz ? flush16<F>(operands) : operands)...);
    if (How == Finish::Sat)
      value = saturate(value);
    uint16_t bits = F::narrow(value);
    if (Ftz)
      bits = flush16<F>(bits);
    if (How == Finish::Relu)
      bits = relu16<F>(bits);
    if (Oob)
      bits = (... || (operands == outOfBoundsNaN)) ? 0 : bits;
    return bits;
  }
};
} // namespace

template <typename Function, unsigned Sources>
static Execute *handler(bool packed) {
  if constexpr (Sources == 2)
    return packed ? packedBinaryHandler<uint16_t, Function>
                  : binaryHandler<uint16_t, Function>;
  else
    return packed ? packedTernaryHandler<uint16_t, Function>
                  : ternaryHandler<uint16_t, Function>;
}

template <typename Op, unsigned Sources>
static Execute *halfHandler(bool packed, bool ftz, Finish how) {
  if (how == Finish::Sat)
    return ftz ? handler<Short<Half, Op, true, Finish::Sat, false>, Sources>(
                     packed)
               : handler<Short<Half, Op, false, Finish::Sat, false>, Sources>(
                     packed);
  return ftz ? handler<Short<Half, Op, true, Finish::Plain, false>, Sources>(
                   packed)
             : handler<Short<Half, Op, false, Finish::Plain, false>, Sources>(
                   packed);
}

/// fma with .relu or .oob.
template <typename F>
static Execute *fmaHandler(bool packed, bool ftz, bool oob, Finish how) {
  if (oob)
    return how == Finish::Relu
               ? handler<Short<F, Fma, false, Finish::Relu, true>, 3>(packed)
               : handler<Short<F, Fma, false, Finish::Plain, true>, 3>(packed);
  return ftz ? handler<Short<F, Fma, true, Finish::Relu, false>, 3>(packed)
             : handler<Short<F, Fma, false, Finish::Relu, false>, 3>(packed);
}

template <typename Op, unsigned Sources>
static bool decodeHalf(Decoder &decoder, Inst &inst) {
  Type type = decoder.type();
  bool packed = type == Type::F16x2 || type == Type::BF16x2;
  bool ftz = decoder.has(Modifier::Ftz), oob = decoder.has(Modifier::Oob);
  bool isHalf = type == Type::F16 || type == Type::F16x2;
  if (!isHalf && type != Type::BF16 && type != Type::BF16x2)
    return false;
  Finish how = decoder.has(Modifier::Sat)    ? Finish::Sat
               : decoder.has(Modifier::Relu) ? Finish::Relu
                                             : Finish::Plain;
  if (oob || how == Finish::Relu)
    inst.fn = isHalf ? fmaHandler<Half>(packed, ftz, oob, how)
                     : fmaHandler<BFloat>(packed, ftz, oob, how);
  else if (isHalf)
    inst.fn = halfHandler<Op, Sources>(packed, ftz, how);
  else
    inst.fn = handler<Short<BFloat, Op, false, Finish::Plain, false>, Sources>(
        packed);
  decodeOperands(decoder, inst, type, Sources);
  return true;
}

void drawloom::emu::registerHalf(DecodeTable &table) {
  table.add(Opcode::Add, decodeHalf<Add, 2>);
  table.add(Opcode::Sub, decodeHalf<Sub, 2>);
  table.add(Opcode::Mul, decodeHalf<Mul, 2>);
  table.add(Opcode::Fma, decodeHalf<Fma, 3>);
}
