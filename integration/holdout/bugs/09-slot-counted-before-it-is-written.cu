// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: producers of a work queue move its tail and write the item afterwards; consumers read what lies before the tail
// fix: a flag for each slot, released after the item is written
// isa: 8.8 a release covers what precedes it in program order; the item is stored after the tail has moved
#include "../common.h"

__global__ void queue(const u32 *x, u32 *tail, u32 *slots, u32 *ready, u32 *sum) {
  u32 t = threadIdx.x;
  if (blockIdx.x == 0) {
    u32 i = atomicAdd(tail, 1);
    slots[i] = x[t];
    if (FIXED)
      gpu::release(ready + i, 1);
  } else {
    if (FIXED)
      while (gpu::acquire(ready + t) == 0) {
      }
    else
      while (gpu::acquire(tail) <= t) {
      }
    gpu::add(sum, gpu::weak(slots + t));
  }
}

int main() {
  u32 *x = items(32), *tail = zeros(1), *slots = zeros(32), *ready = zeros(32), *sum = zeros(1);
  queue<<<2, 32>>>(x, tail, slots, ready, sum);
  u32 want = 0;
  for (u32 i = 0; i < 32; ++i)
    want += item(i);
  return expect(sum, 1, [&](size_t) { return want; });
}
