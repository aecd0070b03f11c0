// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: memory of cudaMallocAsync in one stream is used by kernels in another one that nothing orders after it
// fix: an event between the streams
// isa: CUDA C++ Programming Guide, stream ordered memory allocator: accesses must be ordered after the allocation in
//      stream order; otherwise undefined behavior
#include "../common.h"

__global__ void produce(const u32 *x, u32 *scratch) { scratch[threadIdx.x] = x[threadIdx.x] + 9; }
__global__ void consume(const u32 *scratch, u32 *y) { y[threadIdx.x] = scratch[threadIdx.x ^ 1]; }

int main() {
  u32 *x = items(64), *y = zeros(64), *scratch;
  cudaStream_t memory, work;
  cudaEvent_t allocated;
  CUDA(cudaStreamCreateWithFlags(&memory, cudaStreamNonBlocking));
  CUDA(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
  CUDA(cudaEventCreateWithFlags(&allocated, cudaEventDisableTiming));
  CUDA(cudaDeviceSynchronize());
  CUDA(cudaMallocAsync(&scratch, 256, memory));
  if (FIXED) {
    CUDA(cudaEventRecord(allocated, memory));
    CUDA(cudaStreamWaitEvent(work, allocated, 0));
  }
  produce<<<1, 64, 0, work>>>(x, scratch);
  consume<<<1, 64, 0, work>>>(scratch, y);
  CUDA(cudaFreeAsync(scratch, work));
  return expect(y, 64, [](size_t i) { return item(i ^ 1) + 9; });
}
