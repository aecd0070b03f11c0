// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: odd lanes of a warp give tcgen05.ld another address than even ones
// fix: all load both columns, each lane takes one
// isa: 9.7.16.8 tcgen05.ld is undefined if the threads of a warp do not use the same taddr
// arch: sm_100a
#include "../tensor.h"

__global__ void interleave(u32 *y) {
  __shared__ u32 base;
  tmem::alloc(&base, 32);
  tmem::relinquish();
  __syncwarp();
  u32 at = base, odd = lane() & 1;
  tmem::store(at, 5 * lane());
  tmem::store(at + 1, 7 * lane());
  tmem::waitStore();
#if FIXED
  u32 both[2];
  tmem::load(at, both);
  tmem::waitLoad();
  u32 v = odd ? both[1] : both[0];
#else
  u32 v = tmem::load(at + odd);
  tmem::waitLoad();
#endif
  y[lane()] = v;
  tmem::dealloc(at, 32);
}

int main() {
  u32 *y = zeros(32);
  interleave<<<1, 32>>>(y);
  return expect(y, 32, [](size_t i) { return i % 2 ? 7 * i : 5 * i; });
}
