//===- Library.cpp - Libraries and kernels --------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exports.h"
#include "Image.h"
#include "drawloom/PTX/Parser.h"
#include "llvm/ADT/STLExtras.h"

using namespace drawloom;
using namespace drawloom::cuda;

ModuleState *Driver::module(ContextState &context, LibraryState &library) {
  for (ModuleState *module : context.modules)
    if (module->library == &library)
      return module;
  // It was parsed without an error when the library was loaded.
  ptx::ParseResult parsed =
      ptx::parseModule(llvm::MemoryBufferRef(library.text, "module.ptx"));
  auto placed = placeModule(*this, context, std::move(parsed.module));
  if (!placed) {
    complain(llvm::toString(placed.takeError()));
    return nullptr;
  }
  (*placed)->library = &library;
  return *placed;
}

Result cuda::cuLibraryLoadData(LibraryState **library, const void *image,
                               int *jitOptions, void **jitValues,
                               unsigned jitCount, int *, void **, unsigned) {
  DRAWLOOM_CALL(Driver);
  if (!library || !image || (jitCount && (!jitOptions || !jitValues)))
    return CUDA_ERROR_INVALID_VALUE;
  JitLog log(jitCount, jitOptions, jitValues);
  auto state = std::make_unique<LibraryState>();
  std::unique_ptr<ptx::Module> parsed;
  if (Result result = parseImage(parsed, state->text, image,
                                 call.device().model().target, log))
    return result;
  for (const ptx::Function *function : parsed->functions) {
    if (!function->isEntry)
      continue;
    auto kernel = std::make_unique<KernelState>();
    kernel->library = state.get();
    kernel->name = function->name;
    call.driver().kernels.insert(kernel.get());
    state->kernels.push_back(std::move(kernel));
  }
  *library = state.release();
  call.driver().libraries.insert(*library);
  return CUDA_SUCCESS;
}

Result cuda::cuLibraryLoadFromFile(LibraryState **library, const char *path,
                                   int *jitOptions, void **jitValues,
                                   unsigned jitCount, int *options,
                                   void **values, unsigned count) {
  std::string image;
  {
    DRAWLOOM_CALL(Driver);
    if (!library || !path || (jitCount && (!jitOptions || !jitValues)))
      return CUDA_ERROR_INVALID_VALUE;
    JitLog log(jitCount, jitOptions, jitValues);
    if (Result result = readImage(image, path, log))
      return result;
  }
  return cuLibraryLoadData(library, image.c_str(), jitOptions, jitValues,
                           jitCount, options, values, count);
}

Result cuda::cuLibraryUnload(LibraryState *library) {
  DRAWLOOM_CALL(Driver);
  Driver &driver = call.driver();
  if (!driver.libraries.contains(library))
    return CUDA_ERROR_INVALID_HANDLE;
  driver.flush();
  for (ContextState *context : driver.contexts)
    for (ModuleState *module : llvm::to_vector(context->modules))
      if (module->library == library) {
        context->modules.erase(module);
        delete module;
      }
  for (const std::unique_ptr<KernelState> &kernel : library->kernels)
    driver.kernels.erase(kernel.get());
  driver.libraries.erase(library);
  delete library;
  return CUDA_SUCCESS;
}

Result cuda::cuLibraryGetKernel(KernelState **kernel, LibraryState *library,
                                const char *name) {
  DRAWLOOM_CALL(Driver);
  if (!call.driver().libraries.contains(library))
    return CUDA_ERROR_INVALID_HANDLE;
  if (!kernel || !name)
    return CUDA_ERROR_INVALID_VALUE;
  auto found = llvm::find_if(library->kernels, [&](const auto &candidate) {
    return candidate->name == name;
  });
  if (found == library->kernels.end())
    return CUDA_ERROR_NOT_FOUND;
  *kernel = found->get();
  return CUDA_SUCCESS;
}

Result cuda::cuLibraryGetKernelCount(unsigned *count, LibraryState *library) {
  DRAWLOOM_CALL(Driver);
  if (!call.driver().libraries.contains(library))
    return CUDA_ERROR_INVALID_HANDLE;
  if (!count)
    return CUDA_ERROR_INVALID_VALUE;
  *count = library->kernels.size();
  return CUDA_SUCCESS;
}

Result cuda::cuLibraryEnumerateKernels(KernelState **kernels, unsigned count,
                                       LibraryState *library) {
  DRAWLOOM_CALL(Driver);
  if (!call.driver().libraries.contains(library))
    return CUDA_ERROR_INVALID_HANDLE;
  if (!kernels)
    return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i != count && i != library->kernels.size(); ++i)
    kernels[i] = library->kernels[i].get();
  return CUDA_SUCCESS;
}

Result cuda::cuLibraryGetModule(ModuleState **module, LibraryState *library) {
  DRAWLOOM_CALL(Idle);
  if (!call.driver().libraries.contains(library))
    return CUDA_ERROR_INVALID_HANDLE;
  if (!module)
    return CUDA_ERROR_INVALID_VALUE;
  ModuleState *loaded = call.driver().module(call.context(), *library);
  if (!loaded)
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  *module = loaded;
  return CUDA_SUCCESS;
}

Result cuda::cuLibraryGetGlobal(DevicePointer *address, size_t *bytes,
                                LibraryState *library, const char *name) {
  ModuleState *module = nullptr;
  if (Result result = cuLibraryGetModule(&module, library))
    return result;
  return cuModuleGetGlobal_v2(address, bytes, module, name);
}

Result cuda::cuLibraryGetManaged(DevicePointer *address, size_t *bytes,
                                 LibraryState *library, const char *name) {
  DRAWLOOM_CALL(Idle);
  DevicePointer found = 0;
  if (Result result = cuLibraryGetGlobal(&found, bytes, library, name))
    return result;
  if (call.driver().visible.kindOf(found) != HostVisible::Kind::Managed)
    return CUDA_ERROR_NOT_FOUND;
  if (address)
    *address = found;
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Kernels: each call is the function's, in the context that is current.
//===----------------------------------------------------------------------===//

/// The handle as the API takes it for a function.
static FunctionState *asFunction(KernelState *kernel) {
  return reinterpret_cast<FunctionState *>(kernel);
}

Result cuda::cuKernelGetFunction(FunctionState **function,
                                 KernelState *kernel) {
  DRAWLOOM_CALL(Idle);
  if (!call.driver().kernels.contains(kernel))
    return CUDA_ERROR_INVALID_HANDLE;
  if (!function)
    return CUDA_ERROR_INVALID_VALUE;
  FunctionState *found =
      call.driver().function(call.context(), asFunction(kernel));
  if (!found)
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  *function = found;
  return CUDA_SUCCESS;
}

Result cuda::cuKernelGetLibrary(LibraryState **library, KernelState *kernel) {
  DRAWLOOM_CALL(Driver);
  if (!call.driver().kernels.contains(kernel))
    return CUDA_ERROR_INVALID_HANDLE;
  if (!library)
    return CUDA_ERROR_INVALID_VALUE;
  *library = kernel->library;
  return CUDA_SUCCESS;
}

Result cuda::cuKernelGetName(const char **name, KernelState *kernel) {
  DRAWLOOM_CALL(Driver);
  if (!call.driver().kernels.contains(kernel))
    return CUDA_ERROR_INVALID_HANDLE;
  if (!name)
    return CUDA_ERROR_INVALID_VALUE;
  *name = kernel->name.c_str();
  return CUDA_SUCCESS;
}

Result cuda::cuKernelGetAttribute(int *value, int attribute,
                                  KernelState *kernel, DeviceHandle device) {
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  return cuFuncGetAttribute(value, attribute, asFunction(kernel));
}

Result cuda::cuKernelSetAttribute(int attribute, int value, KernelState *kernel,
                                  DeviceHandle device) {
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  return cuFuncSetAttribute(asFunction(kernel), attribute, value);
}

Result cuda::cuKernelSetCacheConfig(KernelState *kernel, int config,
                                    DeviceHandle device) {
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  return cuFuncSetCacheConfig(asFunction(kernel), config);
}

Result cuda::cuKernelGetParamInfo(KernelState *kernel, size_t index,
                                  size_t *offset, size_t *size) {
  return cuFuncGetParamInfo(asFunction(kernel), index, offset, size);
}
