//===- driver.cu - The same through the driver API -----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cases.cuh"
#include <cuda.h>

#define DRIVER(call) REQUIRE((call) == CUDA_SUCCESS)

static CUstream driverStream() {
  CUstream made;
  DRIVER(cuStreamCreate(&made, CU_STREAM_NON_BLOCKING));
  return made;
}
static CUdeviceptr driverMemory() {
  CUdeviceptr memory;
  DRIVER(cuMemAlloc(&memory, bytes));
  DRIVER(cuMemsetD32(memory, 0, count));
  DRIVER(cuCtxSynchronize());
  return memory;
}
static void launchCopy(CUdeviceptr x, CUdeviceptr y, CUstream in) {
  cudaFunction_t function;
  CHECK(cudaGetFuncBySymbol(&function, (void *)copy));
  void *arguments[] = {&x, &y};
  DRIVER(cuLaunchKernel(function, 1, 1, 1, 128, 1, 1, 0, in, arguments, nullptr));
}

CASE(driver_two_streams, "stream-order") {
  CHECK(cudaFree(0));
  CUdeviceptr x = driverMemory(), y = driverMemory();
  DRIVER(cuMemsetD32Async(x, 1, count, driverStream()));
  launchCopy(x, y, driverStream());
  DRIVER(cuCtxSynchronize());
}
CASE(driver_event, "right") {
  CHECK(cudaFree(0));
  CUdeviceptr x = driverMemory(), y = driverMemory();
  CUstream a = driverStream(), b = driverStream();
  CUevent e;
  DRIVER(cuEventCreate(&e, CU_EVENT_DISABLE_TIMING));
  DRIVER(cuMemsetD32Async(x, 1, count, a));
  DRIVER(cuEventRecord(e, a));
  DRIVER(cuStreamWaitEvent(b, e, 0));
  launchCopy(x, y, b);
  DRIVER(cuCtxSynchronize());
  int first;
  DRIVER(cuMemcpyDtoH(&first, y, 4));
  REQUIRE(first == 1);
}
CASE(driver_pinned_read_early, "host-order") {
  CHECK(cudaFree(0));
  CUdeviceptr x = driverMemory();
  int *h;
  DRIVER(cuMemHostAlloc((void **)&h, bytes, 0));
  DRIVER(cuMemcpyDtoHAsync(h, x, bytes, driverStream()));
  std::printf("%d\n", h[3]);
  DRIVER(cuCtxSynchronize());
}
CASE(driver_pool, "freed-in-flight") {
  CHECK(cudaFree(0));
  CUdeviceptr x;
  CUstream a = driverStream();
  DRIVER(cuMemAllocAsync(&x, bytes, a));
  DRIVER(cuMemsetD8Async(x, 0, bytes, a));
  DRIVER(cuMemFreeAsync(x, driverStream()));
  DRIVER(cuCtxSynchronize());
}
// One context's default stream isn't another's.
CASE(driver_contexts, "right") {
  CHECK(cudaFree(0));
  CUdeviceptr x = driverMemory(), z = driverMemory();
  CUcontext first, other;
  DRIVER(cuCtxGetCurrent(&first));
  DRIVER(cuCtxCreate(&other, nullptr, 0, 0));
  CUdeviceptr y = driverMemory();
  DRIVER(cuMemsetD8Async(y, 1, bytes, 0));
  DRIVER(cuCtxSynchronize());
  DRIVER(cuCtxDestroy(other));
  DRIVER(cuCtxSetCurrent(first));
  launchCopy(x, z, driverStream());
  DRIVER(cuCtxSynchronize());
}
