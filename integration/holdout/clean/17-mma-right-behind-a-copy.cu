// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// what: tcgen05.cp writes the accumulator and two MMAs add to it, all unawaited; one commit stands at the end
// isa: 9.7.16.6.2 cp and mma of one thread, and MMAs of one accumulator and shape, are pipelined
// arch: sm_100a
#include "../tensor.h"

__global__ void gemm(float *y) {
  __shared__ __align__(128) u8 bias[4096], a[4096], b[512];
  __shared__ u64 done;
  __shared__ u32 base;
  u32 t = threadIdx.x;
  if (warp() == 0) {
    tmem::alloc(&base, 32);
    tmem::relinquish();
  }
  if (t == 0)
    mbar::init(&done, 1);
  fill(bias, sizeof bias, __float_as_uint(5));
  fill(a, sizeof a, one);
  fill(b, sizeof b, one);
  fenceAsync();
  tmem::syncthreads();
  u32 at = base;
  if (t == 0) {
    tmem::copy(at, bias);
    tmem::copy(at + 8, bias);
    tmem::mma(at, a, b, 1);
    tmem::mma(at, a, b, 1);
    tmem::commit(&done);
  }
  mbar::wait(&done, 0);
  __syncwarp();
  tmem::after();
  u32 first = tmem::load(tmem::quarter(at)), last = tmem::load(tmem::quarter(at + 15));
  tmem::waitLoad();
  y[2 * t] = __uint_as_float(first);
  y[2 * t + 1] = __uint_as_float(last);
  tmem::syncthreads();
  if (warp() == 0)
    tmem::dealloc(at, 32);
}

int main() {
  auto *y = zeros<float>(256);
  gemm<<<1, 128>>>(y);
  return expect(y, 256, [](size_t) { return 37; });
}
