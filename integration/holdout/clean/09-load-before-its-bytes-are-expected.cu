// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// what: a bulk load is issued first, and its bytes are expected afterwards
// isa: 9.7.13.15.2, 9.7.13.15.6 the tx-count may be below zero; the phase cannot complete while an arrival is pending, and
//      that arrival comes with the expectation
#include "../common.h"

__global__ void load(const u32 *x, u32 *y) {
  __shared__ __align__(16) u32 tile[128];
  __shared__ u64 full;
  u32 t = threadIdx.x;
  if (t == 0) {
    mbar::init(&full, 1);
    bulk::load(tile, x, 256, &full);
    bulk::load(tile + 64, x + 64, 256, &full);
    mbar::expect(&full, 512);
  }
  __syncthreads();
  mbar::wait(&full, 0);
  y[t] = tile[127 - t];
}

int main() {
  u32 *x = items(128), *y = zeros(128);
  load<<<1, 128>>>(x, y);
  return expect(y, 128, [](size_t i) { return item(127 - i); });
}
