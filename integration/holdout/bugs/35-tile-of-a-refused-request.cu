// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: the scheduler asks which CTA was canceled before it looks whether one was
// fix: ask only then
// isa: 9.7.13.18 get_first_ctaid of a request that failed is undefined behavior, and the last request of a CTA fails
// arch: sm_100a
#include "../tensor.h"

DEVICE int firstUnchecked(const uint4 *answer) {
  int x;
  asm volatile("{ .reg .b128 a; .reg .pred p;\n"
               "ld.shared.b128 a, [%1];\n"
               "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %0, a;\n"
               "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, a;\n"
               "selp.b32 %0, %0, -1, p; }"
               : "=r"(x)
               : "r"(window(answer))
               : "memory");
  return x;
}

__global__ void tiles(u32 *y) {
  __shared__ uint4 answer;
  __shared__ u64 full;
  u32 t = threadIdx.x;
  if (t == 0)
    mbar::init(&full, 1);
  __syncthreads();
  int tile = int(blockIdx.x);
  for (u32 round = 0; tile >= 0; ++round) {
    if (t == 0) {
      mbar::expect(&full, 16);
      clc::ask(&answer, &full);
    }
    y[tile * 64 + t] = tile + t;
    mbar::waitCluster(&full, round % 2);
    tile = FIXED ? clc::first(&answer) : firstUnchecked(&answer);
    fenceAsync();
    __syncthreads();
  }
}

int main() {
  constexpr u32 ctas = 1200;
  u32 *y = zeros(ctas * 64);
  tiles<<<ctas, 64>>>(y);
  return expect(y, ctas * 64, [](size_t i) { return i / 64 + i % 64; });
}
