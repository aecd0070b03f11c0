// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: the warps' sums go into the array of the warps' maxima while other warps still read the maxima
// fix: a barrier between the last read of the maxima and the first store of a sum
// isa: 8.7.1 conflicting accesses that causality order does not relate are a data race; redux.sync orders no memory
#include "../common.h"

__global__ void softmax(const u32 *x, u32 *y) {
  __shared__ u32 part[4];
  u32 v = x[threadIdx.x];
  u32 most = __reduce_max_sync(~0u, v);
  if (lane() == 0)
    part[warp()] = most;
  __syncthreads();
  most = max(max(part[0], part[1]), max(part[2], part[3]));
#if FIXED
  __syncthreads();
#endif
  u32 sum = __reduce_add_sync(~0u, most - v);
  if (lane() == 0)
    part[warp()] = sum;
  __syncthreads();
  sum = part[0] + part[1] + part[2] + part[3];
  y[threadIdx.x] = (most - v) + sum;
}

int main() {
  u32 *x = items(128), *y = zeros(128);
  softmax<<<1, 128>>>(x, y);
  u32 sum = 0;
  for (u32 i = 0; i < 128; ++i)
    sum += item(127) - item(i);
  return expect(y, 128, [&](size_t i) { return item(127) - item(i) + sum; });
}
