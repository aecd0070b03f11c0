//===- Warp.cu - Lanes that talk to each other ----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <cstdint>

static constexpr unsigned everyone = 0xffffffff;

extern "C" __global__ void shuffles(const uint32_t *in, uint32_t *out) {
  unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t a = in[index];
  uint32_t *row = out + 8 * index;
  row[0] = __shfl_sync(everyone, a, a);
  row[1] = __shfl_up_sync(everyone, a, 3);
  row[2] = __shfl_down_sync(everyone, a, 5, 8);
  row[3] = __shfl_xor_sync(everyone, a, 17);
  row[4] = __shfl_sync(everyone, a, 6, 16);
  uint64_t wide = __shfl_xor_sync(everyone, uint64_t(a) << 20 | index, 1);
  row[5] = uint32_t(wide);
  row[6] = uint32_t(wide >> 32);
  row[7] = __shfl_up_sync(everyone, a, 2, 4);
}

extern "C" __global__ void votes(const uint32_t *in, uint32_t *out) {
  unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t a = in[index];
  uint32_t *row = out + 12 * index;
  row[0] = __ballot_sync(everyone, a & 1);
  row[1] = __any_sync(everyone, a % 64 == 0);
  row[2] = __all_sync(everyone, a % 64 != 5);
  row[3] = __match_any_sync(everyone, a % 5);
  int same;
  row[4] = __match_all_sync(everyone, a >> 31, &same);
  row[5] = same;
  row[6] = __reduce_add_sync(everyone, a);
  row[7] = __reduce_max_sync(everyone, a);
  row[8] = uint32_t(__reduce_min_sync(everyone, int(a)));
  row[9] = __reduce_xor_sync(everyone, a);
  // In divergent code, with a mask of those that are there.
  if (a % 3 == 0)
    row[10] = __reduce_add_sync(__activemask(), 1);
  else
    row[10] = __ballot_sync(__activemask(), a % 3 == 2);
  // A sum of all lanes in front of this one.
  uint32_t sum = a;
  for (unsigned distance = 1; distance != 32; distance *= 2) {
    uint32_t other = __shfl_up_sync(everyone, sum, distance);
    if (threadIdx.x % 32 >= distance)
      sum += other;
  }
  row[11] = sum - a;
}
