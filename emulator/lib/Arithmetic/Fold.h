//===- Fold.h - Adding products to an accumulator ---------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// D = D + P for products P that are rows of floats, and a D that may be in
// registers or in tensor memory. Where D is, is one thing (an Access: eight
// neighboring elements of a row, as a word for each); how a sum is rounded is
// another (a Step, chosen by the form of the MMA). `fold` is the loop over
// both.
//
// What PTX leaves open is chosen so:
//
//   f32       rounded to nearest, once for each product
//   reduced   cut off behind so many significant bits, after each MMA. Hopper's
//             fp8 keeps about 14: kernels add such sums up in f32 registers
//             every few MMAs, and an emulator with full f32 would hide that
//             they must
//   f16       rounded to nearest f16 after each MMA
//   s32       exact; wraps or saturates
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_FOLD_H
#define DRAWLOOM_EMULATOR_FOLD_H

#include "Arithmetic/MatrixUnit.h"
#include <bit>
#include <cstring>

namespace drawloom::emu {

using Float8 = float __attribute__((vector_size(32)));
using Int8 = int32_t __attribute__((vector_size(32)));
using Word8 = uint32_t __attribute__((vector_size(32)));
using Half8 = _Float16 __attribute__((vector_size(16)));
using Short8 = uint16_t __attribute__((vector_size(16)));

/// Loads and stores vectors at addresses of any alignment.
template <typename V>
inline V loadVector(const void *from) {
  V value;
  memcpy(&value, from, sizeof(value));
  return value;
}
template <typename V>
inline void storeVector(void *to, V value) {
  memcpy(to, &value, sizeof(value));
}

namespace steps {

struct F32 {
  using Value = Float8;
  float sign; ///< -1 for D - P.

  Value open(Word8 words) const { return std::bit_cast<Float8>(words); }
  Value add(Value d, Float8 p) const { return d + sign * p; }
  Word8 close(Value d) const { return std::bit_cast<Word8>(d); }
};

struct Reduced : F32 {
  uint32_t kept; ///< The bits of a float that are kept.

  Value add(Value d, Float8 p) const {
    return std::bit_cast<Float8>(std::bit_cast<Word8>(F32::add(d, p)) & kept);
  }
};

struct F16 : F32 {
  static Float8 widen(Word8 words) {
    Short8 halves = __builtin_convertvector(words, Short8);
    return __builtin_convertvector(std::bit_cast<Half8>(halves), Float8);
  }
  static Word8 narrow(Float8 values) {
    Half8 halves = __builtin_convertvector(values, Half8);
    return __builtin_convertvector(std::bit_cast<Short8>(halves), Word8);
  }

  Value open(Word8 words) const { return widen(words); }
  Value add(Value d, Float8 p) const { return widen(narrow(F32::add(d, p))); }
  Word8 close(Value d) const { return narrow(d); }
};

struct S32 {
  using Value = Word8;

  Value open(Word8 words) const { return words; }
  Value add(Value d, Float8 p) const {
    return d + std::bit_cast<Word8>(__builtin_convertvector(p, Int8));
  }
  Word8 close(Value d) const { return d; }
};

struct SaturatedS32 : S32 {
  Value add(Value d, Float8 p) const {
    Word8 sum = S32::add(d, p);
    // Overflow: the sum's sign is neither operand's.
    Word8 terms = std::bit_cast<Word8>(__builtin_convertvector(p, Int8));
    Int8 overflow = std::bit_cast<Int8>((d ^ sum) & (terms ^ sum)) < 0;
    Word8 limit =
        std::bit_cast<Word8>(std::bit_cast<Int8>(d) >> 31) ^ 0x7fffffffu;
    return overflow ? limit : sum;
  }
};

} // namespace steps

/// Where an accumulator is: an Access gives its rows, a Row eight words at
/// `column` to `column + 7`. Both are small and are copied, so that what they
/// hold stays in registers while words are stored.
///
///   struct Access {
///     struct Row {
///       Word8 load(unsigned column) const;
///       void store(unsigned column, Word8 words) const;
///     };
///     bool skips(unsigned row) const; // The row is left as it is.
///     Row row(unsigned row) const;
///   };
template <bool isOne, typename Access, typename Step>
void foldWith(const MmaForm &form, Products products, bool keeps, float scale,
              const Access &access, Step step) {
  const unsigned m = form.m, n = form.n;
  const unsigned count = isOne ? 1 : products.count;
  const size_t matrix = size_t(products.rows) * n;
  for (unsigned row = 0; row != m; ++row) {
    if (access.skips(row))
      continue;
    const float *from = products.data + size_t(row) * n;
    auto to = access.row(row);
    for (unsigned column = 0; column != n; column += 8) {
      typename Step::Value d{};
      if (keeps)
        d = step.open(to.load(column));
      if constexpr (std::is_same_v<typename Step::Value, Float8>)
        d *= scale;
      for (unsigned i = 0; i != count; ++i)
        d = step.add(d, loadVector<Float8>(from + i * matrix + column));
      to.store(column, step.close(d));
    }
  }
}

/// D = D * scale + P, or D = P if D isn't kept.
template <typename Access>
void fold(const MmaForm &form, Products products, bool keeps, float scale,
          const Access &access) {
  auto with = [&](auto step) {
    if (products.count == 1)
      foldWith<true>(form, products, keeps, scale, access, step);
    else
      foldWith<false>(form, products, keeps, scale, access, step);
  };
  steps::F32 plain{form.negated ? -1.0f : 1.0f};
  switch (form.d) {
  case Accumulator::F32:
    return form.sumBits
               ? with(steps::Reduced{plain, ~0u << (24 - form.sumBits)})
               : with(plain);
  case Accumulator::F16:
    return with(steps::F16{plain});
  case Accumulator::S32:
    return form.saturated ? with(steps::SaturatedS32{}) : with(steps::S32{});
  }
}

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_FOLD_H
