// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// what: a warpgroup overwrites the operand of its first product while the second one still runs, and adds the third to
//       the same registers without another wgmma.fence
// isa: 9.7.15.7.3 wait_group 1 completes the first group; 9.7.15.7.1 accumulations of the same shape on the same
//      registers are ordered
#include "../tensor.h"

#define ACCUMULATE(a, b)                                                                                               \
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;\n"           \
               "wgmma.commit_group.sync.aligned;"                                                                      \
               : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)                                                                \
               : "l"(descriptor(a)), "l"(descriptor(b))                                                                \
               : "memory")

__global__ void gemm(float *y) {
  __shared__ __align__(128) u8 a[2048], b[2][256];
  fill(a, sizeof a, one);
  fill(b[0], 256, one);
  fill(b[1], 256, two);
  fenceAsync();
  __syncthreads();
  float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
  asm volatile("wgmma.fence.sync.aligned;" : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)::"memory");
  ACCUMULATE(a, b[0]);
  ACCUMULATE(a, b[1]);
  asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
  __syncthreads(); // The products of all four warps with b[0] are complete.
  fill(b[0], 256, three);
  fenceAsync();
  __syncthreads();
  ACCUMULATE(a, b[0]);
  asm volatile("wgmma.wait_group.sync.aligned 0;" : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)::"memory");
  float4 d = {d0, d1, d2, d3};
  reinterpret_cast<float4 *>(y)[threadIdx.x] = d;
}

int main() {
  auto *y = zeros<float>(512);
  gemm<<<1, 128>>>(y);
  return expect(y, 512, [](size_t) { return 96; });
}
