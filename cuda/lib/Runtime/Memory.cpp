//===- Memory.cpp - Memory in the runtime API -----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"
#include "llvm/Support/MathExtras.h"

using namespace drawloom;
using namespace drawloom::cuda;

ChannelDescription cuda::cudaCreateChannelDesc(int x, int y, int z, int w,
                                               int kind) {
  return {x, y, z, w, kind};
}

static DevicePointer address(const void *pointer) {
  return reinterpret_cast<DevicePointer>(pointer);
}

Error cuda::cudaMalloc(void **pointer, size_t bytes) {
  DRAWLOOM_READY();
  if (!pointer)
    return note(cudaErrorInvalidValue);
  *pointer = nullptr;
  if (bytes == 0)
    return cudaSuccess;
  return note(cuMemAlloc_v2(reinterpret_cast<DevicePointer *>(pointer), bytes));
}

Error cuda::cudaFree(void *pointer) {
  DRAWLOOM_READY();
  return note(cuMemFree_v2(address(pointer)));
}

Error cuda::cudaMallocAsync(void **pointer, size_t bytes, StreamState *stream) {
  if (!bytes)
    return cudaMalloc(pointer, bytes);
  DRAWLOOM_READY();
  return note(cuMemAllocAsync(reinterpret_cast<DevicePointer *>(pointer), bytes,
                              stream));
}

Error cuda::cudaDeviceGetDefaultMemPool(PoolState **pool, int device) {
  DRAWLOOM_READY();
  return note(cuDeviceGetDefaultMemPool(pool, device));
}

Error cuda::cudaDeviceGetMemPool(PoolState **pool, int device) {
  DRAWLOOM_READY();
  return note(cuDeviceGetMemPool(pool, device));
}

Error cuda::cudaDeviceSetMemPool(int device, PoolState *pool) {
  DRAWLOOM_READY();
  return note(cuDeviceSetMemPool(device, pool));
}

Error cuda::cudaMallocFromPoolAsync(void **pointer, size_t bytes,
                                    PoolState *pool, StreamState *stream) {
  DRAWLOOM_READY();
  return note(cuMemAllocFromPoolAsync(
      reinterpret_cast<DevicePointer *>(pointer), bytes, pool, stream));
}

Error cuda::cudaMemPoolCreate(PoolState **pool,
                              const PoolProperties *properties) {
  DRAWLOOM_READY();
  return note(cuMemPoolCreate(pool, properties));
}

Error cuda::cudaMemPoolDestroy(PoolState *pool) {
  DRAWLOOM_READY();
  return note(cuMemPoolDestroy(pool));
}

Error cuda::cudaMemPoolTrimTo(PoolState *pool, size_t bytes) {
  DRAWLOOM_READY();
  return note(cuMemPoolTrimTo(pool, bytes));
}

Error cuda::cudaMemPoolGetAttribute(PoolState *pool, int attribute,
                                    void *value) {
  DRAWLOOM_READY();
  return note(cuMemPoolGetAttribute(pool, attribute, value));
}

Error cuda::cudaMemPoolSetAttribute(PoolState *pool, int attribute,
                                    void *value) {
  DRAWLOOM_READY();
  return note(cuMemPoolSetAttribute(pool, attribute, value));
}

Error cuda::cudaMemPoolGetAccess(int *flags, PoolState *pool,
                                 MemoryLocation *location) {
  DRAWLOOM_READY();
  return note(cuMemPoolGetAccess(flags, pool, location));
}

Error cuda::cudaMemPoolSetAccess(PoolState *pool, const PoolAccess *accesses,
                                 size_t count) {
  DRAWLOOM_READY();
  return note(cuMemPoolSetAccess(pool, accesses, count));
}

Error cuda::cudaFreeAsync(void *pointer, StreamState *stream) {
  DRAWLOOM_READY();
  return note(cuMemFreeAsync(address(pointer), stream));
}

Error cuda::cudaMallocPitch(void **pointer, size_t *pitch, size_t width,
                            size_t height) {
  if (!pitch)
    return note(cudaErrorInvalidValue);
  // Rows start where any vector access may, as on hardware.
  *pitch = llvm::alignTo(width, 512);
  if (height && *pitch > SIZE_MAX / height)
    return note(cudaErrorMemoryAllocation);
  return cudaMalloc(pointer, *pitch * height);
}

//===----------------------------------------------------------------------===//
// The host's memory
//===----------------------------------------------------------------------===//

Error cuda::cudaMallocHost(void **pointer, size_t bytes) {
  return cudaHostAlloc(pointer, bytes, 0);
}

Error cuda::cudaHostAlloc(void **pointer, size_t bytes, unsigned flags) {
  DRAWLOOM_READY();
  return note(cuMemHostAlloc(pointer, bytes, flags));
}

Error cuda::cudaFreeHost(void *pointer) {
  DRAWLOOM_READY();
  return pointer ? note(cuMemFreeHost(pointer)) : cudaSuccess;
}

Error cuda::cudaHostRegister(void *pointer, size_t bytes, unsigned flags) {
  DRAWLOOM_READY();
  return note(cuMemHostRegister_v2(pointer, bytes, flags));
}

Error cuda::cudaHostUnregister(void *pointer) {
  DRAWLOOM_READY();
  return note(cuMemHostUnregister(pointer));
}

Error cuda::cudaHostGetDevicePointer(void **devicePointer, void *pointer,
                                     unsigned flags) {
  DRAWLOOM_READY();
  return note(cuMemHostGetDevicePointer_v2(
      reinterpret_cast<DevicePointer *>(devicePointer), pointer, flags));
}

Error cuda::cudaMallocManaged(void **pointer, size_t bytes, unsigned flags) {
  DRAWLOOM_READY();
  return note(cuMemAllocManaged(reinterpret_cast<DevicePointer *>(pointer),
                                bytes, flags));
}

Error cuda::cudaMemPrefetchAsync(const void *pointer, size_t bytes,
                                 MemoryLocation location, unsigned flags,
                                 StreamState *stream) {
  DRAWLOOM_READY();
  return note(
      cuMemPrefetchAsync_v2(address(pointer), bytes, location, flags, stream));
}

Error cuda::cudaMemAdvise(const void *pointer, size_t bytes, int advice,
                          MemoryLocation location) {
  DRAWLOOM_READY();
  return note(cuMemAdvise_v2(address(pointer), bytes, advice, location));
}

Error cuda::cudaStreamAttachMemAsync(StreamState *stream, void *pointer,
                                     size_t bytes, unsigned flags) {
  DRAWLOOM_READY();
  return note(cuStreamAttachMemAsync(stream, address(pointer), bytes, flags));
}

Error cuda::cudaMemGetInfo(size_t *freeBytes, size_t *totalBytes) {
  DRAWLOOM_READY();
  return note(cuMemGetInfo_v2(freeBytes, totalBytes));
}

Error cuda::cudaPointerGetAttributes(PointerAttributes *attributes,
                                     const void *pointer) {
  DRAWLOOM_READY();
  if (!attributes)
    return note(cudaErrorInvalidValue);
  *attributes = {};
  unsigned type = 0;
  // What the driver doesn't know is the host's own.
  if (cuPointerGetAttribute(&type, PointerMemoryType, address(pointer))) {
    attributes->device = -2;
    attributes->hostPointer = const_cast<void *>(pointer);
    return cudaSuccess;
  }
  unsigned managed = 0;
  cuPointerGetAttribute(&managed, PointerIsManaged, address(pointer));
  cuPointerGetAttribute(&attributes->hostPointer, PointerHostPointer,
                        address(pointer));
  attributes->type = managed ? memoryTypeManaged : int(type);
  attributes->devicePointer = const_cast<void *>(pointer);
  return cudaSuccess;
}

//===----------------------------------------------------------------------===//
// Copies and fills
//===----------------------------------------------------------------------===//

/// The stream of an asynchronous call; none for calls that aren't.
using Stream = std::optional<StreamState *>;

/// One run of bytes. The driver checks that what is said to be the device's is.
static Result copy(void *to, const void *from, size_t bytes, CopyKind kind,
                   Stream stream) {
  switch (kind) {
  case CopyKind::HostToDevice:
    return stream ? cuMemcpyHtoDAsync_v2(address(to), from, bytes, *stream)
                  : cuMemcpyHtoD_v2(address(to), from, bytes);
  case CopyKind::DeviceToHost:
    return stream ? cuMemcpyDtoHAsync_v2(to, address(from), bytes, *stream)
                  : cuMemcpyDtoH_v2(to, address(from), bytes);
  case CopyKind::DeviceToDevice:
    return stream ? cuMemcpyDtoDAsync_v2(address(to), address(from), bytes,
                                         *stream)
                  : cuMemcpyDtoD_v2(address(to), address(from), bytes);
  case CopyKind::HostToHost:
  case CopyKind::Default:
    break;
  }
  return stream ? cuMemcpyAsync(address(to), address(from), bytes, *stream)
                : cuMemcpy(address(to), address(from), bytes);
}

static bool known(CopyKind kind) {
  return int(kind) >= int(CopyKind::HostToHost) &&
         int(kind) <= int(CopyKind::Default);
}

static Error copyChecked(void *to, const void *from, size_t bytes,
                         CopyKind kind, Stream stream) {
  DRAWLOOM_READY();
  return note(known(kind) ? Error(int(copy(to, from, bytes, kind, stream)))
                          : cudaErrorInvalidMemcpyDirection);
}

Error cuda::cudaMemcpy(void *to, const void *from, size_t bytes,
                       CopyKind kind) {
  return copyChecked(to, from, bytes, kind, std::nullopt);
}

Error cuda::cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                            CopyKind kind, StreamState *stream) {
  return copyChecked(to, from, bytes, kind, stream);
}

static Error copyRows(void *to, size_t toPitch, const void *from,
                      size_t fromPitch, size_t width, size_t height,
                      CopyKind kind, Stream stream) {
  DRAWLOOM_READY();
  if (!known(kind))
    return note(cudaErrorInvalidMemcpyDirection);
  if (width > toPitch || width > fromPitch)
    return note(cudaErrorInvalidValue);
  for (size_t row = 0; row != height; ++row)
    if (Result result = copy(static_cast<char *>(to) + row * toPitch,
                             static_cast<const char *>(from) + row * fromPitch,
                             width, kind, stream))
      return note(result);
  return cudaSuccess;
}

Error cuda::cudaMemcpy2D(void *to, size_t toPitch, const void *from,
                         size_t fromPitch, size_t width, size_t height,
                         CopyKind kind) {
  return copyRows(to, toPitch, from, fromPitch, width, height, kind,
                  std::nullopt);
}

Error cuda::cudaMemcpy2DAsync(void *to, size_t toPitch, const void *from,
                              size_t fromPitch, size_t width, size_t height,
                              CopyKind kind, StreamState *stream) {
  return copyRows(to, toPitch, from, fromPitch, width, height, kind, stream);
}

static Error fill(void *pointer, int value, size_t bytes, Stream stream) {
  DRAWLOOM_READY();
  auto byte = static_cast<unsigned char>(value);
  return note(stream ? cuMemsetD8Async(address(pointer), byte, bytes, *stream)
                     : cuMemsetD8_v2(address(pointer), byte, bytes));
}

Error cuda::cudaMemset(void *pointer, int value, size_t bytes) {
  return fill(pointer, value, bytes, std::nullopt);
}

Error cuda::cudaMemsetAsync(void *pointer, int value, size_t bytes,
                            StreamState *stream) {
  return fill(pointer, value, bytes, stream);
}

static Error fillRows(void *pointer, size_t pitch, int value, size_t width,
                      size_t height, Stream stream) {
  if (width > pitch)
    return note(cudaErrorInvalidValue);
  for (size_t row = 0; row != height; ++row)
    if (Error error = fill(static_cast<char *>(pointer) + row * pitch, value,
                           width, stream))
      return error;
  return cudaSuccess;
}

Error cuda::cudaMemset2D(void *pointer, size_t pitch, int value, size_t width,
                         size_t height) {
  return fillRows(pointer, pitch, value, width, height, std::nullopt);
}

Error cuda::cudaMemset2DAsync(void *pointer, size_t pitch, int value,
                              size_t width, size_t height,
                              StreamState *stream) {
  return fillRows(pointer, pitch, value, width, height, stream);
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

/// Where `bytes` bytes from `offset` on stand in a variable.
static Error place(char *&device, const void *symbol, size_t bytes,
                   size_t offset) {
  DRAWLOOM_READY();
  DevicePointer base = 0;
  size_t size = 0;
  if (Error error = Registry::get().variable(base, size, symbol))
    return note(error);
  if (offset > size || bytes > size - offset)
    return note(cudaErrorInvalidValue);
  device = reinterpret_cast<char *>(base + offset);
  return cudaSuccess;
}

static Error copyToSymbol(const void *symbol, const void *from, size_t bytes,
                          size_t offset, CopyKind kind, Stream stream) {
  char *device = nullptr;
  if (Error error = place(device, symbol, bytes, offset))
    return error;
  if (kind != CopyKind::HostToDevice && kind != CopyKind::DeviceToDevice &&
      kind != CopyKind::Default)
    return note(cudaErrorInvalidMemcpyDirection);
  return copyChecked(device, from, bytes, kind, stream);
}

static Error copyFromSymbol(void *to, const void *symbol, size_t bytes,
                            size_t offset, CopyKind kind, Stream stream) {
  char *device = nullptr;
  if (Error error = place(device, symbol, bytes, offset))
    return error;
  if (kind != CopyKind::DeviceToHost && kind != CopyKind::DeviceToDevice &&
      kind != CopyKind::Default)
    return note(cudaErrorInvalidMemcpyDirection);
  return copyChecked(to, device, bytes, kind, stream);
}

Error cuda::cudaMemcpyToSymbol(const void *symbol, const void *from,
                               size_t bytes, size_t offset, CopyKind kind) {
  return copyToSymbol(symbol, from, bytes, offset, kind, std::nullopt);
}

Error cuda::cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes,
                                 size_t offset, CopyKind kind) {
  return copyFromSymbol(to, symbol, bytes, offset, kind, std::nullopt);
}

Error cuda::cudaMemcpyToSymbolAsync(const void *symbol, const void *from,
                                    size_t bytes, size_t offset, CopyKind kind,
                                    StreamState *stream) {
  return copyToSymbol(symbol, from, bytes, offset, kind, stream);
}

Error cuda::cudaMemcpyFromSymbolAsync(void *to, const void *symbol,
                                      size_t bytes, size_t offset,
                                      CopyKind kind, StreamState *stream) {
  return copyFromSymbol(to, symbol, bytes, offset, kind, stream);
}

Error cuda::cudaGetSymbolAddress(void **pointer, const void *symbol) {
  char *device = nullptr;
  if (Error error = place(device, symbol, 0, 0))
    return error;
  if (!pointer)
    return note(cudaErrorInvalidValue);
  *pointer = device;
  return cudaSuccess;
}

Error cuda::cudaGetSymbolSize(size_t *bytes, const void *symbol) {
  DRAWLOOM_READY();
  if (!bytes)
    return note(cudaErrorInvalidValue);
  DevicePointer base = 0;
  return note(Registry::get().variable(base, *bytes, symbol));
}
