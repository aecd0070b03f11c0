// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: the prologue of a dependent kernel starts the bulk load of its first tile before griddepcontrol.wait; the kernel
//      before it writes that tile
// fix: start it after the wait
// isa: 9.7.13.13 memory operations of the prerequisite grid are visible after griddepcontrol.wait only
#include "../common.h"

__global__ void produce(const u32 *x, u32 *tile) {
  grid::launchDependents();
  tile[threadIdx.x] = x[threadIdx.x] + 5;
}

__global__ void consume(const u32 *tile, u32 *y) {
  __shared__ __align__(16) u32 box[128];
  __shared__ u64 full;
  u32 t = threadIdx.x;
  if (t == 0)
    mbar::init(&full, 1);
  __syncthreads();
#if FIXED
  grid::wait();
#endif
  if (t == 0) {
    fenceAsync();
    mbar::expect(&full, 512);
    bulk::load(box, tile, 512, &full);
  }
#if !FIXED
  grid::wait();
#endif
  mbar::wait(&full, 0);
  y[t] = box[127 - t];
}

int main() {
  u32 *x = items(128), *tile = zeros(128), *y = zeros(128);
  produce<<<1, 128>>>(x, tile);
  launchDependent(consume, 1, 128, tile, y);
  return expect(y, 128, [](size_t i) { return item(127 - i) + 5; });
}
