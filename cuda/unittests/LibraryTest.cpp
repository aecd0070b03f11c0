//===- LibraryTest.cpp - Libraries and kernels ----------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Library.h"
#include "FatBinaryWriter.h"
#include <cstring>
#include <sys/mman.h>

using namespace drawloom;
using namespace drawloom::cuda;

static const char *const counting = R"(.version 8.0
.target sm_90a
.address_size 64
.global .u32 total = 5;
.visible .entry bump(.param .u32 step)
{
  .reg .b32 %r<3>;
  ld.param.u32 %r1, [step];
  ld.global.u32 %r2, [total];
  add.s32 %r2, %r2, %r1;
  st.global.u32 [total], %r2;
  ret;
}
.visible .entry idle() { ret; }
)";

class LibraryTest : public CudaTest {
protected:
  void SetUp() override {
    CudaTest::SetUp();
    ASSERT_EQ(cu.cuLibraryLoadData(&library, counting, nullptr, nullptr, 0,
                                   nullptr, nullptr, 0),
              CUDA_SUCCESS);
  }
  void TearDown() override {
    EXPECT_OK(cu.cuLibraryUnload(library));
    CudaTest::TearDown();
  }
  KernelState *kernel(const char *name) {
    KernelState *result = nullptr;
    EXPECT_OK(cu.cuLibraryGetKernel(&result, library, name));
    return result;
  }
  uint32_t total() {
    DevicePointer address = 0;
    size_t bytes = 0;
    EXPECT_OK(cu.cuLibraryGetGlobal(&address, &bytes, library, "total"));
    EXPECT_EQ(bytes, 4u);
    return download<uint32_t>(address, 1)[0];
  }
  Result launch(void *function) {
    uint32_t step = 2;
    void *parameters[] = {&step};
    return cu.cuLaunchKernel(static_cast<FunctionState *>(function), 1, 1, 1, 1,
                             1, 1, 0, nullptr, parameters, nullptr);
  }

  LibraryState *library = nullptr;
};

TEST_F(LibraryTest, AKernelIsAFunctionToLaunch) {
  KernelState *bump = kernel("bump");
  EXPECT_OK(launch(bump));
  EXPECT_EQ(total(), 7u);
  FunctionState *function = nullptr;
  EXPECT_OK(cu.cuKernelGetFunction(&function, bump));
  EXPECT_OK(launch(function));
  EXPECT_EQ(total(), 9u);
}

TEST_F(LibraryTest, ContextsHaveTheirOwnVariables) {
  KernelState *bump = kernel("bump");
  EXPECT_OK(launch(bump));
  ContextState *other = nullptr;
  EXPECT_OK(cu.cuCtxCreate_v2(&other, 0, 0));
  EXPECT_EQ(total(), 5u);
  EXPECT_OK(launch(bump));
  EXPECT_OK(launch(bump));
  EXPECT_EQ(total(), 9u);
  EXPECT_OK(cu.cuCtxDestroy_v2(other));
  ContextState *primary = nullptr;
  EXPECT_OK(cu.cuDevicePrimaryCtxRetain(&primary, 0));
  EXPECT_OK(cu.cuCtxSetCurrent(primary));
  EXPECT_OK(cu.cuDevicePrimaryCtxRelease_v2(0));
  EXPECT_EQ(total(), 7u);
}

TEST_F(LibraryTest, Kernels) {
  unsigned count = 0;
  EXPECT_OK(cu.cuLibraryGetKernelCount(&count, library));
  ASSERT_EQ(count, 2u);
  KernelState *kernels[2] = {};
  EXPECT_OK(cu.cuLibraryEnumerateKernels(kernels, 2, library));
  const char *name = nullptr;
  EXPECT_OK(cu.cuKernelGetName(&name, kernels[0]));
  EXPECT_STREQ(name, "bump");
  EXPECT_EQ(kernels[1], kernel("idle"));
  LibraryState *owner = nullptr;
  EXPECT_OK(cu.cuKernelGetLibrary(&owner, kernels[0]));
  EXPECT_EQ(owner, library);
  size_t offset = 1, size = 0;
  EXPECT_OK(cu.cuKernelGetParamInfo(kernels[0], 0, &offset, &size));
  EXPECT_EQ(offset, 0u);
  EXPECT_EQ(size, 4u);
  EXPECT_RESULT(cu.cuKernelGetParamInfo(kernels[0], 1, &offset, &size),
                CUDA_ERROR_INVALID_VALUE);
  int value = 0;
  EXPECT_OK(
      cu.cuKernelSetAttribute(FunctionMaxDynamicShared, 100000, kernels[0], 0));
  EXPECT_OK(
      cu.cuKernelGetAttribute(&value, FunctionMaxDynamicShared, kernels[0], 0));
  EXPECT_EQ(value, 100000);
  EXPECT_OK(cu.cuKernelSetCacheConfig(kernels[0], 0, 0));

  ModuleState *module = nullptr;
  EXPECT_OK(cu.cuLibraryGetModule(&module, library));
  EXPECT_OK(cu.cuModuleGetFunctionCount(&count, module));
  ASSERT_EQ(count, 2u);
  FunctionState *functions[2] = {}, *bump = nullptr;
  EXPECT_OK(cu.cuModuleEnumerateFunctions(functions, 2, module));
  EXPECT_OK(cu.cuModuleGetFunction(&bump, module, "bump"));
  EXPECT_EQ(functions[0], bump);
  EXPECT_RESULT(cu.cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(CudaTest, ManagedVariables) {
  LibraryState *library = nullptr;
  ASSERT_EQ(cu.cuLibraryLoadData(&library, R"(
.version 8.0
.target sm_90a
.address_size 64
.global .attribute(.managed) .align 4 .u32 total[2] = {5, 6};
.visible .entry bump()
{
  .reg .b32 %r;
  ld.global.u32 %r, [total+4];
  add.s32 %r, %r, 10;
  st.global.u32 [total+4], %r;
  ret;
}
)",
                                 nullptr, nullptr, 0, nullptr, nullptr, 0),
            CUDA_SUCCESS);
  DevicePointer address = 0;
  size_t bytes = 0;
  EXPECT_OK(cu.cuLibraryGetManaged(&address, &bytes, library, "total"));
  EXPECT_EQ(bytes, 8u);
  auto *total = reinterpret_cast<uint32_t *>(address);
  EXPECT_EQ(total[0], 5u);
  total[1] = 100;
  KernelState *bump = nullptr;
  EXPECT_OK(cu.cuLibraryGetKernel(&bump, library, "bump"));
  EXPECT_OK(cu.cuLaunchKernel(reinterpret_cast<FunctionState *>(bump), 1, 1, 1,
                              1, 1, 1, 0, nullptr, nullptr, nullptr));
  EXPECT_OK(cu.cuCtxSynchronize());
  EXPECT_EQ(total[1], 110u);
  EXPECT_OK(cu.cuLibraryUnload(library));
  unsigned char inCore;
  EXPECT_EQ(mincore(total, 1, &inCore), -1);
}

TEST_F(LibraryTest, Rejections) {
  KernelState *none = nullptr;
  EXPECT_RESULT(cu.cuLibraryGetKernel(&none, library, "bumps"),
                CUDA_ERROR_NOT_FOUND);
  auto *stale = reinterpret_cast<LibraryState *>(&none);
  EXPECT_RESULT(cu.cuLibraryGetKernel(&none, stale, "bump"),
                CUDA_ERROR_INVALID_HANDLE);
  EXPECT_RESULT(cu.cuLibraryUnload(stale), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_RESULT(launch(stale), CUDA_ERROR_INVALID_HANDLE);
  DevicePointer address = 0;
  EXPECT_RESULT(cu.cuLibraryGetGlobal(&address, nullptr, library, "sum"),
                CUDA_ERROR_NOT_FOUND);
  EXPECT_RESULT(cu.cuLibraryGetManaged(&address, nullptr, library, "total"),
                CUDA_ERROR_NOT_FOUND);
  LibraryState *other = nullptr;
  EXPECT_RESULT(cu.cuLibraryLoadFromFile(&other, "/nowhere/k.fatbin", nullptr,
                                         nullptr, 0, nullptr, nullptr, 0),
                CUDA_ERROR_FILE_NOT_FOUND);
  char log[256] = {};
  int options[] = {JitErrorLog, JitErrorLogSize};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log))};
  EXPECT_RESULT(cu.cuLibraryLoadData(&other, "nonsense", options, values, 2,
                                     nullptr, nullptr, 0),
                CUDA_ERROR_INVALID_PTX);
  EXPECT_NE(strstr(log, "module.ptx:1:1"), nullptr) << log;
}

TEST_F(CudaTest, AKernelOfALibraryThatIsGone) {
  LibraryState *library = nullptr;
  KernelState *bump = nullptr;
  EXPECT_OK(cu.cuLibraryLoadData(&library, counting, nullptr, nullptr, 0,
                                 nullptr, nullptr, 0));
  EXPECT_OK(cu.cuLibraryGetKernel(&bump, library, "bump"));
  EXPECT_OK(cu.cuLibraryUnload(library));
  const char *name = nullptr;
  EXPECT_RESULT(cu.cuKernelGetName(&name, bump), CUDA_ERROR_INVALID_HANDLE);
  int value = 0;
  EXPECT_RESULT(cu.cuKernelGetAttribute(&value, FunctionRegisters, bump, 0),
                CUDA_ERROR_INVALID_HANDLE);
}
