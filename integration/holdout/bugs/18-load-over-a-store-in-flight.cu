// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: a thread streams tiles through one buffer; the next bulk load overwrites it while the bulk store still reads it
// fix: cp.async.bulk.wait_group.read before the next load
// isa: 9.7.9.25.1 modifying the source of an asynchronous copy before it completes is undefined behavior; no order
//      between two bulk copies without a wait
#include "../common.h"

__global__ void stream(const u32 *x, u32 *y) {
  __shared__ __align__(16) u32 tile[64];
  __shared__ u64 full;
  if (threadIdx.x != 0)
    return;
  mbar::init(&full, 1);
  for (u32 i = 0; i < 4; ++i) {
    mbar::expect(&full, 256);
    bulk::load(tile, x + 64 * i, 256, &full);
    mbar::wait(&full, i % 2);
    bulk::store(y + 64 * i, tile, 256);
    bulk::commit();
    if (FIXED)
      bulk::waitRead();
  }
  bulk::wait();
}

int main() {
  u32 *x = items(256), *y = zeros(256);
  stream<<<1, 32>>>(x, y);
  return expect(y, 256, [](size_t i) { return item(i); });
}
