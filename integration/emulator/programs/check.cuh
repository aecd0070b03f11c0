//===- check.cuh - How programs say what went wrong -------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_INTEGRATION_CHECK_CUH
#define DRAWLOOM_INTEGRATION_CHECK_CUH

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                                            \
  if (cudaError_t error = (call); error != cudaSuccess) {                      \
    std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__,                         \
                cudaGetErrorName(error), cudaGetErrorString(error));           \
    std::exit(1);                                                              \
  }
#define REQUIRE(condition)                                                     \
  if (!(condition)) {                                                          \
    std::printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);        \
    std::exit(1);                                                              \
  }

#endif // DRAWLOOM_INTEGRATION_CHECK_CUH
