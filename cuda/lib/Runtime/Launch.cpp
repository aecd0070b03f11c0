//===- Launch.cpp - Kernels in the runtime API ----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"
#include <climits>
#include <vector>

using namespace drawloom;
using namespace drawloom::cuda;

/// An error of the driver where a function was asked for.
static Error noteFunction(Result result) {
  return note(result == CUDA_ERROR_INVALID_HANDLE
                  ? cudaErrorInvalidDeviceFunction
                  : Error(int(result)));
}

/// The driver's handle of a kernel: what `function` becomes, or a return.
#define DRAWLOOM_FUNCTION(function, host)                                      \
  DRAWLOOM_READY();                                                            \
  FunctionState *function = nullptr;                                           \
  if (Error error = Registry::get().kernel(function, host))                    \
  return note(error)

/// Whether a device can have such a grid. The driver knows, too, and says what
/// is wrong; for the runtime that is an error of its own.
static bool isPossible(const RuntimeLaunchConfig &config) {
  auto some = [](Dim3 d) { return d.x && d.y && d.z; };
  uint64_t threads = uint64_t(config.block.x) * config.block.y * config.block.z;
  return some(config.grid) && some(config.block) && config.block.x <= 1024 &&
         config.block.y <= 1024 && config.block.z <= 64 && threads <= 1024;
}

static Error launch(FunctionState *function, const RuntimeLaunchConfig &config,
                    void **parameters) {
  if (config.sharedBytes > UINT_MAX)
    return fail(llvm::Twine(config.sharedBytes) +
                    " bytes of dynamic shared memory are more than any "
                    "device has",
                cudaErrorInvalidValue);
  LaunchConfig driver = {{config.grid.x, config.grid.y, config.grid.z},
                         {config.block.x, config.block.y, config.block.z},
                         unsigned(config.sharedBytes),
                         config.stream,
                         config.attributes,
                         config.attributeCount};
  Result result = cuLaunchKernelEx(&driver, function, parameters, nullptr);
  if (result == CUDA_ERROR_INVALID_VALUE && !isPossible(config))
    return note(cudaErrorInvalidConfiguration);
  return noteFunction(result);
}

Error cuda::cudaLaunchKernel(const void *host, Dim3 grid, Dim3 block,
                             void **parameters, size_t sharedBytes,
                             StreamState *stream) {
  DRAWLOOM_FUNCTION(function, host);
  return launch(function, {grid, block, sharedBytes, stream, nullptr, 0},
                parameters);
}

Error cuda::cudaLaunchKernelExC(const RuntimeLaunchConfig *config,
                                const void *host, void **parameters) {
  DRAWLOOM_FUNCTION(function, host);
  if (!config)
    return fail("cudaLaunchKernelExC without a configuration",
                cudaErrorInvalidConfiguration);
  return launch(function, *config, parameters);
}

Error cuda::cudaLaunchCooperativeKernel(const void *host, Dim3 grid, Dim3 block,
                                        void **parameters, size_t sharedBytes,
                                        StreamState *stream) {
  DRAWLOOM_FUNCTION(function, host);
  LaunchAttribute cooperative = {};
  cooperative.id = LaunchCooperative;
  cooperative.value.flag = 1;
  return launch(function, {grid, block, sharedBytes, stream, &cooperative, 1},
                parameters);
}

//===----------------------------------------------------------------------===//
// What a `<<<...>>>` becomes: the configuration is pushed, the stub that nvcc
// makes of a kernel pops it.
//===----------------------------------------------------------------------===//

namespace {
struct CallConfiguration {
  Dim3 grid, block;
  size_t sharedBytes;
  StreamState *stream;
};
} // namespace

static std::vector<CallConfiguration> &callConfigurations() {
  static thread_local std::vector<CallConfiguration> stack;
  return stack;
}

unsigned cuda::__cudaPushCallConfiguration(Dim3 grid, Dim3 block,
                                           size_t sharedBytes,
                                           StreamState *stream) {
  callConfigurations().push_back({grid, block, sharedBytes, stream});
  return 0;
}

Error cuda::__cudaPopCallConfiguration(Dim3 *grid, Dim3 *block,
                                       size_t *sharedBytes, void *stream) {
  if (callConfigurations().empty())
    return note(cudaErrorMissingConfiguration);
  CallConfiguration top = callConfigurations().back();
  callConfigurations().pop_back();
  *grid = top.grid;
  *block = top.block;
  *sharedBytes = top.sharedBytes;
  *static_cast<StreamState **>(stream) = top.stream;
  return cudaSuccess;
}

Error cuda::__cudaGetKernel(KernelState **kernel, const void *hostFunction) {
  return cudaGetKernel(kernel, hostFunction);
}

Error cuda::__cudaLaunchKernel(KernelState *kernel, Dim3 grid, Dim3 block,
                               void **parameters, size_t sharedBytes,
                               StreamState *stream) {
  DRAWLOOM_READY();
  // The stub goes on if it got no kernel.
  if (!kernel)
    return note(Registry::get().loadFailure());
  return launch(reinterpret_cast<FunctionState *>(kernel),
                {grid, block, sharedBytes, stream, nullptr, 0}, parameters);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

Error cuda::cudaGetKernel(KernelState **kernel, const void *host) {
  DRAWLOOM_FUNCTION(function, host);
  if (!kernel)
    return note(cudaErrorInvalidValue);
  *kernel = reinterpret_cast<KernelState *>(function);
  return cudaSuccess;
}

Error cuda::cudaGetFuncBySymbol(FunctionState **result, const void *host) {
  DRAWLOOM_FUNCTION(function, host);
  return noteFunction(
      cuKernelGetFunction(result, reinterpret_cast<KernelState *>(function)));
}

Error cuda::cudaFuncGetAttributes(FunctionAttributes *attributes,
                                  const void *host) {
  DRAWLOOM_FUNCTION(function, host);
  if (!attributes)
    return note(cudaErrorInvalidValue);
  *attributes = {};
  Result result = CUDA_SUCCESS;
  auto get = [&](FunctionAttribute which) {
    int value = 0;
    if (Result failed = cuFuncGetAttribute(&value, which, function))
      result = failed;
    return value;
  };
  attributes->sharedSizeBytes = get(FunctionSharedBytes);
  attributes->constSizeBytes = get(FunctionConstantBytes);
  attributes->localSizeBytes = get(FunctionLocalBytes);
  attributes->maxThreadsPerBlock = get(FunctionMaxThreadsPerBlock);
  attributes->numRegs = get(FunctionRegisters);
  attributes->ptxVersion = get(FunctionPtxVersion);
  attributes->binaryVersion = get(FunctionBinaryVersion);
  attributes->cacheModeCa = get(FunctionCacheModeCa);
  attributes->maxDynamicSharedSizeBytes = get(FunctionMaxDynamicShared);
  attributes->preferredCarveout = get(FunctionPreferredCarveout);
  attributes->clusterDimMustBeSet = get(FunctionClusterMustBeSet);
  attributes->requiredClusterWidth = get(FunctionClusterWidth);
  attributes->requiredClusterHeight = get(FunctionClusterHeight);
  attributes->requiredClusterDepth = get(FunctionClusterDepth);
  attributes->clusterSchedulingPolicy = get(FunctionClusterPolicy);
  attributes->nonPortableClusterSizeAllowed = get(FunctionNonPortableCluster);
  return noteFunction(result);
}

Error cuda::cudaFuncSetAttribute(const void *host, int attribute, int value) {
  DRAWLOOM_FUNCTION(function, host);
  return noteFunction(cuFuncSetAttribute(function, attribute, value));
}

Error cuda::cudaFuncSetCacheConfig(const void *host, int config) {
  DRAWLOOM_FUNCTION(function, host);
  return noteFunction(cuFuncSetCacheConfig(function, config));
}

Error cuda::cudaFuncSetSharedMemConfig(const void *host, int) {
  DRAWLOOM_FUNCTION(function, host);
  return cudaSuccess;
}

Error cuda::cudaFuncGetName(const char **name, const void *host) {
  DRAWLOOM_FUNCTION(function, host);
  return noteFunction(cuFuncGetName(name, function));
}

Error cuda::cudaFuncGetParamInfo(const void *host, size_t index, size_t *offset,
                                 size_t *size) {
  DRAWLOOM_FUNCTION(function, host);
  return noteFunction(cuFuncGetParamInfo(function, index, offset, size));
}

//===----------------------------------------------------------------------===//
// Occupancy
//===----------------------------------------------------------------------===//

Error cuda::cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *count,
                                                          const void *host,
                                                          int threads,
                                                          size_t sharedBytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      count, host, threads, sharedBytes, 0);
}

Error cuda::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *count, const void *host, int threads, size_t sharedBytes,
    unsigned flags) {
  DRAWLOOM_FUNCTION(function, host);
  return noteFunction(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      count, function, threads, sharedBytes, flags));
}

Error cuda::cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes,
                                                      const void *host,
                                                      int blocks, int threads) {
  DRAWLOOM_FUNCTION(function, host);
  return noteFunction(cuOccupancyAvailableDynamicSMemPerBlock(bytes, function,
                                                              blocks, threads));
}

/// The configuration as the driver has it.
static LaunchConfig convert(const RuntimeLaunchConfig &config) {
  return {{config.grid.x, config.grid.y, config.grid.z},
          {config.block.x, config.block.y, config.block.z},
          unsigned(config.sharedBytes),
          config.stream,
          config.attributes,
          config.attributeCount};
}

Error cuda::cudaOccupancyMaxPotentialClusterSize(
    int *size, const void *host, const RuntimeLaunchConfig *config) {
  DRAWLOOM_FUNCTION(function, host);
  if (!config)
    return note(cudaErrorInvalidValue);
  LaunchConfig driver = convert(*config);
  return noteFunction(
      cuOccupancyMaxPotentialClusterSize(size, function, &driver));
}

Error cuda::cudaOccupancyMaxActiveClusters(int *count, const void *host,
                                           const RuntimeLaunchConfig *config) {
  DRAWLOOM_FUNCTION(function, host);
  if (!config)
    return note(cudaErrorInvalidValue);
  LaunchConfig driver = convert(*config);
  return noteFunction(cuOccupancyMaxActiveClusters(count, function, &driver));
}
