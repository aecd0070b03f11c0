// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Doubles four floats in each thread, in shared memory, and one thread stores the
// tile by a bulk copy. docs/guides/which-fence-is-missing.md is about what is wrong here.
#include <cstdint>

constexpr int threads = 128, bytes = threads * sizeof(float4);

__device__ uint32_t address(const void *p) { return __cvta_generic_to_shared(p); }

extern "C" __global__ void __launch_bounds__(threads) tile_store(const float4 *x, float4 *y) {
  __shared__ alignas(128) float4 tile[threads];
  int first = blockIdx.x * threads;
  float4 v = x[first + threadIdx.x];
  tile[threadIdx.x] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
#ifdef FIXED
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(y + first)),
                 "r"(address(tile)), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}
