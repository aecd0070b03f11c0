// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: operands come by cp.async, are waited for and met at a barrier, and go to wgmma without a proxy fence
// fix: fence.proxy.async by every thread after its wait
// isa: 9.7.15.4 wgmma reads shared memory in the async proxy; cp.async (not bulk) writes in the generic proxy
#include "../tensor.h"

__global__ void gemm(const uint4 *a, const uint4 *b, float *y) {
  __shared__ __align__(128) uint4 sa[128], sb[16];
  u32 t = threadIdx.x;
  cpasync::copy16(sa + t, a + t);
  if (t < 16)
    cpasync::copy16(sb + t, b + t);
  cpasync::waitAll();
#if FIXED
  fenceAsync();
#endif
  __syncthreads();
  float d[4] = {};
  asm volatile("wgmma.fence.sync.aligned;\n"
               "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 0, 1, 1, 0, 0;\n"
               "wgmma.commit_group.sync.aligned;\n"
               "wgmma.wait_group.sync.aligned 0;"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "l"(descriptor(sa)), "l"(descriptor(sb))
               : "memory");
  for (u32 i = 0; i < 4; ++i)
    y[t * 4 + i] = d[i];
}

int main() {
  auto *a = upload(std::vector<uint4>(128, uint4{one, one, one, one}));
  auto *b = upload(std::vector<uint4>(16, uint4{two, two, two, two}));
  auto *y = zeros<float>(512);
  gemm<<<1, 128>>>(a, b, y);
  return expect(y, 512, [](size_t) { return 32; });
}
