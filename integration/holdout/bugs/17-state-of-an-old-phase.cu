// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: the third phase of an mbarrier is awaited with the state that the arrival in the first one returned
// fix: with the state of the latest arrival
// isa: 9.7.13.15.16 the state must come from an arrival during the current or the immediately preceding phase
#include "../common.h"

__global__ void phases(const u32 *x, u32 *y) {
  __shared__ u32 tile[64];
  __shared__ u64 bar;
  u32 t = threadIdx.x;
  if (t == 0)
    mbar::init(&bar, 64);
  __syncthreads();
  u64 state = mbar::arrive(&bar);
  mbar::waitState(&bar, state);
  mbar::arrive(&bar);
  mbar::wait(&bar, 1);
  tile[t] = x[t];
  u64 latest = mbar::arrive(&bar);
  mbar::waitState(&bar, FIXED ? latest : state);
  y[t] = tile[63 - t];
}

int main() {
  u32 *x = items(64), *y = zeros(64);
  phases<<<1, 64>>>(x, y);
  return expect(y, 64, [](size_t i) { return item(63 - i); });
}
