//===- ClusterTest.cpp - barrier.cluster and fences ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AsyncKernel.h"

using namespace drawloom;
using namespace drawloom::emu;

static AsyncKernel kernel(const std::string &body, unsigned threads = 64,
                          unsigned ctas = 4) {
  AsyncKernel kernel;
  kernel.threads = threads;
  kernel.ctas = ctas;
  kernel.body = body;
  return kernel;
}

// Each thread leaves a word in its own CTA, and reads that of the next one;
// three rounds, so the barrier is used again.
TEST(Cluster, BarrierOrdersRounds) {
  for (std::string aligned : {"", ".aligned"}) {
    AsyncKernel k = kernel(R"(
  mov.u32 %r1, smem;
  mad.lo.u32 %r1, %thread, 4, %r1;
  add.u32 %r2, %rank, 1;
  and.b32 %r2, %r2, 3;
  mapa.shared::cluster.u32 %r3, %r1, %r2;
  mov.u32 %r4, 0;
round:
  mad.lo.u32 %r5, %rank, 1000, %thread;
  mad.lo.u32 %r5, %r4, 100000, %r5;
  st.shared.u32 [%r1], %r5;
  barrier.cluster.arrive.release)" +
                           aligned + R"(;
  barrier.cluster.wait.acquire)" +
                           aligned + R"(;
  ld.shared::cluster.u32 %r6, [%r3];
  add.u32 %o, %o, %r6;
  barrier.cluster.arrive)" +
                           aligned + R"(;
  barrier.cluster.wait)" + aligned +
                           R"(;
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p1, %r4, 3;
  @%p1 bra round;
)");
    std::vector<uint32_t> expected;
    for (unsigned rank = 0; rank != 4; ++rank)
      for (unsigned thread = 0; thread != 64; ++thread)
        expected.push_back(3 * ((rank + 1) % 4 * 1000 + thread) + 300000);
    EXPECT_EQ(k.values(), expected);
  }
}

// Lanes of a warp arrive at different instructions; threads that have exited
// are not waited for.
TEST(Cluster, BarrierOfThreads) {
  AsyncKernel k = kernel(R"(
  and.b32 %r1, %thread, 1;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra even;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  mov.u32 %o, 1;
  bra done;
even:
  setp.eq.u32 %p2, %thread, 2;
  @%p2 exit;
  barrier.cluster.arrive.relaxed;
  mov.u32 %o, 2;
  barrier.cluster.wait;
done:
)",
                         32, 2);
  std::vector<uint32_t> expected;
  for (unsigned thread = 0; thread != 64; ++thread)
    expected.push_back(thread % 32 == 2 ? 0 : thread % 2 ? 1 : 2);
  EXPECT_EQ(k.values(), expected);
}

TEST(ClusterMustFail, TwoArrivals) {
  EXPECT_CONTAINS(
      kernel("barrier.cluster.arrive.aligned; barrier.cluster.arrive.aligned;")
          .failure(),
      "a second arrival at the cluster barrier without a barrier.cluster.wait "
      "since the first");
}

TEST(ClusterMustFail, WaitWithoutArrival) {
  EXPECT_CONTAINS(kernel("barrier.cluster.wait.aligned;").failure(),
                  "a wait at the cluster barrier without a "
                  "barrier.cluster.arrive in front of it");
}

TEST(ClusterMustFail, NotAllArrive) {
  EXPECT_CONTAINS(kernel(R"(
  setp.eq.u32 %p1, %rank, 3;
  @%p1 bra other;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  bra done;
other:
  bar.sync 1, 96;
done:
)")
                      .failure(),
                  "cluster barrier: 192 of 256 threads have arrived");
}

TEST(ClusterMustFail, AlignedInADivergedWarp) {
  EXPECT_CONTAINS(kernel(R"(
  and.b32 %r1, %thread, 1;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra even;
  barrier.cluster.arrive.aligned;
  bra done;
even:
  bar.warp.sync 0xffffffff;
done:
)",
                         32, 1)
                      .failure(),
                  "waits for the other lanes of its warp at "
                  "'barrier.cluster.arrive.aligned'");
}

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

// Listeners get what they promise (EventsTest.cpp).
TEST(Fence, ChangeNoValue) {
  AsyncKernel k = kernel(R"(
  fence.sc.cta;
  fence.acq_rel.gpu;
  fence.acquire.cluster;
  fence.mbarrier_init.release.cluster;
  fence.proxy.async;
  fence.proxy.async.shared::cta;
  fence.proxy.tensormap::generic.release.gpu;
  cvta.global.u64 %rd1, %in;
  fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;
  membar.gl;
  membar.proxy.alias;
  mov.u32 %o, 9;
)",
                         32, 1);
  k.input = pattern(128);
  EXPECT_EQ(k.values(), std::vector<uint32_t>(32, 9));
}

TEST(Fence, OfNoTensorMap) {
  AsyncKernel k = kernel(R"(
  mov.u64 %rd1, 0;
  fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;
  mov.u32 %o, 9;
)",
                         32, 1);
  EXPECT_EQ(k.values(), std::vector<uint32_t>(32, 9));
}

TEST(FenceMustFail, TensorMapOutsideGlobalMemory) {
  EXPECT_CONTAINS(
      kernel("fence.proxy.tensormap::generic.acquire.gpu [%map], 128;", 32, 1)
          .failure(),
      "the tensor map 0x40000000040 must be a multiple of 128");
  EXPECT_CONTAINS(kernel(R"(
  mov.u64 %rd1, smem;
  cvta.shared.u64 %rd1, %rd1;
  fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;
)",
                         32, 1)
                      .failure(),
                  "isn't in global memory");
}
