//===- DriverApi.h - The CUDA driver API's types ----------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What crosses the border of libcuda.so.1: handles, structures and the values
// of enumerations, as the ABI of CUDA 12 and 13 has them. They are declared
// here so that the build needs no toolkit; a test compiles them next to the
// toolkit's own header and compares every size, offset and value.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CUDA_DRIVERAPI_H
#define DRAWLOOM_CUDA_DRIVERAPI_H

#include <cstddef>
#include <cstdint>

namespace drawloom::cuda {

/// The version that the driver says it has: 13.0.
inline constexpr int driverVersion = 13000;

enum Result : int {
#define CU_RESULT(name, number, text) name = number,
#include "Results.def"
};

using DeviceHandle = int;
using DevicePointer = unsigned long long;
struct ContextState;
struct ModuleState;
struct FunctionState;
struct LibraryState;
struct KernelState;
struct StreamState;
struct EventState;
struct PoolState;

/// Streams that are numbers, not handles.
inline constexpr uintptr_t legacyStream = 1;
inline constexpr uintptr_t perThreadStream = 2;

enum LaunchAttributeId : int {
  LaunchIgnore = 0,
  LaunchAccessPolicyWindow = 1,
  LaunchCooperative = 2,
  LaunchSynchronizationPolicy = 3,
  LaunchClusterDimension = 4,
  LaunchClusterSchedulingPolicy = 5,
  LaunchProgrammaticStreamSerialization = 6,
  LaunchProgrammaticEvent = 7,
  LaunchPriority = 8,
  LaunchMemSyncDomainMap = 9,
  LaunchMemSyncDomain = 10,
  LaunchPreferredClusterDimension = 11,
  LaunchCompletionEvent = 12,
  LaunchPreferredSharedMemoryCarveout = 14,
  LaunchNvlinkCentricScheduling = 16,
  LaunchPortableClusterMode = 17,
  LaunchSharedMemoryMode = 18,
};

struct LaunchAttribute {
  LaunchAttributeId id;
  char pad[4];
  union {
    char bytes[64];
    unsigned clusterDim[3];
    int flag; ///< Of the attributes that are on or off.
    EventState *event;
  } value;
};

/// Where managed memory had better be.
struct MemoryLocation {
  int type;
  int id;
};

/// The properties that cuMemPoolCreate takes.
struct PoolProperties {
  int allocationType, handleTypes;
  MemoryLocation location;
  void *security;
  size_t maxBytes;
  unsigned short usage;
  unsigned char reserved[54];
};

struct PoolAccess {
  MemoryLocation location;
  int flags;
};

enum PoolAttribute : int {
  PoolReuseFollowEvents = 1,
  PoolReuseInternal = 3,
  PoolReleaseThreshold = 4,
  PoolReservedBytes = 5,
  PoolReservedHigh = 6,
  PoolUsedBytes = 7,
  PoolUsedHigh = 8,
};

inline constexpr int poolPinned = 1, locationDevice = 1, accessReadWrite = 3;

struct LaunchConfig {
  unsigned grid[3];
  unsigned block[3];
  unsigned sharedBytes;
  StreamState *stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};

enum FunctionAttribute : int {
  FunctionMaxThreadsPerBlock = 0,
  FunctionSharedBytes = 1,
  FunctionConstantBytes = 2,
  FunctionLocalBytes = 3,
  FunctionRegisters = 4,
  FunctionPtxVersion = 5,
  FunctionBinaryVersion = 6,
  FunctionCacheModeCa = 7,
  FunctionMaxDynamicShared = 8,
  FunctionPreferredCarveout = 9,
  FunctionClusterMustBeSet = 10,
  FunctionClusterWidth = 11,
  FunctionClusterHeight = 12,
  FunctionClusterDepth = 13,
  FunctionNonPortableCluster = 14,
  FunctionClusterPolicy = 15,
};

enum JitOption : int {
  JitInfoLog = 3,
  JitInfoLogSize = 4,
  JitErrorLog = 5,
  JitErrorLogSize = 6,
};

enum PointerAttribute : int {
  PointerContext = 1,
  PointerMemoryType = 2,
  PointerDevicePointer = 3,
  PointerHostPointer = 4,
  PointerIsManaged = 8,
  PointerDeviceOrdinal = 9,
  PointerRangeStart = 11,
  PointerRangeSize = 12,
  PointerMapped = 13,
};
inline constexpr unsigned memoryTypeHost = 1, memoryTypeDevice = 2;

enum Limit : int {
  LimitStackSize = 0,
  LimitPrintfFifo = 1,
  LimitMallocHeap = 2,
  limitCount = 11,
};

inline constexpr unsigned eventDisableTiming = 2;
inline constexpr unsigned streamNonBlocking = 1;

/// What the null stream is in functions that are looked up by name.
inline constexpr uint64_t procLegacy = 1, procPerThread = 2;

enum ProcAddressStatus : int {
  ProcFound = 0,
  ProcNotFound = 1,
  ProcVersionTooLow = 2,
};

} // namespace drawloom::cuda

#endif // DRAWLOOM_CUDA_DRIVERAPI_H
