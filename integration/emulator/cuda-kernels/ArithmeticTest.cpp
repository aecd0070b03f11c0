//===- ArithmeticTest.cpp - Arithmetic in kernels that nvcc compiled ------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference for floating point is LLVM's APFloat, which rounds as IEEE 754
// says; PTX's own NaN takes the place of any other.
//
//===----------------------------------------------------------------------===//

#include "CudaKernels.h"
#include "Integer.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using llvm::APFloat;
using llvm::APInt;
using llvm::APSInt;
using llvm::RoundingMode;

/// In the order of the kernels' outputs.
static const RoundingMode modes[] = {
    RoundingMode::NearestTiesToEven, RoundingMode::TowardZero,
    RoundingMode::TowardPositive, RoundingMode::TowardNegative};

/// A format, with the NaN that PTX's instructions give.
struct Format {
  const llvm::fltSemantics &semantics;
  unsigned bits;
  uint64_t nan;

  APFloat read(uint64_t word) const {
    return APFloat(semantics, APInt(bits, word));
  }
  uint64_t write(const APFloat &value) const {
    return value.isNaN() ? nan : value.bitcastToAPInt().getZExtValue();
  }
};
static const Format single = {APFloat::IEEEsingle(), 32, 0x7fffffff};
static const Format binary64 = {APFloat::IEEEdouble(), 64, 0x7fffffffffffffff};
static const Format half = {APFloat::IEEEhalf(), 16, 0x7fff};
static const Format brain = {APFloat::BFloat(), 16, 0x7fff};

/// Random bits, numbers of similar size, and the ends of the format.
template <typename T>
static std::vector<T> numbers(size_t count, const Format &format) {
  std::mt19937_64 generator(7);
  APInt largest = APFloat::getLargest(format.semantics).bitcastToAPInt();
  APInt one = APFloat::getOne(format.semantics).bitcastToAPInt();
  const uint64_t edges[] = {
      0,
      1,
      one.getZExtValue(),
      largest.getZExtValue(),
      APFloat::getInf(format.semantics).bitcastToAPInt().getZExtValue(),
      APFloat::getSmallestNormalized(format.semantics)
          .bitcastToAPInt()
          .getZExtValue(),
      APFloat::getNaN(format.semantics).bitcastToAPInt().getZExtValue()};
  uint64_t sign = uint64_t(1) << (format.bits - 1);
  std::vector<T> result(count);
  for (T &word : result) {
    uint64_t bits = generator();
    switch (generator() % 4) {
    case 0:
      word = T(edges[bits % std::size(edges)] | (bits >> 32 & 1 ? sign : 0));
      break;
    case 1:
      word = T(one.getZExtValue() + bits % (sign >> 5)) ^ T(bits >> 8 & sign);
      break;
    default:
      word = T(bits);
    }
  }
  return result;
}

TEST_P(CudaKernels, Integers) {
  load("Integer");
  unsigned count = 1000;
  std::vector<uint32_t> words = randomWords(6 * count);
  std::vector<IntegerInput> in(count);
  memcpy(in.data(), words.data(), count * sizeof(IntegerInput));
  for (unsigned i = 0; i < count; i += 5)
    in[i].b >>= i % 32;
  uint64_t out = allocate<IntegerOutput>(count);
  run("integers", {8}, {128}, upload(in), out, count);
  std::vector<IntegerOutput> got = read<IntegerOutput>(out, count);
  for (unsigned i = 0; i != count; ++i) {
    IntegerOutput expected = computeIntegers(in[i]);
    for (unsigned k = 0; k != std::size(expected.words); ++k)
      EXPECT_EQ(got[i].words[k], expected.words[k]) << "word " << k;
    for (unsigned k = 0; k != std::size(expected.wide); ++k)
      EXPECT_EQ(got[i].wide[k], expected.wide[k]) << "wide word " << k;
  }
}

TEST_P(CudaKernels, BitInstructions) {
  load("Integer");
  unsigned count = 512;
  std::vector<uint32_t> in = randomWords(3 * count);
  in[0] = 0;
  uint64_t out = allocate<uint32_t>(12 * count);
  run("bits", {4}, {128}, upload(in), out);
  std::vector<uint32_t> got = read<uint32_t>(out, 12 * count);
  for (unsigned i = 0; i != count; ++i) {
    uint32_t a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
    uint64_t pair = uint64_t(b) << 32 | a;
    uint32_t permuted = 0, added = 0;
    for (unsigned byte = 0; byte != 4; ++byte)
      permuted |= (pair >> 8 * (c >> 4 * byte & 7) & 255) << 8 * byte;
    for (unsigned part = 0; part != 32; part += 16)
      added |= ((a >> part) + (b >> part) & 0xffff) << part;
    int32_t dot = int32_t(c);
    for (unsigned byte = 0; byte != 32; byte += 8)
      dot = int32_t(uint32_t(dot) +
                    uint32_t(int8_t(a >> byte) * int8_t(b >> byte)));
    int64_t difference = int64_t(int32_t(a)) - int32_t(b);
    int64_t product = int64_t(int32_t(a << 8) >> 8) * (int32_t(b << 8) >> 8);
    uint32_t expected[] = {uint32_t(llvm::popcount(a)),
                           uint32_t(llvm::countl_zero(a)),
                           llvm::reverseBits(a),
                           a ? uint32_t(llvm::countr_zero(a)) + 1 : 0,
                           permuted,
                           uint32_t(pair << c % 32 >> 32),
                           c >= 32 ? b : uint32_t(pair >> c),
                           uint32_t(dot),
                           uint32_t(std::abs(difference)) + c,
                           uint32_t(product),
                           added,
                           uint32_t((int64_t(int32_t(a)) + int32_t(b)) >> 1)};
    for (unsigned k = 0; k != 12; ++k)
      EXPECT_EQ(got[12 * i + k], expected[k]) << "row " << i << ", " << k;
  }
}

/// sqrt, correctly rounded: APFloat has none. The root to nearest of an f32 is
/// that of its f64; the others are next to it, as the sign of x - r * r says.
static APFloat root(const APFloat &value, RoundingMode mode) {
  const llvm::fltSemantics &semantics = value.getSemantics();
  if (value.isNaN() || value.isZero() || value.isInfinity())
    return value;
  bool ignored;
  APFloat wide = value;
  wide.convert(APFloat::IEEEquad(), RoundingMode::NearestTiesToEven, &ignored);
  // Newton's method, far beyond the bits of the result.
  APFloat estimate(std::sqrt(&semantics == &APFloat::IEEEsingle()
                                 ? double(value.convertToFloat())
                                 : value.convertToDouble()));
  estimate.convert(APFloat::IEEEquad(), RoundingMode::NearestTiesToEven,
                   &ignored);
  APFloat halfOf(APFloat::IEEEquad(), "0.5");
  for (unsigned i = 0; i != 2; ++i) {
    APFloat quotient = wide;
    quotient.divide(estimate, RoundingMode::NearestTiesToEven);
    estimate.add(quotient, RoundingMode::NearestTiesToEven);
    estimate.multiply(halfOf, RoundingMode::NearestTiesToEven);
  }
  // Exact if the square of the rounded root is the value.
  APFloat nearest = estimate;
  nearest.convert(semantics, RoundingMode::NearestTiesToEven, &ignored);
  APFloat square = nearest;
  square.convert(APFloat::IEEEquad(), RoundingMode::NearestTiesToEven,
                 &ignored);
  square.multiply(square, RoundingMode::NearestTiesToEven);
  if (square.compare(wide) == APFloat::cmpEqual)
    return nearest;
  estimate.convert(semantics, mode, &ignored);
  return estimate;
}

template <typename T>
static void expectRounded(const std::vector<T> &in, const std::vector<T> &got,
                          const Format &format) {
  for (size_t i = 0; i != in.size() / 3; ++i)
    for (unsigned m = 0; m != 4; ++m)
      for (unsigned operation = 0; operation != 6; ++operation) {
        APFloat value = format.read(in[3 * i]);
        APFloat b = format.read(in[3 * i + 1]), c = format.read(in[3 * i + 2]);
        switch (operation) {
        case 0:
          value.add(b, modes[m]);
          break;
        case 1:
          value.subtract(b, modes[m]);
          break;
        case 2:
          value.multiply(b, modes[m]);
          break;
        case 3:
          value.fusedMultiplyAdd(b, c, modes[m]);
          break;
        case 4:
          value.divide(b, modes[m]);
          break;
        default:
          value.clearSign();
          value = root(value, modes[m]);
        }
        uint64_t expected = format.write(value);
        // nvcc's division in f64 gives another NaN than the instruction's.
        if (value.isNaN())
          EXPECT_TRUE(format.read(got[24 * i + 6 * m + operation]).isNaN());
        else
          EXPECT_EQ(got[24 * i + 6 * m + operation], T(expected))
              << "operation " << operation << ", rounding " << m << " of "
              << in[3 * i] << ", " << in[3 * i + 1] << ", " << in[3 * i + 2];
      }
}

TEST_P(CudaKernels, Floats) {
  load("Float");
  std::vector<uint32_t> in = numbers<uint32_t>(3 * 1024, single);
  uint64_t out = allocate<uint32_t>(24 * 1024);
  run("floats", {8}, {128}, upload(in), out);
  expectRounded(in, read<uint32_t>(out, 24 * 1024), single);
}

TEST_P(CudaKernels, Doubles) {
  load("Float");
  std::vector<uint64_t> in = numbers<uint64_t>(3 * 1024, binary64);
  uint64_t out = allocate<uint64_t>(24 * 1024);
  run("doubles", {8}, {128}, upload(in), out);
  expectRounded(in, read<uint64_t>(out, 24 * 1024), binary64);
}

TEST_P(CudaKernels, LibraryFunctions) {
  load("Float");
  unsigned count = 1024;
  std::vector<uint32_t> words = numbers<uint32_t>(2 * count, single);
  std::vector<float> in(2 * count);
  memcpy(in.data(), words.data(), words.size() * 4);
  uint64_t out = allocate<float>(12 * count);
  run("library", {8}, {128}, upload(in), out);
  std::vector<float> got = read<float>(out, 12 * count);
  for (unsigned i = 0; i != count; ++i) {
    float a = in[2 * i], b = in[2 * i + 1];
    float expected[] = {std::floor(a),
                        std::ceil(a),
                        std::trunc(a),
                        std::nearbyint(a),
                        std::fmin(a, b),
                        std::fmax(a, b),
                        std::copysign(a, b),
                        std::fabs(a),
                        std::fmod(a, b),
                        float(std::isnan(a) + 2 * std::isinf(a) +
                              4 * std::signbit(a) + 8 * (a < b) +
                              16 * (a == b) + 32 * (a != b) + 64 * !(a >= b)),
                        std::ldexp(a, 3),
                        std::nextafter(a, b)};
    for (unsigned k = 0; k != 12; ++k) {
      float value = got[12 * i + k];
      // C++ leaves open which zero is the smaller one, and which NaN it is.
      if (std::isnan(expected[k]) || (expected[k] == 0 && (k == 4 || k == 5)))
        EXPECT_EQ(std::isnan(value), std::isnan(expected[k])) << k;
      else
        EXPECT_EQ(llvm::bit_cast<uint32_t>(value),
                  llvm::bit_cast<uint32_t>(expected[k]))
            << "function " << k << " of " << a << ", " << b;
    }
  }
}

static void expectHalves(const std::vector<uint16_t> &in,
                         const std::vector<uint16_t> &got,
                         const Format &format) {
  auto nearest = RoundingMode::NearestTiesToEven;
  for (size_t i = 0; i != in.size() / 3; ++i) {
    APFloat a = format.read(in[3 * i]), b = format.read(in[3 * i + 1]),
            c = format.read(in[3 * i + 2]);
    APFloat sum = a, difference = a, product = a, fused = a, next = b;
    sum.add(b, nearest);
    difference.subtract(b, nearest);
    product.multiply(b, nearest);
    fused.fusedMultiplyAdd(b, c, nearest);
    next.add(c, nearest);
    APFloat smaller = a.isNaN() ? b : b.isNaN() ? a : llvm::minimum(a, b);
    APFloat larger = llvm::maximum(a, b);
    bool less = a.compare(b) == APFloat::cmpLessThan;
    uint64_t expected[] = {
        format.write(sum),     format.write(difference),
        format.write(product), format.write(fused),
        format.write(smaller), format.write(larger),
        in[3 * i] ^ 0x8000u,   format.write(less ? sum : next)};
    for (unsigned k = 0; k != 8; ++k)
      if (k == 6 && a.isNaN())
        EXPECT_TRUE(format.read(got[8 * i + k]).isNaN());
      else
        EXPECT_EQ(got[8 * i + k], expected[k])
            << "operation " << k << " of " << in[3 * i] << ", " << in[3 * i + 1]
            << ", " << in[3 * i + 2];
  }
}

TEST_P(CudaKernels, Halves) {
  load("Half");
  for (auto [kernel, format] :
       {std::pair("halves", &half), {"brains", &brain}}) {
    std::vector<uint16_t> in = numbers<uint16_t>(3 * 2048, *format);
    uint64_t out = allocate<uint16_t>(8 * 2048);
    run(kernel, {16}, {128}, upload(in), out);
    expectHalves(in, read<uint16_t>(out, 8 * 2048), *format);
  }
}

/// As cvt does it: to the nearest end if it is out of range, NaN to 0 or, for
/// 64 bits and signed 32 bits from f64, to the lowest number.
static int64_t toInteger(APFloat value, unsigned bits, bool isSigned,
                         RoundingMode mode, bool fromDouble) {
  if (value.isNaN()) {
    if (bits == 64)
      return INT64_MIN;
    return fromDouble ? INT32_MIN : 0;
  }
  APSInt result(bits, !isSigned);
  bool ignored;
  value.convertToInteger(result, mode, &ignored);
  return isSigned ? result.getSExtValue() : int64_t(result.getZExtValue());
}

TEST_P(CudaKernels, ToIntegers) {
  load("Convert");
  std::vector<uint32_t> in = numbers<uint32_t>(2048, single);
  uint64_t out = allocate<int64_t>(24 * in.size());
  run("toIntegers", {16}, {128}, upload(in), out);
  std::vector<int64_t> got = read<int64_t>(out, 24 * in.size());
  for (size_t i = 0; i != in.size(); ++i) {
    APFloat value = single.read(in[i]);
    for (unsigned m = 0; m != 4; ++m) {
      int64_t expected[] = {toInteger(value, 32, true, modes[m], false),
                            toInteger(value, 32, false, modes[m], false),
                            toInteger(value, 64, true, modes[m], false),
                            toInteger(value, 64, false, modes[m], false),
                            toInteger(value, 32, true, modes[m], true),
                            toInteger(value, 64, true, modes[m], true)};
      for (unsigned k = 0; k != 6; ++k)
        EXPECT_EQ(got[24 * i + 6 * m + k], expected[k])
            << "conversion " << k << ", rounding " << m << " of " << in[i];
    }
  }
}

TEST_P(CudaKernels, ToFloats) {
  load("Convert");
  std::vector<uint64_t> in = numbers<uint64_t>(2048, binary64);
  uint64_t out = allocate<uint32_t>(20 * in.size());
  run("toFloats", {16}, {128}, upload(in), out);
  std::vector<uint32_t> got = read<uint32_t>(out, 20 * in.size());
  for (size_t i = 0; i != in.size(); ++i)
    for (unsigned m = 0; m != 4; ++m)
      for (unsigned k = 0; k != 5; ++k) {
        APFloat value(APFloat::IEEEsingle());
        bool ignored;
        if (k == 4) {
          value = binary64.read(in[i]);
          value.convert(APFloat::IEEEsingle(), modes[m], &ignored);
        } else {
          unsigned bits = k < 2 ? 32 : 64;
          value.convertFromAPInt(APInt(64, in[i]).trunc(bits), k % 2 == 0,
                                 modes[m]);
        }
        EXPECT_EQ(got[20 * i + 5 * m + k], single.write(value))
            << "conversion " << k << ", rounding " << m << " of " << in[i];
      }
}

TEST_P(CudaKernels, ToSmallFormats) {
  load("Convert");
  std::vector<uint32_t> in = numbers<uint32_t>(4096, single);
  uint64_t out = allocate<uint32_t>(8 * in.size());
  run("toSmall", {32}, {128}, upload(in), out);
  std::vector<uint32_t> got = read<uint32_t>(out, 8 * in.size());
  struct Target {
    const llvm::fltSemantics &semantics;
    RoundingMode mode;
    bool saturates;
  };
  const Target targets[] = {
      {APFloat::IEEEhalf(), modes[0], false},
      {APFloat::IEEEhalf(), modes[1], false},
      {APFloat::IEEEhalf(), modes[2], false},
      {APFloat::IEEEhalf(), modes[3], false},
      {APFloat::BFloat(), modes[0], false},
      {APFloat::BFloat(), modes[1], false},
      {APFloat::Float8E4M3FN(), modes[0], true},
      {APFloat::Float8E5M2(), modes[0], true},
  };
  for (size_t i = 0; i != in.size(); ++i)
    for (unsigned k = 0; k != 8; ++k) {
      APFloat value = single.read(in[i]);
      APFloat original = value;
      bool ignored;
      value.convert(targets[k].semantics, targets[k].mode, &ignored);
      APFloat largest =
          APFloat::getLargest(targets[k].semantics, original.isNegative());
      if (targets[k].saturates && !original.isNaN() && !value.isFinite())
        value = largest;
      value.convert(APFloat::IEEEsingle(), modes[0], &ignored);
      if (original.isNaN())
        EXPECT_TRUE(single.read(got[8 * i + k]).isNaN()) << k;
      else
        EXPECT_EQ(got[8 * i + k], single.write(value))
            << "format " << k << " of " << in[i];
    }
}
