//===- Occupancy.cpp - How many CTAs fit ------------------------------- ===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "Exports.h"

using namespace drawloom;
using namespace drawloom::cuda;

Result cuda::cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *count, FunctionState *handle, int threads, size_t sharedBytes,
    unsigned) {
  DRAWLOOM_CALL(Context);
  FunctionState *function = call.driver().function(call.context(), handle);
  if (!function)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!count || threads < 1)
    return CUDA_ERROR_INVALID_VALUE;
  *count = emu::residentCtasPerSm(call.device().model(), *function->kernel,
                                  threads, sharedBytes);
  return CUDA_SUCCESS;
}

Result cuda::cuOccupancyMaxActiveBlocksPerMultiprocessor(
    int *count, FunctionState *function, int threads, size_t sharedBytes) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      count, function, threads, sharedBytes, 0);
}

Result cuda::cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes,
                                                     FunctionState *handle,
                                                     int blocks, int threads) {
  DRAWLOOM_CALL(Context);
  FunctionState *function = call.driver().function(call.context(), handle);
  if (!function)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!bytes || blocks < 1 || threads < 1)
    return CUDA_ERROR_INVALID_VALUE;
  const emu::DeviceModel &model = call.device().model();
  auto fits = [&](uint32_t amount) {
    return emu::residentCtasPerSm(model, *function->kernel, threads, amount) >=
           unsigned(blocks);
  };
  // More memory never lets more CTAs in.
  uint32_t low = 0, high = model.sharedPerCta;
  while (low != high) {
    uint32_t middle = low + (high - low + 1) / 2;
    if (fits(middle))
      low = middle;
    else
      high = middle - 1;
  }
  *bytes = low;
  return CUDA_SUCCESS;
}

Result cuda::cuOccupancyMaxPotentialBlockSizeWithFlags(
    int *gridSize, int *blockSize, FunctionState *handle,
    size_t (*sharedBytesOf)(int threads), size_t sharedBytes, int limit,
    unsigned) {
  DRAWLOOM_CALL(Context);
  FunctionState *function = call.driver().function(call.context(), handle);
  if (!function)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!gridSize || !blockSize || limit < 0)
    return CUDA_ERROR_INVALID_VALUE;
  const emu::DeviceModel &model = call.device().model();
  int most = function->kernel->maxThreads ? function->kernel->maxThreads : 1024;
  if (limit)
    most = std::min(most, limit);
  unsigned bestThreads = 0, bestCtas = 0;
  // The largest block of those that fill an SM best.
  for (int threads = most; threads > 0;
       threads = threads % 32 ? threads / 32 * 32 : threads - 32) {
    size_t shared = sharedBytesOf ? sharedBytesOf(threads) : sharedBytes;
    if (shared > model.sharedPerCta)
      continue;
    unsigned ctas =
        emu::residentCtasPerSm(model, *function->kernel, threads, shared);
    if (ctas * threads > bestCtas * bestThreads) {
      bestThreads = threads;
      bestCtas = ctas;
    }
  }
  *blockSize = bestThreads;
  *gridSize = bestCtas * model.smCount;
  return CUDA_SUCCESS;
}

Result cuda::cuOccupancyMaxPotentialBlockSize(
    int *gridSize, int *blockSize, FunctionState *handle,
    size_t (*sharedBytesOf)(int threads), size_t sharedBytes, int limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(
      gridSize, blockSize, handle, sharedBytesOf, sharedBytes, limit, 0);
}

Result cuda::cuOccupancyMaxPotentialClusterSize(int *size,
                                                FunctionState *handle,
                                                const LaunchConfig *config) {
  DRAWLOOM_CALL(Context);
  FunctionState *function = call.driver().function(call.context(), handle);
  if (!function)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!size || !config)
    return CUDA_ERROR_INVALID_VALUE;
  *size =
      function->nonPortableCluster ? call.device().model().ctasPerCluster : 8;
  return CUDA_SUCCESS;
}

Result cuda::cuOccupancyMaxActiveClusters(int *count, FunctionState *handle,
                                          const LaunchConfig *config) {
  DRAWLOOM_CALL(Context);
  FunctionState *function = call.driver().function(call.context(), handle);
  if (!function)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!count || !config || (config->attributeCount && !config->attributes))
    return CUDA_ERROR_INVALID_VALUE;
  emu::Launch launch;
  launch.kernel = function->kernel;
  if (function->kernel->requiredCluster)
    launch.cluster = *function->kernel->requiredCluster;
  bool cooperative = false;
  if (Result result = takeAttributes(launch, cooperative, *config))
    return result;
  uint64_t threads =
      uint64_t(config->block[0]) * config->block[1] * config->block[2];
  if (threads < 1 || threads > 1024 || launch.cluster.count() == 0)
    return CUDA_ERROR_INVALID_VALUE;
  const emu::DeviceModel &model = call.device().model();
  *count = uint64_t(model.smCount) *
           emu::residentCtasPerSm(model, *function->kernel, threads,
                                  config->sharedBytes) /
           launch.cluster.count();
  return CUDA_SUCCESS;
}
