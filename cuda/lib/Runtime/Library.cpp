//===- Library.cpp - Libraries and lookup in the runtime API --------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

using namespace drawloom;
using namespace drawloom::cuda;

Error cuda::cudaLibraryLoadData(LibraryState **library, const void *image,
                                int *jitOptions, void **jitValues,
                                unsigned jitCount, int *options, void **values,
                                unsigned count) {
  DRAWLOOM_READY();
  return note(cuLibraryLoadData(library, image, jitOptions, jitValues, jitCount,
                                options, values, count));
}

Error cuda::cudaLibraryLoadFromFile(LibraryState **library, const char *path,
                                    int *jitOptions, void **jitValues,
                                    unsigned jitCount, int *options,
                                    void **values, unsigned count) {
  DRAWLOOM_READY();
  return note(cuLibraryLoadFromFile(library, path, jitOptions, jitValues,
                                    jitCount, options, values, count));
}

Error cuda::cudaLibraryUnload(LibraryState *library) {
  DRAWLOOM_READY();
  return note(cuLibraryUnload(library));
}

Error cuda::cudaLibraryGetKernel(KernelState **kernel, LibraryState *library,
                                 const char *name) {
  DRAWLOOM_READY();
  return note(cuLibraryGetKernel(kernel, library, name));
}

Error cuda::cudaLibraryGetKernelCount(unsigned *count, LibraryState *library) {
  DRAWLOOM_READY();
  return note(cuLibraryGetKernelCount(count, library));
}

Error cuda::cudaLibraryEnumerateKernels(KernelState **kernels, unsigned count,
                                        LibraryState *library) {
  DRAWLOOM_READY();
  return note(cuLibraryEnumerateKernels(kernels, count, library));
}

Error cuda::cudaLibraryGetGlobal(void **pointer, size_t *bytes,
                                 LibraryState *library, const char *name) {
  DRAWLOOM_READY();
  return note(cuLibraryGetGlobal(reinterpret_cast<DevicePointer *>(pointer),
                                 bytes, library, name));
}

Error cuda::cudaKernelSetAttributeForDevice(KernelState *kernel, int attribute,
                                            int value, int device) {
  DRAWLOOM_READY();
  return note(cuKernelSetAttribute(attribute, value, kernel, device));
}

Error cuda::cudaGetExportTable(const void **table, const void *id) {
  return note(cuGetExportTable(table, id));
}

Error cuda::cudaGetDriverEntryPoint(const char *name, void **address,
                                    unsigned long long flags, int *status) {
  return cudaGetDriverEntryPointByVersion(name, address, runtimeVersion, flags,
                                          status);
}

Error cuda::cudaGetDriverEntryPointByVersion(const char *name, void **address,
                                             unsigned version,
                                             unsigned long long flags,
                                             int *status) {
  DRAWLOOM_READY();
  // That there is no such function is the status, not an error.
  Result result =
      cuGetProcAddress_v2(name, address, int(version), flags, status);
  return note(result == CUDA_ERROR_NOT_FOUND ? CUDA_SUCCESS : result);
}
