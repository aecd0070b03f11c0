// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: split 0 of a split-K product stores bias and its partial sums while the other splits add theirs to the same tile
// fix: the other splits wait for a flag that split 0 raises after its stores
// isa: 8.7.1 a weak store and a relaxed atomic are not morally strong: unordered, they are a data race
#include "../common.h"

__global__ void splitK(const u32 *bias, const u32 *x, u32 *flag, u32 *c) {
  u32 t = threadIdx.x, split = blockIdx.x, partial = x[split * 64 + t];
  if (split == 0) {
    c[t] = bias[t] + partial;
    __syncthreads();
    if (FIXED && t == 0)
      gpu::release(flag, 1);
  } else {
    if (FIXED && t == 0)
      while (gpu::acquire(flag) == 0) {
      }
    __syncthreads();
    gpu::add(c + t, partial);
  }
}

int main() {
  u32 *bias = items(64), *x = items(256), *flag = zeros(1), *c = zeros(64);
  splitK<<<4, 64>>>(bias, x, flag, c);
  return expect(c, 64, [](size_t i) {
    return item(i) + item(i) + item(64 + i) + item(128 + i) + item(192 + i);
  });
}
