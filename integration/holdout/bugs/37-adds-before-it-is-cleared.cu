// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: a kernel clears the output and lets its dependent start, which adds partial sums to it without waiting
// fix: griddepcontrol.wait before the first addition
// isa: 9.7.13.13 a dependent of a grid that executes launch_dependents must use griddepcontrol.wait
#include "../common.h"

__global__ void clear(u32 *c) {
  grid::launchDependents();
  c[threadIdx.x] = 0;
}

__global__ void splitK(const u32 *x, u32 *c) {
  u32 partial = x[blockIdx.x * 64 + threadIdx.x];
#if FIXED
  grid::wait();
#endif
  gpu::add(c + threadIdx.x, partial);
#if !FIXED
  grid::wait();
#endif
}

int main() {
  u32 *x = items(256), *c = items(64);
  clear<<<1, 64>>>(c);
  launchDependent(splitK, 4, 64, x, c);
  return expect(c, 64, [](size_t i) { return item(i) + item(64 + i) + item(128 + i) + item(192 + i); });
}
