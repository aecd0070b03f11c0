// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: a kernel polls a flag that the next kernel of its stream raises
// fix: the kernel that raises it first
// isa: 8.9.4 a task of a stream starts when the one before it has completed: neither ever does
#include "../common.h"

__global__ void produce(const u32 *x, u32 *data, u32 *flag) {
  data[threadIdx.x] = x[threadIdx.x] * 2;
  __syncthreads();
  if (threadIdx.x == 0)
    gpu::release(flag, 1);
}

__global__ void consume(const u32 *data, const u32 *flag, u32 *y) {
  while (gpu::acquire(flag) == 0) {
  }
  y[threadIdx.x] = gpu::weak(data + (threadIdx.x ^ 1));
}

int main() {
  u32 *x = items(64), *data = zeros(64), *flag = zeros(1), *y = zeros(64);
  if (FIXED)
    produce<<<1, 64>>>(x, data, flag);
  consume<<<1, 64>>>(data, flag, y);
  if (!FIXED)
    produce<<<1, 64>>>(x, data, flag);
  return expect(y, 64, [](size_t i) { return 2 * item(i ^ 1); });
}
