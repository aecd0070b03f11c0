//===- HeaderTest.cpp - Our declarations against NVIDIA's -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled only where the toolkit's header is. That it compiles is the test:
// every number, size, offset and prototype is compared by the compiler.
//
//===----------------------------------------------------------------------===//

// All versions of functions, not only the newest.
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>

#include "DriverApi.h"
#include "gtest/gtest.h"
#include <type_traits>

namespace drawloom::cuda {

#define CU_RESULT(name, number, text) static_assert(int(::name) == number);
#include "Results.def"

#define CU_ATTRIBUTE(name, number, what)                                       \
  static_assert(int(::CU_DEVICE_ATTRIBUTE_##name) == number);
#include "DeviceAttributes.def"

/// Whether two functions can be called with the same arguments: as many, of the
/// same sizes, pointers where the other has pointers.
template <typename Ours, typename Theirs>
constexpr bool sameAbi = false;
template <typename... A, typename... B>
constexpr bool sameAbi<Result (*)(A...), CUresult (*)(B...)> = [] {
  if constexpr (sizeof...(A) == sizeof...(B))
    return ((sizeof(A) == sizeof(B) &&
             std::is_pointer_v<A> == std::is_pointer_v<B>) &&
            ...);
  else
    return false;
}();

#define CU_FUNCTION(name, symbol, since, parameters)                           \
  static_assert(sameAbi<Result(*) parameters, decltype(&::symbol)>, #symbol);
#include "Functions.def"

static_assert(sizeof(LaunchConfig) == sizeof(CUlaunchConfig));
static_assert(offsetof(LaunchConfig, block) ==
              offsetof(CUlaunchConfig, blockDimX));
static_assert(offsetof(LaunchConfig, sharedBytes) ==
              offsetof(CUlaunchConfig, sharedMemBytes));
static_assert(offsetof(LaunchConfig, stream) ==
              offsetof(CUlaunchConfig, hStream));
static_assert(offsetof(LaunchConfig, attributes) ==
              offsetof(CUlaunchConfig, attrs));
static_assert(offsetof(LaunchConfig, attributeCount) ==
              offsetof(CUlaunchConfig, numAttrs));
static_assert(sizeof(LaunchAttribute) == sizeof(CUlaunchAttribute));
static_assert(offsetof(LaunchAttribute, value) ==
              offsetof(CUlaunchAttribute, value));

static_assert(sizeof(PoolProperties) == sizeof(CUmemPoolProps));
static_assert(offsetof(PoolProperties, location) ==
              offsetof(CUmemPoolProps, location));
static_assert(offsetof(PoolProperties, maxBytes) ==
              offsetof(CUmemPoolProps, maxSize));
static_assert(sizeof(PoolAccess) == sizeof(CUmemAccessDesc));
static_assert(offsetof(PoolAccess, flags) == offsetof(CUmemAccessDesc, flags));

#define SAME(ours, theirs) static_assert(int(ours) == int(::theirs))
SAME(LaunchIgnore, CU_LAUNCH_ATTRIBUTE_IGNORE);
SAME(LaunchCooperative, CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
SAME(LaunchSynchronizationPolicy, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY);
SAME(LaunchClusterDimension, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
SAME(LaunchClusterSchedulingPolicy,
     CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE);
SAME(LaunchProgrammaticStreamSerialization,
     CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
SAME(LaunchPriority, CU_LAUNCH_ATTRIBUTE_PRIORITY);
SAME(LaunchMemSyncDomainMap, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP);
SAME(LaunchMemSyncDomain, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN);
SAME(LaunchAccessPolicyWindow, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW);
SAME(LaunchProgrammaticEvent, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT);
SAME(LaunchPreferredClusterDimension,
     CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION);
SAME(LaunchCompletionEvent, CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT);
SAME(LaunchPreferredSharedMemoryCarveout,
     CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
SAME(FunctionMaxDynamicShared, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME(FunctionNonPortableCluster,
     CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
SAME(FunctionClusterPolicy,
     CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE);
SAME(JitInfoLog, CU_JIT_INFO_LOG_BUFFER);
SAME(JitErrorLogSize, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
SAME(PointerMapped, CU_POINTER_ATTRIBUTE_MAPPED);
SAME(PointerRangeSize, CU_POINTER_ATTRIBUTE_RANGE_SIZE);
SAME(PointerHostPointer, CU_POINTER_ATTRIBUTE_HOST_POINTER);
SAME(PoolReuseFollowEvents, CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES);
SAME(PoolReuseInternal, CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES);
SAME(PoolReleaseThreshold, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD);
SAME(PoolReservedBytes, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
SAME(PoolReservedHigh, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH);
SAME(PoolUsedBytes, CU_MEMPOOL_ATTR_USED_MEM_CURRENT);
SAME(PoolUsedHigh, CU_MEMPOOL_ATTR_USED_MEM_HIGH);
SAME(poolPinned, CU_MEM_ALLOCATION_TYPE_PINNED);
SAME(locationDevice, CU_MEM_LOCATION_TYPE_DEVICE);
SAME(accessReadWrite, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
SAME(memoryTypeHost, CU_MEMORYTYPE_HOST);
SAME(memoryTypeDevice, CU_MEMORYTYPE_DEVICE);
SAME(LimitMallocHeap, CU_LIMIT_MALLOC_HEAP_SIZE);
SAME(eventDisableTiming, CU_EVENT_DISABLE_TIMING);
SAME(streamNonBlocking, CU_STREAM_NON_BLOCKING);
SAME(procLegacy, CU_GET_PROC_ADDRESS_LEGACY_STREAM);
SAME(procPerThread, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
SAME(ProcVersionTooLow, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
static_assert(legacyStream == 1 && perThreadStream == 2);

TEST(CudaHeader, IsTheSame) { EXPECT_GE(CUDA_VERSION, driverVersion); }

} // namespace drawloom::cuda
