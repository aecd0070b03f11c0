// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// what: one thread asks launch control, waits, decodes the answer and stores the tile's number for the others, who never
//       see the mbarrier; it asks again without another thread's proxy fence
// isa: 9.7.13.17, 8.6 only that thread reads the answer in the generic proxy, and it fences before it asks again
// arch: sm_100a
#include "../tensor.h"

__global__ void tiles(u32 *y) {
  __shared__ uint4 answer;
  __shared__ u64 full;
  __shared__ int slot[2];
  u32 t = threadIdx.x;
  if (t == 0)
    mbar::init(&full, 1);
  int tile = int(blockIdx.x);
  for (u32 round = 0; tile >= 0; ++round) {
    if (t == 0) {
      mbar::expect(&full, 16);
      clc::ask(&answer, &full);
    }
    y[tile * 64 + t] = tile + t;
    if (t == 0) {
      mbar::waitCluster(&full, round % 2);
      slot[round % 2] = clc::first(&answer);
      fenceAsync();
    }
    __syncthreads();
    tile = slot[round % 2];
  }
}

int main() {
  constexpr u32 ctas = 1200;
  u32 *y = zeros(ctas * 64);
  tiles<<<ctas, 64>>>(y);
  return expect(y, ctas * 64, [](size_t i) { return i / 64 + i % 64; });
}
