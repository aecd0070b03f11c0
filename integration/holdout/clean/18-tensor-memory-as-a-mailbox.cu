// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// what: warp w stores into tensor memory and warp w + 4, which reaches the same lanes, loads it; pairs of warps use
//       named barriers only
// isa: 9.7.16.6.4.4 wait::st and fence::before_thread_sync, a barrier, fence::after_thread_sync and the load; 9.7.16.5 a
//      warp reaches the quarter of its rank modulo four
// arch: sm_100a
#include "../tensor.h"

__global__ void mailbox(const u32 *x, u32 *y) {
  __shared__ u32 base;
  u32 t = threadIdx.x, pairOf = 1 + warp() % 4;
  if (warp() == 7) {
    tmem::alloc(&base, 32);
    tmem::relinquish();
  }
  tmem::syncthreads();
  u32 at = tmem::quarter(base);
  for (u32 r = 0; r < 2; ++r) {
    if (t < 128) {
      tmem::store(at + r, x[r * 128 + t]);
      tmem::waitStore();
      tmem::before();
      named::arrive(pairOf, 64);
    } else {
      named::sync(pairOf, 64);
      tmem::after();
      u32 v = tmem::load(at + r);
      tmem::waitLoad();
      y[r * 128 + t - 128] = v;
    }
    tmem::syncthreads();
  }
  if (warp() == 7)
    tmem::dealloc(base, 32);
}

int main() {
  u32 *x = items(256), *y = zeros(256);
  mailbox<<<1, 256>>>(x, y);
  return expect(y, 256, [](size_t i) { return item(i); });
}
