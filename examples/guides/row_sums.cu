// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of rows: a warp loads rows of 1024 floats into a ring of two stages, four
// warps add them up. docs/guides/my-kernel-hangs.md is about what is wrong here.
#include <cstdint>

constexpr int columns = 1024, stages = 2, warps = 4;

__device__ uint32_t address(const void *p) { return __cvta_generic_to_shared(p); }

__device__ void init(uint64_t *barrier, uint32_t count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(barrier)), "r"(count) : "memory");
}

__device__ void arrive(uint64_t *barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(barrier)) : "memory");
}

__device__ void wait(uint64_t *barrier, uint32_t parity) {
  asm volatile("{\n.reg .pred done;\n"
               "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
               "@!done bra again;\n}" ::"r"(address(barrier)), "r"(parity) : "memory");
}

__device__ void load(float *stage, const float *row, uint64_t *full) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(full)), "r"(columns * 4) : "memory");
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(address(stage)),
               "l"(__cvta_generic_to_global(row)), "r"(columns * 4), "r"(address(full)) : "memory");
}

extern "C" __global__ void __launch_bounds__(32 * (warps + 1)) row_sums(const float *x, float *sums, int rows) {
  __shared__ alignas(128) float ring[stages][columns];
  __shared__ uint64_t full[stages], empty[stages];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
#pragma unroll 1
    for (int stage = 0; stage < stages; ++stage) {
      init(&full[stage], 1);
#ifdef FIXED
      init(&empty[stage], warps);
#else
      init(&empty[stage], 32 * warps);
#endif
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (warp == warps) {
    for (int row = 0; lane == 0 && row < rows; ++row) {
      int stage = row % stages, round = row / stages;
      wait(&empty[stage], (round + 1) & 1);
      load(ring[stage], x + row * columns, &full[stage]);
    }
    return;
  }
  for (int row = 0; row < rows; ++row) {
    int stage = row % stages, round = row / stages;
    wait(&full[stage], round & 1);
    float sum = 0;
#pragma unroll 1
    for (int column = warp * 32 + lane; column < columns; column += warps * 32)
      sum += ring[stage][column];
    for (int distance = 16; distance; distance /= 2)
      sum += __shfl_xor_sync(~0u, sum, distance);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncwarp();
    if (lane == 0) {
      atomicAdd(&sums[row], sum);
      arrive(&empty[stage]);
    }
  }
}
