//===- MemoryPoolTest.cpp - Pools of device memory ------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Library.h"

using namespace drawloom;
using namespace drawloom::cuda;

static PoolProperties onDevice(size_t maxBytes = 0) {
  PoolProperties properties = {};
  properties.allocationType = poolPinned;
  properties.location = {locationDevice, 0};
  properties.maxBytes = maxBytes;
  return properties;
}

class MemoryPool : public CudaTest {
protected:
  uint64_t read(PoolState *pool, int attribute) {
    uint64_t value = 0;
    EXPECT_OK(cu.cuMemPoolGetAttribute(pool, attribute, &value));
    return value;
  }
};

TEST_F(MemoryPool, CountsWhatIsAllocated) {
  PoolProperties properties = onDevice(1000);
  PoolState *pool = nullptr;
  EXPECT_OK(cu.cuMemPoolCreate(&pool, &properties));
  DevicePointer a = 0, b = 0, c = 0;
  EXPECT_OK(cu.cuMemAllocFromPoolAsync(&a, 600, pool, nullptr));
  EXPECT_OK(cu.cuMemAllocFromPoolAsync(&b, 300, pool, nullptr));
  EXPECT_RESULT(cu.cuMemAllocFromPoolAsync(&c, 101, pool, nullptr),
                CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(read(pool, PoolUsedBytes), 900u);
  EXPECT_OK(cu.cuMemFreeAsync(a, nullptr));
  EXPECT_EQ(read(pool, PoolUsedBytes), 300u);
  EXPECT_EQ(read(pool, PoolReservedBytes), 300u);
  EXPECT_EQ(read(pool, PoolUsedHigh), 900u);
  uint64_t zero = 0, one = 1;
  EXPECT_RESULT(cu.cuMemPoolSetAttribute(pool, PoolUsedHigh, &one),
                CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cu.cuMemPoolSetAttribute(pool, PoolUsedHigh, &zero));
  EXPECT_EQ(read(pool, PoolUsedHigh), 300u);
  // Memory outlives its pool.
  EXPECT_OK(cu.cuMemPoolDestroy(pool));
  EXPECT_OK(cu.cuMemsetD8_v2(b, 7, 300));
  EXPECT_OK(cu.cuMemFreeAsync(b, nullptr));
  EXPECT_RESULT(cu.cuMemPoolDestroy(pool), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(MemoryPool, OfTheDevice) {
  PoolState *standard = nullptr, *current = nullptr, *own = nullptr;
  EXPECT_OK(cu.cuDeviceGetDefaultMemPool(&standard, 0));
  EXPECT_OK(cu.cuDeviceGetMemPool(&current, 0));
  EXPECT_EQ(standard, current);
  PoolProperties properties = onDevice();
  EXPECT_OK(cu.cuMemPoolCreate(&own, &properties));
  EXPECT_OK(cu.cuDeviceSetMemPool(0, own));
  EXPECT_OK(cu.cuDeviceGetMemPool(&current, 0));
  EXPECT_EQ(own, current);
  DevicePointer a = 0;
  EXPECT_OK(cu.cuMemAllocAsync(&a, 100, nullptr));
  EXPECT_EQ(read(own, PoolUsedBytes), 100u);
  EXPECT_OK(cu.cuMemFree_v2(a));
  EXPECT_EQ(read(own, PoolUsedBytes), 0u);
  EXPECT_OK(cu.cuMemPoolDestroy(own));
  EXPECT_OK(cu.cuDeviceGetMemPool(&current, 0));
  EXPECT_EQ(standard, current);
  EXPECT_RESULT(cu.cuMemPoolDestroy(standard), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(MemoryPool, Attributes) {
  PoolState *pool = nullptr;
  EXPECT_OK(cu.cuDeviceGetDefaultMemPool(&pool, 0));
  uint64_t threshold = 1 << 20;
  EXPECT_OK(cu.cuMemPoolSetAttribute(pool, PoolReleaseThreshold, &threshold));
  EXPECT_EQ(read(pool, PoolReleaseThreshold), threshold);
  int off = 0, value = 1;
  EXPECT_OK(cu.cuMemPoolSetAttribute(pool, PoolReuseInternal, &off));
  EXPECT_OK(cu.cuMemPoolGetAttribute(pool, PoolReuseInternal, &value));
  EXPECT_EQ(value, 0);
  EXPECT_RESULT(cu.cuMemPoolGetAttribute(pool, 99, &threshold),
                CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cu.cuMemPoolTrimTo(pool, 0));
  MemoryLocation here = {locationDevice, 0};
  EXPECT_OK(cu.cuMemPoolGetAccess(&value, pool, &here));
  EXPECT_EQ(value, accessReadWrite);
  PoolAccess all = {here, accessReadWrite}, none = {here, 0};
  EXPECT_OK(cu.cuMemPoolSetAccess(pool, &all, 1));
  EXPECT_RESULT(cu.cuMemPoolSetAccess(pool, &none, 1),
                CUDA_ERROR_INVALID_VALUE);
}

TEST_F(MemoryPool, ThatThereIsNot) {
  PoolState *pool = nullptr;
  PoolProperties shared = onDevice(), host = onDevice(), other = onDevice();
  shared.handleTypes = 1;
  host.location.type = 2;
  other.location.id = 1;
  EXPECT_RESULT(cu.cuMemPoolCreate(&pool, &shared), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_RESULT(cu.cuMemPoolCreate(&pool, &host), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_RESULT(cu.cuMemPoolCreate(&pool, &other), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_RESULT(cu.cuDeviceGetMemPool(&pool, 1), CUDA_ERROR_INVALID_DEVICE);
  DevicePointer a = 0;
  EXPECT_RESULT(cu.cuMemAllocFromPoolAsync(&a, 8, nullptr, nullptr),
                CUDA_ERROR_INVALID_VALUE);
}
