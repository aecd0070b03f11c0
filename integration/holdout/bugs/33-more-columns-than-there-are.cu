// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: a warp that holds all 512 columns of tensor memory allocates 32 more, which only it could free
// fix: it takes 128 columns less before
// isa: 9.7.16.7.1 tcgen05.alloc blocks until enough tensor memory becomes available
// arch: sm_100a
#include "../tensor.h"

__global__ void buffers(u32 *y) {
  __shared__ u32 base[3];
  constexpr u32 second = FIXED ? 128 : 256;
  tmem::alloc(base, 256);
  tmem::alloc(base + 1, second);
  tmem::alloc(base + 2, 32);
  tmem::relinquish();
  __syncwarp();
  u32 a = base[0], b = base[1], c = base[2];
  tmem::store(a, lane());
  tmem::store(b, 5 * lane());
  tmem::store(c, 7 * lane());
  tmem::waitStore();
  u32 u = tmem::load(a), v = tmem::load(b), w = tmem::load(c);
  tmem::waitLoad();
  y[lane()] = u + v + w;
  tmem::dealloc(a, 256);
  tmem::dealloc(b, second);
  tmem::dealloc(c, 32);
}

int main() {
  u32 *y = zeros(32);
  buffers<<<1, 32>>>(y);
  return expect(y, 32, [](size_t i) { return 13 * i; });
}
