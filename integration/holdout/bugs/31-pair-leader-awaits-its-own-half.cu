// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: each CTA of a pair loads its halves of A and B; the leader awaits its own loads and issues the MMA of both
// fix: the peer awaits its loads and arrives at an mbarrier of the leader
// isa: 9.7.9.25.1.2 only a wait at the mbarrier that tracks a bulk load says that its data is there; the MMA of
//      cta_group::2 reads the shared memory of both CTAs
// arch: sm_100a
#include "../tensor.h"

__global__ void __cluster_dims__(2) gemm(const uint4 *a, const uint4 *b, float *y) {
  __shared__ __align__(128) u8 sa[4096], sb[512];
  __shared__ u64 full, peerFull, done;
  __shared__ u32 base;
  u32 t = threadIdx.x, rank = cluster::rank();
  if (t == 0) {
    mbar::init(&full, 1);
    mbar::init(&peerFull, 1);
    mbar::init(&done, 1);
    mbar::fenceInit();
  }
  cluster::sync();
  if (warp() == 0) {
    pair::alloc(&base, 32);
    pair::relinquish();
  }
  tmem::before();
  cluster::sync();
  tmem::after();
  u32 at = base;
  if (t == 0) {
    mbar::expect(&full, 4608);
    bulk::load(sa, a + rank * 256, 4096, &full);
    bulk::load(sb, b + rank * 32, 512, &full);
    if (rank == 0) {
      mbar::wait(&full, 0);
      if (FIXED)
        mbar::waitCluster(&peerFull, 0);
      fenceAsync();
      tmem::after();
      pair::mma(at, sa, sb, 0);
      pair::commit(&done, 3);
    } else {
      mbar::wait(&full, 0);
      fenceAsync();
      if (FIXED)
        cluster::arrive(cluster::map(&peerFull, 0));
    }
  }
  mbar::waitCluster(&done, 0);
  __syncwarp();
  tmem::after();
  u32 v = tmem::load(tmem::quarter(at));
  tmem::waitLoad();
  y[rank * 128 + t] = __uint_as_float(v);
  tmem::before();
  cluster::sync();
  tmem::after();
  if (warp() == 0)
    pair::dealloc(at, 32);
}

int main() {
  auto *a = upload(std::vector<uint4>(512, uint4{one, one, one, one}));
  auto *b = upload(std::vector<uint4>(64, uint4{three, three, three, three}));
  auto *y = zeros<float>(256);
  gemm<<<2, 128>>>(a, b, y);
  return expect(y, 256, [](size_t) { return 48; });
}
