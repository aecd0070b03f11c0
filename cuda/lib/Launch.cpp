//===- Launch.cpp - Launches ----------------------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "Exports.h"
#include <cstring>

using namespace drawloom;
using namespace drawloom::cuda;

/// Values of `extra` in a launch, where parameters are one buffer.
static void *const extraEnd = nullptr;
static void *const extraBuffer = reinterpret_cast<void *>(1);
static void *const extraSize = reinterpret_cast<void *>(2);

/// Says why a launch isn't made.
static Result reject(const llvm::Twine &message,
                     Result result = CUDA_ERROR_INVALID_VALUE) {
  complain(message);
  return result;
}

/// Copies what the kernel is called with into the launch.
static Result takeParameters(emu::Launch &launch, void **parameters,
                             void **extra) {
  const emu::Kernel &kernel = *launch.kernel;
  launch.parameters.resize(kernel.parameterBytes);
  if (extra) {
    if (parameters)
      return reject("a launch with both 'kernelParams' and 'extra'");
    const void *buffer = nullptr;
    size_t size = 0;
    for (; *extra != extraEnd; extra += 2) {
      if (extra[0] == extraBuffer)
        buffer = extra[1];
      else if (extra[0] == extraSize)
        size = *static_cast<size_t *>(extra[1]);
      else
        return reject("'extra' of a launch has a key that isn't one of "
                      "CU_LAUNCH_PARAM_*");
    }
    if (!buffer || size < kernel.parameterBytes)
      return reject("the buffer of parameters in 'extra' has " +
                    llvm::Twine(buffer ? size : 0) + " bytes; '" +
                    kernel.function->name + "' takes " +
                    llvm::Twine(kernel.parameterBytes));
    memcpy(launch.parameters.data(), buffer, kernel.parameterBytes);
    return CUDA_SUCCESS;
  }
  if (!parameters && kernel.parameters.empty())
    return CUDA_SUCCESS;
  if (!parameters)
    return reject("a launch without parameters; '" + kernel.function->name +
                  "' takes " + llvm::Twine(kernel.parameters.size()));
  for (auto [index, parameter] : llvm::enumerate(kernel.parameters)) {
    if (!parameters[index])
      return reject("parameter " + llvm::Twine(index) + " of '" +
                    kernel.function->name + "' is at null");
    memcpy(launch.parameters.data() + parameter.offset, parameters[index],
           parameter.size);
  }
  return CUDA_SUCCESS;
}

Result cuda::takeAttributes(emu::Launch &launch, bool &cooperative,
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
    // An event of a launch: all of it is done when the host looks.
    case LaunchProgrammaticEvent:
    case LaunchCompletionEvent:
      attribute.value.event->recorded = Clock::now();
      break;
    // A cluster that would be better, or how to run it faster.
    case LaunchIgnore:
    case LaunchAccessPolicyWindow:
    case LaunchPreferredClusterDimension:
    case LaunchSynchronizationPolicy:
    case LaunchClusterSchedulingPolicy:
    case LaunchPriority:
    case LaunchMemSyncDomainMap:
    case LaunchMemSyncDomain:
    case LaunchPreferredSharedMemoryCarveout:
    case LaunchNvlinkCentricScheduling:
    case LaunchPortableClusterMode:
    case LaunchSharedMemoryMode:
      break;
    default:
      return reject("launch attribute " + llvm::Twine(int(attribute.id)) +
                        " is not known to the emulator",
                    CUDA_ERROR_NOT_SUPPORTED);
    }
  }
  return CUDA_SUCCESS;
}

/// What cooperative groups expect of a driver: the size of the workspace, and
/// the word that counts the CTAs that have come to a barrier. Driver::flush
/// frees it.
static Result makeGridWorkspace(emu::GlobalMemory &memory,
                                emu::Launch &launch) {
  const uint32_t words[] = {8, 0};
  auto address = memory.allocate(sizeof(words), "grid workspace");
  if (!address) {
    return reject("the workspace of a cooperative grid: " +
                      llvm::toString(address.takeError()),
                  CUDA_ERROR_OUT_OF_MEMORY);
  }
  memcpy(memory.translate(*address, sizeof(words)), words, sizeof(words));
  launch.gridWorkspace = *address;
  return CUDA_SUCCESS;
}

Result cuda::cuLaunchKernelEx(const LaunchConfig *config, FunctionState *handle,
                              void **parameters, void **extra) {
  DRAWLOOM_CALL(Context);
  FunctionState *function = call.driver().function(call.context(), handle);
  if (!function)
    return reject("a launch of a function that the current context doesn't "
                  "have",
                  CUDA_ERROR_INVALID_HANDLE);
  if (!config || (config->attributeCount && !config->attributes))
    return reject("a launch without its configuration");
  if (!call.driver().stream(call.context(), config->stream))
    return reject("a launch into a stream that the current context doesn't "
                  "have",
                  CUDA_ERROR_INVALID_HANDLE);

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

  if (launch.cluster.count() > 8 && !function->nonPortableCluster)
    return reject("a cluster of " + llvm::Twine(launch.cluster.count()) +
                      " CTAs; more than 8 need "
                      "CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED",
                  CUDA_ERROR_INVALID_CLUSTER_SIZE);
  if (int64_t(launch.dynamicShared) > function->maxDynamicShared)
    return reject(llvm::Twine(launch.dynamicShared) +
                  " bytes of dynamic shared memory; '" + function->name +
                  "' may have " + llvm::Twine(function->maxDynamicShared) +
                  " (CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)");
  const emu::DeviceModel &model = call.device().model();
  if (std::optional<std::string> problem = emu::checkLaunch(model, launch))
    return reject(*problem);
  uint64_t room =
      uint64_t(model.smCount) * emu::residentCtasPerSm(model, *launch.kernel,
                                                       launch.block.count(),
                                                       launch.dynamicShared);
  if (cooperative && launch.grid.count() > room)
    return reject("a cooperative grid of " + llvm::Twine(launch.grid.count()) +
                      " CTAs; " + llvm::Twine(model.smCount) + " SMs hold " +
                      llvm::Twine(room) + " of them at a time",
                  CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  if (cooperative) {
    // What waits runs first, so that nothing fails once there is a workspace.
    if (Result result = call.driver().flush())
      return result;
    if (Result result = makeGridWorkspace(call.device().memory(), launch))
      return result;
  }
  if (Result result = call.driver().enqueue(call.context(), config->stream,
                                            *function, std::move(launch)))
    return result;
  if (HostWatch *watch = call.driver().watch.get())
    for (const LaunchAttribute &attribute :
         llvm::ArrayRef(config->attributes, config->attributeCount))
      if (attribute.id == LaunchProgrammaticEvent ||
          attribute.id == LaunchCompletionEvent)
        watch->record(call.context(), config->stream, *attribute.value.event);
  return CUDA_SUCCESS;
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
