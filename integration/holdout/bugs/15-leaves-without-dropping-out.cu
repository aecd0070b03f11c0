// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: a warp leaves after the first round and still counts among the expected arrivals of later ones
// fix: its arrival is mbarrier.arrive_drop
// isa: 9.7.13.15.14 a thread that opts out must drop itself, or the count of pending arrivals never reaches zero
#include "../common.h"

__global__ void rounds(const u32 *x, u32 *y) {
  __shared__ u32 slot[3][64];
  __shared__ u64 bar;
  u32 t = threadIdx.x, sum = 0;
  if (t == 0)
    mbar::init(&bar, 64);
  __syncthreads();
  if (warp() == 1) {
    slot[0][t] = x[t];
    if (FIXED)
      mbar::arriveDrop(&bar);
    else
      mbar::arrive(&bar);
    return;
  }
  for (u32 r = 0; r < 3; ++r) {
    slot[r][t] = x[r * 64 + t];
    mbar::arrive(&bar);
    mbar::wait(&bar, r % 2);
    sum += slot[r][r == 0 ? t ^ 32 : t ^ 1];
  }
  y[t] = sum;
}

int main() {
  u32 *x = items(192), *y = zeros(32);
  rounds<<<1, 64>>>(x, y);
  return expect(y, 32, [](size_t i) { return item(i ^ 32) + item(64 + (i ^ 1)) + item(128 + (i ^ 1)); });
}
