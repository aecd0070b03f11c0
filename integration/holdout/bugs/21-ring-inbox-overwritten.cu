// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: a ring reduction over four CTAs sends the next value into a neighbor's inbox that it may not have read yet
// fix: a second cluster barrier in each step
// isa: 8.7.1, 9.7.13.3 the cluster barrier orders a step's stores before its reads, not its reads before the next stores
#include "../common.h"

__global__ void __cluster_dims__(4) ring(const u32 *x, u32 *y) {
  __shared__ u32 inbox[32];
  u32 t = threadIdx.x, v = x[blockIdx.x * 32 + t], sum = v;
  u32 right = cluster::map(inbox + t, (cluster::rank() + 1) % 4);
  cluster::sync();
  for (u32 step = 0; step < 3; ++step) {
    cluster::store(right, v);
    cluster::sync();
    v = loadShared(inbox + t);
    sum += v;
#if FIXED
    cluster::sync();
#endif
  }
  y[blockIdx.x * 32 + t] = sum;
}

int main() {
  u32 *x = items(128), *y = zeros(128);
  ring<<<4, 32>>>(x, y);
  return expect(y, 128, [](size_t i) {
    i %= 32;
    return item(i) + item(32 + i) + item(64 + i) + item(96 + i);
  });
}
