//===- FormatTest.cpp - Encoding and decoding against APFloat -------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Interpreter/Format.h"
#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>

using namespace drawloom::interp;
using llvm::APFloat;
using llvm::APInt;
using llvm::RoundingMode;

namespace {

constexpr Format floatFormats[] = {
    Format::F64,      Format::F32,      Format::TF32,    Format::F16,
    Format::BF16,     Format::F8E4M3FN, Format::F8E5M2,  Format::F8E8M0FNU,
    Format::F6E2M3FN, Format::F6E3M2FN, Format::F4E2M1FN};

constexpr RoundingMode roundings[] = {
    RoundingMode::NearestTiesToEven, RoundingMode::TowardZero,
    RoundingMode::TowardPositive, RoundingMode::TowardNegative,
    RoundingMode::NearestTiesToAway};

/// The bits as they stand in a host tensor; tf32 fills the high ones.
uint64_t toStorage(Format format, uint64_t bits) {
  return format == Format::TF32 ? bits << 13 : bits;
}

double toDouble(APFloat value) {
  // convert() loses the payload of f8E8M0FNU's NaN and makes it infinity.
  if (value.isNaN())
    return std::nan("");
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), RoundingMode::NearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

/// What APFloat makes of the double in that format.
uint64_t referenceEncode(Format format, double value, RoundingMode rounding) {
  APFloat number(value);
  bool losesInfo;
  number.convert(getInfo(format).semantics(), rounding, &losesInfo);
  return toStorage(format, number.bitcastToAPInt().getZExtValue());
}

/// Where APFloat has an answer: it gives none for NaN and infinity in formats
/// of numbers only, nor for negative numbers in formats without a sign.
bool hasReference(Format format, double value) {
  const FormatInfo &info = getInfo(format);
  if (info.specials == Specials::FiniteOnly && !std::isfinite(value))
    return false;
  return info.hasSign || !(value < 0);
}

void expectEncoding(Format format, double value, RoundingMode rounding) {
  if (!hasReference(format, value))
    return;
  uint64_t bits = encode(format, value, rounding);
  if (std::isnan(value)) {
    EXPECT_TRUE(std::isnan(decode(format, bits)));
    return;
  }
  EXPECT_EQ(bits, referenceEncode(format, value, rounding))
      << getInfo(format).name.str() << " of " << value << " in mode "
      << static_cast<int>(rounding);
}

TEST(Format, NamesAreUnique) {
  for (Format format : floatFormats)
    EXPECT_EQ(parseFormat(getInfo(format).name), format);
  EXPECT_EQ(parseFormat("i32"), Format::I32);
  EXPECT_EQ(parseFormat("index"), Format::Index);
  EXPECT_EQ(parseFormat("f80"), std::nullopt);
}

TEST(Format, TableAgreesWithAPFloat) {
  for (Format format : floatFormats) {
    const FormatInfo &info = getInfo(format);
    const llvm::fltSemantics &semantics = info.semantics();
    EXPECT_EQ(info.bits, APFloat::getSizeInBits(semantics));
    EXPECT_EQ(info.mantissaBits + 1u, APFloat::semanticsPrecision(semantics));
    EXPECT_EQ(info.hasZero, APFloat::semanticsHasZero(semantics));
    EXPECT_EQ(info.hasSign, APFloat::semanticsHasSignedRepr(semantics));
    EXPECT_EQ(info.specials == Specials::Ieee,
              APFloat::semanticsHasInf(semantics));
    EXPECT_EQ(info.specials != Specials::FiniteOnly,
              APFloat::semanticsHasNaN(semantics));
    EXPECT_EQ(info.bits, info.hasSign + info.exponentBits + info.mantissaBits);
  }
}

// Every code of every format of at most 16 bits.
TEST(Format, DecodesEveryCodeAsAPFloat) {
  for (Format format : floatFormats) {
    const FormatInfo &info = getInfo(format);
    if (info.bits > 19)
      continue;
    for (uint64_t bits = 0; bits < uint64_t(1) << info.bits; ++bits) {
      double expected =
          toDouble(APFloat(info.semantics(), APInt(info.bits, bits)));
      double actual = decode(format, toStorage(format, bits));
      ASSERT_TRUE(std::isnan(expected) ? std::isnan(actual)
                                       : llvm::bit_cast<uint64_t>(expected) ==
                                             llvm::bit_cast<uint64_t>(actual))
          << info.name.str() << " " << bits << ": " << actual << ", not "
          << expected;
    }
  }
}

// For every code: the number itself, the middle to the next one, and both
// neighbors of the middle, in every rounding mode. These are all the places
// where the result of rounding changes.
TEST(Format, EncodesEveryTieAsAPFloat) {
  for (Format format : floatFormats) {
    const FormatInfo &info = getInfo(format);
    if (info.bits > 16)
      continue;
    for (uint64_t bits = 0; bits < uint64_t(1) << info.bits; ++bits) {
      double value = decode(format, bits);
      if (std::isnan(value))
        continue;
      if (info.hasZero || value != 0) {
        EXPECT_EQ(encode(format, value), bits) << info.name.str();
      }
      double next = decode(format, bits + 1);
      if (!std::isfinite(value) || !std::isfinite(next))
        continue;
      double middle = value / 2 + next / 2;
      for (RoundingMode rounding : roundings)
        for (double probe : {middle, std::nextafter(middle, -HUGE_VAL),
                             std::nextafter(middle, HUGE_VAL)})
          expectEncoding(format, probe, rounding);
      if (HasFailure())
        return;
    }
  }
}

// Numbers of all sizes, with ties made likely, and the edges of the range.
TEST(Format, EncodesNumbersOfEverySizeAsAPFloat) {
  std::mt19937_64 random(1);
  for (Format format : floatFormats) {
    for (int i = 0; i < 200000; ++i) {
      uint64_t bits = random();
      // Few mantissa bits, or all but a few cleared.
      if (i % 2)
        bits &= ~uint64_t(0) << (random() % 52);
      double value = llvm::bit_cast<double>(bits);
      if (i % 4 < 2) {
        int exponent;
        value = std::ldexp(std::frexp(value, &exponent),
                           static_cast<int>(random() % 300) - 150);
      }
      if (std::isnan(value))
        continue;
      expectEncoding(format, value, roundings[i % 5]);
    }
    for (double value : {0.0,     -0.0,        HUGE_VAL, -HUGE_VAL,
                         448.0,   464.0,       465.0,    480.0,
                         57344.0, 61440.0,     65504.0,  65519.0,
                         65520.0, 5e-324,      -5e-324,  1.7976931348623157e308,
                         6.0,     7.0,         7.5,      28.0,
                         30.0,    std::nan("")})
      for (RoundingMode rounding : roundings)
        expectEncoding(format, value, rounding);
  }
}

TEST(Format, AnswersWhereAPFloatHasNone) {
  struct Row {
    Format format;
    double value;
    double expected;
  } rows[] = {
      // Numbers only: NaN is the largest positive number, infinity saturates.
      {Format::F4E2M1FN, std::nan(""), 6},
      {Format::F4E2M1FN, -std::nan(""), 6},
      {Format::F4E2M1FN, HUGE_VAL, 6},
      {Format::F4E2M1FN, -HUGE_VAL, -6},
      {Format::F6E2M3FN, std::nan(""), 7.5},
      {Format::F6E2M3FN, -HUGE_VAL, -7.5},
      {Format::F6E3M2FN, std::nan(""), 28},
      {Format::F6E3M2FN, -HUGE_VAL, -28},
      // No sign: a negative number is NaN. No zero: the smallest number.
      {Format::F8E8M0FNU, -1.0, std::nan("")},
      {Format::F8E8M0FNU, -0.0, 0x1p-127},
      {Format::F8E8M0FNU, 0.0, 0x1p-127},
  };
  for (const Row &row : rows) {
    double actual = decode(row.format, encode(row.format, row.value));
    EXPECT_TRUE(std::isnan(row.expected) ? std::isnan(actual)
                                         : actual == row.expected)
        << getInfo(row.format).name.str() << " of " << row.value << " is "
        << actual;
  }
}

TEST(Format, OverflowFollowsTheFormat) {
  // Infinity, NaN, the largest number.
  EXPECT_EQ(decode(Format::F16, encode(Format::F16, 1e6)), HUGE_VAL);
  EXPECT_EQ(decode(Format::F8E5M2, encode(Format::F8E5M2, -1e6)), -HUGE_VAL);
  EXPECT_TRUE(
      std::isnan(decode(Format::F8E4M3FN, encode(Format::F8E4M3FN, 465))));
  EXPECT_EQ(decode(Format::F8E4M3FN, encode(Format::F8E4M3FN, 464)), 448);
  EXPECT_EQ(decode(Format::F4E2M1FN, encode(Format::F4E2M1FN, 100)), 6);
  EXPECT_EQ(decode(Format::F8E4M3FN,
                   encode(Format::F8E4M3FN, 1e6, RoundingMode::TowardZero)),
            448);
}

TEST(Format, UnitRoundoff) {
  EXPECT_EQ(getUnitRoundoff(Format::F32), 0x1p-24);
  EXPECT_EQ(getUnitRoundoff(Format::BF16), 0x1p-8);
  EXPECT_EQ(getUnitRoundoff(Format::F16), 0x1p-11);
}

TEST(Format, CanonicalBits) {
  EXPECT_TRUE(isCanonical(Format::F4E2M1FN, 0x0F));
  EXPECT_FALSE(isCanonical(Format::F4E2M1FN, 0x10));
  EXPECT_TRUE(isCanonical(Format::F6E3M2FN, 0x3F));
  EXPECT_FALSE(isCanonical(Format::F6E3M2FN, 0x40));
  EXPECT_TRUE(isCanonical(Format::TF32, 0x3F802000));
  EXPECT_FALSE(isCanonical(Format::TF32, 0x3F800001));
  EXPECT_FALSE(isCanonical(Format::I1, 2));
  EXPECT_TRUE(isCanonical(Format::I64, ~uint64_t(0)));
}

} // namespace
