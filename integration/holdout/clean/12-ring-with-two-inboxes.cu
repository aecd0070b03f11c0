// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// what: a ring reduction over four CTAs with one cluster barrier in each step, and none after the reads or at the end
// isa: 9.7.13.3 inboxes alternate: one is written again behind the next step's barrier; the last step's barrier is behind
//      all remote stores
#include "../common.h"

__global__ void __cluster_dims__(4) ring(const u32 *x, u32 *y) {
  __shared__ u32 inbox[2][32];
  u32 t = threadIdx.x, v = x[blockIdx.x * 32 + t], sum = v, right = (cluster::rank() + 1) % 4;
  cluster::sync();
  for (u32 step = 0; step < 3; ++step) {
    cluster::store(cluster::map(inbox[step % 2] + t, right), v);
    cluster::sync();
    v = loadShared(inbox[step % 2] + t);
    sum += v;
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
