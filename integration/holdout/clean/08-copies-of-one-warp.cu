// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// what: each warp has its own pipeline of cp.async with two stages, and there is no barrier of the CTA
// isa: 9.7.9.25.3.3, 9.7.13.2 a lane waits for its own copies, bar.warp.sync shows them to the others of its warp; a
//      second one orders their reads before the next copies
#include "../common.h"

__global__ void stages(const u32 *x, u32 *y) {
  __shared__ __align__(16) u32 tile[2][2][128];
  u32 w = warp(), l = lane();
  const u32 *from = x + w * 512 + 4 * l;
  cpasync::copy16(tile[w][0] + 4 * l, from);
  cpasync::commit();
  for (u32 r = 0; r < 4; ++r) {
    if (r < 3)
      cpasync::copy16(tile[w][(r + 1) % 2] + 4 * l, from + (r + 1) * 128);
    cpasync::commit();
    cpasync::wait<1>();
    __syncwarp();
    for (u32 i = 0; i < 4; ++i)
      y[w * 512 + r * 128 + i * 32 + l] = tile[w][r % 2][i * 32 + l];
    __syncwarp();
  }
}

int main() {
  u32 *x = items(1024), *y = zeros(1024);
  stages<<<1, 64>>>(x, y);
  return expect(y, 1024, [](size_t i) { return item(i); });
}
