// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: warps rescale an attention accumulator in tensor memory; the issuer adds the next product without waiting for them
// fix: it waits for the arrivals of all that rescale
// isa: 9.7.16.6.4.4 ld, st and mma are not pipelined across threads: wait::st, fences and synchronization must lie between
// arch: sm_100a
#include "../tensor.h"

__global__ void __launch_bounds__(160) attention(float *y) {
  __shared__ __align__(128) u8 p[4096], v[512];
  __shared__ u64 first, second, rescaled;
  __shared__ u32 base;
  u32 t = threadIdx.x;
  if (warp() == 0) {
    tmem::alloc(&base, 32);
    tmem::relinquish();
  }
  if (t == 0) {
    mbar::init(&first, 1);
    mbar::init(&second, 1);
    mbar::init(&rescaled, 128);
  }
  fill(p, sizeof p, one);
  fill(v, sizeof v, one);
  fenceAsync();
  tmem::syncthreads();
  u32 o = base;
  if (t == 128) {
    tmem::mma(o, p, v, 0);
    tmem::commit(&first);
    mbar::wait(&first, 0);
    if (FIXED)
      mbar::wait(&rescaled, 0);
    tmem::after();
    tmem::mma(o, p, v, 1);
    tmem::commit(&second);
  } else if (t < 128) {
    u32 mine = tmem::quarter(o);
    mbar::wait(&first, 0);
    __syncwarp();
    tmem::after();
    for (u32 i = 0; i < columns; ++i) {
      float f = __uint_as_float(tmem::load(mine + i));
      tmem::waitLoad();
      tmem::store(mine + i, __float_as_uint(f * 0.5f));
    }
    tmem::waitStore();
    tmem::before();
    mbar::arrive(&rescaled);
    mbar::wait(&second, 0);
    __syncwarp();
    tmem::after();
    u32 f = tmem::load(mine + 3);
    tmem::waitLoad();
    y[t] = __uint_as_float(f);
  }
  tmem::syncthreads();
  if (warp() == 0)
    tmem::dealloc(o, 32);
}

int main() {
  auto *y = zeros<float>(128);
  attention<<<1, 160>>>(y);
  return expect(y, 128, [](size_t) { return 24; });
}
