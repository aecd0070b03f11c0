//===- common.h - PTX and a host side for the hold-out programs -----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function is one instruction, so that a program shows which ones it has.
// With FIXED=1 a program of bugs/ is right.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_runtime.h>
#include <vector>

#ifndef FIXED
#define FIXED 0
#endif

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;

#define DEVICE static __device__ __forceinline__

DEVICE u32 lane() { return threadIdx.x % 32; }
DEVICE u32 warp() { return threadIdx.x / 32; }
DEVICE u32 window(const void *p) {
  return static_cast<u32>(__cvta_generic_to_shared(p));
}

// Weak accesses that the compiler neither merges nor narrows.
DEVICE u32 loadShared(const u32 *p) {
  u32 v;
  asm volatile("ld.weak.shared.u32 %0, [%1];"
               : "=r"(v)
               : "r"(window(p))
               : "memory");
  return v;
}
DEVICE void storeShared(u32 *p, u32 v) {
  asm volatile("st.weak.shared.u32 [%0], %1;" ::"r"(window(p)), "r"(v)
               : "memory");
}

// Barriers of the CTA, without .aligned: roles may execute them apart.
namespace named {
DEVICE void sync(u32 id, u32 threads) {
  asm volatile("barrier.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
DEVICE void arrive(u32 id, u32 threads) {
  asm volatile("barrier.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
DEVICE u32 count(u32 id, u32 threads, u32 yes) {
  u32 n;
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %3, 0;\n"
               "barrier.red.popc.u32 %0, %1, %2, p; }"
               : "=r"(n)
               : "r"(id), "r"(threads), "r"(yes)
               : "memory");
  return n;
}
} // namespace named

// Strong accesses to global memory, and fences.
namespace gpu {
DEVICE u32 relaxed(const u32 *p) {
  u32 v;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];"
               : "=r"(v)
               : "l"(p)
               : "memory");
  return v;
}
DEVICE u64 relaxed(const u64 *p) {
  u64 v;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
               : "=l"(v)
               : "l"(p)
               : "memory");
  return v;
}
DEVICE u32 acquire(const u32 *p) {
  u32 v;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
               : "=r"(v)
               : "l"(p)
               : "memory");
  return v;
}
DEVICE u32 weak(const u32 *p) {
  u32 v;
  asm volatile("ld.weak.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}
DEVICE void relaxed(u32 *p, u32 v) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(v)
               : "memory");
}
DEVICE void release(u32 *p, u32 v) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(v)
               : "memory");
}
DEVICE void weak(u32 *p, u32 v) {
  asm volatile("st.weak.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}
DEVICE void add(u32 *p, u32 v) {
  asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(p), "r"(v)
               : "memory");
}
DEVICE void fence() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }
} // namespace gpu

namespace cta {
DEVICE u32 acquire(const u32 *p) {
  u32 v;
  asm volatile("ld.acquire.cta.shared.u32 %0, [%1];"
               : "=r"(v)
               : "r"(window(p))
               : "memory");
  return v;
}
DEVICE void release(u32 *p, u32 v) {
  asm volatile("st.release.cta.shared.u32 [%0], %1;" ::"r"(window(p)), "r"(v)
               : "memory");
}
DEVICE void fence() { asm volatile("fence.acq_rel.cta;" ::: "memory"); }
} // namespace cta

// Between the generic and the async proxy, for every state space.
DEVICE void fenceAsync() { asm volatile("fence.proxy.async;" ::: "memory"); }

namespace mbar {
DEVICE void init(u64 *b, u32 count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(window(b)),
               "r"(count)
               : "memory");
}
DEVICE void fenceInit() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
DEVICE u64 arrive(u64 *b) {
  u64 state;
  asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];"
               : "=l"(state)
               : "r"(window(b))
               : "memory");
  return state;
}
DEVICE void arrive(u64 *b, u32 count) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], %1;" ::"r"(window(b)),
               "r"(count)
               : "memory");
}
DEVICE void arriveDrop(u64 *b) {
  asm volatile("mbarrier.arrive_drop.shared::cta.b64 _, [%0];" ::"r"(window(b))
               : "memory");
}
DEVICE void expect(u64 *b, u32 bytes) { // And arrives.
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(window(b)),
      "r"(bytes)
      : "memory");
}
DEVICE void wait(u64 *b, u32 parity) {
  u32 done;
  do
    asm volatile("{ .reg .pred p;\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                 "selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(window(b)), "r"(parity)
                 : "memory");
  while (!done);
}
DEVICE void waitCluster(u64 *b, u32 parity) {
  u32 done;
  do
    asm volatile(
        "{ .reg .pred p;\n"
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], "
        "%2;\n"
        "selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(window(b)), "r"(parity)
        : "memory");
  while (!done);
}
DEVICE void waitState(u64 *b, u64 state) {
  u32 done;
  do
    asm volatile("{ .reg .pred p;\n"
                 "mbarrier.try_wait.shared::cta.b64 p, [%1], %2;\n"
                 "selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(window(b)), "l"(state)
                 : "memory");
  while (!done);
}
} // namespace mbar

namespace cpasync {
DEVICE void copy16(void *to, const void *from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(window(to)),
               "l"(from)
               : "memory");
}
DEVICE void copy16(void *to, const void *from, u32 sourceBytes) {
  asm volatile(
      "cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(window(to)),
      "l"(from), "r"(sourceBytes)
      : "memory");
}
DEVICE void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
DEVICE void waitAll() { asm volatile("cp.async.wait_all;" ::: "memory"); }
template <int n>
DEVICE void wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory");
}
DEVICE void arriveNoinc(u64 *b) {
  asm volatile(
      "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(window(b))
      : "memory");
}
} // namespace cpasync

namespace bulk {
DEVICE void load(void *to, const void *from, u32 bytes, u64 *b) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
               "bytes [%0], [%1], %2, [%3];" ::"r"(window(to)),
               "l"(from), "r"(bytes), "r"(window(b))
               : "memory");
}
DEVICE void store(void *to, const void *from, u32 bytes) {
  asm volatile(
      "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
      "r"(window(from)), "r"(bytes)
      : "memory");
}
DEVICE void commit() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
DEVICE void wait() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
DEVICE void waitRead() {
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
} // namespace bulk

namespace cluster {
DEVICE u32 rank() {
  u32 r;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
  return r;
}
DEVICE void sync() {
  asm volatile("barrier.cluster.arrive.release.aligned;\n"
               "barrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
}
DEVICE u32 map(const void *p, u32 rank) {
  u32 at;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(at)
               : "r"(window(p)), "r"(rank));
  return at;
}
DEVICE void store(u32 at, u32 v) {
  asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(at), "r"(v) : "memory");
}
DEVICE void add(u32 at, u32 v) {
  asm volatile(
      "red.relaxed.cluster.shared::cluster.add.u32 [%0], %1;" ::"r"(at), "r"(v)
      : "memory");
}
DEVICE void arrive(u32 bar) {
  asm volatile(
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(bar)
      : "memory");
}
DEVICE void copy(u32 to, const void *from, u32 bytes, u32 bar) {
  asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_"
               "tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
               "r"(window(from)), "r"(bytes), "r"(bar)
               : "memory");
}
} // namespace cluster

namespace grid {
DEVICE void launchDependents() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
DEVICE void wait() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
} // namespace grid

//===----------------------------------------------------------------------===//
// The host
//===----------------------------------------------------------------------===//

#define CUDA(call)                                                             \
  do {                                                                         \
    cudaError_t error = (call);                                                \
    if (error != cudaSuccess) {                                                \
      printf("cuda: %s: %s\n", #call, cudaGetErrorName(error));                \
      exit(3);                                                                 \
    }                                                                          \
  } while (0)

template <typename T>
T *upload(const std::vector<T> &from) {
  T *p;
  CUDA(cudaMalloc(&p, from.size() * sizeof(T)));
  CUDA(cudaMemcpy(p, from.data(), from.size() * sizeof(T),
                  cudaMemcpyHostToDevice));
  return p;
}
template <typename T = u32>
T *zeros(size_t n) {
  return upload(std::vector<T>(n));
}
// 1, 4, 7, ...: no two elements are the same, none is zero.
inline u32 item(size_t i) { return static_cast<u32>(3 * i + 1); }
inline u32 *items(size_t n) {
  std::vector<u32> v(n);
  for (size_t i = 0; i < n; ++i)
    v[i] = item(i);
  return upload(v);
}

inline void finish() {
  CUDA(cudaGetLastError());
  CUDA(cudaDeviceSynchronize());
}
// Waits, then compares n elements; the process's exit code.
template <typename T, typename Want>
int expect(const T *d, size_t n, Want f) {
  finish();
  std::vector<T> h(n);
  CUDA(cudaMemcpy(h.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost));
  size_t wrong = 0;
  for (size_t i = 0; i < n; ++i)
    wrong += h[i] != static_cast<T>(f(i));
  if (wrong)
    printf("FAIL: %zu of %zu are wrong\n", wrong, n);
  else
    printf("PASS\n");
  return wrong ? 2 : 0;
}

// A launch as the secondary of a dependent launch.
template <typename... P, typename... A>
void launchDependent(void (*kernel)(P...), u32 ctas, u32 threads, A... args) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = ctas;
  config.blockDim = threads;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CUDA(cudaLaunchKernelEx(&config, kernel, static_cast<P>(args)...));
}
