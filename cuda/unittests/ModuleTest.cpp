//===- ModuleTest.cpp - Modules and functions -----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Library.h"
#include <cstring>

using namespace drawloom::cuda;

static const char *const plain = R"(
.global .u32 table[4] = {1, 2, 3, 4};
.visible .entry k(.param .u64 out, .param .align 64 .b8 map[128], .param .u32 n)
.reqntid 64
{
  .reg .b32 %r;
  .shared .b8 buffer[256];
  mov.u32 %r, buffer;
  ret;
}
)";

TEST_F(CudaTest, FunctionsAndVariables) {
  ModuleState *module = load(plain);
  FunctionState *k = nullptr, *none = nullptr;
  EXPECT_OK(cu.cuModuleGetFunction(&k, module, "k"));
  EXPECT_RESULT(cu.cuModuleGetFunction(&none, module, "l"),
                CUDA_ERROR_NOT_FOUND);
  int value = 0;
  EXPECT_OK(cu.cuFuncGetAttribute(&value, FunctionMaxThreadsPerBlock, k));
  EXPECT_EQ(value, 64);
  EXPECT_OK(cu.cuFuncGetAttribute(&value, FunctionSharedBytes, k));
  EXPECT_EQ(value, 256);
  EXPECT_OK(cu.cuFuncGetAttribute(&value, FunctionMaxDynamicShared, k));
  EXPECT_EQ(value, (48 << 10) - 256);
  EXPECT_RESULT(
      cu.cuFuncSetAttribute(k, FunctionMaxDynamicShared, (227 << 10) - 255),
      CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(
      cu.cuFuncSetAttribute(k, FunctionMaxDynamicShared, (227 << 10) - 256));
  size_t offset = 0, size = 0;
  EXPECT_OK(cu.cuFuncGetParamInfo(k, 1, &offset, &size));
  EXPECT_EQ(offset, 64u);
  EXPECT_EQ(size, 128u);
  EXPECT_RESULT(cu.cuFuncGetParamInfo(k, 3, &offset, &size),
                CUDA_ERROR_INVALID_VALUE);
  const char *name = nullptr;
  EXPECT_OK(cu.cuFuncGetName(&name, k));
  EXPECT_STREQ(name, "k");

  DevicePointer table = 0;
  EXPECT_OK(cu.cuModuleGetGlobal_v2(&table, &size, module, "table"));
  EXPECT_EQ(size, 16u);
  EXPECT_EQ(download<uint32_t>(table, 4), (std::vector<uint32_t>{1, 2, 3, 4}));
  EXPECT_OK(cu.cuModuleUnload(module));
  EXPECT_RESULT(cu.cuFuncGetAttribute(&value, 0, k), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_RESULT(cu.cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(CudaTest, ErrorsInPtxGoToTheLog) {
  const char *text = ".version 8.0\n.target sm_90a\n.address_size 64\n"
                     ".visible .entry k() { add.s32 %r1, %r2, %r3; }\n";
  char log[512] = {};
  int options[] = {JitErrorLog, JitErrorLogSize};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log))};
  ModuleState *module = nullptr;
  EXPECT_RESULT(cu.cuModuleLoadDataEx(&module, text, 2, options, values),
                CUDA_ERROR_INVALID_PTX);
  EXPECT_NE(strstr(log, "module.ptx:4:"), nullptr) << log;
  EXPECT_EQ(reinterpret_cast<size_t>(values[1]), strlen(log));

  char small[8];
  values[0] = small;
  values[1] = reinterpret_cast<void *>(sizeof(small));
  EXPECT_RESULT(cu.cuModuleLoadDataEx(&module, text, 2, options, values),
                CUDA_ERROR_INVALID_PTX);
  EXPECT_STREQ(small, std::string(log, 7).c_str());
}

TEST_F(CudaTest, ModulesThatAreNotForHere) {
  char log[512] = {};
  int options[] = {JitErrorLog, JitErrorLogSize};
  auto reject = [&](const char *image) {
    void *values[] = {log, reinterpret_cast<void *>(sizeof(log))};
    ModuleState *module = nullptr;
    return cu.cuModuleLoadDataEx(&module, image, 2, options, values);
  };
  EXPECT_RESULT(reject("\x7f"
                       "ELF..."),
                CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_STREQ(log, "the module is a cubin, SASS without PTX; the "
                    "emulator runs PTX: compile with -gencode "
                    "arch=compute_90a,code=compute_90a");
  EXPECT_RESULT(reject(""), CUDA_ERROR_INVALID_PTX);
  EXPECT_RESULT(reject(".version 8.6\n.target sm_100a\n.address_size 64\n"
                       ".visible .entry k() { ret; }\n"),
                CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_STREQ(log, "the module is for sm_100a; the device is sm_90a "
                    "(DRAWLOOM_DEVICE chooses another)");
  ModuleState *module = nullptr;
  EXPECT_RESULT(cu.cuModuleLoad(&module, "/nowhere/k.ptx"),
                CUDA_ERROR_FILE_NOT_FOUND);
}
