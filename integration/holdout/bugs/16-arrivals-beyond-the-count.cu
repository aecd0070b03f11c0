// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: two leaders arrive with a count of two each at an mbarrier that was initialized with three
// fix: initialize it with four
// isa: 9.7.13.15.2 the count of pending arrivals is never below zero: the second arrival takes two from one
#include "../common.h"

__global__ void leaders(const u32 *x, u32 *y) {
  __shared__ u32 tile[64];
  __shared__ u64 bar;
  u32 t = threadIdx.x;
  if (t == 0)
    mbar::init(&bar, FIXED ? 4 : 3);
  __syncthreads();
  tile[t] = x[t];
  __syncwarp();
  if (lane() == 0)
    mbar::arrive(&bar, 2);
  mbar::wait(&bar, 0);
  y[t] = tile[63 - t];
}

int main() {
  u32 *x = items(64), *y = zeros(64);
  leaders<<<1, 64>>>(x, y);
  return expect(y, 64, [](size_t i) { return item(63 - i); });
}
