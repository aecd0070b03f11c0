// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: with two accumulators for three tiles, the issuer of MMAs writes the first one again without asking whether the
//      epilogue has read it
// fix: wait for the epilogue's arrivals first
// isa: 9.7.16.6.4.4 ld and mma are not pipelined: the reader must wait::ld and synchronize with the issuer
// arch: sm_100a
#include "../tensor.h"

__global__ void __launch_bounds__(160) gemm(float *y) {
  __shared__ __align__(128) u8 a[4096], b[3][512];
  __shared__ u64 full[2], empty[2];
  __shared__ u32 base;
  u32 t = threadIdx.x;
  if (warp() == 0) {
    tmem::alloc(&base, 32);
    tmem::relinquish();
  }
  if (t == 0)
    for (u32 s = 0; s < 2; ++s) {
      mbar::init(full + s, 1);
      mbar::init(empty + s, 128);
    }
  fill(a, 4096, one);
  fill(b[0], 512, one);
  fill(b[1], 512, two);
  fill(b[2], 512, three);
  fenceAsync();
  tmem::syncthreads();
  u32 at = base;
  if (t == 128) {
    for (u32 i = 0; i < 3; ++i) {
      u32 s = i % 2;
      if (FIXED && i >= 2) {
        mbar::wait(empty + s, 0);
        tmem::after();
      }
      tmem::mma(at + s * columns, a, b[i], 0);
      tmem::commit(full + s);
    }
  } else if (t < 128) {
    for (u32 i = 0; i < 3; ++i) {
      u32 s = i % 2;
      mbar::wait(full + s, i / 2);
      __syncwarp();
      tmem::after();
      u32 v = tmem::load(tmem::quarter(at + s * columns));
      tmem::waitLoad();
      tmem::before();
      mbar::arrive(empty + s);
      y[i * 128 + t] = __uint_as_float(v);
    }
  }
  tmem::syncthreads();
  if (warp() == 0)
    tmem::dealloc(at, 32);
}

int main() {
  auto *y = zeros<float>(384);
  gemm<<<1, 160>>>(y);
  return expect(y, 384, [](size_t i) { return 16 * (i / 128 + 1); });
}
