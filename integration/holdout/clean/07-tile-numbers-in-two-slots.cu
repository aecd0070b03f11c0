// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// what: a persistent CTA takes tile numbers from a counter; the leader stores the next one right after the others were
//       released to read the last one
// isa: 9.7.13.1 the slots alternate; a slot is stored again behind a barrier at which all arrive after they have read it
#include "../common.h"

__global__ void persistent(const u32 *x, u32 *next, u32 *y) {
  __shared__ u32 slot[2];
  for (u32 r = 0;; ++r) {
    if (threadIdx.x == 0)
      slot[r % 2] = atomicAdd(next, 1);
    __syncthreads();
    u32 tile = slot[r % 2];
    if (tile >= 7)
      break;
    y[tile * 64 + threadIdx.x] = x[tile * 64 + threadIdx.x] + tile;
  }
}

int main() {
  u32 *x = items(448), *next = zeros(1), *y = zeros(448);
  persistent<<<2, 64>>>(x, next, y);
  return expect(y, 448, [](size_t i) { return item(i) + i / 64; });
}
