// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: tcgen05.cp fills tensor memory; the warps read it after a barrier with tcgen05 fences, without awaiting the copy
// fix: tcgen05.commit and a wait at its mbarrier before the loads
// isa: 9.7.16.6.4.4 cp and ld are not pipelined: the copy's completion must be waited for through an mbarrier
// arch: sm_100a
#include "../tensor.h"

__global__ void stage(u32 *y) {
  __shared__ __align__(128) u8 source[4096];
  __shared__ u64 copied;
  __shared__ u32 base;
  u32 t = threadIdx.x;
  if (warp() == 0) {
    tmem::alloc(&base, 32);
    tmem::relinquish();
  }
  if (t == 0)
    mbar::init(&copied, 1);
  fill(source, sizeof source, 7);
  fenceAsync();
  tmem::syncthreads();
  u32 at = base;
  if (t == 0) {
    tmem::copy(at, source);
    tmem::commit(&copied);
  }
#if FIXED
  mbar::wait(&copied, 0);
#endif
  tmem::syncthreads();
  u32 v[2];
  tmem::load(tmem::quarter(at), v);
  tmem::waitLoad();
  y[2 * t] = v[0];
  y[2 * t + 1] = v[1];
#if !FIXED
  mbar::wait(&copied, 0);
#endif
  tmem::syncthreads();
  if (warp() == 0)
    tmem::dealloc(at, 32);
}

int main() {
  u32 *y = zeros(256);
  stage<<<1, 128>>>(y);
  return expect(y, 256, [](size_t) { return 7; });
}
