//===- ConvertTest.cpp - Conversions of one value ------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integers are checked against __int128, floating point against APFloat. Every
// pair of types is there, with registers of the types' own size and wider.
//
//===----------------------------------------------------------------------===//

#include "FloatReference.h"
#include "llvm/ADT/APSInt.h"
#include <cmath>

using llvm::APFloat;

namespace {
struct Integer {
  std::string name;
  unsigned bits;
  bool isSigned;

  __int128 read(uint64_t word) const {
    unsigned shift = 64 - bits;
    return isSigned ? __int128(int64_t(word << shift) >> shift)
                    : __int128(word << shift >> shift);
  }
  __int128 clamp(__int128 value) const {
    __int128 low = isSigned ? -(__int128(1) << (bits - 1)) : 0;
    __int128 high = (__int128(1) << (isSigned ? bits - 1 : bits)) - 1;
    return std::min(std::max(value, low), high);
  }
};
const Integer integers[] = {{"u8", 8, false},   {"s8", 8, true},
                            {"u16", 16, false}, {"s16", 16, true},
                            {"u32", 32, false}, {"s32", 32, true},
                            {"u64", 64, false}, {"s64", 64, true}};

char letterOf(unsigned bits) {
  return bits <= 8 ? 'b' : bits == 16 ? 'h' : bits == 32 ? 'r' : 'd';
}
unsigned bitsOf(char letter) {
  return letter == 'b' ? 8 : letter == 'h' ? 16 : letter == 'r' ? 32 : 64;
}
/// The registers that a value of so many bits may be in.
std::string registersOf(unsigned bits) {
  std::string all = "bhrd";
  return all.substr(all.find(letterOf(bits)));
}

std::vector<Operands> integerOperands() {
  std::vector<Operands> values;
  for (unsigned bits : {8, 16, 32, 64})
    values = values + cross(integerEdges(bits));
  return values + randomOperands(500);
}

struct Float {
  std::string name;
  const llvm::fltSemantics &semantics;
  unsigned bits;
  uint64_t nan;
};
const Float &f16() {
  static const Float type{"f16", APFloat::IEEEhalf(), 16, 0x7fff};
  return type;
}
const Float &bf16() {
  static const Float type{"bf16", APFloat::BFloat(), 16, 0x7fff};
  return type;
}
const Float &f32() {
  static const Float type{"f32", APFloat::IEEEsingle(), 32, 0x7fffffff};
  return type;
}
const Float &f64() {
  static const Float type{"f64", APFloat::IEEEdouble(), 64, 0};
  return type;
}
const std::vector<const Float *> &floats() {
  static const std::vector<const Float *> all = {&f16(), &bf16(), &f32(),
                                                 &f64()};
  return all;
}

struct Modifiers {
  bool ftz = false, sat = false, relu = false, satfinite = false;
  std::string text() const {
    return std::string(relu ? ".relu" : "") + (satfinite ? ".satfinite" : "") +
           (ftz ? ".ftz" : "") + (sat ? ".sat" : "");
  }
};

APFloat read(const Float &type, uint64_t word, Modifiers m) {
  return FloatFormat{type.semantics, type.bits, 0, m.ftz && type.bits == 32}
      .read(word);
}
/// A value of any format as one of `to`.
uint64_t write(const Float &to, APFloat value, llvm::RoundingMode mode,
               Modifiers m) {
  bool inexact, isNaN = value.isNaN(), isNegative = value.isNegative();
  value.convert(to.semantics, mode, &inexact);
  // Double precision keeps the payload.
  uint64_t nan = to.nan;
  if (isNaN && to.bits == 64)
    nan = value.bitcastToAPInt().getZExtValue() | 0x0008000000000000;
  if (m.satfinite && value.isInfinity() && !isNaN)
    value = APFloat::getLargest(to.semantics, isNegative);
  return FloatFormat{to.semantics,           to.bits, nan,
                     m.ftz && to.bits == 32, m.sat,   m.relu}
      .write(value);
}

const char *roundings[] = {"rn", "rz", "rm", "rp"};

/// Edges of all formats, numbers near integers, and random bits.
std::vector<Operands> floatOperandsFor(const Float &type) {
  Bits words;
  if (type.bits == 16) {
    for (uint64_t word = 0; word < 0x10000; word += 7)
      words.push_back(word);
    for (uint64_t word :
         type.nan && &type == &f16() ? halfEdges() : bfloatEdges())
      words.push_back(word);
    return cross(words);
  }
  // Numbers around the limits of every integer type and in the middle of two
  // numbers of every smaller format.
  for (double base : {0.0,
                      0.25,
                      0.5,
                      0.75,
                      1.0,
                      1.5,
                      2.5,
                      126.5,
                      127.5,
                      128.5,
                      254.5,
                      255.5,
                      256.0,
                      32767.5,
                      32768.5,
                      65504.0,
                      65519.0,
                      65520.0,
                      65535.5,
                      65536.0,
                      0x1p31 - 0.5,
                      0x1p31,
                      0x1p32,
                      0x1p32 - 0.5,
                      0x1p63,
                      0x1p64,
                      0x1p-14,
                      0x1p-24,
                      0x1p-25,
                      0x1p-126,
                      0x1p-133,
                      0x1p-134,
                      0x1p-149,
                      0x1p-150,
                      0x1.01p0,
                      0x1.03p0,
                      0x1.002p0,
                      0x1.006p0,
                      0x1.000001p0,
                      0x1.000003p0,
                      0x1.fffffep127,
                      0x1.ffp127,
                      0x1.fep127})
    for (double sign : {1.0, -1.0})
      for (int step : {-1, 0, 1}) {
        if (type.bits == 64) {
          double value = sign * base;
          for (int i = 0; i != std::abs(step); ++i)
            value = std::nextafter(value, step * HUGE_VAL);
          words.push_back(toBits(value));
        } else {
          float value = static_cast<float>(sign * base);
          for (int i = 0; i != std::abs(step); ++i)
            value = std::nextafterf(value, step * HUGE_VALF);
          words.push_back(toBits(value));
        }
      }
  for (uint64_t word : type.bits == 64 ? doubleEdges() : floatEdges())
    words.push_back(word);
  std::vector<Operands> values = cross(words) + randomOperands(2000);
  // Random mantissas with exponents that the smaller formats have.
  for (Operands o : randomOperands(2000, 7)) {
    int exponent = int(o.b % 64) - 32;
    double value = std::ldexp(1 + double(o.a >> 11) * 0x1p-53, exponent);
    if (o.c & 1)
      value = -value;
    values.push_back(
        {type.bits == 64 ? toBits(value) : toBits(static_cast<float>(value))});
  }
  return values;
}
} // namespace

TEST(Convert, BetweenIntegers) {
  std::vector<AluRow> rows;
  for (const Integer &to : integers)
    for (const Integer &from : integers)
      for (char d : registersOf(to.bits))
        for (char a : registersOf(from.bits)) {
          std::string text = to.name + "." + from.name + " %d, %a";
          std::string shape = {d, ':', a};
          rows.push_back({"cvt." + text, shape, [=](Operands o) {
                            return to.read(uint64_t(from.read(o.a)));
                          }});
          // Saturation is allowed where something can be too large.
          if (to.clamp(from.read(~uint64_t(0) >> 1)) ==
                  from.read(~uint64_t(0) >> 1) &&
              to.clamp(from.clamp(-(__int128(1) << 100))) ==
                  from.clamp(-(__int128(1) << 100)) &&
              to.clamp(from.clamp(__int128(1) << 100)) ==
                  from.clamp(__int128(1) << 100))
            continue;
          rows.push_back({"cvt.sat." + text, shape, [=](Operands o) {
                            return to.clamp(from.read(o.a));
                          }});
        }
  checkAlu("h100", integerOperands(), rows);
}

TEST(Convert, PackedIntegers) {
  std::vector<AluRow> rows;
  for (Integer type : {Integer{"u16", 16, false}, Integer{"s16", 16, true},
                       Integer{"u8", 8, false}, Integer{"s8", 8, true},
                       Integer{"u4", 4, false}, Integer{"s4", 4, true},
                       Integer{"u2", 2, false}, Integer{"s2", 2, true}}) {
    bool merges = type.bits != 16;
    rows.push_back({"cvt.pack.sat." + type.name + ".s32" +
                        (merges ? ".b32 %d, %a, %b, %c" : " %d, %a, %b"),
                    merges ? "r:rrr" : "r:rr", [=](Operands o) {
                      uint64_t mask = (1 << type.bits) - 1;
                      uint64_t a = uint64_t(type.clamp(int32_t(o.a))) & mask;
                      uint64_t b = uint64_t(type.clamp(int32_t(o.b))) & mask;
                      uint64_t rest = merges ? o.c << 2 * type.bits : 0;
                      return rest | a << type.bits | b;
                    }});
  }
  Bits edges = {0,          1,          2,          3,          4,
                7,          8,          15,         16,         127,
                128,        255,        256,        32767,      32768,
                65535,      65536,      0xffffffff, 0xfffffffe, 0xfffffff8,
                0xfffffff7, 0xffffff80, 0xffffff7f, 0xffff8000, 0xffff7fff,
                0x80000000};
  checkAlu("h100", cross(edges, edges, {0, 0x12345678, 0xffffffff}), rows);
}

TEST(Convert, IntegersToFloats) {
  std::vector<AluRow> rows;
  for (const Integer &from : integers)
    for (const Float *to : floats())
      for (std::string rounding : roundings)
        for (bool sat : {false, true}) {
          bool isBfloat = to == &bf16();
          if (isBfloat && sat)
            continue;
          // bf16 takes no wider registers.
          for (char a : isBfloat ? std::string(1, letterOf(from.bits))
                                 : registersOf(from.bits)) {
            Modifiers m;
            m.sat = sat;
            rows.push_back(
                {"cvt." + rounding + m.text() + "." + to->name + "." +
                     from.name + " %d, %a",
                 std::string{letterOf(to->bits), ':', a}, [=](Operands o) {
                   APFloat value(to->semantics);
                   llvm::APInt word(64, o.a);
                   value.convertFromAPInt(word.trunc(from.bits), from.isSigned,
                                          roundingMode(rounding));
                   return write(*to, value, roundingMode(rounding), m);
                 }});
          }
        }
  std::vector<Operands> values = integerOperands();
  // Numbers in the middle of two floats, doubles and halves, and next to it.
  for (unsigned bits : {9, 12, 25, 54})
    for (unsigned shift = 0; shift + bits <= 64; shift += 3)
      for (int64_t step : {-1, 0, 1})
        for (uint64_t odd : {1, 3})
          values.push_back({(((uint64_t(1) << (bits - 1)) + odd) << shift) +
                            (shift ? step : 0)});
  checkAlu("h100", values, rows);
}

TEST(Convert, FloatsToIntegers) {
  for (const Float *from : floats()) {
    std::vector<AluRow> rows;
    for (const Integer &to : integers)
      for (std::string rounding : roundings)
        for (bool ftz : {false, true})
          for (char d : registersOf(to.bits)) {
            if (ftz && from->bits != 32)
              continue;
            if (from == &bf16() && d != letterOf(to.bits))
              continue;
            Modifiers m;
            m.ftz = ftz;
            rows.push_back({"cvt." + rounding + "i" + m.text() + "." + to.name +
                                "." + from->name + " %d, %a",
                            std::string{d, ':', letterOf(from->bits)},
                            [=](Operands o) -> uint64_t {
                              APFloat value = read(*from, o.a, m);
                              unsigned bits = bitsOf(d);
                              // A NaN gives 0, or with 64 bits anywhere the top
                              // bit.
                              if (value.isNaN()) {
                                if (from->bits != 64 && to.bits != 64)
                                  return 0;
                                uint64_t top = uint64_t(1) << (to.bits - 1);
                                return to.read(top);
                              }
                              llvm::APSInt result(to.bits, !to.isSigned);
                              bool exact;
                              value.convertToInteger(
                                  result, roundingMode(rounding), &exact);
                              return result.isSigned()
                                         ? result.sext(64).getZExtValue()
                                         : result.zext(64).getZExtValue() &
                                               (~uint64_t(0) >> (64 - bits));
                            }});
          }
    checkAlu("h100", floatOperandsFor(*from), rows);
  }
}

TEST(Convert, FloatsToFloats) {
  for (const Float *from : floats()) {
    std::vector<AluRow> rows;
    auto add = [&](const std::string &rounding, Modifiers m, const Float &to,
                   char d, char a) {
      std::string mode = rounding.empty() ? "" : "." + rounding;
      rows.push_back({"cvt" + mode + m.text() + "." + to.name + "." +
                          from->name + " %d, %a",
                      std::string{d, ':', a}, [=, &to](Operands o) {
                        return write(to, read(*from, o.a, m),
                                     roundingMode(rounding), m);
                      }});
    };
    for (const Float *to : floats()) {
      if (to == from)
        continue;
      bool narrows =
          to->bits < from->bits || (to->bits == 16 && from->bits == 16);
      bool bfloat = to == &bf16() || from == &bf16();
      for (std::string rounding : roundings) {
        if (!narrows && rounding != "rn")
          continue;
        for (bool ftz : {false, true})
          for (bool sat : {false, true}) {
            if (bfloat && sat)
              continue;
            if (ftz && to->bits != 32 && from->bits != 32)
              continue;
            Modifiers m;
            m.ftz = ftz;
            m.sat = sat;
            char d = letterOf(to->bits), a = letterOf(from->bits);
            add(narrows ? rounding : "", m, *to, d, a);
            // Values of half and single precision in wider registers.
            if (!bfloat && to->bits < 64)
              add(narrows ? rounding : "", m, *to, to->bits == 16 ? 'r' : 'd',
                  a);
            if (!bfloat && from->bits < 64)
              add(narrows ? rounding : "", m, *to, d, 'd');
          }
      }
    }
    checkAlu("h100", floatOperandsFor(*from), rows);
  }
}

TEST(Convert, ToIntegralValues) {
  for (const Float *type : floats()) {
    std::vector<AluRow> rows;
    for (std::string rounding : roundings)
      for (bool ftz : {false, true})
        for (bool sat : {false, true}) {
          if ((ftz && type->bits != 32) || (sat && type == &bf16()))
            continue;
          Modifiers m;
          m.ftz = ftz;
          m.sat = sat;
          rows.push_back(
              {"cvt." + rounding + "i" + m.text() + "." + type->name + "." +
                   type->name + " %d, %a",
               std::string{letterOf(type->bits), ':', letterOf(type->bits)},
               [=](Operands o) {
                 APFloat value = read(*type, o.a, m);
                 if (!value.isNaN())
                   value.roundToIntegral(roundingMode(rounding));
                 return write(*type, value, APFloat::rmNearestTiesToEven, m);
               }});
        }
    checkAlu("h100", floatOperandsFor(*type), rows);
  }
}

TEST(Convert, HalfWithLimits) {
  std::vector<AluRow> rows;
  for (const Float *to : {&f16(), &bf16()})
    for (std::string rounding : {"rn", "rz"})
      for (bool relu : {false, true})
        for (bool satfinite : {false, true}) {
          Modifiers m;
          m.relu = relu;
          m.satfinite = satfinite;
          auto one = [=](uint64_t word) {
            return write(*to, read(f32(), word, {}), roundingMode(rounding), m);
          };
          std::string suffix = rounding + m.text() + "." + to->name;
          rows.push_back({"cvt." + suffix + ".f32 %d, %a", "h:r",
                          [=](Operands o) { return one(o.a); }});
          rows.push_back(
              {"cvt." + suffix + "x2.f32 %d, %a, %b", "r:rr",
               [=](Operands o) { return one(o.a) << 16 | one(o.b); }});
        }
  std::vector<Operands> values = floatOperandsFor(f32());
  for (size_t i = 0; i != values.size(); ++i)
    values[i].b = values[(i + 17) % values.size()].a;
  checkAlu("h100", values, rows);
}

TEST(Convert, TensorFloat) {
  std::vector<AluRow> hopper, blackwell;
  for (std::string rounding : {"rna", "rn", "rz"})
    for (bool relu : {false, true})
      for (bool satfinite : {false, true}) {
        if (rounding == "rna" && relu)
          continue;
        Modifiers m;
        m.relu = relu;
        m.satfinite = satfinite;
        auto &rows = rounding != "rna" && satfinite ? blackwell : hopper;
        rows.push_back({"cvt." + rounding + m.text() + ".tf32.f32 %d, %a",
                        "r:r", [=](Operands o) -> uint64_t {
                          APFloat value = read(f32(), o.a, {});
                          if (value.isNaN())
                            return 0x7fffffff;
                          llvm::RoundingMode mode =
                              rounding == "rna" ? APFloat::rmNearestTiesToAway
                                                : roundingMode(rounding);
                          bool inexact, isNegative = value.isNegative();
                          value.convert(APFloat::FloatTF32(), mode, &inexact);
                          if (satfinite && value.isInfinity())
                            value = APFloat::getLargest(APFloat::FloatTF32(),
                                                        isNegative);
                          if (relu && isNegative)
                            return 0;
                          return value.bitcastToAPInt().getZExtValue() << 13;
                        }});
      }
  checkAlu("h100", floatOperandsFor(f32()), hopper);
  checkAlu("b200", floatOperandsFor(f32()), blackwell);
}
