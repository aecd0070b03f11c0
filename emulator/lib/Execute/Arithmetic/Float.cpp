//===- Float.cpp - Sums and products rounded to nearest ------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, sections 9.7.3.3 to 9.7.3.7: add, sub, mul, fma and mad of f32,
// f32x2 and f64, rounded to nearest, which is what the host does. The other
// roundings are in FloatRounded.cpp.

#include "Execute/Arithmetic/Arithmetic.h"
#include "Execute/Arithmetic/FloatMath.h"

using namespace drawloom;
using namespace drawloom::emu;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Slot;
using ptx::Type;

namespace {
struct Add {
  template <typename T>
  static T apply(T a, T b) {
    return a + b;
  }
};
struct Sub {
  template <typename T>
  static T apply(T a, T b) {
    return a - b;
  }
};
struct Mul {
  template <typename T>
  static T apply(T a, T b) {
    return a * b;
  }
};
struct Fma {
  static float apply(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
  }
  static double apply(double a, double b, double c) {
    return __builtin_fma(a, b, c);
  }
};

/// Op on floats with the modifiers .ftz and .sat.
template <typename Op, bool Ftz, bool Sat>
struct Single {
  template <typename... T>
  static float apply(T... operands) {
    float value;
    if constexpr (Ftz)
      value = flush(Op::apply(flush(operands)...));
    else
      value = Op::apply(operands...);
    return Sat ? saturate(value) : canonical(value);
  }
};

/// Op on doubles. A NaN is that of the first operand that is one.
template <typename Op>
struct Double {
  template <typename... T>
  static double apply(T... operands) {
    double value = Op::apply(operands...);
    uint64_t nan = canonicalNaN64;
    pickNaN(nan, operands...);
    return value == value ? value : fromBits(nan);
  }

private:
  static void pickNaN(uint64_t &) {}
  template <typename... T>
  static void pickNaN(uint64_t &nan, double first, T... others) {
    pickNaN(nan, others...);
    nan = first == first ? nan : bitsOf(first) | 0x0008000000000000;
  }
};
} // namespace

/// The handler of an operation with `Sources` operands.
template <unsigned Sources, typename T, typename Op>
static Execute *scalarHandler() {
  if constexpr (Sources == 2)
    return binaryHandler<T, Op>;
  else
    return ternaryHandler<T, Op>;
}
template <unsigned Sources, typename Op>
static Execute *packedHandler() {
  if constexpr (Sources == 2)
    return packedBinaryHandler<float, Op>;
  else
    return packedTernaryHandler<float, Op>;
}

template <unsigned Sources, typename Op>
static bool decodeNearest(Decoder &decoder, Inst &inst) {
  Type type = decoder.type();
  if (roundingOf(decoder.get(Slot::Rnd)) != Rounding::Nearest ||
      decoder.get(Slot::AType) != Modifier::None ||
      decoder.get(Slot::ABType) != Modifier::None)
    return false;
  bool ftz = decoder.has(Modifier::Ftz), sat = decoder.has(Modifier::Sat);
  switch (type) {
  case Type::F32:
    if (sat)
      inst.fn = ftz ? scalarHandler<Sources, float, Single<Op, true, true>>()
                    : scalarHandler<Sources, float, Single<Op, false, true>>();
    else
      inst.fn = ftz ? scalarHandler<Sources, float, Single<Op, true, false>>()
                    : scalarHandler<Sources, float, Single<Op, false, false>>();
    break;
  case Type::F32x2:
    inst.fn = ftz ? packedHandler<Sources, Single<Op, true, false>>()
                  : packedHandler<Sources, Single<Op, false, false>>();
    break;
  case Type::F64:
    inst.fn = scalarHandler<Sources, double, Double<Op>>();
    break;
  default:
    return false;
  }
  decodeOperands(decoder, inst, type, Sources);
  return true;
}

void drawloom::emu::registerFloat(DecodeTable &table) {
  table.add(Opcode::Add, decodeNearest<2, Add>);
  table.add(Opcode::Sub, decodeNearest<2, Sub>);
  table.add(Opcode::Mul, decodeNearest<2, Mul>);
  table.add(Opcode::Fma, decodeNearest<3, Fma>);
  table.add(Opcode::Mad, decodeNearest<3, Fma>);
}
