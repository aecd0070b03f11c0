//===- Integer.cu - Integer arithmetic ------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Integer.h"

extern "C" __global__ void integers(const IntegerInput *in, IntegerOutput *out,
                                    unsigned count) {
  unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index < count)
    out[index] = computeIntegers(in[index]);
}

/// The instructions that C++ has no operator for.
extern "C" __global__ void bits(const uint32_t *in, uint32_t *out) {
  unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t a = in[3 * index], b = in[3 * index + 1], c = in[3 * index + 2];
  uint32_t *row = out + 12 * index;
  row[0] = __popc(a);
  row[1] = __clz(a);
  row[2] = __brev(a);
  row[3] = __ffs(a);
  row[4] = __byte_perm(a, b, c);
  row[5] = __funnelshift_l(a, b, c);
  row[6] = __funnelshift_rc(a, b, c);
  row[7] = __dp4a(int(a), int(b), int(c));
  row[8] = __sad(int(a), int(b), c);
  row[9] = __mul24(int(a), int(b));
  row[10] = __vadd2(a, b);
  row[11] = __hadd(int(a), int(b));
}
