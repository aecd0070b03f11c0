//===- FloatTest.cpp - Single and double precision -----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FloatReference.h"
#include <cfenv>
#include <cmath>

using llvm::APFloat;

static const char *roundings[] = {"rn", "rz", "rm", "rp"};

TEST(Float, SumsAndProducts) {
  std::vector<AluRow> rows;
  for (std::string op : {"add", "sub", "mul", "fma", "mad"})
    for (std::string rounding : roundings)
      for (bool ftz : {false, true})
        for (bool sat : {false, true}) {
          bool three = op == "fma" || op == "mad";
          rows.push_back({op + "." + rounding + (ftz ? ".ftz" : "") +
                              (sat ? ".sat" : "") + ".f32 %d, %a, %b" +
                              (three ? ", %c" : ""),
                          three ? "r:rrr" : "r:rr", [=](Operands o) {
                            return compute(f32Format(ftz, sat), op,
                                           roundingMode(rounding), o);
                          }});
        }
  // Without a rounding it is to nearest.
  rows.push_back({"add.f32 %d, %a, %b", "r:rr", [](Operands o) {
                    return compute(f32Format(), "add", roundingMode("rn"), o);
                  }});
  checkAlu("h100", floatOperands(floatEdges(), 32), rows);
}

TEST(Float, Pairs) {
  std::vector<AluRow> rows;
  for (std::string op : {"add", "sub", "mul", "fma"})
    for (std::string rounding : roundings)
      for (bool ftz : {false, true}) {
        bool three = op == "fma";
        rows.push_back({op + "." + rounding + (ftz ? ".ftz" : "") +
                            ".f32x2 %d, %a, %b" + (three ? ", %c" : ""),
                        three ? "d:ddd" : "d:dd", [=](Operands o) {
                          return halves(o, 32, [&](Operands half) {
                            return compute(f32Format(ftz), op,
                                           roundingMode(rounding), half);
                          });
                        }});
      }
  Bits edges = packed(floatEdges(), 32);
  checkAlu("b200",
           cross(edges, edges) + cross(edges, {edges[4]}, edges) +
               randomOperands(1000),
           rows);
}

TEST(Float, MixedPrecision) {
  std::vector<AluRow> rows;
  for (bool isHalf : {true, false})
    for (std::string op : {"add", "sub", "fma"})
      for (std::string rounding : roundings)
        for (bool sat : {false, true}) {
          bool three = op == "fma";
          auto widen = [=](uint64_t word) {
            APFloat value = (isHalf ? f16Format() : bf16Format()).read(word);
            bool inexact;
            value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                          &inexact);
            return value.bitcastToAPInt().getZExtValue();
          };
          rows.push_back({op + "." + rounding + (sat ? ".sat" : "") + ".f32" +
                              (isHalf ? ".f16" : ".bf16") + " %d, %a, %b" +
                              (three ? ", %c" : ""),
                          three ? "r:hhr" : "r:hr", [=](Operands o) {
                            o.a = widen(o.a);
                            if (three)
                              o.b = widen(o.b);
                            return compute(f32Format(false, sat), op,
                                           roundingMode(rounding), o);
                          }});
        }
  checkAlu("b200",
           cross(halfEdges(), floatEdges(), {0x3f800001, 0x80000000}) +
               cross(halfEdges(), halfEdges(), floatEdges()) +
               cross(bfloatEdges(), bfloatEdges(), floatEdges()) +
               randomOperands(1000),
           rows);
}

TEST(Float, DivisionAndRoots) {
  std::vector<AluRow> rows;
  for (std::string rounding : roundings)
    for (bool ftz : {false, true}) {
      std::string suffix = "." + rounding + (ftz ? ".ftz" : "") + ".f32";
      rows.push_back({"div" + suffix + " %d, %a, %b", "r:rr", [=](Operands o) {
                        return compute(f32Format(ftz), "div",
                                       roundingMode(rounding), o);
                      }});
      rows.push_back({"rcp" + suffix + " %d, %a", "r:r", [=](Operands o) {
                        return compute(f32Format(ftz), "div",
                                       roundingMode(rounding),
                                       {toBits(1.0f), o.a});
                      }});
      // The root r of a number x has r * r <= x < (r + ulp)^2 if rounded down;
      // squares of floats are exact in long double.
      rows.push_back({"sqrt" + suffix + " %d, %a", "r:r", [=](Operands o) {
                        FloatFormat format = f32Format(ftz);
                        APFloat a = format.read(o.a);
                        if (a.isZero() || (a.isInfinity() && !a.isNegative()))
                          return format.write(a);
                        if (a.isNaN() || a.isNegative())
                          return format.nan;
                        long double x = a.convertToFloat();
                        float down = std::sqrt(a.convertToFloat());
                        while ((long double)down * down > x)
                          down = std::nextafterf(down, 0);
                        float up = down;
                        if ((long double)down * down != x)
                          up = std::nextafterf(down, INFINITY);
                        if (rounding == "rp")
                          return toBits(up);
                        if (rounding != "rn")
                          return toBits(down);
                        long double middle = ((long double)down + up) / 2;
                        return toBits(middle * middle < x ? up : down);
                      }});
    }
  checkAlu("h100", floatOperands(floatEdges(), 32), rows);
}

//===----------------------------------------------------------------------===//
// Double precision: the host's own rounding modes are the reference
//===----------------------------------------------------------------------===//

#pragma STDC FENV_ACCESS ON
static double hostCompute(const std::string &op, int mode, double a, double b,
                          double c) {
  volatile double x = a, y = b, z = c, result;
  std::fesetround(mode);
  if (op == "add")
    result = x + y;
  else if (op == "sub")
    result = x - y;
  else if (op == "mul")
    result = x * y;
  else if (op == "div")
    result = x / y;
  else if (op == "sqrt")
    result = std::sqrt(x);
  else
    result = std::fma(x, y, z);
  std::fesetround(FE_TONEAREST);
  return result;
}
#pragma STDC FENV_ACCESS OFF

/// The first NaN among the operands, made quiet; the default one if there is
/// none.
static uint64_t doubleResult(double value,
                             std::initializer_list<uint64_t> from) {
  if (value == value)
    return toBits(value);
  for (uint64_t word : from)
    if (asDouble(word) != asDouble(word))
      return word | 0x0008000000000000;
  return 0xfff8000000000000;
}

TEST(Float, Doubles) {
  const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  std::vector<AluRow> rows;
  for (unsigned i = 0; i != 4; ++i) {
    std::string suffix = std::string(".") + roundings[i] + ".f64";
    int mode = modes[i];
    for (std::string op : {"add", "sub", "mul", "div"})
      rows.push_back({op + suffix + " %d, %a, %b", "d:dd", [=](Operands o) {
                        return doubleResult(hostCompute(op, mode, asDouble(o.a),
                                                        asDouble(o.b), 0),
                                            {o.a, o.b});
                      }});
    for (std::string op : {"fma", "mad"})
      rows.push_back(
          {op + suffix + " %d, %a, %b, %c", "d:ddd", [=](Operands o) {
             return doubleResult(hostCompute(op, mode, asDouble(o.a),
                                             asDouble(o.b), asDouble(o.c)),
                                 {o.a, o.b, o.c});
           }});
    rows.push_back({"rcp" + suffix + " %d, %a", "d:d", [=](Operands o) {
                      return doubleResult(
                          hostCompute("div", mode, 1, asDouble(o.a), 0), {o.a});
                    }});
    rows.push_back({"sqrt" + suffix + " %d, %a", "d:d", [=](Operands o) {
                      return doubleResult(
                          hostCompute("sqrt", mode, asDouble(o.a), 0, 0),
                          {o.a});
                    }});
  }
  rows.push_back({"add.f64 %d, %a, %b", "d:dd", [](Operands o) {
                    return doubleResult(asDouble(o.a) + asDouble(o.b),
                                        {o.a, o.b});
                  }});
  checkAlu("h100", floatOperands(doubleEdges(), 64), rows);
}

//===----------------------------------------------------------------------===//
// What rounds nothing
//===----------------------------------------------------------------------===//

TEST(Float, Signs) {
  auto flush = [](uint64_t word) {
    return word & 0x7f800000 ? word : word & 0x80000000;
  };
  checkAlu(
      "h100",
      cross(floatEdges(), floatEdges()) + cross(doubleEdges(), doubleEdges()),
      {{"neg.f32 %d, %a", "r:r", [](Operands o) { return o.a ^ 0x80000000; }},
       {"neg.ftz.f32 %d, %a", "r:r",
        [=](Operands o) { return flush(o.a) ^ 0x80000000; }},
       {"neg.f64 %d, %a", "d:d",
        [](Operands o) { return o.a ^ uint64_t(1) << 63; }},
       {"abs.f32 %d, %a", "r:r", [](Operands o) { return o.a & 0x7fffffff; }},
       {"abs.ftz.f32 %d, %a", "r:r",
        [=](Operands o) { return flush(o.a) & 0x7fffffff; }},
       {"abs.f64 %d, %a", "d:d",
        [](Operands o) { return o.a & ~(uint64_t(1) << 63); }},
       {"copysign.f32 %d, %a, %b", "r:rr",
        [](Operands o) { return (o.a & 0x80000000) | (o.b & 0x7fffffff); }},
       {"copysign.f64 %d, %a, %b", "d:dd", [](Operands o) {
          uint64_t sign = uint64_t(1) << 63;
          return (o.a & sign) | (o.b & ~sign);
        }}});
}

TEST(Float, Classes) {
  std::vector<AluRow> rows;
  auto add = [&](const std::string &op, bool (*holds)(const APFloat &)) {
    rows.push_back({"testp." + op + ".f32 %d, %a", "p:r", [=](Operands o) {
                      return uint64_t(holds(f32Format().read(o.a)));
                    }});
    rows.push_back({"testp." + op + ".f64 %d, %a", "p:d", [=](Operands o) {
                      return uint64_t(holds(APFloat(asDouble(o.a))));
                    }});
  };
  add("finite", [](const APFloat &v) { return v.isFinite(); });
  add("infinite", [](const APFloat &v) { return v.isInfinity(); });
  add("number", [](const APFloat &v) { return !v.isNaN(); });
  add("notanumber", [](const APFloat &v) { return v.isNaN(); });
  // Zeros count as normal.
  add("normal", [](const APFloat &v) { return v.isNormal() || v.isZero(); });
  add("subnormal", [](const APFloat &v) { return v.isDenormal(); });
  checkAlu("h100",
           cross(floatEdges()) + cross(doubleEdges()) + randomOperands(200),
           rows);
}

TEST(Float, MinimumAndMaximum) {
  std::vector<AluRow> rows, three, doubles;
  for (bool max : {false, true}) {
    std::string op = max ? "max" : "min";
    for (bool ftz : {false, true})
      for (bool propagate : {false, true})
        for (bool flag : {false, true}) {
          std::string prefix =
              op + (ftz ? ".ftz" : "") + (propagate ? ".NaN" : "");
          rows.push_back(
              {prefix + (flag ? ".xorsign.abs" : "") + ".f32 %d, %a, %b",
               "r:rr", [=](Operands o) {
                 return extremum(f32Format(ftz), max, propagate, flag, false, 2,
                                 o);
               }});
          three.push_back(
              {prefix + (flag ? ".abs" : "") + ".f32 %d, %a, %b, %c", "r:rrr",
               [=](Operands o) {
                 return extremum(f32Format(ftz), max, propagate, false, flag, 3,
                                 o);
               }});
        }
    doubles.push_back(
        {op + ".f64 %d, %a, %b", "d:dd", [=](Operands o) {
           FloatFormat format{APFloat::IEEEdouble(), 64, 0xfff8000000000000};
           return extremum(format, max, false, false, false, 2, o);
         }});
  }
  checkAlu("h100", cross(floatEdges(), floatEdges()) + randomOperands(500),
           rows);
  checkAlu("b200",
           cross(floatEdges(), floatEdges(),
                 {0x80000000, 0x7fc00000, 0x3f800000, 0xff800000, 0x80000001}) +
               randomOperands(500),
           three);
  checkAlu("h100", cross(doubleEdges(), doubleEdges()) + randomOperands(500),
           doubles);
}
