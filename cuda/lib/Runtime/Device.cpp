//===- Device.cpp - Devices and errors in the runtime API -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <cstring>

using namespace drawloom;
using namespace drawloom::cuda;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

Error &cuda::lastError() {
  static thread_local Error error = cudaSuccess;
  return error;
}

Error cuda::note(Error error) {
  // "Not ready" is an answer, not a failure.
  if (error != cudaSuccess && error != cudaErrorNotReady)
    lastError() = error;
  return error;
}

Error cuda::fail(const llvm::Twine &message, Error error) {
  llvm::errs() << "drawloom: " << message << '\n';
  return note(error);
}

/// Says at the first call of a function that the emulator lacks it.
static Error reject(const char *function, std::atomic_flag &said) {
  if (said.test_and_set())
    return note(cudaErrorNotSupported);
  return fail(llvm::Twine(function) + ": the emulator doesn't do that",
              cudaErrorNotSupported);
}

#define RT_REJECTED(name)                                                      \
  extern "C" DRAWLOOM_EXPORT Error name() {                                    \
    static std::atomic_flag said;                                              \
    return reject(#name, said);                                                \
  }
#include "RuntimeFunctions.def"

Error cuda::cudaGetLastError() {
  Error error = lastError();
  lastError() = cudaSuccess;
  return error;
}

Error cuda::cudaPeekAtLastError() { return lastError(); }

const char *cuda::cudaGetErrorName(Error error) {
  switch (error) {
#define RT_ERROR(name, number, words)                                          \
  case name:                                                                   \
    return #name;
#include "RuntimeErrors.def"
  }
  return "unrecognized error code";
}

const char *cuda::cudaGetErrorString(Error error) {
  switch (error) {
#define RT_ERROR(name, number, words)                                          \
  case name:                                                                   \
    return words;
#include "RuntimeErrors.def"
  }
  return "unrecognized error code";
}

//===----------------------------------------------------------------------===//
// The device and its context
//===----------------------------------------------------------------------===//

/// The primary context, retained once for the whole process.
static Error retainPrimary(ContextState *&context) {
  static std::mutex mutex;
  static ContextState *primary = nullptr;
  std::lock_guard lock(mutex);
  if (!primary) {
    if (Result result = cuInit(0))
      return note(result);
    if (Result result = cuDevicePrimaryCtxRetain(&primary, 0))
      return note(result);
  }
  context = primary;
  return cudaSuccess;
}

Error cuda::ready() {
  ContextState *primary = nullptr, *current = nullptr;
  if (Error error = retainPrimary(primary))
    return error;
  if (Result result = cuCtxGetCurrent(&current))
    return note(result);
  return current ? cudaSuccess : note(cuCtxSetCurrent(primary));
}

Error cuda::cudaDriverGetVersion(int *version) {
  return note(cuDriverGetVersion(version));
}

Error cuda::cudaRuntimeGetVersion(int *version) {
  if (!version)
    return note(cudaErrorInvalidValue);
  *version = runtimeVersion;
  return cudaSuccess;
}

Error cuda::cudaGetDeviceCount(int *count) {
  if (Result result = cuInit(0))
    return note(result);
  return note(cuDeviceGetCount(count));
}

Error cuda::cudaGetDevice(int *device) {
  DRAWLOOM_READY();
  return note(cuCtxGetDevice(device));
}

Error cuda::cudaSetDevice(int device) {
  DRAWLOOM_READY();
  int handle = 0;
  return note(cuDeviceGet(&handle, device));
}

Error cuda::cudaInitDevice(int device, unsigned, unsigned) {
  return cudaSetDevice(device);
}

Error cuda::cudaSetValidDevices(int *devices, int count) {
  for (int i = 0; i < count; ++i)
    if (!devices || devices[i] != 0)
      return note(cudaErrorInvalidDevice);
  return cudaSuccess;
}

Error cuda::cudaChooseDevice(int *device, const DeviceProperties *wanted) {
  if (!device || !wanted)
    return note(cudaErrorInvalidValue);
  *device = 0;
  return cudaSuccess;
}

// Flags say how the host waits, which has no effect here.
Error cuda::cudaSetDeviceFlags(unsigned flags) {
  if (Result result = cuInit(0))
    return note(result);
  return note(cuDevicePrimaryCtxSetFlags_v2(0, flags));
}

Error cuda::cudaGetDeviceFlags(unsigned *flags) {
  DRAWLOOM_READY();
  return note(cuCtxGetFlags(flags));
}

/// A field of the properties that is an attribute of the device.
namespace {
template <typename T>
struct PropertyRow {
  T DeviceProperties::*field;
  int attribute;
};
} // namespace

static constexpr PropertyRow<int> intProperties[] = {
    {&DeviceProperties::maxThreadsPerBlock, 1},
    {&DeviceProperties::warpSize, 10},
    {&DeviceProperties::regsPerBlock, 12},
    {&DeviceProperties::multiProcessorCount, 16},
    {&DeviceProperties::canMapHostMemory, 19},
    {&DeviceProperties::concurrentKernels, 31},
    {&DeviceProperties::memoryBusWidth, 37},
    {&DeviceProperties::l2CacheSize, 38},
    {&DeviceProperties::maxThreadsPerMultiProcessor, 39},
    {&DeviceProperties::asyncEngineCount, 40},
    {&DeviceProperties::unifiedAddressing, 41},
    {&DeviceProperties::major, 75},
    {&DeviceProperties::minor, 76},
    {&DeviceProperties::streamPrioritiesSupported, 78},
    {&DeviceProperties::globalL1CacheSupported, 79},
    {&DeviceProperties::localL1CacheSupported, 80},
    {&DeviceProperties::regsPerMultiprocessor, 82},
    {&DeviceProperties::managedMemory, 83},
    {&DeviceProperties::cooperativeLaunch, 95},
    {&DeviceProperties::maxBlocksPerMultiProcessor, 106},
    {&DeviceProperties::clusterLaunch, 120},
};
static constexpr PropertyRow<size_t> sizeProperties[] = {
    {&DeviceProperties::sharedMemPerBlock, 8},
    {&DeviceProperties::totalConstMem, 9},
    {&DeviceProperties::memPitch, 11},
    {&DeviceProperties::sharedMemPerMultiprocessor, 81},
    {&DeviceProperties::sharedMemPerBlockOptin, 97},
    {&DeviceProperties::reservedSharedMemPerBlock, 111},
};

Error cuda::cudaGetDeviceProperties(DeviceProperties *properties, int device) {
  if (Result result = cuInit(0))
    return note(result);
  if (!properties)
    return note(cudaErrorInvalidValue);
  int handle = 0;
  if (Result result = cuDeviceGet(&handle, device))
    return note(result);
  memset(properties, 0, sizeof(*properties));
  cuDeviceGetName(properties->name, sizeof(properties->name), handle);
  cuDeviceGetUuid_v2(properties->uuid, handle);
  cuDeviceTotalMem_v2(&properties->totalGlobalMem, handle);
  auto attribute = [&](int number) {
    int value = 0;
    cuDeviceGetAttribute(&value, number, handle);
    return value;
  };
  for (int i = 0; i != 3; ++i) {
    properties->maxThreadsDim[i] = attribute(2 + i);
    properties->maxGridSize[i] = attribute(5 + i);
  }
  for (const PropertyRow<int> &row : intProperties)
    properties->*row.field = attribute(row.attribute);
  for (const PropertyRow<size_t> &row : sizeProperties)
    properties->*row.field = attribute(row.attribute);
  return cudaSuccess;
}

Error cuda::cudaDeviceGetAttribute(int *value, int attribute, int device) {
  if (Result result = cuInit(0))
    return note(result);
  return note(cuDeviceGetAttribute(value, attribute, device));
}

Error cuda::cudaDeviceSynchronize() {
  DRAWLOOM_READY();
  return note(cuCtxSynchronize());
}

Error cuda::cudaDeviceReset() {
  DRAWLOOM_READY();
  return note(cuDevicePrimaryCtxReset_v2(0));
}

Error cuda::cudaDeviceGetLimit(size_t *value, int limit) {
  DRAWLOOM_READY();
  return note(cuCtxGetLimit(value, limit));
}

Error cuda::cudaDeviceSetLimit(int limit, size_t value) {
  DRAWLOOM_READY();
  return note(cuCtxSetLimit(limit, value));
}

// The emulator has no caches to divide.
Error cuda::cudaDeviceGetCacheConfig(int *config) {
  DRAWLOOM_READY();
  if (!config)
    return note(cudaErrorInvalidValue);
  *config = 0;
  return cudaSuccess;
}

Error cuda::cudaDeviceSetCacheConfig(int) { return ready(); }

// Banks of shared memory are 4 bytes wide, and their conflicts cost nothing.
Error cuda::cudaDeviceGetSharedMemConfig(int *config) {
  DRAWLOOM_READY();
  if (!config)
    return note(cudaErrorInvalidValue);
  *config = 1;
  return cudaSuccess;
}

Error cuda::cudaDeviceSetSharedMemConfig(int) { return ready(); }

Error cuda::cudaCtxResetPersistingL2Cache() { return ready(); }

Error cuda::cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  DRAWLOOM_READY();
  return note(cuCtxGetStreamPriorityRange(least, greatest));
}

Error cuda::cudaDeviceCanAccessPeer(int *can, int device, int peer) {
  DRAWLOOM_READY();
  if (!can)
    return note(cudaErrorInvalidValue);
  if (device != 0 || peer != 0)
    return note(cudaErrorInvalidDevice);
  *can = 0;
  return cudaSuccess;
}

Error cuda::cudaProfilerStart() { return ready(); }

Error cuda::cudaProfilerStop() { return ready(); }
