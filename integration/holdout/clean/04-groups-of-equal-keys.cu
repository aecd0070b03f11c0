// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// what: lanes with the same key exchange through shared memory; the groups of one warp synchronize with different masks
// isa: 9.7.13.2 bar.warp.sync waits for the threads of its mask with the same mask, and orders their memory accesses
#include "../common.h"

__global__ void groups(const u32 *x, u32 *y) {
  __shared__ u32 leader[4];
  u32 key = x[lane()] / 3 % 4, peers = __match_any_sync(~0u, key);
  if (lane() == u32(__ffs(peers) - 1))
    leader[key] = 100 * __popc(peers) + lane();
  __syncwarp(peers);
  y[lane()] = leader[key];
}

int main() {
  u32 *x = items(32), *y = zeros(32);
  groups<<<1, 32>>>(x, y);
  return expect(y, 32, [](size_t i) { return 800 + i % 4; });
}
