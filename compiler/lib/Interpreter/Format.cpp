//===- Format.cpp - Element formats of host tensors -----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Interpreter/Format.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace drawloom::interp;
using llvm::APFloat;
using llvm::RoundingMode;

// numpy has no names for the narrow floats. A file carries them as unsigned
// integers, or as what ml_dtypes writes: raw bytes, and <f1 for f8E5M2.
static constexpr llvm::StringLiteral npyF64[] = {"<f8"};
static constexpr llvm::StringLiteral npyF32[] = {"<f4"};
static constexpr llvm::StringLiteral npyF16[] = {"<f2"};
static constexpr llvm::StringLiteral npyBF16[] = {"<u2", "<V2", "|V2"};
static constexpr llvm::StringLiteral npyByte[] = {"|u1", "|V1", "<V1", "<f1"};
static constexpr llvm::StringLiteral npyI1[] = {"|b1"};
static constexpr llvm::StringLiteral npyI8[] = {"|i1", "|u1"};
static constexpr llvm::StringLiteral npyI16[] = {"<i2", "<u2"};
static constexpr llvm::StringLiteral npyI32[] = {"<i4", "<u4"};
static constexpr llvm::StringLiteral npyI64[] = {"<i8", "<u8"};

// clang-format off
static constexpr FormatInfo formats[] = {
  // name, bits, bytes, semantics, exponent, mantissa, bias, specials, sign, zero
  {"f64",       64, 8, APFloat::IEEEdouble,     11, 52, 1023, Specials::Ieee,       true,  true,  npyF64},
  {"f32",       32, 4, APFloat::IEEEsingle,      8, 23,  127, Specials::Ieee,       true,  true,  npyF32},
  {"tf32",      19, 4, APFloat::FloatTF32,       8, 10,  127, Specials::Ieee,       true,  true,  npyF32},
  {"f16",       16, 2, APFloat::IEEEhalf,        5, 10,   15, Specials::Ieee,       true,  true,  npyF16},
  {"bf16",      16, 2, APFloat::BFloat,          8,  7,  127, Specials::Ieee,       true,  true,  npyBF16},
  {"f8E4M3FN",   8, 1, APFloat::Float8E4M3FN,    4,  3,    7, Specials::NanOnly,    true,  true,  npyByte},
  {"f8E5M2",     8, 1, APFloat::Float8E5M2,      5,  2,   15, Specials::Ieee,       true,  true,  npyByte},
  {"f8E8M0FNU",  8, 1, APFloat::Float8E8M0FNU,   8,  0,  127, Specials::NanOnly,    false, false, npyByte},
  {"f6E2M3FN",   6, 1, APFloat::Float6E2M3FN,    2,  3,    1, Specials::FiniteOnly, true,  true,  npyByte},
  {"f6E3M2FN",   6, 1, APFloat::Float6E3M2FN,    3,  2,    3, Specials::FiniteOnly, true,  true,  npyByte},
  {"f4E2M1FN",   4, 1, APFloat::Float4E2M1FN,    2,  1,    1, Specials::FiniteOnly, true,  true,  npyByte},
  {"i1",         1, 1, nullptr, 0, 0, 0, Specials::FiniteOnly, true, true, npyI1},
  {"i8",         8, 1, nullptr, 0, 0, 0, Specials::FiniteOnly, true, true, npyI8},
  {"i16",       16, 2, nullptr, 0, 0, 0, Specials::FiniteOnly, true, true, npyI16},
  {"i32",       32, 4, nullptr, 0, 0, 0, Specials::FiniteOnly, true, true, npyI32},
  {"i64",       64, 8, nullptr, 0, 0, 0, Specials::FiniteOnly, true, true, npyI64},
  {"index",     64, 8, nullptr, 0, 0, 0, Specials::FiniteOnly, true, true, npyI64},
};
// clang-format on

/// The unused low bits of a tf32 word.
static constexpr unsigned tf32Padding = 13;

const FormatInfo &drawloom::interp::getInfo(Format format) {
  return formats[static_cast<unsigned>(format)];
}

std::optional<Format> drawloom::interp::parseFormat(llvm::StringRef name) {
  for (auto [index, info] : llvm::enumerate(formats))
    if (info.name == name)
      return static_cast<Format>(index);
  return std::nullopt;
}

bool drawloom::interp::isFloat(Format format) {
  return getInfo(format).semantics != nullptr;
}

double drawloom::interp::getUnitRoundoff(Format format) {
  return std::ldexp(1.0, -(getInfo(format).mantissaBits + 1));
}

/// Whether a magnitude that lies `rest` above a multiple of 2^shift goes up to
/// the next one. `kept` is that multiple.
static bool roundsUp(RoundingMode rounding, bool negative, uint64_t kept,
                     uint64_t rest, unsigned shift) {
  if (rest == 0)
    return false;
  uint64_t half = uint64_t(1) << (shift - 1);
  switch (rounding) {
  case RoundingMode::TowardZero:
    return false;
  case RoundingMode::TowardPositive:
    return !negative;
  case RoundingMode::TowardNegative:
    return negative;
  case RoundingMode::NearestTiesToAway:
    return rest >= half;
  default:
    return rest > half || (rest == half && (kept & 1));
  }
}

/// Whether a magnitude above the largest number stops there.
static bool stopsAtLargest(RoundingMode rounding, bool negative) {
  return rounding == RoundingMode::TowardZero ||
         (rounding == RoundingMode::TowardPositive && negative) ||
         (rounding == RoundingMode::TowardNegative && !negative);
}

/// The codes of a format without its sign bit.
namespace {
struct Codes {
  uint64_t largest, infinity, nan;

  explicit Codes(const FormatInfo &info) {
    uint64_t all =
        llvm::maskTrailingOnes<uint64_t>(info.exponentBits + info.mantissaBits);
    uint64_t mantissa = llvm::maskTrailingOnes<uint64_t>(info.mantissaBits);
    switch (info.specials) {
    case Specials::Ieee:
      infinity = all ^ mantissa;
      largest = infinity - 1;
      nan = infinity | (mantissa ^ (mantissa >> 1));
      break;
    case Specials::NanOnly:
      largest = all - 1;
      infinity = nan = all;
      break;
    case Specials::FiniteOnly:
      largest = infinity = nan = all;
      break;
    }
  }
};
} // namespace

uint64_t drawloom::interp::encode(Format format, double value,
                                  RoundingMode rounding) {
  uint64_t bits = llvm::bit_cast<uint64_t>(value);
  if (format == Format::F64)
    return bits;
  if (format == Format::F32 && rounding == RoundingMode::NearestTiesToEven)
    return llvm::bit_cast<uint32_t>(static_cast<float>(value));

  const FormatInfo &info = getInfo(format);
  Codes codes(info);
  unsigned padding = format == Format::TF32 ? tf32Padding : 0;
  bool negative = bits >> 63;
  auto finish = [&](uint64_t code) {
    bool sign = negative && info.hasSign &&
                !(std::isnan(value) && info.specials == Specials::FiniteOnly);
    return (code | uint64_t(sign) << (info.exponentBits + info.mantissaBits))
           << padding;
  };
  if (std::isnan(value) || (negative && value != 0 && !info.hasSign))
    return finish(codes.nan);
  if (std::isinf(value))
    return finish(codes.infinity);
  if (value == 0)
    return finish(0);

  // |value| = significand * 2^(exponent - 52), the significand in
  // [2^52, 2^53). No format here is wide enough for a double's subnormals to
  // matter, but frexp treats them right anyway.
  int exponent;
  uint64_t significand = static_cast<uint64_t>(
      std::ldexp(std::frexp(std::fabs(value), &exponent), 53));
  --exponent;

  // Numbers below the smallest normal one share its quantum.
  int smallest = (info.hasZero ? 1 : 0) - info.bias;
  int shift = 52 - info.mantissaBits + std::max(0, smallest - exponent);
  if (!info.hasZero && exponent < smallest)
    return finish(0);
  uint64_t kept;
  if (shift < 64) {
    kept = significand >> shift;
    uint64_t rest = significand & llvm::maskTrailingOnes<uint64_t>(shift);
    kept += roundsUp(rounding, negative, kept, rest, shift);
  } else {
    kept = roundsUp(rounding, negative, 0, 1, 63);
  }

  // The hidden bit of `kept` adds one to the exponent field, and so does the
  // carry of rounding up. In a format without zero, field 0 is a normal number.
  uint64_t field = std::max(0, exponent - smallest);
  uint64_t code = (field << info.mantissaBits) + kept - (info.hasZero ? 0 : 1);
  if (code > codes.largest)
    code = stopsAtLargest(rounding, negative) ? codes.largest : codes.infinity;
  return finish(code);
}

uint64_t drawloom::interp::fromAPFloat(Format format, const APFloat &value) {
  return value.bitcastToAPInt().getZExtValue()
         << (format == Format::TF32 ? tf32Padding : 0);
}

double drawloom::interp::decode(Format format, uint64_t bits) {
  if (format == Format::F64)
    return llvm::bit_cast<double>(bits);
  if (format == Format::F32 || format == Format::TF32)
    return llvm::bit_cast<float>(static_cast<uint32_t>(bits));

  const FormatInfo &info = getInfo(format);
  Codes codes(info);
  unsigned magnitudeBits = info.exponentBits + info.mantissaBits;
  uint64_t code = bits & llvm::maskTrailingOnes<uint64_t>(magnitudeBits);
  double sign = info.hasSign && (bits >> magnitudeBits & 1) ? -1.0 : 1.0;
  if (code > codes.largest)
    return std::copysign(info.specials == Specials::Ieee &&
                                 code == codes.infinity
                             ? HUGE_VAL
                             : std::nan(""),
                         sign);

  uint64_t mantissa =
      code & llvm::maskTrailingOnes<uint64_t>(info.mantissaBits);
  int field = static_cast<int>(code >> info.mantissaBits);
  bool hidden = field != 0 || !info.hasZero;
  if (hidden)
    mantissa += uint64_t(1) << info.mantissaBits;
  int exponent = (hidden ? field : 1) - info.bias - info.mantissaBits;
  return sign * std::ldexp(static_cast<double>(mantissa), exponent);
}

bool drawloom::interp::isCanonical(Format format, uint64_t bits) {
  if (format == Format::TF32)
    return (bits & llvm::maskTrailingOnes<uint64_t>(tf32Padding)) == 0;
  return (bits & ~llvm::maskTrailingOnes<uint64_t>(getInfo(format).bits)) == 0;
}
