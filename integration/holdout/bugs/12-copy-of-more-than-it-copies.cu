// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: the source size of a zero-filling cp.async is what is left of the row, which is more than 16 bytes at first
// fix: whole copies without a source size, and a clamped one at the tail
// isa: 9.7.9.25.3.1 a src-size larger than cp-size is undefined behavior
#include "../common.h"

__global__ void row(const u32 *x, u32 *y) {
  __shared__ __align__(16) u32 tile[32];
  u32 t = threadIdx.x;
  if (t < 8) {
    int left = 4 * (22 - 4 * int(t));
    if (FIXED && left >= 16)
      cpasync::copy16(tile + 4 * t, x + 4 * t);
    else
      cpasync::copy16(tile + 4 * t, x + 4 * t, left > 0 ? left : 0);
    cpasync::waitAll();
  }
  __syncwarp();
  y[t] = tile[t];
}

int main() {
  u32 *x = items(32), *y = zeros(32);
  row<<<1, 32>>>(x, y);
  return expect(y, 32, [](size_t i) { return i < 22 ? item(i) : 0; });
}
