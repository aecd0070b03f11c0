//===- ContextTest.cpp - Devices, contexts, streams, events ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Library.h"
#include <thread>

using namespace drawloom::cuda;

TEST(CudaBeforeInit, Rejects) {
  const Library &cu = Library::get();
  int count = 0;
  // Whether cuInit has been called is the process's; ctest runs each test in
  // one of its own.
  if (cu.cuDeviceGetCount(&count) != CUDA_SUCCESS)
    EXPECT_RESULT(cu.cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_RESULT(cu.cuInit(1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cu.cuInit(0));
  EXPECT_OK(cu.cuDeviceGetCount(&count));
  EXPECT_EQ(count, 1);
  EXPECT_RESULT(cu.cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(CudaTest, DeviceSaysWhatItIs) {
  int device = -1, value = 0, version = 0;
  EXPECT_OK(cu.cuDeviceGet(&device, 0));
  EXPECT_EQ(device, 0);
  EXPECT_RESULT(cu.cuDeviceGet(&device, 1), CUDA_ERROR_INVALID_DEVICE);
  char name[64];
  EXPECT_OK(cu.cuDeviceGetName(name, sizeof(name), 0));
  EXPECT_STREQ(name, "NVIDIA H100 80GB HBM3");
  EXPECT_OK(cu.cuDeviceGetName(name, 7, 0));
  EXPECT_STREQ(name, "NVIDIA");
  EXPECT_OK(cu.cuDeviceGetAttribute(&value, 75, 0));
  EXPECT_EQ(value, 9);
  EXPECT_OK(cu.cuDeviceGetAttribute(&value, 16, 0));
  EXPECT_EQ(value, 4);
  EXPECT_OK(cu.cuDeviceGetAttribute(&value, 97, 0));
  EXPECT_EQ(value, 227 << 10);
  EXPECT_RESULT(cu.cuDeviceGetAttribute(&value, 16, 1),
                CUDA_ERROR_INVALID_DEVICE);
  EXPECT_OK(cu.cuDriverGetVersion(&version));
  EXPECT_EQ(version, 13000);
}

TEST_F(CudaTest, ContextsAreAStackForEachThread) {
  ContextState *primary = nullptr, *made = nullptr, *current = nullptr;
  EXPECT_OK(cu.cuCtxGetCurrent(&primary));
  EXPECT_OK(cu.cuCtxCreate_v2(&made, 0, 0));
  EXPECT_OK(cu.cuCtxGetCurrent(&current));
  EXPECT_EQ(current, made);
  std::thread([&] {
    ContextState *other = made;
    EXPECT_OK(cu.cuCtxGetCurrent(&other));
    EXPECT_EQ(other, nullptr);
    EXPECT_RESULT(cu.cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
  }).join();
  EXPECT_OK(cu.cuCtxPopCurrent_v2(&current));
  EXPECT_EQ(current, made);
  EXPECT_OK(cu.cuCtxGetCurrent(&current));
  EXPECT_EQ(current, primary);
  EXPECT_OK(cu.cuCtxDestroy_v2(made));
  EXPECT_RESULT(cu.cuCtxSetCurrent(made), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(CudaTest, StreamsAndEvents) {
  StreamState *stream = nullptr;
  EventState *start = nullptr, *end = nullptr;
  EXPECT_OK(cu.cuStreamCreate(&stream, 1));
  unsigned flags = 0;
  EXPECT_OK(cu.cuStreamGetFlags(stream, &flags));
  EXPECT_EQ(flags, 1u);
  EXPECT_OK(cu.cuEventCreate(&start, 0));
  EXPECT_OK(cu.cuEventCreate(&end, 0));
  float milliseconds = -1;
  EXPECT_RESULT(cu.cuEventElapsedTime(&milliseconds, start, end),
                CUDA_ERROR_INVALID_HANDLE);
  EXPECT_OK(cu.cuEventRecord(start, stream));
  EXPECT_OK(cu.cuEventRecord(end, stream));
  EXPECT_OK(cu.cuEventElapsedTime(&milliseconds, start, end));
  EXPECT_GE(milliseconds, 0);
  EXPECT_OK(cu.cuStreamWaitEvent(stream, end, 0));
  EXPECT_OK(cu.cuStreamDestroy_v2(stream));
  EXPECT_RESULT(cu.cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_RESULT(cu.cuEventRecord(end, stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_OK(cu.cuEventDestroy_v2(start));
  EXPECT_RESULT(cu.cuEventSynchronize(start), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(CudaTest, Limits) {
  size_t value = 0;
  EXPECT_OK(cu.cuCtxSetLimit(LimitStackSize, 4096));
  EXPECT_OK(cu.cuCtxGetLimit(&value, LimitStackSize));
  EXPECT_EQ(value, 4096u);
  EXPECT_RESULT(cu.cuCtxGetLimit(&value, 100), CUDA_ERROR_UNSUPPORTED_LIMIT);
}
