//===- ApproxTest.cpp - Approximate functions ----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ISA gives a largest error and special values. The reference is the C
// library's long double. The worst error found must be what Fidelity.def says.
//
//===----------------------------------------------------------------------===//

#include "FloatReference.h"
#include "drawloom/Emulator/Fidelity.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <map>

using Real = long double;

namespace {
enum class Error { Ulps, Relative, Absolute };

struct Bound {
  Error kind;
  double largest;
  double low = -INFINITY, high = INFINITY; ///< Of the operand.
};

/// The distance of two floats in steps.
int64_t steps(float a, float b) {
  auto place = [](float value) {
    int32_t bits = std::bit_cast<int32_t>(value);
    return int64_t(bits < 0 ? -(bits & 0x7fffffff) : bits);
  };
  return std::abs(place(a) - place(b));
}

double errorOf(Error kind, float got, Real exact) {
  switch (kind) {
  case Error::Ulps:
    return steps(got, static_cast<float>(exact));
  case Error::Relative:
    return std::fabs((got - exact) / exact);
  case Error::Absolute:
    return std::fabs(got - exact);
  }
  return 0;
}

/// The worst error of an instruction is what the table says.
void expectMeasured(const std::string &mnemonic, Error kind, double worst) {
  std::string words;
  if (kind == Error::Ulps)
    words = llvm::formatv("{0} ulp", static_cast<int64_t>(worst));
  else
    words = llvm::formatv("2^{0:f1}", std::ceil(std::log2(worst) * 10) / 10);
  const auto *rule = drawloom::emu::fidelityRuleOf(mnemonic, true);
  ASSERT_NE(rule, nullptr) << mnemonic;
  EXPECT_TRUE(rule->measured.starts_with(words))
      << mnemonic << " is off by " << words << ", not " << rule->measured.str();
}

/// Positive and negative numbers of every exponent, and random bits.
std::vector<Operands> samples() {
  std::vector<Operands> values = cross(floatEdges());
  for (const Operands &o : randomOperands(150000)) {
    values.push_back({o.a & 0xffffffff});
    // Half of all floats are larger than any angle or exponent that matters.
    uint64_t exponent = 96 + o.b % 40;
    values.push_back({(o.c & 0x807fffff) | exponent << 23});
  }
  return values;
}

/// Runs the instruction for all samples in the bound's range and gives the
/// worst error; each must be within the bound. Results too small to be normal
/// have no relative error.
double worstError(const std::string &text, Real (*exact)(Real), Bound bound,
                  const std::vector<Operands> &values) {
  std::vector<uint64_t> results = runAlu("h100", values, text, "r:r");
  double worst = 0;
  for (size_t i = 0; i != values.size(); ++i) {
    float x = asFloat(values[i].a), got = asFloat(results[i]);
    if (!(x >= bound.low && x <= bound.high) || !std::isfinite(x))
      continue;
    Real y = exact(x);
    if (!std::isfinite(y) || !std::isfinite(static_cast<float>(y))) {
      EXPECT_EQ(std::isnan(got), std::isnan(y)) << text << " of " << x;
      EXPECT_EQ(std::isinf(got), !std::isnan(y)) << text << " of " << x;
      continue;
    }
    if (bound.kind == Error::Relative && std::fabs(y) < 0x1p-126L)
      continue;
    double error = errorOf(bound.kind, got, y);
    worst = std::max(worst, error);
    if (!(error <= bound.largest)) {
      ADD_FAILURE() << text << " of " << x << " gives " << got << ", not "
                    << static_cast<double>(y);
      break;
    }
  }
  return worst;
}

constexpr double pi = 3.14159265358979323846;
} // namespace

TEST(Approx, WithinTheBounds) {
  struct Row {
    const char *text;
    Real (*exact)(Real);
    Bound bound;
  };
  static const Row rows[] = {
      {"ex2.approx.f32 %d, %a",
       [](Real x) { return exp2l(x); },
       {Error::Ulps, 2}},
      {"rcp.approx.f32 %d, %a", [](Real x) { return 1 / x; }, {Error::Ulps, 1}},
      {"sqrt.approx.f32 %d, %a",
       [](Real x) { return sqrtl(x); },
       {Error::Relative, 0x1p-23}},
      {"rsqrt.approx.f32 %d, %a",
       [](Real x) { return 1 / sqrtl(x); },
       {Error::Relative, std::exp2(-22.9)}},
      {"lg2.approx.f32 %d, %a",
       [](Real x) { return log2l(x); },
       {Error::Absolute, 0x1p-22, 0.5, 2}},
      {"lg2.approx.f32 %d, %a",
       [](Real x) { return log2l(x); },
       {Error::Relative, 0x1p-22, 0, 0.5}},
      {"lg2.approx.f32 %d, %a",
       [](Real x) { return log2l(x); },
       {Error::Relative, 0x1p-22, 2, INFINITY}},
      {"sin.approx.f32 %d, %a",
       [](Real x) { return sinl(x); },
       {Error::Absolute, std::exp2(-20.5), -2 * pi, 2 * pi}},
      {"sin.approx.f32 %d, %a",
       [](Real x) { return sinl(x); },
       {Error::Absolute, std::exp2(-14.7), -100 * pi, 100 * pi}},
      {"cos.approx.f32 %d, %a",
       [](Real x) { return cosl(x); },
       {Error::Absolute, std::exp2(-20.5), -2 * pi, 2 * pi}},
      {"cos.approx.f32 %d, %a",
       [](Real x) { return cosl(x); },
       {Error::Absolute, std::exp2(-14.7), -100 * pi, 100 * pi}},
      {"tanh.approx.f32 %d, %a",
       [](Real x) { return tanhl(x); },
       {Error::Relative, 0x1p-11}},
  };
  std::vector<Operands> values = samples();
  std::map<std::string, std::pair<Error, double>> worst;
  for (const Row &row : rows) {
    auto &[kind, error] =
        worst[llvm::StringRef(row.text).split(' ').first.str()];
    kind = row.bound.kind;
    error = std::max(error, worstError(row.text, row.exact, row.bound, values));
  }
  for (const auto &[mnemonic, found] : worst)
    expectMeasured(mnemonic, found.first, found.second);
}

TEST(Approx, DivisionWithinTheBounds) {
  std::vector<Operands> values = cross(floatEdges(), floatEdges());
  for (Operands o : randomOperands(100000)) {
    o.a &= 0xffffffff;
    o.b &= 0xffffffff;
    values.push_back(o);
    // Quotients that are not too large or small.
    o.b = (o.b & 0x807fffff) | ((o.a & 0x7f800000) + 0x01000000) % 0x7f000000;
    values.push_back(o);
  }
  for (bool full : {false, true}) {
    std::string text =
        full ? "div.full.f32 %d, %a, %b" : "div.approx.f32 %d, %a, %b";
    std::vector<uint64_t> results = runAlu("h100", values, text, "r:rr");
    int64_t worst = 0;
    for (size_t i = 0; i != values.size(); ++i) {
      float a = asFloat(values[i].a), b = asFloat(values[i].b);
      float got = asFloat(results[i]), magnitude = std::fabs(b);
      if (std::isnan(a) || std::isnan(b)) {
        EXPECT_EQ(results[i], 0x7fffffffu);
        continue;
      }
      if (!full && magnitude > 0x1p126f && std::isfinite(b)) {
        // The reciprocal is too small: NaN of infinity, 0 of all else.
        if (std::isinf(a))
          EXPECT_TRUE(std::isnan(got)) << a << " / " << b;
        else
          EXPECT_EQ(results[i], (values[i].a ^ values[i].b) & 0x80000000);
        continue;
      }
      if (!full && std::isinf(b))
        continue;
      float exact = a / b;
      if (std::isnan(exact)) {
        EXPECT_EQ(results[i], 0x7fffffffu);
        continue;
      }
      worst = std::max(worst, steps(got, exact));
      EXPECT_LE(steps(got, exact), 2) << a << " / " << b << " gives " << got;
    }
    expectMeasured(full ? "div.full.f32" : "div.approx.f32", Error::Ulps,
                   static_cast<double>(worst));
  }
}

// The tables of special values in the ISA.
TEST(Approx, SpecialValues) {
  const uint64_t nan = 0x7fffffff, inf = 0x7f800000, minus = 0x80000000,
                 one = 0x3f800000;
  struct Row {
    std::string op;
    uint64_t negativeInfinity, negative, negativeZero, zero, infinity;
  };
  // `negative` is the result of -2; 1 if it is an ordinary number.
  const Row rows[] = {
      {"rcp.approx", minus, 1, minus | inf, inf, 0},
      {"sqrt.approx", nan, nan, minus, 0, inf},
      {"rsqrt.approx", nan, nan, minus | inf, inf, 0},
      {"sin.approx", nan, 1, minus, 0, nan},
      {"cos.approx", nan, 1, one, one, nan},
      {"lg2.approx", nan, nan, minus | inf, minus | inf, inf},
      {"ex2.approx", 0, 1, one, one, inf},
      {"tanh.approx", minus | one, 1, minus, 0, one},
  };
  for (const Row &row : rows)
    for (bool ftz : {false, true}) {
      if (ftz && row.op == "tanh.approx")
        continue;
      std::vector<Operands> values = {
          {minus | inf}, {toBits(-2.0f)}, {minus},      {0},         {inf},
          {0x7fc00000},  {0xff812345},    {0x00000001}, {0x80400000}};
      std::string text = row.op + (ftz ? ".ftz" : "") + ".f32 %d, %a";
      std::vector<uint64_t> r = runAlu("h100", values, text, "r:r");
      EXPECT_EQ(r[0], row.negativeInfinity) << text;
      if (row.negative != 1)
        EXPECT_EQ(r[1], row.negative) << text;
      EXPECT_EQ(r[2], row.negativeZero) << text;
      EXPECT_EQ(r[3], row.zero) << text;
      EXPECT_EQ(r[4], row.infinity) << text;
      EXPECT_EQ(r[5], nan) << text;
      EXPECT_EQ(r[6], nan) << text;
      if (ftz) {
        EXPECT_EQ(r[7], row.zero) << text;
        EXPECT_EQ(r[8], row.negativeZero) << text;
      }
    }
  // 2^-140 is subnormal; with .ftz it is 0.
  EXPECT_EQ(
      runAlu("h100", {{toBits(-140.0f)}}, "ex2.approx.f32 %d, %a", "r:r")[0],
      0x200u);
  EXPECT_EQ(runAlu("h100", {{toBits(-140.0f)}}, "ex2.approx.ftz.f32 %d, %a",
                   "r:r")[0],
            0u);
  // Subnormal numbers pass through tanh.
  EXPECT_EQ(runAlu("h100", {{0x80000005}}, "tanh.approx.f32 %d, %a", "r:r")[0],
            0x80000005u);
  EXPECT_EQ(runAlu("h100", {{0x00000005, 0x3f800000}},
                   "div.full.ftz.f32 %d, %a, %b", "r:rr")[0],
            0u);
  EXPECT_EQ(runAlu("h100", {{0x3f800000, 0x80000005}},
                   "div.approx.ftz.f32 %d, %a, %b", "r:rr")[0],
            0xff800000u);
}

TEST(Approx, HalfWithinTheBounds) {
  struct Row {
    std::string op;
    bool isHalf;
    double (*exact)(double);
    Error kind;
    double largest;
  };
  const Row rows[] = {
      {"ex2.approx.", true, [](double x) { return std::exp2(x); },
       Error::Relative, std::exp2(-9.9)},
      {"ex2.approx.ftz.", false, [](double x) { return std::exp2(x); },
       Error::Relative, std::exp2(-7)},
      {"tanh.approx.", true, [](double x) { return std::tanh(x); },
       Error::Absolute, std::exp2(-10.987)},
      {"tanh.approx.", false, [](double x) { return std::tanh(x); },
       Error::Absolute, std::exp2(-8)},
  };
  std::vector<Operands> values;
  for (uint64_t word = 0; word != 0x10000; ++word)
    values.push_back({word | (word ^ 0x5555) << 16});
  for (const Row &row : rows) {
    FloatFormat format = row.isHalf ? f16Format() : bf16Format();
    format.ftz = row.op.find("ftz") != std::string::npos;
    std::string type = row.isHalf ? "f16" : "bf16";
    std::vector<uint64_t> single =
        runAlu("h100", values, row.op + type + " %d, %a", "h:h");
    std::vector<uint64_t> pair =
        runAlu("h100", values, row.op + type + "x2 %d, %a", "r:r");
    double worst = 0;
    for (size_t i = 0; i != values.size(); ++i) {
      // Both halves of a pair are what the value alone gives.
      EXPECT_EQ(pair[i], single[i] | single[i ^ 0x5555] << 16);
      double x = format.read(i).convertToDouble(), y = row.exact(x);
      double got = format.read(single[i]).convertToDouble();
      if (std::isnan(x)) {
        EXPECT_EQ(single[i], 0x7fffu);
        continue;
      }
      llvm::APFloat rounded(y);
      bool inexact;
      rounded.convert(format.semantics, llvm::APFloat::rmNearestTiesToEven,
                      &inexact);
      if (rounded.isInfinity() || rounded.isDenormal() || rounded.isZero()) {
        uint64_t expected = format.write(rounded);
        EXPECT_LE(single[i] > expected ? single[i] - expected
                                       : expected - single[i],
                  1u)
            << row.op << type << " of " << x;
        continue;
      }
      double error = row.kind == Error::Relative ? std::fabs((got - y) / y)
                                                 : std::fabs(got - y);
      worst = std::max(worst, error);
      EXPECT_LE(error, row.largest) << row.op << type << " of " << x;
    }
    expectMeasured(row.op + type, row.kind, worst);
  }
  EXPECT_EQ(runAlu("h100", {{0xfc00}}, "ex2.approx.f16 %d, %a", "h:h")[0], 0u);
  EXPECT_EQ(runAlu("h100", {{0x8001}}, "ex2.approx.ftz.bf16 %d, %a", "h:h")[0],
            0x3f80u);
}

TEST(Approx, Doubles) {
  const uint64_t inf = 0x7ff0000000000000, minus = uint64_t(1) << 63,
                 nan = 0x7fffffff00000000;
  std::vector<Operands> values = {
      {minus | inf}, {minus},     {0},       {inf},
      {1},           {minus | 1}, {inf | 1}, {0x7fe0000000000000}};
  EXPECT_EQ(runAlu("h100", values, "rcp.approx.ftz.f64 %d, %a", "d:d"),
            // A NaN whose upper word is that of infinity is infinity.
            (std::vector<uint64_t>{minus, minus | inf, inf, 0, inf, minus | inf,
                                   0, 0}));
  values.back() = {0xfff8000000000000};
  EXPECT_EQ(runAlu("h100", values, "rsqrt.approx.ftz.f64 %d, %a", "d:d"),
            (std::vector<uint64_t>{nan, minus | inf, inf, 0, inf, minus | inf,
                                   0, nan}));
  EXPECT_EQ(runAlu("h100", {{inf | uint64_t(1) << 40}},
                   "rcp.approx.ftz.f64 %d, %a", "d:d")[0],
            nan);
  double worst[3] = {};
  values = randomOperands(20000);
  const char *texts[] = {"rcp.approx.ftz.f64 %d, %a",
                         "rsqrt.approx.ftz.f64 %d, %a",
                         "rsqrt.approx.f64 %d, %a"};
  for (unsigned which = 0; which != 3; ++which) {
    std::vector<uint64_t> results = runAlu("h100", values, texts[which], "d:d");
    for (size_t i = 0; i != values.size(); ++i) {
      uint64_t word = which == 2 ? values[i].a : values[i].a >> 32 << 32;
      double x = asDouble(word), got = asDouble(results[i]);
      Real y = which == 0 ? 1 / Real(x) : 1 / sqrtl(x);
      if (!std::isnormal(x) || !std::isnormal(static_cast<double>(y)))
        continue;
      if (which != 2)
        EXPECT_EQ(results[i] & 0xffffffff, 0u);
      worst[which] = std::max<double>(worst[which], std::fabs((got - y) / y));
    }
  }
  // The upper word has 20 bits of mantissa; half of the last one is 2^-21.
  EXPECT_LE(worst[0], 0x1p-21);
  EXPECT_LE(worst[1], 0x1p-21);
  EXPECT_LE(worst[2], 0x1p-52);
  for (unsigned which = 0; which != 3; ++which)
    expectMeasured(llvm::StringRef(texts[which]).split(' ').first.str(),
                   Error::Relative, worst[which]);
}
