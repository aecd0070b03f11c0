// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// what: a ring of two slots in the consumer's shared memory, filled by the other CTA of the cluster; credits come back to
//       an mbarrier of the producer
// isa: 9.7.13.15.13 remote arrivals release at cluster scope, local waits acquire at cluster scope; no barrier is awaited
//      remotely; the last cluster barrier keeps the producer alive for the last credits
#include "../common.h"

__global__ void __cluster_dims__(2) pipe(const u32 *x, u32 *y) {
  __shared__ u32 slot[2][32];
  __shared__ u64 full[2], empty[2];
  u32 t = threadIdx.x;
  if (t == 0) {
    for (u32 s = 0; s < 2; ++s) {
      mbar::init(full + s, 32);
      mbar::init(empty + s, 32);
    }
    mbar::fenceInit();
  }
  cluster::sync();
  for (u32 i = 0; i < 6; ++i) {
    u32 s = i % 2;
    if (cluster::rank() == 0) {
      if (i >= 2)
        mbar::waitCluster(empty + s, (i / 2 - 1) % 2);
      cluster::store(cluster::map(slot[s] + t, 1), x[i * 32 + t]);
      cluster::arrive(cluster::map(full + s, 1));
    } else {
      mbar::waitCluster(full + s, i / 2 % 2);
      y[i * 32 + t] = slot[s][t ^ 1];
      cluster::arrive(cluster::map(empty + s, 0));
    }
  }
  cluster::sync();
}

int main() {
  u32 *x = items(192), *y = zeros(192);
  pipe<<<2, 32>>>(x, y);
  return expect(y, 192, [](size_t i) { return item(i ^ 1); });
}
