//===- Convert.cu - Conversions -------------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

/// From f32 and f64 to integers, each to nearest, to zero, up and down.
extern "C" __global__ void toIntegers(const float *in, int64_t *out) {
  unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
  float a = in[index];
  int64_t *row = out + 24 * index;
#define ROUNDED(mode, first)                                                   \
  row[first] = __float2int_##mode(a);                                          \
  row[first + 1] = __float2uint_##mode(a);                                     \
  row[first + 2] = __float2ll_##mode(a);                                       \
  row[first + 3] = int64_t(__float2ull_##mode(a));                             \
  row[first + 4] = __double2int_##mode(double(a));                             \
  row[first + 5] = __double2ll_##mode(double(a));
  ROUNDED(rn, 0)
  ROUNDED(rz, 6)
  ROUNDED(ru, 12)
  ROUNDED(rd, 18)
#undef ROUNDED
}

/// From integers to f32, and from f64 to f32.
extern "C" __global__ void toFloats(const int64_t *in, float *out) {
  unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
  int64_t a = in[index];
  float *row = out + 20 * index;
#define ROUNDED(mode, first)                                                   \
  row[first] = __int2float_##mode(int(a));                                     \
  row[first + 1] = __uint2float_##mode(unsigned(a));                           \
  row[first + 2] = __ll2float_##mode(a);                                       \
  row[first + 3] = __ull2float_##mode(uint64_t(a));                            \
  row[first + 4] = __double2float_##mode(__longlong_as_double(a));
  ROUNDED(rn, 0)
  ROUNDED(rz, 5)
  ROUNDED(ru, 10)
  ROUNDED(rd, 15)
#undef ROUNDED
}

/// From f32 to the formats of matrices, and back.
extern "C" __global__ void toSmall(const float *in, float *out) {
  unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
  float a = in[index];
  float *row = out + 8 * index;
  row[0] = __half2float(__float2half_rn(a));
  row[1] = __half2float(__float2half_rz(a));
  row[2] = __half2float(__float2half_ru(a));
  row[3] = __half2float(__float2half_rd(a));
  row[4] = __bfloat162float(__float2bfloat16_rn(a));
  row[5] = __bfloat162float(__float2bfloat16_rz(a));
  row[6] = float(__nv_fp8_e4m3(a));
  row[7] = float(__nv_fp8_e5m2(a));
}
