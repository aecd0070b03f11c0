//===- Library.h - libcuda.so.1, as a program sees it -----------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opens the library and has a pointer for each function of Functions.def, found
// with dlsym. A CudaTest starts with the primary context current, on a device
// of which nothing is used.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_CUDA_UNITTESTS_LIBRARY_H
#define DRAWLOOM_CUDA_UNITTESTS_LIBRARY_H

#include "DriverApi.h"
#include "gtest/gtest.h"
#include <string>
#include <vector>

namespace drawloom::cuda {

struct Library {
#define CU_FUNCTION(name, symbol, since, parameters) Result(*symbol) parameters;
#include "Functions.def"
  const char *(*lastReport)();

  static const Library &get();
};

/// "CUDA_ERROR_INVALID_VALUE", so that failures of tests can be read.
std::string nameOf(Result result);

class CudaTest : public testing::Test {
protected:
  void SetUp() override;
  void TearDown() override;

  const Library &cu = Library::get();

  ModuleState *load(const std::string &body);
  FunctionState *function(const std::string &body, const char *name = "k");
  template <typename T>
  DevicePointer upload(const std::vector<T> &values) {
    DevicePointer address = 0;
    EXPECT_EQ(cu.cuMemAlloc_v2(&address, values.size() * sizeof(T)),
              CUDA_SUCCESS);
    EXPECT_EQ(
        cu.cuMemcpyHtoD_v2(address, values.data(), values.size() * sizeof(T)),
        CUDA_SUCCESS);
    return address;
  }
  template <typename T>
  std::vector<T> download(DevicePointer address, size_t count) {
    std::vector<T> values(count);
    EXPECT_EQ(cu.cuMemcpyDtoH_v2(values.data(), address, count * sizeof(T)),
              CUDA_SUCCESS);
    return values;
  }
};

#define EXPECT_RESULT(call, result)                                            \
  EXPECT_EQ(drawloom::cuda::nameOf(call), #result)
#define EXPECT_OK(call) EXPECT_RESULT(call, CUDA_SUCCESS)

} // namespace drawloom::cuda

#endif // DRAWLOOM_CUDA_UNITTESTS_LIBRARY_H
