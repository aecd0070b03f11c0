// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: a CTA allocates 32 columns of tensor memory and then 64
// fix: the larger allocation first
// isa: 9.7.16.7.1 the number of columns allocated should not increase between any two allocations of a CTA
// arch: sm_100a
#include "../tensor.h"

__global__ void scratch(u32 *y) {
  __shared__ u32 base[2];
  constexpr u32 first = FIXED ? 64 : 32, second = FIXED ? 32 : 64;
  tmem::alloc(base, first);
  tmem::alloc(base + 1, second);
  tmem::relinquish();
  __syncwarp();
  u32 a = base[0], b = base[1];
  tmem::store(a, 5 * lane());
  tmem::store(b, 7 * lane());
  tmem::waitStore();
  u32 u = tmem::load(a), v = tmem::load(b);
  tmem::waitLoad();
  y[lane()] = u + v;
  tmem::dealloc(a, first);
  tmem::dealloc(b, second);
}

int main() {
  u32 *y = zeros(32);
  scratch<<<1, 32>>>(y);
  return expect(y, 32, [](size_t i) { return 12 * i; });
}
