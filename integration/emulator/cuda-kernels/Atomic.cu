//===- Atomic.cu - Atomics ------------------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <cstdint>

struct Totals {
  uint32_t sum, smallest, largest, ones, zeros, odd, ring, exchanged, maximum;
  uint32_t down;
  uint64_t wide;
  float floats;
  double doubles;
};

extern "C" __global__ void totals(const uint32_t *in, Totals *out,
                                  uint32_t *tickets) {
  unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t a = in[index];
  tickets[index] = atomicAdd(&out->sum, 1 + a % 1);
  atomicMin(&out->smallest, a);
  atomicMax(&out->largest, a);
  atomicOr(&out->ones, 1u << a % 32);
  atomicAnd(&out->zeros, ~(1u << a % 29));
  atomicXor(&out->odd, a);
  atomicInc(&out->ring, 99);
  atomicDec(&out->down, 1000);
  atomicExch(&out->exchanged, 7);
  atomicMax(reinterpret_cast<int *>(&out->maximum), int(a));
  atomicAdd(reinterpret_cast<unsigned long long *>(&out->wide), a);
  // Sums that are exact in any order.
  atomicAdd(&out->floats, float(a % 16));
  atomicAdd(&out->doubles, double(a));
}

/// A histogram in shared memory, then one for the grid.
extern "C" __global__ void histogram(const uint32_t *in, uint32_t *out) {
  __shared__ uint32_t bins[64];
  if (threadIdx.x < 64)
    bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[in[blockIdx.x * blockDim.x + threadIdx.x] % 64], 1);
  __syncthreads();
  if (threadIdx.x < 64)
    atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

/// Every thread takes a lock, the lanes of a warp as well, and counts without
/// an atomic. It needs forward progress of every lane.
extern "C" __global__ void locked(uint32_t *lock, volatile uint32_t *count) {
  bool done = false;
  while (!done)
    if (atomicCAS(lock, 0, 1) == 0) {
      *count = *count + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
}
