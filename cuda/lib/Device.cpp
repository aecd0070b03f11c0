//===- Device.cpp - Devices and contexts ----------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "Exports.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

using namespace drawloom;
using namespace drawloom::cuda;

Result cuda::cuInit(unsigned flags) {
  Driver &driver = Driver::get();
  std::lock_guard lock(driver.mutex);
  return flags ? CUDA_ERROR_INVALID_VALUE : driver.initialize();
}

Result cuda::cuDriverGetVersion(int *version) {
  if (!version)
    return CUDA_ERROR_INVALID_VALUE;
  *version = driverVersion;
  return CUDA_SUCCESS;
}

Result cuda::cuDeviceGetCount(int *count) {
  DRAWLOOM_CALL(Driver);
  if (!count)
    return CUDA_ERROR_INVALID_VALUE;
  *count = 1;
  return CUDA_SUCCESS;
}

Result cuda::cuDeviceGet(DeviceHandle *device, int ordinal) {
  DRAWLOOM_CALL(Driver);
  if (!device)
    return CUDA_ERROR_INVALID_VALUE;
  if (ordinal != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  *device = 0;
  return CUDA_SUCCESS;
}

Result cuda::cuDeviceGetName(char *name, int length, DeviceHandle device) {
  DRAWLOOM_CALL(Driver);
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  if (!name || length < 1)
    return CUDA_ERROR_INVALID_VALUE;
  llvm::StringRef product = call.device().model().product;
  size_t count = std::min<size_t>(product.size(), length - 1);
  memcpy(name, product.data(), count);
  name[count] = 0;
  return CUDA_SUCCESS;
}

Result cuda::cuDeviceGetUuid_v2(char *uuid, DeviceHandle device) {
  DRAWLOOM_CALL(Driver);
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  if (!uuid)
    return CUDA_ERROR_INVALID_VALUE;
  // The same for every process: two of them see the same device.
  memset(uuid, 0, 16);
  memcpy(uuid, "drawloom", 8);
  llvm::StringRef name = call.device().model().name;
  memcpy(uuid + 8, name.data(), std::min<size_t>(name.size(), 8));
  return CUDA_SUCCESS;
}

Result cuda::cuDeviceTotalMem_v2(size_t *bytes, DeviceHandle device) {
  DRAWLOOM_CALL(Driver);
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  if (!bytes)
    return CUDA_ERROR_INVALID_VALUE;
  *bytes = call.device().model().memoryBytes;
  return CUDA_SUCCESS;
}

Result cuda::cuDeviceGetAttribute(int *value, int attribute,
                                  DeviceHandle device) {
  DRAWLOOM_CALL(Driver);
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  if (!value || attribute < 1)
    return CUDA_ERROR_INVALID_VALUE;
  const emu::DeviceModel &m = call.device().model();
  switch (attribute) {
#define CU_ATTRIBUTE(name, number, what)                                       \
  case number:                                                                 \
    *value = what;                                                             \
    break;
#include "DeviceAttributes.def"
  default:
    *value = 0;
  }
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

Result cuda::cuDevicePrimaryCtxRetain(ContextState **context,
                                      DeviceHandle device) {
  DRAWLOOM_CALL(Driver);
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  if (!context)
    return CUDA_ERROR_INVALID_VALUE;
  ContextState *primary = call.driver().primary;
  ++primary->retained;
  call.driver().contexts.insert(primary);
  *context = primary;
  return CUDA_SUCCESS;
}

/// Ends the primary context; it comes to life again when it is retained.
static void resetPrimary(Driver &driver) {
  driver.flush();
  driver.clear(*driver.primary);
  driver.contexts.erase(driver.primary);
}

Result cuda::cuDevicePrimaryCtxRelease_v2(DeviceHandle device) {
  DRAWLOOM_CALL(Driver);
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  ContextState *primary = call.driver().primary;
  if (primary->retained == 0)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (--primary->retained == 0)
    resetPrimary(call.driver());
  return CUDA_SUCCESS;
}

Result cuda::cuDevicePrimaryCtxReset_v2(DeviceHandle device) {
  DRAWLOOM_CALL(Driver);
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  resetPrimary(call.driver());
  if (call.driver().primary->retained)
    call.driver().contexts.insert(call.driver().primary);
  return CUDA_SUCCESS;
}

Result cuda::cuDevicePrimaryCtxGetState(DeviceHandle device, unsigned *flags,
                                        int *active) {
  DRAWLOOM_CALL(Driver);
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  if (!flags || !active)
    return CUDA_ERROR_INVALID_VALUE;
  *flags = call.driver().primary->flags;
  *active = call.driver().alive(call.driver().primary);
  return CUDA_SUCCESS;
}

Result cuda::cuDevicePrimaryCtxSetFlags_v2(DeviceHandle device,
                                           unsigned flags) {
  DRAWLOOM_CALL(Driver);
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  call.driver().primary->flags = flags;
  return CUDA_SUCCESS;
}

Result cuda::cuCtxCreate_v2(ContextState **context, unsigned flags,
                            DeviceHandle device) {
  DRAWLOOM_CALL(Driver);
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  if (!context)
    return CUDA_ERROR_INVALID_VALUE;
  auto *created = new ContextState;
  created->flags = flags;
  call.driver().contexts.insert(created);
  contextStack().push_back(created);
  *context = created;
  return CUDA_SUCCESS;
}

Result cuda::cuCtxCreate_v4(ContextState **context, void *parameters,
                            unsigned flags, DeviceHandle device) {
  // Parameters ask for affinity and for graphics.
  if (parameters) {
    complain("cuCtxCreate: the emulator takes no parameters of a context");
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  return cuCtxCreate_v2(context, flags, device);
}

Result cuda::cuCtxCreate_v3(ContextState **context, void *affinities, int count,
                            unsigned flags, DeviceHandle device) {
  return cuCtxCreate_v4(context, count ? affinities : nullptr, flags, device);
}

Result cuda::cuCtxDestroy_v2(ContextState *context) {
  DRAWLOOM_CALL(Driver);
  if (!call.driver().alive(context) || context->primary)
    return CUDA_ERROR_INVALID_CONTEXT;
  call.driver().flush();
  call.driver().clear(*context);
  call.driver().contexts.erase(context);
  llvm::erase(contextStack(), context);
  delete context;
  return CUDA_SUCCESS;
}

Result cuda::cuCtxPushCurrent_v2(ContextState *context) {
  DRAWLOOM_CALL(Driver);
  if (!call.driver().alive(context))
    return CUDA_ERROR_INVALID_CONTEXT;
  contextStack().push_back(context);
  return CUDA_SUCCESS;
}

Result cuda::cuCtxPopCurrent_v2(ContextState **context) {
  DRAWLOOM_CALL(Driver);
  std::vector<ContextState *> &stack = contextStack();
  if (stack.empty())
    return CUDA_ERROR_INVALID_CONTEXT;
  if (context)
    *context = stack.back();
  stack.pop_back();
  return CUDA_SUCCESS;
}

Result cuda::cuCtxSetCurrent(ContextState *context) {
  DRAWLOOM_CALL(Driver);
  if (context && !call.driver().alive(context))
    return CUDA_ERROR_INVALID_CONTEXT;
  std::vector<ContextState *> &stack = contextStack();
  if (!stack.empty())
    stack.pop_back();
  if (context)
    stack.push_back(context);
  return CUDA_SUCCESS;
}

Result cuda::cuCtxGetCurrent(ContextState **context) {
  DRAWLOOM_CALL(Driver);
  if (!context)
    return CUDA_ERROR_INVALID_VALUE;
  *context = contextStack().empty() ? nullptr : contextStack().back();
  return CUDA_SUCCESS;
}

Result cuda::cuCtxGetDevice(DeviceHandle *device) {
  DRAWLOOM_CALL(Context);
  if (!device)
    return CUDA_ERROR_INVALID_VALUE;
  *device = 0;
  return CUDA_SUCCESS;
}

Result cuda::cuCtxGetDevice_v2(DeviceHandle *device, ContextState *context) {
  DRAWLOOM_CALL(Driver);
  if (context && !call.driver().alive(context))
    return CUDA_ERROR_INVALID_CONTEXT;
  if (!context)
    return cuCtxGetDevice(device);
  if (!device)
    return CUDA_ERROR_INVALID_VALUE;
  *device = 0;
  return CUDA_SUCCESS;
}

Result cuda::cuCtxGetFlags(unsigned *flags) {
  DRAWLOOM_CALL(Context);
  if (!flags)
    return CUDA_ERROR_INVALID_VALUE;
  *flags = call.context().flags;
  return CUDA_SUCCESS;
}

Result cuda::cuCtxGetApiVersion(ContextState *context, unsigned *version) {
  DRAWLOOM_CALL(Driver);
  if (context && !call.driver().alive(context))
    return CUDA_ERROR_INVALID_CONTEXT;
  if (!version)
    return CUDA_ERROR_INVALID_VALUE;
  *version = driverVersion;
  return CUDA_SUCCESS;
}

Result cuda::cuCtxSynchronize() {
  DRAWLOOM_CALL(Idle);
  if (HostWatch *watch = call.driver().watch.get())
    watch->synchronizeAll(&call.context());
  return CUDA_SUCCESS;
}

Result cuda::cuCtxSynchronize_v2(ContextState *context) {
  DRAWLOOM_CALL(Driver);
  if (!context)
    return cuCtxSynchronize();
  if (!call.driver().alive(context))
    return CUDA_ERROR_INVALID_CONTEXT;
  call.driver().flush();
  if (HostWatch *watch = call.driver().watch.get())
    watch->synchronizeAll(context);
  return context->failure;
}

Result cuda::cuCtxGetLimit(size_t *value, int limit) {
  DRAWLOOM_CALL(Context);
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  if (limit < 0 || limit >= limitCount)
    return CUDA_ERROR_UNSUPPORTED_LIMIT;
  *value = call.context().limits[limit];
  return CUDA_SUCCESS;
}

// Limits are kept. That of the heap is for the next kernels; the emulator's
// stack and output have none but its own.
Result cuda::cuCtxSetLimit(int limit, size_t value) {
  DRAWLOOM_CALL(Context);
  if (limit < 0 || limit >= limitCount)
    return CUDA_ERROR_UNSUPPORTED_LIMIT;
  call.context().limits[limit] = value;
  return CUDA_SUCCESS;
}

Result cuda::cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  DRAWLOOM_CALL(Context);
  if (least)
    *least = 0;
  if (greatest)
    *greatest = -5;
  return CUDA_SUCCESS;
}
