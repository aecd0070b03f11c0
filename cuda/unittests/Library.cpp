//===- Library.cpp - libcuda.so.1, as a program sees it -------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Library.h"
#include <cstdlib>
#include <dlfcn.h>

using namespace drawloom;
using namespace drawloom::cuda;

static Library open() {
  setenv("DRAWLOOM_DEVICE", "h100", 1);
  setenv("DRAWLOOM_SMS", "4", 1);
  Library library = {};
  void *handle = dlopen(DRAWLOOM_LIBCUDA, RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(handle, nullptr) << dlerror();
  if (!handle)
    abort();
#define CU_FUNCTION(name, symbol, since, parameters)                           \
  library.symbol =                                                             \
      reinterpret_cast<decltype(library.symbol)>(dlsym(handle, #symbol));      \
  EXPECT_NE(library.symbol, nullptr) << #symbol;
#include "Functions.def"
  library.lastReport = reinterpret_cast<decltype(library.lastReport)>(
      dlsym(handle, "drawloomLastReport"));
  return library;
}

const Library &Library::get() {
  static Library library = open();
  return library;
}

std::string cuda::nameOf(Result result) {
  const char *text = nullptr;
  Library::get().cuGetErrorName(result, &text);
  return text ? text : std::to_string(result);
}

void CudaTest::SetUp() {
  ASSERT_EQ(cu.cuInit(0), CUDA_SUCCESS);
  ContextState *context = nullptr;
  ASSERT_EQ(cu.cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuCtxSetCurrent(context), CUDA_SUCCESS);
}

void CudaTest::TearDown() {
  EXPECT_EQ(cu.cuCtxSetCurrent(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
}

ModuleState *CudaTest::load(const std::string &body) {
  std::string text = ".version 8.0\n.target sm_90a\n.address_size 64\n" + body;
  ModuleState *module = nullptr;
  EXPECT_EQ(cu.cuModuleLoadData(&module, text.c_str()), CUDA_SUCCESS);
  return module;
}

FunctionState *CudaTest::function(const std::string &body, const char *name) {
  FunctionState *function = nullptr;
  EXPECT_EQ(cu.cuModuleGetFunction(&function, load(body), name), CUDA_SUCCESS);
  return function;
}
