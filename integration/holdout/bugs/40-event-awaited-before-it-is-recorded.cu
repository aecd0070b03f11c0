// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bug: a stream is made to wait for an event that is recorded only by the next call
// fix: record it, then wait
// isa: 8.9.4, cudaStreamWaitEvent: the wait is for the most recent record; there is none, so nothing is waited for
#include "../common.h"

__global__ void produce(const u32 *x, u32 *data) { data[threadIdx.x] = x[threadIdx.x] + 4; }
__global__ void consume(const u32 *data, u32 *y) { y[threadIdx.x] = data[threadIdx.x ^ 1]; }

int main() {
  u32 *x = items(64), *data = zeros(64), *y = zeros(64);
  cudaStream_t a, b;
  cudaEvent_t produced;
  CUDA(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  CUDA(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  CUDA(cudaEventCreateWithFlags(&produced, cudaEventDisableTiming));
  CUDA(cudaDeviceSynchronize());
  produce<<<1, 64, 0, a>>>(x, data);
  if (!FIXED)
    CUDA(cudaStreamWaitEvent(b, produced, 0));
  CUDA(cudaEventRecord(produced, a));
  if (FIXED)
    CUDA(cudaStreamWaitEvent(b, produced, 0));
  consume<<<1, 64, 0, b>>>(data, y);
  return expect(y, 64, [](size_t i) { return item(i ^ 1) + 4; });
}
