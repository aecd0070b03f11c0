//===- RuntimeExports.h - The functions of libcudart.so.13 ------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the library exports: the API, and what the code calls that nvcc
// generates around a kernel (the toolkit's crt/host_runtime.h declares that).
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CUDA_RUNTIMEEXPORTS_H
#define DRAWLOOM_CUDA_RUNTIMEEXPORTS_H

#include "RuntimeApi.h"

#define DRAWLOOM_EXPORT __attribute__((visibility("default")))

namespace drawloom::cuda {
extern "C" {
using StreamCallback = void (*)(StreamState *stream, Error status, void *data);

#define RT_FUNCTION(name, parameters) DRAWLOOM_EXPORT Error name parameters;
#include "RuntimeFunctions.def"
#define RT_PER_THREAD(symbol, suffix, parameters, arguments)                   \
  DRAWLOOM_EXPORT Error symbol##_##suffix parameters;
#include "Runtime/PerThread.def"

DRAWLOOM_EXPORT ChannelDescription cudaCreateChannelDesc(int x, int y, int z,
                                                         int w, int kind);
DRAWLOOM_EXPORT const char *cudaGetErrorName(Error error);
DRAWLOOM_EXPORT const char *cudaGetErrorString(Error error);
DRAWLOOM_EXPORT Error cudaProfilerStart();
DRAWLOOM_EXPORT Error cudaProfilerStop();

// Registry.cpp: what static constructors of a program call.
DRAWLOOM_EXPORT void **__cudaRegisterFatBinary(void *wrapper);
DRAWLOOM_EXPORT void __cudaRegisterFatBinaryEnd(void **handle);
DRAWLOOM_EXPORT void __cudaUnregisterFatBinary(void **handle);
DRAWLOOM_EXPORT char __cudaInitModule(void **handle);
DRAWLOOM_EXPORT void
__cudaRegisterFunction(void **handle, const char *hostFunction,
                       char *deviceFunction, const char *deviceName,
                       int threadLimit, void *threads, void *blocks,
                       Dim3 *blockDim, Dim3 *gridDim, int *warpSize);
DRAWLOOM_EXPORT void __cudaRegisterVar(void **handle, char *hostVariable,
                                       char *deviceAddress,
                                       const char *deviceName, int isExternal,
                                       size_t size, int isConstant,
                                       int isGlobal);
DRAWLOOM_EXPORT void __cudaRegisterManagedVar(void **handle, void **hostPointer,
                                              char *deviceAddress,
                                              const char *deviceName,
                                              int isExternal, size_t size,
                                              int isConstant, int isGlobal);

// Launch.cpp: what a `<<<...>>>` becomes.
DRAWLOOM_EXPORT unsigned __cudaPushCallConfiguration(Dim3 grid, Dim3 block,
                                                     size_t sharedBytes,
                                                     StreamState *stream);
DRAWLOOM_EXPORT Error __cudaPopCallConfiguration(Dim3 *grid, Dim3 *block,
                                                 size_t *sharedBytes,
                                                 void *stream);
DRAWLOOM_EXPORT Error __cudaGetKernel(KernelState **kernel,
                                      const void *hostFunction);
DRAWLOOM_EXPORT Error __cudaLaunchKernel(KernelState *kernel, Dim3 grid,
                                         Dim3 block, void **parameters,
                                         size_t sharedBytes,
                                         StreamState *stream);
}
} // namespace drawloom::cuda

#endif // DRAWLOOM_CUDA_RUNTIMEEXPORTS_H
