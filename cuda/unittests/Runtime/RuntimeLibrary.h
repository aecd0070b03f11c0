//===- RuntimeLibrary.h - libcudart.so.13, as a program sees it -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opens the library and has a pointer for each function of RuntimeFunctions.def
// and for what generated code calls. A RuntimeTest registers a fat binary as a
// program of nvcc's does before main.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CUDA_UNITTESTS_RUNTIMELIBRARY_H
#define DRAWLOOM_CUDA_UNITTESTS_RUNTIMELIBRARY_H

#include "RuntimeExports.h"
#include "gtest/gtest.h"
#include <string>

namespace drawloom::cuda {

struct RuntimeLibrary {
#define RT_FUNCTION(name, parameters) decltype(&cuda::name) name;
#define RT_REJECTED(name) Error (*name)(void *);
#include "RuntimeFunctions.def"
  decltype(&cuda::cudaCreateChannelDesc) createChannelDesc;
  decltype(&cuda::cudaGetErrorName) errorName;
  decltype(&cuda::cudaGetErrorString) errorString;
  decltype(&cuda::__cudaRegisterFatBinary) registerFatBinary;
  decltype(&cuda::__cudaRegisterFatBinaryEnd) registerFatBinaryEnd;
  decltype(&cuda::__cudaUnregisterFatBinary) unregisterFatBinary;
  decltype(&cuda::__cudaRegisterFunction) registerFunction;
  decltype(&cuda::__cudaRegisterVar) registerVar;
  decltype(&cuda::__cudaPushCallConfiguration) pushCallConfiguration;
  decltype(&cuda::__cudaPopCallConfiguration) popCallConfiguration;
  decltype(&cuda::__cudaGetKernel) getKernel;
  decltype(&cuda::__cudaLaunchKernel) launchKernel;

  static const RuntimeLibrary &get();
};

/// What nvcc puts around a fat binary.
struct FatBinaryWrapper {
  int magic = 0x466243B1;
  int version = 1;
  const void *data = nullptr;
  const void *rest = nullptr;
};

class RuntimeTest : public testing::Test {
protected:
  /// Registers a container; it goes away with the test.
  void **add(const std::string &container);
  void registerKernel(void **handle, const void *host, const char *name) {
    rt.registerFunction(handle, static_cast<const char *>(host), nullptr, name,
                        -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  }
  void TearDown() override;

  const RuntimeLibrary &rt = RuntimeLibrary::get();

private:
  struct Registered {
    std::string bytes;
    FatBinaryWrapper wrapper;
    void **handle;
  };
  std::vector<std::unique_ptr<Registered>> registered;
};

#define EXPECT_ERROR(call, error) EXPECT_STREQ(rt.errorName(call), #error)
#define EXPECT_FINE(call) EXPECT_ERROR(call, cudaSuccess)

} // namespace drawloom::cuda

#endif // DRAWLOOM_CUDA_UNITTESTS_RUNTIMELIBRARY_H
