//===- AtomicOps.h - The operations of atom, red and copies ----*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an atomic operation makes of the value in memory (a) and the operand
// (b): one class for each operation, for every type that has it. Atomic
// instructions and copies that reduce share them.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_ATOMICOPS_H
#define DRAWLOOM_EMULATOR_ATOMICOPS_H

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace drawloom::emu::atomic_ops {

/// bfloat16: the upper half of a float, rounded to nearest even.
struct BFloat16 {
  uint16_t bits = 0;

  BFloat16() = default;
  explicit BFloat16(float value) {
    uint32_t wide = std::bit_cast<uint32_t>(value);
    bits =
        std::isnan(value) ? 0x7fff : (wide + 0x7fff + (wide >> 16 & 1)) >> 16;
  }
  explicit operator float() const {
    return std::bit_cast<float>(uint32_t(bits) << 16);
  }
};

/// What arithmetic on T is done in. Sums of 16-bit floats are rounded once:
/// a float has more than twice their digits.
template <typename T>
using ArithmeticOf =
    std::conditional_t<std::is_integral_v<T>,
                       std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>,
                       std::conditional_t<sizeof(T) == 2, float, T>>;

struct Add {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(static_cast<ArithmeticOf<T>>(a) +
                          static_cast<ArithmeticOf<T>>(b));
  }
};
struct And {
  template <typename T>
  static T apply(T a, T b) {
    return a & b;
  }
};
struct Or {
  template <typename T>
  static T apply(T a, T b) {
    return a | b;
  }
};
struct Xor {
  template <typename T>
  static T apply(T a, T b) {
    return a ^ b;
  }
};
struct Exch {
  template <typename T>
  static T apply(T, T b) {
    return b;
  }
};
struct Inc {
  template <typename T>
  static T apply(T a, T b) {
    return a >= b ? 0 : a + 1;
  }
};
struct Dec {
  template <typename T>
  static T apply(T a, T b) {
    return a == 0 || a > b ? b : a - 1;
  }
};
/// Of two floats one of which is NaN, the other; -0 is less than +0.
template <typename T>
bool isLess(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return a < b;
  } else {
    auto x = static_cast<ArithmeticOf<T>>(a),
         y = static_cast<ArithmeticOf<T>>(b);
    return x == y ? std::signbit(x) && !std::signbit(y) : x < y;
  }
}
template <typename T>
bool isNaN(T value) {
  if constexpr (std::is_integral_v<T>)
    return false;
  else
    return std::isnan(static_cast<ArithmeticOf<T>>(value));
}
struct Min {
  template <typename T>
  static T apply(T a, T b) {
    return isNaN(a) || isLess(b, a) ? b : a;
  }
};
struct Max {
  template <typename T>
  static T apply(T a, T b) {
    return isNaN(a) || isLess(a, b) ? b : a;
  }
};

/// Subnormals become zeros of the same sign.
inline float flush(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value)
                                                : value;
}

} // namespace drawloom::emu::atomic_ops

#endif // DRAWLOOM_EMULATOR_ATOMICOPS_H
