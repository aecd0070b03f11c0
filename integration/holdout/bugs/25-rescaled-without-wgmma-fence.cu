// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: attention rescales its accumulator between two products, and the second one follows without wgmma.fence
// fix: wgmma.fence after the registers were written
// isa: 9.7.15.7.1 wgmma.fence is needed between a register access and a wgmma.mma_async on the same registers;
//      otherwise the behavior is undefined
#include "../tensor.h"

#define PRODUCT                                                                                                        \
  "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;\n"                       \
  "wgmma.commit_group.sync.aligned;\n"                                                                                 \
  "wgmma.wait_group.sync.aligned 0;"

__global__ void attention(float *y) {
  __shared__ __align__(128) u8 p[2048], v[256];
  fill(p, sizeof p, one);
  fill(v, sizeof v, one);
  fenceAsync();
  __syncthreads();
  float o[4] = {};
  asm volatile("wgmma.fence.sync.aligned;\n" PRODUCT
               : "+f"(o[0]), "+f"(o[1]), "+f"(o[2]), "+f"(o[3])
               : "l"(descriptor(p)), "l"(descriptor(v))
               : "memory");
  for (float &f : o)
    f *= 0.5f;
#if FIXED
  asm volatile("wgmma.fence.sync.aligned;\n" PRODUCT
#else
  asm volatile(PRODUCT
#endif
               : "+f"(o[0]), "+f"(o[1]), "+f"(o[2]), "+f"(o[3])
               : "l"(descriptor(p)), "l"(descriptor(v))
               : "memory");
  for (u32 i = 0; i < 4; ++i)
    y[threadIdx.x * 4 + i] = o[i];
}

int main() {
  auto *y = zeros<float>(512);
  attention<<<1, 128>>>(y);
  return expect(y, 512, [](size_t) { return 24; });
}
