// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: the answer of launch control goes to both CTAs of the cluster; the second one arrives at its mbarrier without
//      expecting the 16 bytes
// fix: both expect them
// isa: 9.7.13.17, 9.7.13.15.5 the tx-count must be set to what the phase tracks: the phase completes before the answer
//      is there, or its tx-count stays below zero and it never completes
// arch: sm_100a
#include "../tensor.h"

__global__ void __cluster_dims__(2) tiles(u32 *y) {
  __shared__ uint4 answer;
  __shared__ u64 full;
  u32 t = threadIdx.x, rank = cluster::rank();
  if (t == 0) {
    mbar::init(&full, 1);
    mbar::fenceInit();
  }
  cluster::sync();
  int first = int(blockIdx.x - rank);
  for (u32 round = 0; first >= 0; ++round) {
    if (t == 0) {
      if (FIXED || rank == 0)
        mbar::expect(&full, 16);
      else
        mbar::arrive(&full);
      if (rank == 0)
        clc::askForAll(&answer, &full);
    }
    y[(first + rank) * 32 + t] = first + rank + t;
    mbar::waitCluster(&full, round % 2);
    first = clc::first(&answer);
    fenceAsync();
    cluster::sync();
    fenceAsync();
  }
}

int main() {
  constexpr u32 ctas = 1200;
  u32 *y = zeros(ctas * 32);
  tiles<<<ctas, 32>>>(y);
  return expect(y, ctas * 32, [](size_t i) { return i / 32 + i % 32; });
}
