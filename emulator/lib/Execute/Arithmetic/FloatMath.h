//===- FloatMath.h - Floating point as PTX has it ---------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pieces that floating-point handlers are made of. All are branch-free, so
// that a loop over lanes vectorizes, and none depends on the rounding mode of
// the process, which is always to nearest.
//
// Every rounding is exact. The host rounds to nearest; for the rest, and for
// formats that the host has no arithmetic for, a result is first computed in a
// wider format *rounded to odd*: if it isn't exact, its last bit is set. Such a
// value rounds to a format with at least two bits less as the exact result
// would, in any direction (Boldo and Melquiond, "Emulation of FMA and Correctly
// Rounded Sums: Proved Algorithms Using Rounding to Odd", 2008).
//
// NaNs: f32, f16 and bf16 have one, with all bits but the sign set, as the
// hardware. f64 keeps the payload of the first operand that is one.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_FLOATMATH_H
#define DRAWLOOM_EMULATOR_FLOATMATH_H

#include "drawloom/PTX/InstructionTable.h"
#include <bit>
#include <cmath>
#include <cstdint>

namespace drawloom::emu {

enum class Rounding : uint8_t { Nearest, Zero, Down, Up };

/// The rounding that a modifier names; to nearest if it is none of them.
inline Rounding roundingOf(ptx::Modifier modifier) {
  switch (modifier) {
  case ptx::Modifier::Rz:
  case ptx::Modifier::Rzi:
    return Rounding::Zero;
  case ptx::Modifier::Rm:
  case ptx::Modifier::Rmi:
    return Rounding::Down;
  case ptx::Modifier::Rp:
  case ptx::Modifier::Rpi:
    return Rounding::Up;
  default:
    return Rounding::Nearest;
  }
}

/// What `pick.operator()<R>()` returns for the rounding: a handler.
template <typename F>
auto withRounding(Rounding rounding, F pick)
    -> decltype(pick.template operator()<Rounding::Nearest>()) {
  switch (rounding) {
  case Rounding::Nearest:
    return pick.template operator()<Rounding::Nearest>();
  case Rounding::Zero:
    return pick.template operator()<Rounding::Zero>();
  case Rounding::Down:
    return pick.template operator()<Rounding::Down>();
  case Rounding::Up:
    return pick.template operator()<Rounding::Up>();
  }
  return nullptr;
}

inline uint32_t bitsOf(float value) { return std::bit_cast<uint32_t>(value); }
inline uint64_t bitsOf(double value) { return std::bit_cast<uint64_t>(value); }
inline float fromBits(uint32_t bits) { return std::bit_cast<float>(bits); }
inline double fromBits(uint64_t bits) { return std::bit_cast<double>(bits); }

inline constexpr uint32_t canonicalNaN32 = 0x7fffffff;
inline constexpr uint64_t canonicalNaN64 = 0xfff8000000000000;
inline constexpr uint16_t canonicalNaN16 = 0x7fff; ///< Of f16 and bf16.

/// Subnormal numbers to zero of the same sign.
inline float flush(float value) {
  uint32_t bits = bitsOf(value);
  return fromBits(bits & 0x7f800000 ? bits : bits & 0x80000000);
}
/// The same if `limit` is 0x00800000; nothing if it is 0.
inline float flushBelow(float value, uint32_t limit) {
  uint32_t bits = bitsOf(value);
  return fromBits((bits & 0x7fffffff) < limit ? bits & 0x80000000 : bits);
}
inline constexpr uint32_t flushLimit(bool ftz) { return ftz ? 0x00800000 : 0; }

/// The one NaN for any NaN.
inline float canonical(float value) {
  return value == value ? value : fromBits(canonicalNaN32);
}
/// To [0, 1]; NaN and -0 to +0.
template <typename T>
inline T saturate(T value) {
  return value > 0 ? (value < 1 ? value : T(1)) : T(0);
}
/// Negative numbers and -0 to +0; NaN to the one NaN.
inline float relu(float value) {
  return value > 0 ? value : value == value ? 0 : fromBits(canonicalNaN32);
}

//===----------------------------------------------------------------------===//
// Rounding to odd
//===----------------------------------------------------------------------===//

/// `sum`, one step towards `error` if that isn't 0 and the last bit isn't set.
template <typename T>
inline T towardsOdd(T sum, T error) {
  auto bits = bitsOf(sum);
  using U = decltype(bits);
  bool step = (error < 0 || error > 0) && !(bits & 1);
  U up = (error > 0) == (sum > 0) ? U(1) : U(0) - 1;
  return fromBits(U(step ? bits + up : bits));
}

/// a + b, rounded to odd. The error of a sum is a number (Knuth's two-sum); the
/// operands must be so far from the largest number that no step overflows.
template <typename T>
inline T addToOdd(T a, T b) {
  T sum = a + b, second = sum - a;
  T error = (a - (sum - second)) + (b - second);
  return towardsOdd(sum, error);
}

/// To float, rounded to odd.
inline float narrowToOdd(double value) {
  float nearest = static_cast<float>(value);
  double back = nearest;
  uint32_t bits = bitsOf(nearest);
  bool step = (back < value || back > value) && !(bits & 1);
  uint32_t away = std::fabs(back) < std::fabs(value) ? 1 : -1;
  return fromBits(step ? bits + away : bits);
}

/// To float in any direction.
template <Rounding R>
inline float narrow(double value) {
  float nearest = static_cast<float>(value);
  if constexpr (R == Rounding::Nearest)
    return nearest;
  double back = nearest;
  uint32_t bits = bitsOf(nearest), sign = bits >> 31;
  if constexpr (R == Rounding::Zero)
    return fromBits(std::fabs(back) > std::fabs(value) ? bits - 1 : bits);
  // One step down lowers the bits of a positive number and raises those of a
  // negative one.
  if constexpr (R == Rounding::Down)
    return fromBits(back > value ? (sign ? bits + 1 : bits - 1) : bits);
  return fromBits(back < value ? (sign ? bits - 1 : bits + 1) : bits);
}

//===----------------------------------------------------------------------===//
// Half precision and bfloat
//===----------------------------------------------------------------------===//

// Both are computed with as floats, which hold them exactly. `narrow` takes a
// float that is exact or rounded to odd.

struct Half {
  using Bits = uint16_t;
  static constexpr uint16_t exponentMask = 0x7c00;
  static constexpr uint16_t one = 0x3c00;
  static constexpr uint16_t largest = 0x7bff;
  static float widen(uint16_t bits) {
    return static_cast<float>(std::bit_cast<_Float16>(bits));
  }
  /// To nearest.
  static uint16_t narrow(float value) {
    uint16_t bits = std::bit_cast<uint16_t>(static_cast<_Float16>(value));
    return value == value ? bits : canonicalNaN16;
  }
};

struct BFloat {
  using Bits = uint16_t;
  static constexpr uint16_t exponentMask = 0x7f80;
  static constexpr uint16_t one = 0x3f80;
  static constexpr uint16_t largest = 0x7f7f;
  static float widen(uint16_t bits) { return fromBits(uint32_t(bits) << 16); }
  static uint16_t narrow(float value) {
    uint32_t bits = bitsOf(value);
    bits += 0x7fff + (bits >> 16 & 1);
    return value == value ? static_cast<uint16_t>(bits >> 16) : canonicalNaN16;
  }
};

/// To Half or BFloat in any direction.
template <typename F, Rounding R>
inline uint16_t narrowTo(float value) {
  uint16_t bits = F::narrow(value);
  if constexpr (R == Rounding::Nearest)
    return bits;
  float back = F::widen(bits);
  uint16_t down = bits >> 15 ? bits + 1 : bits - 1;
  uint16_t up = bits >> 15 ? bits - 1 : bits + 1;
  if constexpr (R == Rounding::Zero)
    return std::fabs(back) > std::fabs(value) ? bits - 1 : bits;
  if constexpr (R == Rounding::Down)
    return back > value ? down : bits;
  return back < value ? up : bits;
}

template <typename F>
inline uint16_t flush16(uint16_t bits) {
  return bits & F::exponentMask ? bits : bits & 0x8000;
}
/// Negative numbers and -0 to +0. NaNs stay.
template <typename F>
inline uint16_t relu16(uint16_t bits) {
  return bits & 0x8000 && (bits & 0x7fff) <= F::exponentMask ? 0 : bits;
}
/// Infinity to the largest number. NaNs stay.
template <typename F>
inline uint16_t finite(uint16_t bits) {
  return (bits & 0x7fff) == F::exponentMask ? bits - 1 : bits;
}

//===----------------------------------------------------------------------===//
// Minimum and maximum
//===----------------------------------------------------------------------===//

/// -0 is less than +0. If one operand is NaN the result is the other one, or
/// NaN with `Propagate`. The NaN of two is the type's own.
template <bool Max, bool Propagate, typename T>
inline T extremum(T a, T b) {
  auto x = bitsOf(a), y = bitsOf(b);
  bool first = Max ? a > b : a < b;
  // Equal numbers have equal bits, but for the sign of zeros.
  auto equal = Max ? x & y : x | y;
  auto bits = a == b ? equal : first ? x : y;
  decltype(bits) nan;
  if constexpr (sizeof(T) == 8)
    nan = canonicalNaN64;
  else
    nan = canonicalNaN32;
  bool isNaN = a != a, isNaN2 = b != b;
  if constexpr (Propagate)
    return fromBits(isNaN || isNaN2 ? nan : bits);
  bits = isNaN ? y : isNaN2 ? x : bits;
  return fromBits(isNaN && isNaN2 ? nan : bits);
}

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_FLOATMATH_H
