// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: the producer attaches the mbarrier after the first of its two copies, so the second one is not tracked
// fix: cp.async.mbarrier.arrive after both
// isa: 9.7.13.15.15 the arrival is triggered by the completion of all prior cp.async operations of the thread
#include "../common.h"

__global__ void pipeline(const u32 *x, u32 *y) {
  __shared__ __align__(16) u32 a[128], b[128];
  __shared__ u64 full;
  u32 l = lane();
  if (threadIdx.x == 0)
    mbar::init(&full, 32);
  __syncthreads();
  if (warp() == 0) {
    cpasync::copy16(a + 4 * l, x + 4 * l);
#if !FIXED
    cpasync::arriveNoinc(&full);
#endif
    cpasync::copy16(b + 4 * l, x + 128 + 4 * l);
#if FIXED
    cpasync::arriveNoinc(&full);
#endif
  } else {
    mbar::wait(&full, 0);
    for (u32 i = l; i < 128; i += 32)
      y[i] = a[i] + b[i];
  }
}

int main() {
  u32 *x = items(256), *y = zeros(128);
  pipeline<<<1, 64>>>(x, y);
  return expect(y, 128, [](size_t i) { return item(i) + item(128 + i); });
}
