// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// what: one CTA of a cluster stores into its peer's shared memory, arrives at the peer's mbarrier and exits at once
// isa: 9.7.13.15.13 the remote arrival releases at cluster scope, the peer's wait acquires; the receiver is alive, and
//      no thread touches the sender's shared memory
#include "../common.h"

__global__ void __cluster_dims__(2) send(const u32 *x, u32 *y) {
  __shared__ u32 inbox[64];
  __shared__ u64 full;
  u32 t = threadIdx.x;
  if (t == 0) {
    mbar::init(&full, 64);
    mbar::fenceInit();
  }
  cluster::sync();
  if (cluster::rank() == 1) {
    cluster::store(cluster::map(inbox + t, 0), x[t]);
    cluster::arrive(cluster::map(&full, 0));
    return;
  }
  mbar::waitCluster(&full, 0);
  y[t] = inbox[63 - t];
}

int main() {
  u32 *x = items(64), *y = zeros(64);
  send<<<2, 64>>>(x, y);
  return expect(y, 64, [](size_t i) { return item(63 - i); });
}
