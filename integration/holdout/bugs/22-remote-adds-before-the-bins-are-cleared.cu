// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: a histogram in the shared memory of CTA 0 is cleared behind a barrier of that CTA; CTA 1 adds to it meanwhile
// fix: a cluster barrier after clearing
// isa: 8.7.1 the weak stores and the peer's atomics are unordered: __syncthreads synchronizes one CTA only
#include "../common.h"

__global__ void __cluster_dims__(2) histogram(const u32 *x, u32 *y) {
  __shared__ u32 bins[8];
  u32 t = threadIdx.x;
  cluster::sync(); // Both have started.
  if (cluster::rank() == 0 && t < 8)
    bins[t] = 0;
  if (FIXED)
    cluster::sync();
  else
    __syncthreads();
  cluster::add(cluster::map(bins + x[blockIdx.x * 64 + t] % 8, 0), 1);
  cluster::sync();
  if (cluster::rank() == 0 && t < 8)
    y[t] = bins[t];
}

int main() {
  u32 *x = items(128), *y = zeros(8);
  histogram<<<2, 64>>>(x, y);
  return expect(y, 8, [](size_t) { return 16; });
}
