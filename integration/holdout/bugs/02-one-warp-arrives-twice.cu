// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: the producer announces two stages by two arrivals at one named barrier, which completes it without the consumer
// fix: a barrier for each stage
// isa: 9.7.13.1 a warp must not execute barrier.arrive and then another barrier instruction on the same barrier before
//      it is reset; the consumer then waits forever for 64 threads
#include "../common.h"

__global__ void stages(const u32 *x, u32 *y) {
  __shared__ u32 stage[2][32], table[32];
  constexpr u32 first = 1, second = FIXED ? 2 : 1;
  if (warp() == 0) {
    stage[0][lane()] = x[lane()];
    named::arrive(first, 64);
    stage[1][lane()] = x[32 + lane()];
    named::arrive(second, 64);
  } else {
    table[lane()] = lane();
  }
  __syncthreads();
  if (warp() == 1) {
    named::sync(first, 64);
    u32 v = stage[0][lane() ^ 1];
    named::sync(second, 64);
    y[lane()] = v + stage[1][lane() ^ 1] + table[lane() ^ 1];
  }
}

int main() {
  u32 *x = items(64), *y = zeros(32);
  stages<<<1, 64>>>(x, y);
  return expect(y, 32, [](size_t i) { return item(i ^ 1) + item(32 + (i ^ 1)) + (i ^ 1); });
}
