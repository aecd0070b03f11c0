//===- ElementFormat.cpp - Elements of the matrices that MMAs read -------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arithmetic/ElementFormat.h"
#include <bit>
#include <cstring>
#include <type_traits>

using namespace drawloom::emu;

/// The floats of `value(0)` to `value(count - 1)` as bf16, which holds them
/// exactly. The compiler turns this into vector code.
template <unsigned count = 16, typename F>
static void storeBF16(char *out, F value) {
  uint16_t words[count];
  for (unsigned i = 0; i != count; ++i)
    words[i] = std::bit_cast<uint32_t>(value(i)) >> 16;
  memcpy(out, words, sizeof(words));
}

namespace {
/// How a small float treats its largest exponent.
enum class Specials { None, OneNaN, InfAndNaN };

/// A float of 1 + E + M bits.
template <unsigned E, unsigned M, Specials specials>
struct SmallFloat {
  static float toFloat(uint32_t bits) {
    constexpr uint32_t bias = (1u << (E - 1)) - 1;
    constexpr uint32_t lift = (127 - bias) << 23;
    uint32_t magnitude = bits & ((1u << (E + M)) - 1);
    uint32_t sign = (bits >> (E + M) & 1) << 31;
    uint32_t normal = (magnitude << (23 - M)) + lift;
    // A subnormal has an implied 0 where a normal number has a 1: read it with
    // a 1, and subtract that again.
    float subnormal = std::bit_cast<float>(normal + (1u << 23)) -
                      std::bit_cast<float>(lift + (1u << 23));
    uint32_t result =
        magnitude < (1u << M) ? std::bit_cast<uint32_t>(subnormal) : normal;
    if constexpr (specials == Specials::OneNaN)
      result = magnitude == (1u << (E + M)) - 1 ? 0x7fc00000u : result;
    if constexpr (specials == Specials::InfAndNaN) {
      constexpr uint32_t infinity = ((1u << E) - 1) << M;
      result = magnitude == infinity  ? 0x7f800000u
               : magnitude > infinity ? 0x7fc00000u
                                      : result;
    }
    return std::bit_cast<float>(result | sign);
  }
};
using E4M3 = SmallFloat<4, 3, Specials::OneNaN>;
using E5M2 = SmallFloat<5, 2, Specials::InfAndNaN>;
using E2M3 = SmallFloat<2, 3, Specials::None>;
using E3M2 = SmallFloat<3, 2, Specials::None>;
using E2M1 = SmallFloat<2, 1, Specials::None>;
} // namespace

static void copyPiece(const char *in, char *out) { memcpy(out, in, 16); }

static void widenBF16(const char *in, char *out) {
  uint16_t values[8];
  memcpy(values, in, sizeof(values));
  uint32_t converted[8];
  for (unsigned i = 0; i != 8; ++i)
    converted[i] = uint32_t(values[i]) << 16;
  memcpy(out, converted, sizeof(converted));
}

static void convertF16(const char *in, char *out) {
  _Float16 values[8];
  memcpy(values, in, sizeof(values));
  float converted[8];
  for (unsigned i = 0; i != 8; ++i)
    converted[i] = static_cast<float>(values[i]);
  memcpy(out, converted, sizeof(converted));
}

/// tf32 is f32 without its lowest 13 bits, which the hardware ignores.
static void convertTF32(const char *in, char *out) {
  uint32_t words[4];
  memcpy(words, in, sizeof(words));
  for (uint32_t &word : words)
    word &= 0xffffe000u;
  memcpy(out, words, sizeof(words));
}

/// An element in each byte, `shift` bits above its lowest bit.
template <typename Float, unsigned shift>
static void convertBytes(const char *in, char *out) {
  uint8_t bytes[16];
  memcpy(bytes, in, sizeof(bytes));
  storeBF16(out, [&](unsigned i) { return Float::toFloat(bytes[i] >> shift); });
}

template <typename T>
static void convertIntegers(const char *in, char *out) {
  T values[16];
  memcpy(values, in, sizeof(values));
  storeBF16(out, [&](unsigned i) { return static_cast<float>(values[i]); });
}

/// Sixteen elements of `bits` bits, packed from the lowest bit on.
template <typename Float, unsigned bits>
static void convertPacked(const char *in, char *out) {
  uint64_t words[2];
  memcpy(words, in, sizeof(words));
  storeBF16(out, [&](unsigned i) {
    unsigned from = i * bits;
    uint64_t value = words[from / 64] >> from % 64;
    if (from % 64 + bits > 64)
      value |= words[1] << (64 - from % 64);
    return Float::toFloat(value & ((1u << bits) - 1));
  });
}

/// Two in each byte.
static void convertDenseE2M1(const char *in, char *out) {
  uint8_t bytes[16];
  memcpy(bytes, in, sizeof(bytes));
  storeBF16<32>(out, [&](unsigned i) {
    return E2M1::toFloat(bytes[i / 2] >> i % 2 * 4 & 15);
  });
}

static void convertBits(const char *in, char *out) {
  uint8_t bytes[16];
  memcpy(bytes, in, sizeof(bytes));
  storeBF16<128>(out, [&](unsigned i) {
    return static_cast<float>(bytes[i / 8] >> i % 8 & 1);
  });
}

// PTX ISA, sections 9.7.16.10.4 (packing) and 9.7.14.5 (where an element stands
// in its byte: e2m1 in the middle, e2m3 and e3m2 at the bottom).
static const ElementInfo formats[] = {
    {"bf16", 8, Compute::BF16, copyPiece},
    {"bf16", 8, Compute::F32, widenBF16},
    {"f16", 8, Compute::F32, convertF16},
    {"tf32", 4, Compute::F32, convertTF32},
    {"e4m3", 16, Compute::BF16, convertBytes<E4M3, 0>},
    {"e5m2", 16, Compute::BF16, convertBytes<E5M2, 0>},
    {"e2m3", 16, Compute::BF16, convertBytes<E2M3, 0>},
    {"e3m2", 16, Compute::BF16, convertBytes<E3M2, 0>},
    {"e2m1", 16, Compute::BF16, convertBytes<E2M1, 2>},
    {"e2m3", 16, Compute::BF16, convertPacked<E2M3, 6>},
    {"e3m2", 16, Compute::BF16, convertPacked<E3M2, 6>},
    {"e2m1", 16, Compute::BF16, convertPacked<E2M1, 4>},
    {"e2m1", 32, Compute::BF16, convertDenseE2M1},
    {"s8", 16, Compute::BF16, convertIntegers<int8_t>},
    {"u8", 16, Compute::BF16, convertIntegers<uint8_t>},
    {"b1", 128, Compute::BF16, convertBits},
};

const ElementInfo &drawloom::emu::infoOf(ElementFormat format) {
  return formats[static_cast<unsigned>(format)];
}
