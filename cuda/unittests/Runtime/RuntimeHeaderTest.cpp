//===- RuntimeHeaderTest.cpp - The runtime's types against NVIDIA's -------===//
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

// Deprecated functions are still called by programs.
#define CUDA_ENABLE_DEPRECATED
#include <cuda_runtime_api.h>

#include "RuntimeApi.h"
#include "gtest/gtest.h"
#include <type_traits>

namespace drawloom::cuda {

using StreamCallback = void (*)(StreamState *, Error, void *);

#define RT_ERROR(name, number, text) static_assert(int(::name) == number);
#include "RuntimeErrors.def"

/// Whether two functions can be called with the same arguments: as many, of the
/// same sizes, pointers where the other has pointers.
template <typename Ours, typename Theirs>
constexpr bool sameAbi = false;
template <typename... A, typename... B>
constexpr bool sameAbi<Error (*)(A...), cudaError_t (*)(B...)> = [] {
  if constexpr (sizeof...(A) == sizeof...(B))
    return ((sizeof(A) == sizeof(B) &&
             std::is_pointer_v<A> == std::is_pointer_v<B>) &&
            ...);
  else
    return false;
}();

#define RT_FUNCTION(name, parameters)                                          \
  static_assert(sameAbi<Error(*) parameters, decltype(&::name)>, #name);
#include "RuntimeFunctions.def"

#define SAME_SIZE(ours, theirs) static_assert(sizeof(ours) == sizeof(theirs))
#define SAME_PLACE(ours, field, theirs, theirField)                            \
  static_assert(offsetof(ours, field) == offsetof(theirs, theirField))

SAME_SIZE(Dim3, dim3);
SAME_SIZE(DeviceProperties, cudaDeviceProp);
SAME_PLACE(DeviceProperties, totalGlobalMem, cudaDeviceProp, totalGlobalMem);
SAME_PLACE(DeviceProperties, maxGridSize, cudaDeviceProp, maxGridSize);
SAME_PLACE(DeviceProperties, multiProcessorCount, cudaDeviceProp,
           multiProcessorCount);
SAME_PLACE(DeviceProperties, texturesAndSurfaces, cudaDeviceProp, maxTexture1D);
SAME_PLACE(DeviceProperties, surfaceAlignment, cudaDeviceProp,
           surfaceAlignment);
SAME_PLACE(DeviceProperties, concurrentKernels, cudaDeviceProp,
           concurrentKernels);
SAME_PLACE(DeviceProperties, maxThreadsPerMultiProcessor, cudaDeviceProp,
           maxThreadsPerMultiProcessor);
SAME_PLACE(DeviceProperties, cooperativeLaunch, cudaDeviceProp,
           cooperativeLaunch);
SAME_PLACE(DeviceProperties, sharedMemPerBlockOptin, cudaDeviceProp,
           sharedMemPerBlockOptin);
SAME_PLACE(DeviceProperties, reservedSharedMemPerBlock, cudaDeviceProp,
           reservedSharedMemPerBlock);
SAME_PLACE(DeviceProperties, clusterLaunch, cudaDeviceProp, clusterLaunch);

SAME_SIZE(FunctionAttributes, cudaFuncAttributes);
SAME_PLACE(FunctionAttributes, maxThreadsPerBlock, cudaFuncAttributes,
           maxThreadsPerBlock);
SAME_PLACE(FunctionAttributes, nonPortableClusterSizeAllowed,
           cudaFuncAttributes, nonPortableClusterSizeAllowed);
SAME_SIZE(ChannelDescription, cudaChannelFormatDesc);
SAME_PLACE(ChannelDescription, kind, cudaChannelFormatDesc, f);
SAME_SIZE(PointerAttributes, cudaPointerAttributes);
SAME_PLACE(PointerAttributes, devicePointer, cudaPointerAttributes,
           devicePointer);
SAME_SIZE(RuntimeLaunchConfig, cudaLaunchConfig_t);
SAME_PLACE(RuntimeLaunchConfig, sharedBytes, cudaLaunchConfig_t,
           dynamicSmemBytes);
SAME_PLACE(RuntimeLaunchConfig, attributes, cudaLaunchConfig_t, attrs);
SAME_SIZE(LaunchAttribute, cudaLaunchAttribute);
static_assert(offsetof(LaunchAttribute, value) ==
              offsetof(cudaLaunchAttribute, val));
static_assert(int(CopyKind::Default) == int(cudaMemcpyDefault));
static_assert(int(LaunchProgrammaticStreamSerialization) ==
              int(cudaLaunchAttributeProgrammaticStreamSerialization));
static_assert(int(FunctionMaxDynamicShared) ==
              int(cudaFuncAttributeMaxDynamicSharedMemorySize));

TEST(CudartHeader, IsTheSame) { EXPECT_GE(CUDART_VERSION, runtimeVersion); }

} // namespace drawloom::cuda
