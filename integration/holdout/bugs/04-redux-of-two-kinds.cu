// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: half a warp adds, the other half takes the maximum, and both name all 32 lanes
// fix: each half names its own lanes
// isa: 9.7.13.12 a thread waits until all non-exited threads of membermask execute redux.sync with the same qualifiers
//      and the same mask: neither half can go on
#include "../common.h"

__global__ void halves(const u32 *x, u32 *y) {
  u32 v = x[lane()], low = FIXED ? 0x0000ffff : ~0u, high = FIXED ? 0xffff0000 : ~0u;
  if (lane() < 16)
    y[lane()] = __reduce_add_sync(low, v);
  else
    y[lane()] = __reduce_max_sync(high, v);
}

int main() {
  u32 *x = items(32), *y = zeros(32), sum = 0;
  halves<<<1, 32>>>(x, y);
  for (u32 i = 0; i < 16; ++i)
    sum += item(i);
  return expect(y, 32, [&](size_t i) { return i < 16 ? sum : item(31); });
}
