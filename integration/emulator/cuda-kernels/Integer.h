//===- Integer.h - Integer arithmetic for device and host -------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nvcc compiles it for the device, the test's compiler for the host: both must
// come to the same bits.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_INTEGRATION_INTEGER_H
#define DRAWLOOM_INTEGRATION_INTEGER_H

#include <cstdint>

#ifdef __CUDACC__
#define BOTH __host__ __device__
#else
#define BOTH
#endif

struct IntegerInput {
  uint32_t a, b;
  uint64_t c, d;
};

struct IntegerOutput {
  uint32_t words[24];
  uint64_t wide[16];
};

BOTH inline IntegerOutput computeIntegers(const IntegerInput &in) {
  IntegerOutput out = {};
  uint32_t a = in.a, b = in.b;
  int32_t sa = int32_t(a), sb = int32_t(b);
  uint32_t nonZero = b | 1;
  unsigned shift = b % 32;
  out.words[0] = a + b;
  out.words[1] = a - b;
  out.words[2] = a * b;
  out.words[3] = uint32_t(uint64_t(a) * b >> 32);
  out.words[4] = uint32_t(uint64_t(int64_t(sa) * sb) >> 32);
  out.words[5] = a / nonZero;
  out.words[6] = a % nonZero;
  out.words[7] = uint32_t(int64_t(sa) / (int64_t(sb) | 1));
  out.words[8] = uint32_t(int64_t(sa) % (int64_t(sb) | 1));
  out.words[9] = a << shift | a >> (31 - shift) >> 1;
  out.words[10] = uint32_t(sa >> shift);
  out.words[11] = sa < sb ? a : b;
  out.words[12] = a > b ? a : b;
  out.words[13] = uint32_t(sa < 0 ? -int64_t(sa) : int64_t(sa));
  out.words[14] = (a & b) ^ (~a | b);
  out.words[15] = uint32_t(int32_t(int8_t(a)) * int32_t(int16_t(b)));
  out.words[16] = uint32_t(uint8_t(a >> 8)) + uint16_t(b >> 16);
  // Division by constants is a multiplication.
  out.words[17] = a / 7 + a % 1000003;
  out.words[18] = uint32_t(sa / 7 + sa % -13);
  // A field, as compilers extract it.
  out.words[19] = a >> 5 & 0x7ff;
  out.words[20] = uint32_t(int32_t(a << 9) >> 21);
  // Bytes one by one.
  for (unsigned i = 0; i != 4; ++i)
    out.words[21] |= (a >> 8 * i & 255) << 8 * (3 - i);
  for (uint32_t x = b; x; x &= x - 1)
    ++out.words[22];
  out.words[23] = (sa < sb) + 2 * (a < b) + 4 * (sa == sb) + 8 * (a >= b);

  uint64_t c = in.c, d = in.d;
  int64_t sc = int64_t(c), sd = int64_t(d);
  out.wide[0] = c + d;
  out.wide[1] = c - d;
  out.wide[2] = c * d;
  out.wide[3] = c / (d | 1);
  out.wide[4] = c % (d | 1);
  out.wide[5] = uint64_t(sc >> d % 64);
  out.wide[6] = c << d % 64;
  out.wide[7] = sc < sd ? c : d;
  out.wide[8] = c / ((d >> 40) | 1);
  out.wide[9] = uint64_t((sc >> 1) / ((sd >> 33) | 1));
  using Wide = unsigned __int128;
  Wide product = Wide(c) * d;
  out.wide[10] = uint64_t(product >> 64);
  Wide sum = (Wide(c) << 64 | d) + (Wide(d) << 64 | ~c);
  out.wide[11] = uint64_t(sum);
  out.wide[12] = uint64_t(sum >> 64);
  Wide shifted = (Wide(c) << 64 | d) >> (a % 128);
  out.wide[13] = uint64_t(shifted);
  out.wide[14] = uint64_t(shifted >> 64);
  out.wide[15] = uint64_t(a) * b + c;
  return out;
}

#endif // DRAWLOOM_INTEGRATION_INTEGER_H
