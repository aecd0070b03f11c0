// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: the leader of a persistent CTA puts the next tile's number where the others may not have read the last one yet
// fix: a barrier after all threads have read it
// isa: 8.7.1, 9.7.13.1 the barrier orders the store before the reads, nothing orders the reads before the next store
#include "../common.h"

__global__ void persistent(const u32 *x, u32 *next, u32 *y) {
  __shared__ u32 slot;
  for (;;) {
    if (threadIdx.x == 0)
      slot = atomicAdd(next, 1);
    __syncthreads();
    u32 tile = slot;
#if FIXED
    __syncthreads();
#endif
    if (tile >= 6)
      break;
    y[tile * 64 + threadIdx.x] = x[tile * 64 + threadIdx.x] + tile;
  }
}

int main() {
  u32 *x = items(384), *next = zeros(1), *y = zeros(384);
  persistent<<<2, 64>>>(x, next, y);
  return expect(y, 384, [](size_t i) { return item(i) + i / 64; });
}
