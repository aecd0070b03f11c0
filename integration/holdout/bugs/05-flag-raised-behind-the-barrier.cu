// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: a thread polls a flag before a barrier, and the flag is raised after that barrier
// fix: raise it before the barrier
// isa: 9.7.13.1 barrier.sync waits for all threads of the CTA: the poller never arrives, so no thread raises the flag
#include "../common.h"

__global__ void publish(const u32 *x, u32 *y) {
  __shared__ u32 flag, value;
  u32 t = threadIdx.x;
  if (t == 0)
    flag = 0;
  __syncthreads();
  if (t == 0)
    value = x[5];
#if FIXED
  if (t == 0)
    cta::release(&flag, 1);
#endif
  if (t == 32)
    while (cta::acquire(&flag) == 0) {
    }
  __syncthreads();
#if !FIXED
  if (t == 0)
    cta::release(&flag, 1);
#endif
  y[t] = value + t;
}

int main() {
  u32 *x = items(8), *y = zeros(64);
  publish<<<1, 64>>>(x, y);
  return expect(y, 64, [](size_t i) { return item(5) + i; });
}
