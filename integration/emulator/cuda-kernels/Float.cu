//===- Float.cu - Floating point with every rounding ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <cstdint>

/// add, sub, mul, fma, div and sqrt, each to nearest, to zero, up and down.
extern "C" __global__ void floats(const float *in, float *out) {
  unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
  float a = in[3 * index], b = in[3 * index + 1], c = in[3 * index + 2];
  float *row = out + 24 * index;
#define ROUNDED(mode, first)                                                   \
  row[first] = __fadd_##mode(a, b);                                            \
  row[first + 1] = __fsub_##mode(a, b);                                        \
  row[first + 2] = __fmul_##mode(a, b);                                        \
  row[first + 3] = __fmaf_##mode(a, b, c);                                     \
  row[first + 4] = __fdiv_##mode(a, b);                                        \
  row[first + 5] = __fsqrt_##mode(fabsf(a));
  ROUNDED(rn, 0)
  ROUNDED(rz, 6)
  ROUNDED(ru, 12)
  ROUNDED(rd, 18)
#undef ROUNDED
}

extern "C" __global__ void doubles(const double *in, double *out) {
  unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
  double a = in[3 * index], b = in[3 * index + 1], c = in[3 * index + 2];
  double *row = out + 24 * index;
#define ROUNDED(mode, first)                                                   \
  row[first] = __dadd_##mode(a, b);                                            \
  row[first + 1] = __dsub_##mode(a, b);                                        \
  row[first + 2] = __dmul_##mode(a, b);                                        \
  row[first + 3] = __fma_##mode(a, b, c);                                      \
  row[first + 4] = __ddiv_##mode(a, b);                                        \
  row[first + 5] = __dsqrt_##mode(fabs(a));
  ROUNDED(rn, 0)
  ROUNDED(rz, 6)
  ROUNDED(ru, 12)
  ROUNDED(rd, 18)
#undef ROUNDED
}

/// What the C library defines to the bit.
extern "C" __global__ void library(const float *in, float *out) {
  unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
  float a = in[2 * index], b = in[2 * index + 1];
  float *row = out + 12 * index;
  row[0] = floorf(a);
  row[1] = ceilf(a);
  row[2] = truncf(a);
  row[3] = rintf(a);
  row[4] = fminf(a, b);
  row[5] = fmaxf(a, b);
  row[6] = copysignf(a, b);
  row[7] = fabsf(a);
  row[8] = fmodf(a, b);
  row[9] = float(isnan(a) + 2 * isinf(a) + 4 * signbit(a) + 8 * (a < b) +
                 16 * (a == b) + 32 * (a != b) + 64 * !(a >= b));
  row[10] = ldexpf(a, 3);
  row[11] = nextafterf(a, b);
}
