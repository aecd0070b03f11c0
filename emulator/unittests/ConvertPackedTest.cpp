//===- ConvertPackedTest.cpp - Two and four numbers at once --------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The formats of 8, 6 and 4 bits, which APFloat has as well.
//
//===----------------------------------------------------------------------===//

#include "FloatReference.h"
#include <cmath>

using llvm::APFloat;

namespace {
struct Format {
  std::string name;
  const llvm::fltSemantics &semantics;
  unsigned bits;
  uint64_t nan; ///< What a NaN becomes.
  unsigned mantissa;
};
const std::vector<Format> &formats() {
  static const std::vector<Format> all = {
      {"e4m3", APFloat::Float8E4M3FN(), 8, 0x7f, 3},
      {"e5m2", APFloat::Float8E5M2(), 8, 0x7f, 2},
      {"e2m3", APFloat::Float6E2M3FN(), 6, 0x1f, 3},
      {"e3m2", APFloat::Float6E3M2FN(), 6, 0x1f, 2},
      {"e2m1", APFloat::Float4E2M1FN(), 4, 0x7, 1}};
  return all;
}
unsigned widthOf(const Format &format) { return format.bits == 4 ? 4 : 8; }

APFloat fromFloat(uint64_t word) { return f32Format().read(word); }

/// A number in a narrow format; what is too large becomes the largest.
uint64_t encode(const Format &to, APFloat value, bool relu,
                llvm::RoundingMode mode = APFloat::rmNearestTiesToEven) {
  if (value.isNaN())
    return to.nan;
  if (relu && value.isNegative())
    return 0;
  bool isNegative = value.isNegative(), inexact;
  // Formats without infinity turn large numbers into NaN: limit them first.
  APFloat largest = APFloat::getLargest(to.semantics);
  largest.convert(value.getSemantics(), APFloat::rmNearestTiesToEven, &inexact);
  APFloat magnitude = value;
  magnitude.clearSign();
  if (magnitude.compare(largest) != APFloat::cmpLessThan)
    value = APFloat::getLargest(to.semantics, isNegative);
  else
    value.convert(to.semantics, mode, &inexact);
  uint64_t code = value.bitcastToAPInt().getZExtValue();
  uint64_t sign = uint64_t(isNegative) << (to.bits - 1);
  return (code & ((uint64_t(1) << (to.bits - 1)) - 1)) | sign;
}

uint64_t decode(const Format &from, uint64_t code, bool relu) {
  APFloat value(from.semantics,
                llvm::APInt(from.bits, code & ((1 << from.bits) - 1)));
  bool inexact;
  bool isNaN = value.isNaN();
  value.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &inexact);
  return isNaN ? 0x7fff : f16Format(false, false, relu).write(value);
}

/// Numbers near those that the narrow formats have, and near the middle of two.
std::vector<Operands> numbers() {
  Bits words = floatEdges();
  for (int exponent = -26; exponent != 18; ++exponent)
    for (unsigned sixteenth = 16; sixteenth != 32; ++sixteenth)
      for (int step : {-1, 0, 1}) {
        float value = std::ldexp(float(sixteenth), exponent - 4);
        uint64_t bits = toBits(value) + step;
        words.push_back(bits);
        words.push_back(bits | 0x80000000);
      }
  std::vector<Operands> values;
  for (size_t i = 0; i != words.size(); ++i)
    values.push_back({words[i], words[(i + 3) % words.size()],
                      words[(i + 31) % words.size()],
                      words[(i + 57) % words.size()]});
  return values + randomOperands(1000);
}
} // namespace

TEST(ConvertPacked, FromFloats) {
  std::vector<AluRow> hopper, blackwell;
  for (const Format &format : formats())
    for (bool relu : {false, true}) {
      unsigned width = widthOf(format);
      std::string name = std::string("cvt.rn.satfinite") +
                         (relu ? ".relu." : ".") + format.name + "x2";
      auto &rows = format.bits == 8 ? hopper : blackwell;
      rows.push_back({name + ".f32 %d, %a, %b", width == 4 ? "b:rr" : "h:rr",
                      [=](Operands o) {
                        return encode(format, fromFloat(o.a), relu) << width |
                               encode(format, fromFloat(o.b), relu);
                      }});
    }
  checkAlu("h100", numbers(), hopper);
  checkAlu("b200", numbers(), blackwell);
}

TEST(ConvertPacked, FromHalves) {
  std::vector<AluRow> hopper, later;
  for (const Format &format : formats())
    for (bool relu : {false, true})
      for (bool isHalf : {true, false}) {
        unsigned width = widthOf(format);
        std::string name = std::string("cvt.rn.satfinite") +
                           (relu ? ".relu." : ".") + format.name + "x2" +
                           (isHalf ? ".f16x2" : ".bf16x2");
        auto &rows = format.bits == 8 && isHalf ? hopper : later;
        rows.push_back(
            {name + " %d, %a", width == 4 ? "b:r" : "h:r", [=](Operands o) {
               FloatFormat from = isHalf ? f16Format() : bf16Format();
               return encode(format, from.read(o.a >> 16), relu) << width |
                      encode(format, from.read(o.a), relu);
             }});
      }
  std::vector<Operands> values = randomOperands(2000);
  for (uint64_t word = 0; word < 0x10000; word += 5)
    values.push_back({word | (word * 31 & 0xffff) << 16});
  checkAlu("h100", values, hopper);
  checkAlu("b200", values, later);
}

TEST(ConvertPacked, ToHalves) {
  std::vector<AluRow> hopper, blackwell;
  for (const Format &format : formats())
    for (bool relu : {false, true}) {
      unsigned width = widthOf(format);
      auto &rows = format.bits == 8 ? hopper : blackwell;
      rows.push_back({std::string("cvt.rn") + (relu ? ".relu" : "") +
                          ".f16x2." + format.name + "x2 %d, %a",
                      width == 4 ? "r:b" : "r:h", [=](Operands o) {
                        return decode(format, o.a >> width, relu) << 16 |
                               decode(format, o.a, relu);
                      }});
    }
  Bits codes;
  for (uint64_t code = 0; code != 256; ++code)
    codes.push_back(code | (code * 7 & 0xff) << 8);
  checkAlu("h100", cross(codes), hopper);
  // The upper two bits of a number of six are zeros.
  for (uint64_t &code : codes)
    code &= 0x3f3f;
  std::vector<Operands> values = cross(codes);
  checkAlu("b200", values, {blackwell.begin(), blackwell.begin() + 4});
  values.clear();
  for (uint64_t code = 0; code != 256; ++code)
    values.push_back({code});
  checkAlu("b200", values, {blackwell.begin() + 4, blackwell.end()});
}

TEST(ConvertPacked, ScaleFactors) {
  // The smallest power of two that isn't less, or the largest that isn't more.
  auto scale = [](float value, bool up, bool satfinite) -> uint64_t {
    value = std::fabs(value);
    if (value != value)
      return 0xff;
    int exponent = -127;
    while (exponent < 128 && (up ? std::ldexp(1.0, exponent) < value
                                 : std::ldexp(1.0, exponent + 1) <= value))
      ++exponent;
    return std::min(exponent + 127, satfinite ? 254 : 255);
  };
  std::vector<AluRow> rows;
  for (bool up : {false, true})
    for (bool satfinite : {false, true}) {
      std::string name = std::string("cvt.") + (up ? "rp" : "rz") +
                         (satfinite ? ".satfinite" : "") + ".ue8m0x2";
      rows.push_back({name + ".f32 %d, %a, %b", "h:rr", [=](Operands o) {
                        return scale(asFloat(o.a), up, satfinite) << 8 |
                               scale(asFloat(o.b), up, satfinite);
                      }});
      rows.push_back({name + ".bf16x2 %d, %a", "h:r", [=](Operands o) {
                        return scale(asFloat(o.a & 0xffff0000), up, satfinite)
                                   << 8 |
                               scale(asFloat(o.a << 16), up, satfinite);
                      }});
    }
  rows.push_back({"cvt.rn.bf16x2.ue8m0x2 %d, %a", "r:h", [](Operands o) {
                    auto power = [](uint64_t code) -> uint64_t {
                      if (code == 0xff)
                        return 0x7fff;
                      return toBits(std::ldexp(1.0f, int(code) - 127)) >> 16;
                    };
                    return power(o.a >> 8 & 0xff) << 16 | power(o.a & 0xff);
                  }});
  std::vector<Operands> values = numbers();
  for (uint64_t word : {0x00400000, 0x00400001, 0x003fffff, 0x00200000,
                        0x00000000, 0x7f000000, 0x7f000001, 0x7effffff})
    values.push_back({word, word});
  checkAlu("b200", values, rows);
}

TEST(ConvertPacked, FixedPoint) {
  auto encode = [](double value, uint64_t scale, bool relu) -> uint64_t {
    scale &= 0xff;
    if (value != value || scale == 0xff)
      return 127;
    double units = std::nearbyint(std::ldexp(value, 127 - int(scale) + 6));
    units = std::min(std::max(units, relu ? 0.0 : -128.0), 127.0);
    return uint64_t(int64_t(units)) & 0xff;
  };
  auto decode = [](uint64_t code, uint64_t scale, bool relu,
                   bool satfinite) -> uint64_t {
    scale &= 0xff;
    if (scale == 0xff)
      return 0x7fff;
    APFloat value(std::ldexp(double(int8_t(code)), int(scale) - 127 - 6));
    bool inexact, isNegative = value.isNegative();
    value.convert(APFloat::BFloat(), APFloat::rmNearestTiesToEven, &inexact);
    if (satfinite && value.isInfinity())
      value = APFloat::getLargest(APFloat::BFloat(), isNegative);
    return bf16Format(relu).write(value);
  };
  std::vector<AluRow> rows;
  for (bool relu : {false, true})
    for (bool scaled : {false, true}) {
      std::string suffix = std::string(relu ? ".relu" : "") +
                           (scaled ? ".scaled::n2::ue8m0" : "");
      auto scale = [=](uint64_t word) -> uint64_t {
        return scaled ? word : 0x7f7f;
      };
      rows.push_back({"cvt.rn.satfinite" + suffix + ".s2f6x2.f32 %d, %a, %b" +
                          (scaled ? ", %c" : ""),
                      scaled ? "h:rrh" : "h:rr", [=](Operands o) {
                        return encode(asFloat(o.a), scale(o.c) >> 8, relu)
                                   << 8 |
                               encode(asFloat(o.b), scale(o.c), relu);
                      }});
      rows.push_back(
          {"cvt.rn.satfinite" + suffix + ".s2f6x2.bf16x2 %d, %a" +
               (scaled ? ", %c" : ""),
           scaled ? "h:r-h" : "h:r", [=](Operands o) {
             return encode(asFloat(o.a & 0xffff0000), scale(o.c) >> 8, relu)
                        << 8 |
                    encode(asFloat(o.a << 16), scale(o.c), relu);
           }});
      for (bool satfinite : {false, true})
        rows.push_back(
            {std::string("cvt.rn") + (satfinite ? ".satfinite" : "") + suffix +
                 ".bf16x2.s2f6x2 %d, %a" + (scaled ? ", %c" : ""),
             scaled ? "r:h-h" : "r:h", [=](Operands o) {
               return decode(o.a >> 8, scale(o.c) >> 8, relu, satfinite) << 16 |
                      decode(o.a, scale(o.c), relu, satfinite);
             }});
    }
  std::vector<Operands> values = numbers();
  for (size_t i = 0; i != values.size(); ++i)
    values[i].c = i % 3 ? 0x7f7e + (i % 8) * 0x101 : i * 2654435761u >> 8;
  checkAlu("b200", values, rows);
}

// Random bits are added to those that are cut off: none of them truncates, and
// all ones round away from zero whatever is cut off.
TEST(ConvertPacked, StochasticRounding) {
  // A magnitude in units of the last place, with the random bits as a fraction.
  auto stochastic = [](const llvm::fltSemantics &semantics, unsigned mantissa,
                       uint64_t word, uint64_t random, unsigned randomBits) {
    // Truncated, and the next number away from zero.
    APFloat value = fromFloat(word), down = value;
    bool inexact;
    down.convert(semantics, APFloat::rmTowardZero, &inexact);
    if (!inexact)
      return down;
    APFloat up = value;
    up.convert(semantics,
               value.isNegative() ? APFloat::rmTowardNegative
                                  : APFloat::rmTowardPositive,
               &inexact);
    double low = std::fabs(down.convertToDouble());
    double high = std::fabs(up.convertToDouble());
    double exact = std::fabs(double(asFloat(word)));
    double fraction = (exact - low) / (high - low);
    return fraction + std::ldexp(double(random), -int(randomBits)) >= 1 ? up
                                                                        : down;
  };
  auto narrow = [=](const Format &to, uint64_t word, uint64_t random,
                    unsigned randomBits, bool relu) -> uint64_t {
    APFloat value = fromFloat(word);
    double largest = APFloat::getLargest(to.semantics).convertToDouble();
    if (value.isNaN() || !(std::fabs(asFloat(word)) < largest))
      return encode(to, value, relu);
    return encode(
        to, stochastic(to.semantics, to.mantissa, word, random, randomBits),
        relu);
  };
  std::vector<AluRow> rows;
  for (bool relu : {false, true}) {
    std::string suffix = relu ? ".relu" : "";
    for (const Format &format : formats()) {
      bool isFour = format.bits == 4;
      unsigned width = widthOf(format), randomBits = isFour ? 8 : 16;
      rows.push_back(
          {"cvt.rs" + suffix + ".satfinite." + format.name +
               "x4.f32 %d, {%a, %b, %c, %a}, %e",
           isFour ? "h:rrrr" : "r:rrrr", [=](Operands o) {
             uint64_t words[] = {o.a, o.b, o.c, o.a}, result = 0;
             unsigned starts[] = {isFour ? 24u : 16u, isFour ? 8u : 16u,
                                  isFour ? 16u : 0u, 0u};
             for (unsigned i = 0; i != 4; ++i) {
               uint64_t random =
                   uint32_t(o.e) >> starts[i] & ((1u << randomBits) - 1);
               result = result << width |
                        narrow(format, words[i], random, randomBits, relu);
             }
             return result;
           }});
    }
    for (bool satfinite : {false, true})
      for (bool isHalf : {true, false}) {
        FloatFormat format =
            isHalf ? f16Format(false, false, relu) : bf16Format(relu);
        unsigned bits = isHalf ? 13 : 16;
        auto one = [=](uint64_t word, uint64_t random) {
          APFloat value = fromFloat(word);
          bool inexact, isNegative = value.isNegative();
          double largest =
              APFloat::getLargest(format.semantics).convertToDouble();
          if (value.isNaN() || !(std::fabs(asFloat(word)) < largest))
            value.convert(format.semantics, APFloat::rmTowardZero, &inexact);
          else
            value = stochastic(format.semantics, 0, word,
                               random & ((1u << bits) - 1), bits);
          // Beyond the largest number there is infinity.
          if (std::fabs(asFloat(word)) > largest)
            value = APFloat::getInf(format.semantics, isNegative);
          if (satfinite && value.isInfinity())
            value = APFloat::getLargest(format.semantics, isNegative);
          return format.write(value);
        };
        rows.push_back({"cvt.rs" + suffix + (satfinite ? ".satfinite" : "") +
                            (isHalf ? ".f16x2" : ".bf16x2") +
                            ".f32 %d, %a, %b, %c",
                        "r:rrr", [=](Operands o) {
                          return one(o.a, uint32_t(o.c) >> 16) << 16 |
                                 one(o.b, o.c & 0xffff);
                        }});
      }
  }
  std::vector<Operands> values = numbers();
  for (size_t i = 0; i != values.size(); ++i) {
    uint64_t random = i % 4 == 0 ? 0 : i % 4 == 1 ? 0xffffffff : i * 0x9e3779b9;
    values[i].e = random;
    if (i % 2)
      values[i].c = random;
  }
  checkAlu("b200", values, rows);
}
