// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: one warp stores a channel of a pixel as a byte while another inserts its channel by reading and writing the word
// fix: both store bytes
// isa: 8.7.2 accesses of different sizes that overlap and are not ordered are a mixed-size data race: no axiom applies
#include "../common.h"

__global__ void channels(const u32 *x, u32 *y) {
  __shared__ u32 pixel[32];
  auto bytes = reinterpret_cast<u8 *>(pixel);
  if (warp() == 0)
    pixel[lane()] = 0;
  __syncthreads();
  u32 v = x[threadIdx.x];
  if (warp() == 0)
    bytes[4 * lane()] = v;
#if FIXED
  else
    bytes[4 * lane() + 1] = v;
#else
  else
    storeShared(pixel + lane(), (loadShared(pixel + lane()) & ~0xff00u) | (v & 0xff) << 8);
#endif
  __syncthreads();
  if (warp() == 0)
    y[lane()] = pixel[lane()];
}

int main() {
  u32 *x = items(64), *y = zeros(32);
  channels<<<1, 64>>>(x, y);
  return expect(y, 32, [](size_t i) { return (item(i) & 0xff) | (item(32 + i) & 0xff) << 8; });
}
