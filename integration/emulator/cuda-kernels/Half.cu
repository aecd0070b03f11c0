//===- Half.cu - Half precision and bfloat16 ------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void halves(const __half *in, __half *out) {
  unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
  __half a = in[3 * index], b = in[3 * index + 1], c = in[3 * index + 2];
  __half *row = out + 8 * index;
  row[0] = __hadd_rn(a, b);
  row[1] = __hsub_rn(a, b);
  row[2] = __hmul_rn(a, b);
  row[3] = __hfma(a, b, c);
  row[4] = __hmin(a, b);
  row[5] = __hmax_nan(a, b);
  row[6] = __hneg(a);
  __half2 sum = __hadd2_rn(__halves2half2(a, b), __halves2half2(b, c));
  row[7] = __hlt(a, b) ? __low2half(sum) : __high2half(sum);
}

extern "C" __global__ void brains(const __nv_bfloat16 *in, __nv_bfloat16 *out) {
  unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
  __nv_bfloat16 a = in[3 * index], b = in[3 * index + 1], c = in[3 * index + 2];
  __nv_bfloat16 *row = out + 8 * index;
  row[0] = __hadd_rn(a, b);
  row[1] = __hsub_rn(a, b);
  row[2] = __hmul_rn(a, b);
  row[3] = __hfma(a, b, c);
  row[4] = __hmin(a, b);
  row[5] = __hmax_nan(a, b);
  row[6] = __hneg(a);
  __nv_bfloat162 sum =
      __hadd2_rn(__halves2bfloat162(a, b), __halves2bfloat162(b, c));
  row[7] = __hlt(a, b) ? __low2bfloat16(sum) : __high2bfloat16(sum);
}
