// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// what: four warps change one array in turn, without atomics; each waits at a barrier of its own, where the warp before
//       it arrives and goes on
// isa: 9.7.13.1, 8.9.4 barrier.arrive synchronizes with barrier.sync on the same barrier of 64 threads
#include "../common.h"

__global__ void turns(const u32 *x, u32 *y) {
  __shared__ u32 running[32];
  u32 l = lane(), w = warp();
  if (w == 0)
    running[l] = x[l];
  else {
    named::sync(w, 64);
    running[(l + w) % 32] = running[(l + w) % 32] * 3 + x[w * 32 + (l + w) % 32];
  }
  if (w < 3)
    named::arrive(w + 1, 64);
  else
    y[(l + w) % 32] = running[(l + w) % 32];
}

int main() {
  u32 *x = items(128), *y = zeros(32);
  turns<<<1, 128>>>(x, y);
  return expect(y, 32, [](size_t i) {
    return ((item(i) * 3 + item(32 + i)) * 3 + item(64 + i)) * 3 + item(96 + i);
  });
}
