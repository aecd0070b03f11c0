// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: the reader of a halo polls its neighbor's flag and fences at the scope of its CTA
// fix: fence.acq_rel.gpu
// isa: 8.9.4 a release pattern synchronizes with an acquire pattern only if its first and the other's last operation are
//      morally strong: the reader's fence.cta does not include the neighbor
#include "../common.h"

__global__ void stencil(const u32 *x, u32 *row, u32 *flags, u32 *y) {
  u32 t = threadIdx.x, i = blockIdx.x * 64 + t;
  row[i] = x[i] * 2;
  __syncthreads();
  if (t == 0) {
    gpu::fence();
    gpu::relaxed(flags + blockIdx.x, 1);
    while (gpu::relaxed(flags + (blockIdx.x ^ 1)) == 0) {
    }
    if (FIXED)
      gpu::fence();
    else
      cta::fence();
  }
  __syncthreads();
  y[i] = gpu::weak(row + (i + 127) % 128) + gpu::weak(row + (i + 1) % 128);
}

int main() {
  u32 *x = items(128), *row = zeros(128), *flags = zeros(2), *y = zeros(128);
  stencil<<<2, 64>>>(x, row, flags, y);
  return expect(y, 128, [](size_t i) { return 2 * item((i + 127) % 128) + 2 * item((i + 1) % 128); });
}
