//===- Barrier.h - Waiting and arriving ----------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DEVICE_BARRIER_H
#define DRAWLOOM_DEVICE_BARRIER_H

#include "drawloom/device/Pipe.h"
#include "drawloom/device/Profile.h"
#include <cstdio>
#include <cuda/ptx>

namespace drawloom::device {

namespace ptx = cuda::ptx;

/// Says which wait is stuck, once for a warp.
template <class Pipe>
__device__ inline void reportWait(uint32_t parity, const char *what,
                                  uint32_t slot) {
  const auto name = Pipe::name;
  if (threadIdx.x % 32 == 0)
    printf("drawloom: CTA %d, warp %d waits for pipe '%s', slot %u, to be %s "
           "(parity %u)\n",
           int(blockIdx.x), int(threadIdx.x / 32), name.text, slot, what,
           parity);
}

/// Waits until the phase with this parity has ended, for what threads of the
/// scope have done. With DRAWLOOM_DEBUG=N, a wait that isn't over after N tries
/// is named, and ends the kernel after 2 N: by then all that are stuck are
/// named, not the first only.
template <class Pipe, ptx::dot_scope scope = ptx::dot_scope::cta>
__device__ inline void wait(uint64_t *barrier, uint32_t parity,
                            const char *what, uint32_t slot) {
  constexpr ptx::scope_t<scope> in{};
#ifdef DRAWLOOM_DEBUG
  for (long long i = 0;
       !ptx::mbarrier_test_wait_parity(ptx::sem_acquire, in, barrier, parity);
       ++i) {
    if (i == DRAWLOOM_DEBUG)
      reportWait<Pipe>(parity, what, slot);
    if (i == 2 * DRAWLOOM_DEBUG)
      __trap();
  }
#else
  while (
      !ptx::mbarrier_try_wait_parity(ptx::sem_acquire, in, barrier, parity)) {
  }
#endif
}

/// Every warp of a role by CUDA cores arrives once, after all its lanes.
__device__ inline void arriveAsWarp(uint64_t *barrier) {
  __syncwarp();
  if (threadIdx.x % 32 == 0)
    ptx::mbarrier_arrive(barrier);
}

__device__ inline uint32_t getSharedAddress(const void *pointer) {
  return uint32_t(__cvta_generic_to_shared(pointer));
}

/// The address of the same place in another CTA of the cluster. CCCL has no
/// such form.
__device__ inline uint32_t getAddressIn(uint32_t rank, uint32_t address) {
  uint32_t there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(there)
      : "r"(address), "r"(rank));
  return there;
}
__device__ inline uint32_t getAddressIn(uint32_t rank, const void *pointer) {
  return getAddressIn(rank, getSharedAddress(pointer));
}

/// Arrives at a barrier of some CTA of the cluster. CCCL's function wants a
/// pointer, which such an address has not.
__device__ inline void arriveAt(uint32_t address) {
  asm volatile(
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(
          address)
      : "memory");
}
__device__ inline void arriveAsWarpAt(uint32_t address) {
  __syncwarp();
  if (threadIdx.x % 32 == 0)
    arriveAt(address);
}

} // namespace drawloom::device

#endif // DRAWLOOM_DEVICE_BARRIER_H
