// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// what: two accumulators go round for four tiles; the first four warps read the left columns, the next four the right ones
//       of the same lanes, and the issuer never waits for its own MMAs
// isa: 9.7.16.6.4.4 commits arrive at `full`, readers wait::ld, fence and arrive at `empty`; commit implies
//      fence::before_thread_sync
// arch: sm_100a
#include "../tensor.h"

__global__ void __launch_bounds__(288) gemm(float *y) {
  __shared__ __align__(128) u8 a[4096], b[2][512];
  __shared__ u64 full[2], empty[2];
  __shared__ u32 base;
  u32 t = threadIdx.x;
  if (warp() == 8) {
    tmem::alloc(&base, 32);
    tmem::relinquish();
  }
  if (t == 0)
    for (u32 s = 0; s < 2; ++s) {
      mbar::init(full + s, 1);
      mbar::init(empty + s, 256);
    }
  fill(a, 4096, one);
  fill(b[0], 512, one);
  fill(b[1], 512, two);
  fenceAsync();
  tmem::syncthreads();
  u32 at = base;
  if (t == 256) {
    for (u32 i = 0; i < 4; ++i) {
      u32 s = i % 2;
      if (i >= 2) {
        mbar::wait(empty + s, 0);
        tmem::after();
      }
      tmem::mma(at + s * columns, a, b[s], 0);
      tmem::mma(at + s * columns, a, b[i / 2], 1);
      tmem::commit(full + s);
    }
  } else if (t < 256) {
    for (u32 i = 0; i < 4; ++i) {
      u32 s = i % 2, column = t < 128 ? 0 : 8;
      mbar::wait(full + s, i / 2);
      __syncwarp();
      tmem::after();
      u32 v = tmem::load(tmem::quarter(at + s * columns + column));
      tmem::waitLoad();
      tmem::before();
      mbar::arrive(empty + s);
      y[i * 256 + t] = __uint_as_float(v);
    }
  }
  tmem::syncthreads();
  if (warp() == 8)
    tmem::dealloc(at, 32);
}

int main() {
  auto *y = zeros<float>(1024);
  gemm<<<1, 288>>>(y);
  return expect(y, 1024, [](size_t i) {
    i /= 256;
    return 16 * (i % 2 + 1) + 16 * (i / 2 + 1);
  });
}
