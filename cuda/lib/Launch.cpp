//===- Launch.cpp - Launches, occupancy and tensor maps
//-----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "Exports.h"
#include "drawloom/Emulator/TensorMap.h"
#include <cstring>

using namespace drawloom;
using namespace drawloom::cuda;

/// Values of `extra` in a launch, where parameters are one buffer.
static void *const extraEnd = nullptr;
static void *const extraBuffer = reinterpret_cast<void *>(1);
static void *const extraSize = reinterpret_cast<void *>(2);

/// Copies what the kernel is called with into the launch.
static Result takeParameters(emu::Launch &launch, void **parameters,
                             void **extra) {
  const emu::Kernel &kernel = *launch.kernel;
  launch.parameters.resize(kernel.parameterBytes);
  if (extra) {
    if (parameters)
      return CUDA_ERROR_INVALID_VALUE;
    const void *buffer = nullptr;
    size_t size = 0;
    for (; *extra != extraEnd; extra += 2) {
      if (extra[0] == extraBuffer)
        buffer = extra[1];
      else if (extra[0] == extraSize)
        size = *static_cast<size_t *>(extra[1]);
      else
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!buffer || size < kernel.parameterBytes)
      return CUDA_ERROR_INVALID_VALUE;
    memcpy(launch.parameters.data(), buffer, kernel.parameterBytes);
    return CUDA_SUCCESS;
  }
  if (!parameters)
    return kernel.parameters.empty() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  for (auto [index, parameter] : llvm::enumerate(kernel.parameters)) {
    if (!parameters[index])
      return CUDA_ERROR_INVALID_VALUE;
    memcpy(launch.parameters.data() + parameter.offset, parameters[index],
           parameter.size);
  }
  return CUDA_SUCCESS;
}

/// Fills in what the attributes of a launch say. Those that are about speed
/// mean nothing here.
static Result takeAttributes(emu::Launch &launch, bool &cooperative,
                             const LaunchConfig &config) {
  for (unsigned i = 0; i != config.attributeCount; ++i) {
    const LaunchAttribute &attribute = config.attributes[i];
    switch (attribute.id) {
    case LaunchClusterDimension:
      launch.cluster = {attribute.value.clusterDim[0],
                        attribute.value.clusterDim[1],
                        attribute.value.clusterDim[2]};
      launch.explicitCluster = true;
      break;
    case LaunchProgrammaticStreamSerialization:
      launch.programmatic = attribute.value.flag != 0;
      break;
    case LaunchCooperative:
      cooperative = attribute.value.flag != 0;
      break;
    case LaunchIgnore:
    case LaunchSynchronizationPolicy:
    case LaunchClusterSchedulingPolicy:
    case LaunchPriority:
    case LaunchMemSyncDomainMap:
    case LaunchMemSyncDomain:
    case LaunchPreferredSharedMemoryCarveout:
      break;
    default:
      complain("launch attribute " + llvm::Twine(int(attribute.id)) +
               " is not known to the emulator");
      return CUDA_ERROR_NOT_SUPPORTED;
    }
  }
  return CUDA_SUCCESS;
}

Result cuda::cuLaunchKernelEx(const LaunchConfig *config, FunctionState *handle,
                              void **parameters, void **extra) {
  DRAWLOOM_CALL(Context);
  FunctionState *function = call.driver().function(call.context(), handle);
  if (!function)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!config || (config->attributeCount && !config->attributes))
    return CUDA_ERROR_INVALID_VALUE;
  std::optional<StreamState *> stream =
      call.driver().stream(call.context(), config->stream);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;

  emu::Launch launch;
  launch.kernel = function->kernel;
  launch.grid = {config->grid[0], config->grid[1], config->grid[2]};
  launch.block = {config->block[0], config->block[1], config->block[2]};
  launch.dynamicShared = config->sharedBytes;
  if (function->kernel->requiredCluster)
    launch.cluster = *function->kernel->requiredCluster;
  bool cooperative = false;
  if (Result result = takeAttributes(launch, cooperative, *config))
    return result;
  if (Result result = takeParameters(launch, parameters, extra))
    return result;

  if (launch.cluster.count() > 8 && !function->nonPortableCluster) {
    complain("a cluster of " + llvm::Twine(launch.cluster.count()) +
             " CTAs; more than 8 need "
             "CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED");
    return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  }
  if (int64_t(launch.dynamicShared) > function->maxDynamicShared) {
    complain(llvm::Twine(launch.dynamicShared) +
             " bytes of dynamic shared memory; '" + function->name +
             "' may have " + llvm::Twine(function->maxDynamicShared) +
             " (CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)");
    return CUDA_ERROR_INVALID_VALUE;
  }
  const emu::DeviceModel &model = call.device().model();
  if (std::optional<std::string> problem = emu::checkLaunch(model, launch)) {
    complain(*problem);
    return CUDA_ERROR_INVALID_VALUE;
  }
  uint64_t room =
      uint64_t(model.smCount) * emu::residentCtasPerSm(model, *launch.kernel,
                                                       launch.block.count(),
                                                       launch.dynamicShared);
  if (cooperative && launch.grid.count() > room)
    return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
  return call.driver().enqueue(call.context(), *stream, std::move(launch));
}

Result cuda::cuLaunchKernel(FunctionState *function, unsigned gridX,
                            unsigned gridY, unsigned gridZ, unsigned blockX,
                            unsigned blockY, unsigned blockZ,
                            unsigned sharedBytes, StreamState *stream,
                            void **parameters, void **extra) {
  LaunchConfig config = {{gridX, gridY, gridZ},
                         {blockX, blockY, blockZ},
                         sharedBytes,
                         stream,
                         nullptr,
                         0};
  return cuLaunchKernelEx(&config, function, parameters, extra);
}

Result cuda::cuLaunchCooperativeKernel(FunctionState *function, unsigned gridX,
                                       unsigned gridY, unsigned gridZ,
                                       unsigned blockX, unsigned blockY,
                                       unsigned blockZ, unsigned sharedBytes,
                                       StreamState *stream, void **parameters) {
  LaunchAttribute cooperative = {};
  cooperative.id = LaunchCooperative;
  cooperative.value.flag = 1;
  LaunchConfig config = {{gridX, gridY, gridZ}, {blockX, blockY, blockZ},
                         sharedBytes,           stream,
                         &cooperative,          1};
  return cuLaunchKernelEx(&config, function, parameters, nullptr);
}

//===----------------------------------------------------------------------===//
// Occupancy
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

Result cuda::cuTensorMapEncodeTiled(void *result, int type, unsigned rank,
                                    void *address, const uint64_t *dims,
                                    const uint64_t *strides,
                                    const uint32_t *box,
                                    const uint32_t *elementStrides,
                                    int interleave, int swizzle,
                                    int l2Promotion, int fill) {
  DRAWLOOM_CALL(Driver);
  if (!result || !dims || !box || !elementStrides || (rank > 1 && !strides))
    return CUDA_ERROR_INVALID_VALUE;
  std::optional<emu::TensorMapType> known = emu::tensorMapTypeFromCuda(type);
  if (!known || rank < 1 || rank > 5 || interleave < 0 || interleave > 2 ||
      swizzle < 0 || swizzle > 6 || l2Promotion < 0 || l2Promotion > 3 ||
      fill < 0 || fill > 1) {
    complain("cuTensorMapEncodeTiled: a rank of " + llvm::Twine(rank) +
             " or a value that no enumeration has");
    return CUDA_ERROR_INVALID_VALUE;
  }
  emu::TensorMap map;
  map.type = *known;
  map.rank = rank;
  map.address = reinterpret_cast<uint64_t>(address);
  for (unsigned i = 0; i != rank; ++i) {
    map.dims[i] = dims[i];
    map.box[i] = box[i];
    map.elementStrides[i] = elementStrides[i];
    if (i != 0)
      map.strides[i - 1] = strides[i - 1];
  }
  map.interleave = emu::TensorMapInterleave(interleave);
  map.swizzle = emu::TensorMapSwizzle(swizzle);
  map.l2Promotion = l2Promotion;
  map.fillsNaN = fill != 0;
  auto bytes = emu::encodeTensorMap(map, call.device().model().target);
  if (!bytes) {
    complain("cuTensorMapEncodeTiled: " + llvm::toString(bytes.takeError()));
    return CUDA_ERROR_INVALID_VALUE;
  }
  memcpy(result, bytes->data(), bytes->size());
  return CUDA_SUCCESS;
}

Result cuda::cuTensorMapReplaceAddress(void *map, void *address) {
  DRAWLOOM_CALL(Driver);
  if (!map)
    return CUDA_ERROR_INVALID_VALUE;
  if (llvm::Error error =
          emu::replaceTensorMapField(map, emu::TensorMapField::GlobalAddress, 0,
                                     reinterpret_cast<uint64_t>(address))) {
    complain("cuTensorMapReplaceAddress: " + llvm::toString(std::move(error)));
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}
