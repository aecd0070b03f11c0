// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// what: data of block 0 reaches block 2, which only ever looked at a flag of block 1; the first flag is raised by a
//       reduction, the second by a thread that did not poll the first
// isa: 8.8, 8.9.5 a fence and a strong write are a release pattern, a strong read and a fence an acquire pattern;
//      base causality order is transitive, also through barriers
#include "../common.h"

__global__ void chain(const u32 *x, u32 *data, u32 *flags, u32 *y) {
  u32 t = threadIdx.x;
  if (blockIdx.x == 0) {
    data[t] = x[t];
    __syncthreads();
    if (t == 0) {
      gpu::fence();
      gpu::add(flags, 1);
    }
  } else if (blockIdx.x == 1) {
    if (t == 0) {
      while (gpu::relaxed(flags) == 0) {
      }
      gpu::fence();
    }
    __syncthreads();
    if (t == 33) {
      gpu::fence();
      gpu::relaxed(flags + 1, 1);
    }
  } else {
    while (gpu::acquire(flags + 1) == 0) {
    }
    y[t] = gpu::weak(data + (t ^ 1));
  }
}

int main() {
  u32 *x = items(64), *data = zeros(64), *flags = zeros(2), *y = zeros(64);
  chain<<<3, 64>>>(x, data, flags, y);
  return expect(y, 64, [](size_t i) { return item(i ^ 1); });
}
