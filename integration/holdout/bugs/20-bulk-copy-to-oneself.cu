// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: in a cluster of two, each CTA sends its tile two ranks on, which is to itself
// fix: one rank on
// isa: 9.7.9.25.4.1 a bulk copy from shared::cta to shared::cluster must go to a different CTA of the cluster
#include "../common.h"

__global__ void __cluster_dims__(2) exchange(const u32 *x, u32 *y) {
  __shared__ __align__(16) u32 mine[64], theirs[64];
  __shared__ u64 full;
  u32 t = threadIdx.x, to = (cluster::rank() + (FIXED ? 1 : 2)) % 2;
  if (t == 0) {
    mbar::init(&full, 1);
    mbar::fenceInit();
    mbar::expect(&full, 256);
  }
  mine[t] = x[blockIdx.x * 64 + t];
  fenceAsync();
  cluster::sync();
  if (t == 0)
    cluster::copy(cluster::map(theirs, to), mine, 256, cluster::map(&full, to));
  mbar::waitCluster(&full, 0);
  y[blockIdx.x * 64 + t] = theirs[t];
  cluster::sync();
}

int main() {
  u32 *x = items(128), *y = zeros(128);
  exchange<<<2, 64>>>(x, y);
  return expect(y, 128, [](size_t i) { return item(i ^ 64); });
}
