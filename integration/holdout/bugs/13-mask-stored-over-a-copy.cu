// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: a thread masks the last element of its row of scores while its own cp.async still writes that row
// fix: wait for the copy first
// isa: 8.9.1.1 cp.async is not part of program order: it is not ordered with what its thread does afterwards
#include "../common.h"

__global__ void scores(const u32 *x, u32 *y) {
  __shared__ __align__(16) u32 tile[32][4];
  u32 t = threadIdx.x;
  cpasync::copy16(tile[t], x + 4 * t);
  cpasync::commit();
#if FIXED
  cpasync::wait<0>();
#endif
  tile[t][3] = 0;
#if !FIXED
  cpasync::wait<0>();
#endif
  __syncwarp();
  for (u32 i = 0; i < 4; ++i)
    y[4 * t + i] = tile[t ^ 1][i];
}

int main() {
  u32 *x = items(128), *y = zeros(128);
  scores<<<1, 32>>>(x, y);
  return expect(y, 128, [](size_t i) { return i % 4 == 3 ? 0 : item(i ^ 4); });
}
