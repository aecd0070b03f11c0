// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: shared memory is cut up with 64 bytes of mbarriers in front, and a tensor copy writes behind them
// fix: 128 bytes in front
// isa: cp.async.bulk.tensor, alignment of dstMem: in shared memory it must be a multiple of 128 bytes
#include "../tensor.h"

__global__ void tile(const __grid_constant__ CUtensorMap map, u32 *y) {
  __shared__ __align__(128) u8 pool[128 + 512];
  auto full = reinterpret_cast<u64 *>(pool);
  auto box = reinterpret_cast<u32 *>(pool + (FIXED ? 128 : 64));
  u32 t = threadIdx.x;
  if (t == 0)
    mbar::init(full, 1);
  __syncthreads();
  if (t == 0) {
    mbar::expect(full, 512);
    loadTile(box, &map, 16, 8, full);
  }
  mbar::wait(full, 0);
  y[t] = box[t];
}

int main() {
  u32 *x = items(32 * 16), *y = zeros(128);
  tile<<<1, 128>>>(tensorMap(x, 32, 16, 16, 8), y);
  return expect(y, 128, [](size_t i) { return item((8 + i / 16) * 32 + 16 + i % 16); });
}
