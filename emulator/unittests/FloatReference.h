//===- FloatReference.h - Arithmetic as IEEE 754 has it ---------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reference for floating-point instructions, on LLVM's APFloat: any format,
// any rounding, with what PTX adds to it (.ftz, .sat, .relu, its NaNs).
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_FLOATREFERENCE_H
#define DRAWLOOM_EMULATOR_FLOATREFERENCE_H

#include "Alu.h"
#include "llvm/ADT/APFloat.h"

/// A format and the modifiers that change operands and results.
struct FloatFormat {
  const llvm::fltSemantics &semantics;
  unsigned bits;
  uint64_t nan;
  bool ftz = false, sat = false, relu = false;

  llvm::APFloat read(uint64_t word) const {
    uint64_t mask = ~uint64_t(0) >> (64 - bits);
    llvm::APFloat value(semantics, llvm::APInt(bits, word & mask));
    return ftz ? flush(value) : value;
  }
  uint64_t write(llvm::APFloat value) const {
    if (ftz)
      value = flush(value);
    if (value.isNaN())
      return sat ? 0 : nan;
    if ((sat || relu) && value.isNegative())
      return 0;
    if (sat && value.compare(one()) == llvm::APFloat::cmpGreaterThan)
      value = one();
    return value.bitcastToAPInt().getZExtValue();
  }
  llvm::APFloat one() const { return llvm::APFloat::getOne(semantics); }
  static llvm::APFloat flush(const llvm::APFloat &value) {
    return value.isDenormal() ? llvm::APFloat::getZero(value.getSemantics(),
                                                       value.isNegative())
                              : value;
  }
};

inline FloatFormat f32Format(bool ftz = false, bool sat = false) {
  return {llvm::APFloat::IEEEsingle(), 32, 0x7fffffff, ftz, sat};
}
inline FloatFormat f16Format(bool ftz = false, bool sat = false,
                             bool relu = false) {
  return {llvm::APFloat::IEEEhalf(), 16, 0x7fff, ftz, sat, relu};
}
inline FloatFormat bf16Format(bool relu = false) {
  return {llvm::APFloat::BFloat(), 16, 0x7fff, false, false, relu};
}

inline llvm::RoundingMode roundingMode(const std::string &name) {
  return name == "rz"   ? llvm::RoundingMode::TowardZero
         : name == "rm" ? llvm::RoundingMode::TowardNegative
         : name == "rp" ? llvm::RoundingMode::TowardPositive
                        : llvm::RoundingMode::NearestTiesToEven;
}

/// op is add, sub, mul, fma or div.
inline uint64_t compute(const FloatFormat &format, const std::string &op,
                        llvm::RoundingMode mode, Operands o) {
  llvm::APFloat a = format.read(o.a), b = format.read(o.b),
                c = format.read(o.c);
  if (op == "add")
    a.add(b, mode);
  else if (op == "sub")
    a.subtract(b, mode);
  else if (op == "mul")
    a.multiply(b, mode);
  else if (op == "div")
    a.divide(b, mode);
  else
    a.fusedMultiplyAdd(b, c, mode);
  return format.write(a);
}

/// min and max as the ISA defines them.
inline uint64_t extremum(const FloatFormat &format, bool max, bool propagate,
                         bool xorSign, bool absolute, unsigned count,
                         Operands o) {
  llvm::APFloat values[] = {format.read(o.a), format.read(o.b),
                            format.read(o.c)};
  bool sign = values[0].isNegative() != values[1].isNegative();
  if (xorSign || absolute)
    for (llvm::APFloat &value : values)
      value.clearSign();
  llvm::APFloat d = values[0];
  for (unsigned i = 1; i != count; ++i) {
    const llvm::APFloat &v = values[i];
    if (propagate && (d.isNaN() || v.isNaN()))
      d = llvm::APFloat::getNaN(format.semantics);
    else if (d.isNaN())
      d = v;
    else if (!v.isNaN())
      // -0 is less than +0 here.
      d = max ? llvm::maximum(d, v) : llvm::minimum(d, v);
  }
  if (xorSign && !d.isNaN() && sign)
    d.changeSign();
  return format.write(d);
}

/// Values that exercise rounding: edges with each other, random bits, and pairs
/// whose sum or product is near the middle of two numbers.
inline std::vector<Operands> floatOperands(const Bits &edges, unsigned bits) {
  std::vector<Operands> values = cross(edges, edges, {0});
  for (const Operands &o : cross(edges, {edges[9], edges[14]}, edges))
    values.push_back(o);
  values = values + randomOperands(3000, bits);
  // Operands of similar size: random ones rarely are.
  std::vector<Operands> close = randomOperands(3000, bits + 1);
  unsigned mantissa = bits == 64 ? 52 : bits == 32 ? 23 : 10;
  uint64_t exponents = (uint64_t(1) << (bits - 1)) - (uint64_t(1) << mantissa);
  for (Operands &o : close) {
    uint64_t small = (o.e & 31) << mantissa;
    uint64_t base = (uint64_t(1) << (bits - 3)) + (o.e >> 8 & 3) * 0x100;
    auto fix = [&](uint64_t word, uint64_t shift) {
      return (word & ~exponents) | ((base + shift) & exponents);
    };
    o.a = fix(o.a, small);
    o.b = fix(o.b, 0);
    o.c = fix(o.c, (o.e >> 16 & 31) << mantissa);
  }
  return values + close;
}

#endif // DRAWLOOM_EMULATOR_FLOATREFERENCE_H
