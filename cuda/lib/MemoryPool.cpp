//===- MemoryPool.cpp - Pools of device memory ----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pool counts what is allocated from it. It reuses nothing: an address that
// was freed isn't handed out as if it were still there, so that a kernel which
// uses it is reported. Memory outlives its pool, as on hardware.
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "Exports.h"

using namespace drawloom;
using namespace drawloom::cuda;

static bool isPool(const Driver &driver, PoolState *pool) {
  return pool == &driver.defaultPool || driver.pools.contains(pool);
}

static Result allocateFrom(Call &call, PoolState &pool, DevicePointer *address,
                           size_t bytes, StreamState *stream) {
  Driver &driver = call.driver();
  if (!driver.stream(call.context(), stream))
    return CUDA_ERROR_INVALID_HANDLE;
  if (pool.maxBytes && bytes > pool.maxBytes - pool.used)
    return CUDA_ERROR_OUT_OF_MEMORY;
  if (Result result = cuMemAlloc_v2(address, bytes))
    return result;
  pool.used += driver.device->memory().find(*address)->size;
  pool.highest = std::max(pool.highest, pool.used);
  driver.pooled[*address] = &pool;
  if (driver.watch)
    driver.watch->allocatedInStream(call.context(), stream, *address);
  return CUDA_SUCCESS;
}

Result cuda::cuDeviceGetDefaultMemPool(PoolState **pool, DeviceHandle device) {
  DRAWLOOM_CALL(Driver);
  if (!pool)
    return CUDA_ERROR_INVALID_VALUE;
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  *pool = &call.driver().defaultPool;
  return CUDA_SUCCESS;
}

Result cuda::cuDeviceGetMemPool(PoolState **pool, DeviceHandle device) {
  if (Result result = cuDeviceGetDefaultMemPool(pool, device))
    return result;
  *pool = Driver::get().currentPool;
  return CUDA_SUCCESS;
}

Result cuda::cuDeviceSetMemPool(DeviceHandle device, PoolState *pool) {
  DRAWLOOM_CALL(Driver);
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  if (!isPool(call.driver(), pool))
    return CUDA_ERROR_INVALID_VALUE;
  call.driver().currentPool = pool;
  return CUDA_SUCCESS;
}

Result cuda::cuMemAllocAsync(DevicePointer *address, size_t bytes,
                             StreamState *stream) {
  DRAWLOOM_CALL(Idle);
  return allocateFrom(call, *call.driver().currentPool, address, bytes, stream);
}

Result cuda::cuMemAllocFromPoolAsync(DevicePointer *address, size_t bytes,
                                     PoolState *pool, StreamState *stream) {
  DRAWLOOM_CALL(Idle);
  if (!isPool(call.driver(), pool))
    return CUDA_ERROR_INVALID_VALUE;
  return allocateFrom(call, *pool, address, bytes, stream);
}

Result cuda::cuMemPoolCreate(PoolState **pool,
                             const PoolProperties *properties) {
  DRAWLOOM_CALL(Driver);
  if (!pool || !properties || properties->allocationType != poolPinned)
    return CUDA_ERROR_INVALID_VALUE;
  // Neither memory of the host nor of other processes.
  if (properties->location.type != locationDevice || properties->handleTypes)
    return CUDA_ERROR_NOT_SUPPORTED;
  if (properties->location.id != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  *pool = new PoolState;
  (*pool)->maxBytes = properties->maxBytes;
  call.driver().pools.insert(*pool);
  return CUDA_SUCCESS;
}

Result cuda::cuMemPoolDestroy(PoolState *pool) {
  DRAWLOOM_CALL(Driver);
  Driver &driver = call.driver();
  if (!driver.pools.erase(pool))
    return CUDA_ERROR_INVALID_VALUE;
  for (auto entry = driver.pooled.begin(); entry != driver.pooled.end();
       ++entry)
    if (entry->second == pool)
      driver.pooled.erase(entry);
  if (driver.currentPool == pool)
    driver.currentPool = &driver.defaultPool;
  delete pool;
  return CUDA_SUCCESS;
}

Result cuda::cuMemPoolTrimTo(PoolState *pool, size_t) {
  DRAWLOOM_CALL(Driver);
  return isPool(call.driver(), pool) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

Result cuda::cuMemPoolGetAttribute(PoolState *pool, int attribute,
                                   void *value) {
  DRAWLOOM_CALL(Driver);
  if (!isPool(call.driver(), pool) || !value)
    return CUDA_ERROR_INVALID_VALUE;
  if (attribute >= PoolReuseFollowEvents && attribute <= PoolReuseInternal) {
    *static_cast<int *>(value) = pool->reuse[attribute - PoolReuseFollowEvents];
    return CUDA_SUCCESS;
  }
  auto &number = *static_cast<uint64_t *>(value);
  switch (attribute) {
  case PoolReleaseThreshold:
    number = pool->releaseThreshold;
    return CUDA_SUCCESS;
  case PoolReservedBytes:
  case PoolUsedBytes:
    number = pool->used;
    return CUDA_SUCCESS;
  case PoolReservedHigh:
  case PoolUsedHigh:
    number = pool->highest;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

Result cuda::cuMemPoolSetAttribute(PoolState *pool, int attribute,
                                   void *value) {
  DRAWLOOM_CALL(Driver);
  if (!isPool(call.driver(), pool) || !value)
    return CUDA_ERROR_INVALID_VALUE;
  if (attribute >= PoolReuseFollowEvents && attribute <= PoolReuseInternal) {
    pool->reuse[attribute - PoolReuseFollowEvents] = *static_cast<int *>(value);
    return CUDA_SUCCESS;
  }
  auto number = *static_cast<uint64_t *>(value);
  switch (attribute) {
  case PoolReleaseThreshold:
    pool->releaseThreshold = number;
    return CUDA_SUCCESS;
  case PoolReservedHigh:
  case PoolUsedHigh:
    // The highest number so far can only be forgotten.
    if (number != 0)
      return CUDA_ERROR_INVALID_VALUE;
    pool->highest = pool->used;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

/// Whether this is the one device.
static bool isDevice(const MemoryLocation &location) {
  return location.type == locationDevice && location.id == 0;
}

Result cuda::cuMemPoolGetAccess(int *flags, PoolState *pool,
                                MemoryLocation *location) {
  DRAWLOOM_CALL(Driver);
  if (!isPool(call.driver(), pool) || !flags || !location ||
      !isDevice(*location))
    return CUDA_ERROR_INVALID_VALUE;
  *flags = accessReadWrite;
  return CUDA_SUCCESS;
}

Result cuda::cuMemPoolSetAccess(PoolState *pool, const PoolAccess *accesses,
                                size_t count) {
  DRAWLOOM_CALL(Driver);
  if (!isPool(call.driver(), pool) || (count && !accesses))
    return CUDA_ERROR_INVALID_VALUE;
  // A device can't be kept from its own memory.
  for (const PoolAccess &access : llvm::ArrayRef(accesses, count))
    if (!isDevice(access.location) || access.flags != accessReadWrite)
      return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}
