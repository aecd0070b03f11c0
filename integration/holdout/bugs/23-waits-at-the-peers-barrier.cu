// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: CTA 0 writes into the inbox of CTA 1 and arrives at its own mbarrier; CTA 1 waits at that one, through a generic
//      address of the peer's shared memory
// fix: CTA 0 arrives at an mbarrier of CTA 1, which waits at its own
// isa: 9.7.13.15.8 waits are supported on mbarriers in shared::cta only; any other address is undefined behavior
#include "../common.h"

DEVICE void waitGeneric(u64 bar, u32 parity) {
  u32 done;
  do
    asm volatile("{ .reg .pred p;\n"
                 "mbarrier.try_wait.parity.acquire.cluster.b64 p, [%1], %2;\n"
                 "selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "l"(bar), "r"(parity)
                 : "memory");
  while (!done);
}

__global__ void __cluster_dims__(2) send(const u32 *x, u32 *y) {
  __shared__ u32 inbox[32];
  __shared__ u64 full;
  u32 t = threadIdx.x, rank = cluster::rank();
  if (t == 0) {
    mbar::init(&full, 32);
    mbar::fenceInit();
  }
  cluster::sync();
  if (rank == 0) {
    cluster::store(cluster::map(inbox + t, 1), x[t]);
    cluster::arrive(cluster::map(&full, FIXED ? 1 : 0));
  } else {
#if FIXED
    mbar::waitCluster(&full, 0);
#else
    u64 theirs;
    asm volatile("mapa.u64 %0, %1, 0;" : "=l"(theirs) : "l"(&full));
    waitGeneric(theirs, 0);
#endif
    y[t] = inbox[t ^ 1];
  }
  cluster::sync();
}

int main() {
  u32 *x = items(32), *y = zeros(32);
  send<<<2, 32>>>(x, y);
  return expect(y, 32, [](size_t i) { return item(i ^ 1); });
}
