// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// what: tiles are loaded, changed in place and stored from one buffer, and only the issuing thread waits for the store
// isa: 9.7.9.25.2 all fence to the async proxy before the barrier; wait_group.read by the thread that stores and loads
//      orders the next load behind the store's reads
#include "../common.h"

__global__ void stream(const u32 *x, u32 *y) {
  __shared__ __align__(16) u32 tile[64];
  __shared__ u64 full;
  u32 t = threadIdx.x;
  if (t == 0)
    mbar::init(&full, 1);
  __syncthreads();
  for (u32 i = 0; i < 4; ++i) {
    if (t == 0) {
      mbar::expect(&full, 256);
      bulk::load(tile, x + 64 * i, 256, &full);
    }
    mbar::wait(&full, i % 2);
    tile[t] = tile[t] * 2 + i;
    fenceAsync();
    __syncthreads();
    if (t == 0) {
      bulk::store(y + 64 * i, tile, 256);
      bulk::commit();
      bulk::waitRead();
    }
  }
  if (t == 0)
    bulk::wait();
}

int main() {
  u32 *x = items(256), *y = zeros(256);
  stream<<<1, 64>>>(x, y);
  return expect(y, 256, [](size_t i) { return 2 * item(i) + i / 64; });
}
