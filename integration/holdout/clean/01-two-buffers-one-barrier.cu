// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// what: a block reduction in a loop with one barrier in each round and nothing after the reads
// isa: 9.7.13.1 rounds alternate between two buffers: a buffer is written again behind the next round's barrier, at which
//      a thread arrives after it has read
#include "../common.h"

__global__ void reduce(const u32 *x, u32 *y) {
  __shared__ u32 part[2][4];
  for (u32 r = 0; r < 5; ++r) {
    u32 sum = __reduce_add_sync(~0u, x[r * 128 + threadIdx.x]);
    if (lane() == 0)
      part[r % 2][warp()] = sum;
    __syncthreads();
    sum = 0;
    for (u32 i = 0; i < 4; ++i)
      sum += part[r % 2][i];
    y[r * 128 + threadIdx.x] = sum;
  }
}

int main() {
  u32 *x = items(640), *y = zeros(640);
  reduce<<<1, 128>>>(x, y);
  return expect(y, 640, [](size_t i) {
    u32 sum = 0;
    for (u32 k = 0; k < 128; ++k)
      sum += item(i / 128 * 128 + k);
    return sum;
  });
}
