// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// what: of a dependent kernel only thread 0 executes griddepcontrol.wait; the others read behind a barrier
// isa: 9.7.13.13 the wait makes the prerequisite grid's memory operations visible to the current grid; the barrier orders
//      the other threads behind it
#include "../common.h"

__global__ void produce(const u32 *x, u32 *data) {
  grid::launchDependents();
  data[threadIdx.x] = x[threadIdx.x] + 6;
}

__global__ void consume(const u32 *x, const u32 *data, u32 *y) {
  u32 mine = x[threadIdx.x]; // Nothing writes it.
  if (threadIdx.x == 0)
    grid::wait();
  __syncthreads();
  y[threadIdx.x] = mine + gpu::weak(data + 127 - threadIdx.x);
}

int main() {
  u32 *x = items(128), *data = zeros(128), *y = zeros(128);
  produce<<<1, 128>>>(x, data);
  launchDependent(consume, 1, 128, x, data, y);
  return expect(y, 128, [](size_t i) { return item(i) + item(127 - i) + 6; });
}
