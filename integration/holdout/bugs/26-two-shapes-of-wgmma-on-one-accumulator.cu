// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: a narrow wgmma accumulates into four of the registers that a wide one still in flight accumulates into
// fix: wait for the wide one, and fence
// isa: 9.7.15.7.1 only accumulations of the same shape are ordered without wgmma.fence; otherwise undefined behavior
#include "../tensor.h"

__global__ void gemm(float *y) {
  __shared__ __align__(128) u8 a[2048], b[512];
  fill(a, sizeof a, one);
  fill(b, sizeof b, one);
  fenceAsync();
  __syncthreads();
  float d[8] = {};
  asm volatile("wgmma.fence.sync.aligned;\n"
               "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, 1, 1, 1, "
               "0, 0;\n"
#if FIXED
               "wgmma.commit_group.sync.aligned;\n"
               "wgmma.wait_group.sync.aligned 0;\n"
               "wgmma.fence.sync.aligned;\n"
#endif
               "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %8, %9, 1, 1, 1, 0, 0;\n"
               "wgmma.commit_group.sync.aligned;\n"
               "wgmma.wait_group.sync.aligned 0;"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
               : "l"(descriptor(a)), "l"(descriptor(b))
               : "memory");
  for (u32 i = 0; i < 8; ++i)
    y[threadIdx.x * 8 + i] = d[i];
}

int main() {
  auto *y = zeros<float>(1024);
  gemm<<<1, 128>>>(y);
  return expect(y, 1024, [](size_t i) { return i % 8 < 4 ? 32 : 16; });
}
