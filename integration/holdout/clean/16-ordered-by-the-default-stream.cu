// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// what: three kernels in three streams, each reads what the one before it wrote, and there is no event
// isa: 8.9.4, cudaStreamLegacy: a task of the legacy default stream waits for all blocking streams, and they wait for it
#include "../common.h"

__global__ void step(const u32 *from, u32 *to) { to[threadIdx.x] = from[threadIdx.x ^ 1] * 2; }

int main() {
  u32 *x = items(64), *y = zeros(64), *z = zeros(64);
  cudaStream_t a, b;
  CUDA(cudaStreamCreate(&a));
  CUDA(cudaStreamCreate(&b));
  step<<<1, 64, 0, a>>>(x, y);
  step<<<1, 64, 0, cudaStreamLegacy>>>(y, z);
  step<<<1, 64, 0, b>>>(z, x);
  return expect(x, 64, [](size_t i) { return 8 * item(i ^ 1); });
}
