//===- MemoryTest.cpp - Allocation, copies and fills
//--------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Library.h"

using namespace drawloom::cuda;

TEST_F(CudaTest, CopiesAndFills) {
  DevicePointer a = upload<uint32_t>({1, 2, 3, 4});
  DevicePointer b = upload<uint32_t>({0, 0, 0, 0});
  EXPECT_OK(cu.cuMemcpyDtoD_v2(b, a + 4, 12));
  EXPECT_EQ(download<uint32_t>(b, 4), (std::vector<uint32_t>{2, 3, 4, 0}));
  EXPECT_OK(cu.cuMemsetD32_v2(b, 0x01020304, 2));
  EXPECT_OK(cu.cuMemsetD16_v2(b + 8, 0xabcd, 1));
  EXPECT_OK(cu.cuMemsetD8_v2(b + 15, 0xff, 1));
  EXPECT_EQ(
      download<uint32_t>(b, 4),
      (std::vector<uint32_t>{0x01020304, 0x01020304, 0x0000abcd, 0xff000000}));
  uint32_t host = 0;
  EXPECT_OK(cu.cuMemcpy(reinterpret_cast<uintptr_t>(&host), a + 8, 4));
  EXPECT_EQ(host, 3u);
}

TEST_F(CudaTest, MemoryIsCheckedToTheByte) {
  DevicePointer a = upload<uint32_t>({1, 2, 3, 4});
  char bytes[32] = {};
  EXPECT_RESULT(cu.cuMemcpyHtoD_v2(a, bytes, 17), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cu.cuMemcpyDtoH_v2(bytes, a - 1, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cu.cuMemsetD32_v2(a + 1, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cu.cuMemFree_v2(a + 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cu.cuMemFree_v2(a));
  EXPECT_RESULT(cu.cuMemFree_v2(a), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cu.cuMemFree_v2(0));
  EXPECT_RESULT(cu.cuMemAlloc_v2(&a, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cu.cuMemAlloc_v2(&a, size_t(1) << 60),
                CUDA_ERROR_OUT_OF_MEMORY);
}

TEST_F(CudaTest, PointersKnowTheirAllocation) {
  DevicePointer a = upload<uint32_t>({1, 2, 3, 4}), base = 0;
  size_t bytes = 0;
  EXPECT_OK(cu.cuMemGetAddressRange_v2(&base, &bytes, a + 7));
  EXPECT_EQ(base, a);
  EXPECT_EQ(bytes, 16u);
  EXPECT_RESULT(cu.cuMemGetAddressRange_v2(&base, &bytes, a + 16),
                CUDA_ERROR_NOT_FOUND);
  unsigned type = 0;
  EXPECT_OK(cu.cuPointerGetAttribute(&type, PointerMemoryType, a));
  EXPECT_EQ(type, memoryTypeDevice);
  EXPECT_RESULT(cu.cuPointerGetAttribute(&type, PointerMemoryType,
                                         reinterpret_cast<uintptr_t>(&type)),
                CUDA_ERROR_INVALID_VALUE);
}

TEST_F(CudaTest, HostMemory) {
  void *pointer = nullptr;
  EXPECT_OK(cu.cuMemHostAlloc(&pointer, 100, 0));
  DevicePointer device = 0;
  EXPECT_RESULT(cu.cuMemHostGetDevicePointer_v2(&device, pointer, 0),
                CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_RESULT(cu.cuMemAllocManaged(&device, 100, 1),
                CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_OK(cu.cuMemFreeHost(pointer));
  EXPECT_RESULT(cu.cuMemFreeHost(pointer), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(CudaTest, ResetGivesEverythingBack) {
  size_t before = 0, after = 0, total = 0;
  EXPECT_OK(cu.cuMemGetInfo_v2(&before, &total));
  upload(std::vector<char>(10000));
  EXPECT_OK(cu.cuMemGetInfo_v2(&after, &total));
  EXPECT_LT(after, before);
  EXPECT_OK(cu.cuDevicePrimaryCtxReset_v2(0));
  EXPECT_OK(cu.cuMemGetInfo_v2(&after, &total));
  EXPECT_EQ(after, before);
}
