//===- FloatRounded.cpp - Directed rounding, division and roots ----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// PTX ISA, sections 9.7.3.3 to 9.7.3.8, 9.7.3.13, 9.7.3.15 and 9.7.5: sums and
// products of f32 and f32x2 with .rz, .rm and .rp, the same with operands of
// half precision, and div, rcp and sqrt with IEEE rounding.
//
// Single precision is computed in double precision, rounded to odd, and then
// rounded as asked (FloatMath.h). A double holds the product of two floats and
// the error of a sum; the remainder of a quotient or root tells its error.
// Double precision has no such wider format: APFloat does it, lane by lane.

#include "Execute/Arithmetic/Arithmetic.h"
#include "Execute/Arithmetic/FloatMath.h"
#include "llvm/ADT/APFloat.h"

using namespace drawloom;
using namespace drawloom::emu;
using llvm::APFloat;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Slot;
using ptx::Type;

namespace {
/// Each has `nearest`, what the host computes; `toOdd`, the result of floats in
/// double precision; and `apply` for APFloat. All take three operands; those
/// that an operation doesn't have are ignored.
struct Add {
  static constexpr unsigned sources = 2;
  static constexpr bool isSum = true;
  template <typename T>
  static T nearest(T a, T b, T c) {
    return a + b;
  }
  static double toOdd(double a, double b, double) { return addToOdd(a, b); }
  static bool isNegativeZero(float a, float b, float) {
    return std::signbit(a) || std::signbit(b);
  }
  static void apply(APFloat &a, const APFloat &b, const APFloat &,
                    llvm::RoundingMode mode) {
    a.add(b, mode);
  }
};
struct Sub {
  static constexpr unsigned sources = 2;
  static constexpr bool isSum = true;
  template <typename T>
  static T nearest(T a, T b, T c) {
    return a - b;
  }
  static double toOdd(double a, double b, double) { return addToOdd(a, -b); }
  static bool isNegativeZero(float a, float b, float) {
    return std::signbit(a) || !std::signbit(b);
  }
  static void apply(APFloat &a, const APFloat &b, const APFloat &,
                    llvm::RoundingMode mode) {
    a.subtract(b, mode);
  }
};
struct Mul {
  static constexpr unsigned sources = 2;
  static constexpr bool isSum = false;
  template <typename T>
  static T nearest(T a, T b, T c) {
    return a * b;
  }
  static double toOdd(double a, double b, double) { return a * b; }
  static void apply(APFloat &a, const APFloat &b, const APFloat &,
                    llvm::RoundingMode mode) {
    a.multiply(b, mode);
  }
};
struct Fma {
  static constexpr unsigned sources = 3;
  static constexpr bool isSum = true;
  template <typename T>
  static T nearest(T a, T b, T c) {
    return std::fma(a, b, c);
  }
  static double toOdd(double a, double b, double c) {
    return addToOdd(a * b, c);
  }
  static bool isNegativeZero(float a, float b, float c) {
    return std::signbit(a) != std::signbit(b) || std::signbit(c);
  }
  static void apply(APFloat &a, const APFloat &b, const APFloat &c,
                    llvm::RoundingMode mode) {
    a.fusedMultiplyAdd(b, c, mode);
  }
};
struct Div {
  static constexpr unsigned sources = 2;
  static constexpr bool isSum = false;
  template <typename T>
  static T nearest(T a, T b, T c) {
    return a / b;
  }
  static double toOdd(double a, double b, double) {
    double value = a / b;
    double rest = __builtin_fma(-value, b, a);
    return towardsOdd(value, b < 0 ? -rest : rest);
  }
  static void apply(APFloat &a, const APFloat &b, const APFloat &,
                    llvm::RoundingMode mode) {
    a.divide(b, mode);
  }
};
struct Rcp {
  static constexpr unsigned sources = 1;
  static constexpr bool isSum = false;
  template <typename T>
  static T nearest(T a, T b, T c) {
    return 1 / a;
  }
  static double toOdd(double a, double, double) { return Div::toOdd(1, a, 0); }
  static void apply(APFloat &a, const APFloat &, const APFloat &,
                    llvm::RoundingMode mode) {
    APFloat one(1.0);
    one.divide(a, mode);
    a = one;
  }
};
struct Sqrt {
  static constexpr unsigned sources = 1;
  static constexpr bool isSum = false;
  template <typename T>
  static T nearest(T a, T b, T c) {
    return std::sqrt(a);
  }
  static double toOdd(double a, double, double) {
    double value = __builtin_sqrt(a);
    return towardsOdd(value, __builtin_fma(-value, value, a));
  }
};

/// Inst::imm of the handlers of single precision.
struct Options {
  uint32_t flushLimit;
  bool sat;
};
static_assert(sizeof(Options) == sizeof(int64_t));
} // namespace

/// A result in single precision. With .ftz and .sat, this happens to operands
/// and result.
template <typename Op, Rounding R>
static float evaluate(float a, float b, float c, Options options) {
  a = flushBelow(a, options.flushLimit);
  b = flushBelow(b, options.flushLimit);
  c = flushBelow(c, options.flushLimit);
  float value;
  if constexpr (R == Rounding::Nearest) {
    value = Op::nearest(a, b, c);
  } else {
    double odd = Op::toOdd(a, b, c);
    // Rounding down, a sum of opposite numbers is -0.
    if constexpr (Op::isSum && R == Rounding::Down)
      odd = odd == 0 && Op::isNegativeZero(a, b, c) ? -0.0 : odd;
    value = narrow<R>(odd);
  }
  value = flushBelow(value, options.flushLimit);
  return options.sat ? saturate(value) : canonical(value);
}

static Options optionsOf(const Inst *inst) {
  return std::bit_cast<Options>(inst->imm);
}

/// All sources of the same type; slots that an operation doesn't use are slot
/// 1.
template <typename Op, Rounding R>
static const Inst *rounded(Warp &warp, const Inst *inst, uint32_t mask) {
  auto a = source<float>(warp, inst->slot[1]);
  auto b = source<float>(warp, inst->slot[2]);
  auto c = source<float>(warp, inst->slot[3]);
  Options options = optionsOf(inst);
  setLanes<float>(warp, inst->slot[0], mask, [=](unsigned lane) {
    return evaluate<Op, R>(a[lane], b[lane], c[lane], options);
  });
  return inst + 1;
}

template <typename Op, Rounding R>
static const Inst *roundedPacked(Warp &warp, const Inst *inst, uint32_t mask) {
  const auto *a = elements<float>(warp, inst->slot[1]);
  const auto *b = elements<float>(warp, inst->slot[2]);
  const auto *c = elements<float>(warp, inst->slot[3]);
  Options options = optionsOf(inst);
  setElements<float>(warp, inst->slot[0], mask, [=](unsigned i) {
    return evaluate<Op, R>(a[i], b[i], c[i], options);
  });
  return inst + 1;
}

/// The factors (or the first summand) of half precision, the rest single.
template <typename F, typename Op, Rounding R>
static const Inst *roundedMixed(Warp &warp, const Inst *inst, uint32_t mask) {
  auto a = source<uint16_t>(warp, inst->slot[1]);
  auto b = source<uint32_t>(warp, inst->slot[2]);
  auto c = source<float>(warp, inst->slot[3]);
  Options options = optionsOf(inst);
  setLanes<float>(warp, inst->slot[0], mask, [=](unsigned lane) {
    float second = Op::sources == 3 ? F::widen(static_cast<uint16_t>(b[lane]))
                                    : fromBits(b[lane]);
    return evaluate<Op, R>(F::widen(a[lane]), second, c[lane], options);
  });
  return inst + 1;
}

//===----------------------------------------------------------------------===//
// Double precision
//===----------------------------------------------------------------------===//

static llvm::RoundingMode modeOf(Rounding rounding) {
  switch (rounding) {
  case Rounding::Zero:
    return llvm::RoundingMode::TowardZero;
  case Rounding::Down:
    return llvm::RoundingMode::TowardNegative;
  case Rounding::Up:
    return llvm::RoundingMode::TowardPositive;
  default:
    return llvm::RoundingMode::NearestTiesToEven;
  }
}

/// The NaN of a result: that of the first operand that is one.
static double chooseNaN(llvm::ArrayRef<double> operands) {
  for (double operand : operands)
    if (operand != operand)
      return fromBits(bitsOf(operand) | 0x0008000000000000);
  return fromBits(canonicalNaN64);
}

template <typename Op>
static const Inst *roundedDouble(Warp &warp, const Inst *inst, uint32_t mask) {
  auto d = destination<double>(warp, inst->slot[0]);
  auto a = source<double>(warp, inst->slot[1]);
  auto b = source<double>(warp, inst->slot[2]);
  auto c = source<double>(warp, inst->slot[3]);
  auto rounding = static_cast<Rounding>(inst->imm);
  forEachLane(mask, [=](unsigned lane) {
    double operands[] = {a[lane], b[lane], c[lane]};
    double value;
    if (rounding == Rounding::Nearest) {
      value = Op::nearest(operands[0], operands[1], operands[2]);
    } else {
      APFloat exact(operands[0]);
      Op::apply(exact, APFloat(operands[1]), APFloat(operands[2]),
                modeOf(rounding));
      value = exact.convertToDouble();
    }
    d.set(lane,
          value == value
              ? value
              : chooseNaN(llvm::ArrayRef(operands).take_front(Op::sources)));
  });
  return inst + 1;
}

/// APFloat has no roots. The remainder of a root is exact unless it underflows,
/// so small numbers are scaled by an even power of two; no root is subnormal.
template <>
const Inst *roundedDouble<Sqrt>(Warp &warp, const Inst *inst, uint32_t mask) {
  auto d = destination<double>(warp, inst->slot[0]);
  auto a = source<double>(warp, inst->slot[1]);
  auto rounding = static_cast<Rounding>(inst->imm);
  forEachLane(mask, [=](unsigned lane) {
    double value = a[lane];
    bool small = value < 0x1p-900;
    double scaled = small ? value * 0x1p200 : value;
    double root = __builtin_sqrt(scaled);
    double rest = __builtin_fma(-root, root, scaled);
    uint64_t bits = bitsOf(root);
    if (rest < 0 && (rounding == Rounding::Zero || rounding == Rounding::Down))
      --bits;
    else if (rest > 0 && rounding == Rounding::Up)
      ++bits;
    root = small ? fromBits(bits) * 0x1p-100 : fromBits(bits);
    d.set(lane, root == root ? root : chooseNaN(value));
  });
  return inst + 1;
}

//===----------------------------------------------------------------------===//
// Decoders
//===----------------------------------------------------------------------===//

/// The source operands; the third of two is the first again, since handlers
/// read three.
static void decodeSources(Decoder &decoder, Inst &inst, Type type,
                          unsigned sources) {
  decodeOperands(decoder, inst, type, sources);
  for (unsigned index = sources + 1; index != 4; ++index)
    inst.slot[index] = inst.slot[1];
}

static int64_t optionBits(Decoder &decoder) {
  return std::bit_cast<int64_t>(Options{flushLimit(decoder.has(Modifier::Ftz)),
                                        decoder.has(Modifier::Sat)});
}

/// Sums and products of one type. Those rounded to nearest are in Float.cpp.
template <typename Op>
static bool decodeRounded(Decoder &decoder, Inst &inst) {
  Type type = decoder.type();
  Rounding rounding = roundingOf(decoder.get(Slot::Rnd));
  if (rounding == Rounding::Nearest ||
      decoder.get(Slot::AType) != Modifier::None ||
      decoder.get(Slot::ABType) != Modifier::None)
    return false;
  inst.imm = optionBits(decoder);
  if (type == Type::F32)
    inst.fn = withRounding(
        rounding, []<Rounding R>() -> Execute * { return rounded<Op, R>; });
  else if (type == Type::F32x2)
    inst.fn = withRounding(rounding, []<Rounding R>() -> Execute * {
      return roundedPacked<Op, R>;
    });
  else if (type == Type::F64) {
    inst.fn = roundedDouble<Op>;
    inst.imm = static_cast<int64_t>(rounding);
  } else
    return false;
  decodeSources(decoder, inst, type, Op::sources);
  return true;
}

template <typename Op>
static bool decodeMixed(Decoder &decoder, Inst &inst) {
  Slot slot = Op::sources == 3 ? Slot::ABType : Slot::AType;
  Type half = decoder.type(slot);
  if (half == Type::None)
    return false;
  inst.fn = withRounding(
      roundingOf(decoder.get(Slot::Rnd)), [&]<Rounding R>() -> Execute * {
        return half == Type::F16 ? roundedMixed<Half, Op, R>
                                 : roundedMixed<BFloat, Op, R>;
      });
  inst.imm = optionBits(decoder);
  inst.slot[0] = decoder.dest(0);
  inst.slot[1] = decoder.source(1, half);
  inst.slot[2] = decoder.source(2, Op::sources == 3 ? half : Type::F32);
  inst.slot[3] = Op::sources == 3 ? decoder.source(3, Type::F32) : inst.slot[2];
  return true;
}

/// div, rcp and sqrt; what is approximate is in FloatApprox.cpp.
template <typename Op>
static bool decodeDivision(Decoder &decoder, Inst &inst) {
  Type type = decoder.type();
  Modifier mode = decoder.get(Slot::Mode);
  if (mode == Modifier::Approx || mode == Modifier::Full)
    return false;
  Rounding rounding = roundingOf(mode);
  if (type == Type::F32) {
    inst.fn = withRounding(
        rounding, []<Rounding R>() -> Execute * { return rounded<Op, R>; });
    inst.imm = optionBits(decoder);
  } else if (type == Type::F64) {
    inst.fn = roundedDouble<Op>;
    inst.imm = static_cast<int64_t>(rounding);
  } else
    return false;
  decodeSources(decoder, inst, type, Op::sources);
  return true;
}

void drawloom::emu::registerFloatRounded(DecodeTable &table) {
  table.add(Opcode::Add, decodeRounded<Add>);
  table.add(Opcode::Add, decodeMixed<Add>);
  table.add(Opcode::Sub, decodeRounded<Sub>);
  table.add(Opcode::Sub, decodeMixed<Sub>);
  table.add(Opcode::Mul, decodeRounded<Mul>);
  table.add(Opcode::Fma, decodeRounded<Fma>);
  table.add(Opcode::Fma, decodeMixed<Fma>);
  table.add(Opcode::Mad, decodeRounded<Fma>);
  table.add(Opcode::Div, decodeDivision<Div>);
  table.add(Opcode::Rcp, decodeDivision<Rcp>);
  table.add(Opcode::Sqrt, decodeDivision<Sqrt>);
}
