// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: one warp counts votes with barrier.red, the other meets it at the same barrier with barrier.sync
// fix: both vote
// isa: 9.7.13.1 barrier.red must not be intermixed with barrier.sync or barrier.arrive on the same active barrier:
//      execution is unpredictable
#include "../common.h"

__global__ void converge(const u32 *x, u32 *y) {
  u32 odd = x[threadIdx.x] & 1, n = 0;
  if (FIXED || warp() == 0)
    n = named::count(1, 64, odd);
  else
    named::sync(1, 64);
  y[threadIdx.x] = warp() == 0 ? n : 0;
}

int main() {
  u32 *x = items(64), *y = zeros(64);
  converge<<<1, 64>>>(x, y);
  return expect(y, 64, [](size_t i) { return i < 32 ? 32 : 0; });
}
