//===- LookupTest.cpp - Functions by name, results as text ---------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Library.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace drawloom::cuda;

TEST(CudaLookup, ByNameAndVersion) {
  const Library &cu = Library::get();
  void *address = nullptr;
  int status = -1;
  EXPECT_OK(cu.cuGetProcAddress_v2("cuMemAlloc", &address, 12000, 0, &status));
  EXPECT_EQ(address, reinterpret_cast<void *>(cu.cuMemAlloc_v2));
  EXPECT_EQ(status, ProcFound);
  // The newest that the program knows.
  EXPECT_OK(cu.cuGetProcAddress_v2("cuCtxCreate", &address, 11030, 0, nullptr));
  EXPECT_EQ(address, reinterpret_cast<void *>(cu.cuCtxCreate_v2));
  EXPECT_OK(cu.cuGetProcAddress_v2("cuCtxCreate", &address, 12000, 0, nullptr));
  EXPECT_EQ(address, reinterpret_cast<void *>(cu.cuCtxCreate_v3));
  EXPECT_OK(cu.cuGetProcAddress_v2("cuCtxCreate", &address, 13000, 0, nullptr));
  EXPECT_EQ(address, reinterpret_cast<void *>(cu.cuCtxCreate_v4));
  EXPECT_RESULT(cu.cuGetProcAddress_v2("cuTensorMapEncodeTiled", &address,
                                       11080, 0, &status),
                CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(status, ProcVersionTooLow);
  EXPECT_EQ(address, nullptr);
  EXPECT_RESULT(
      cu.cuGetProcAddress_v2("cuNoSuchCall", &address, 13000, 0, &status),
      CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(status, ProcNotFound);
  EXPECT_OK(cu.cuGetProcAddress("cuInit", &address, 11030, 0));
  EXPECT_EQ(address, reinterpret_cast<void *>(cu.cuInit));
}

TEST(CudaLookup, FoundAndRejected) {
  const Library &cu = Library::get();
  for (const char *name : {"cuStreamBeginCapture", "cuGraphCreate",
                           "cuGraphLaunch", "cuTensorMapEncodeIm2colWide"}) {
    void *address = nullptr;
    EXPECT_OK(cu.cuGetProcAddress_v2(name, &address, 13000, 0, nullptr));
    testing::internal::CaptureStderr();
    EXPECT_RESULT(reinterpret_cast<Result (*)(void *)>(address)(nullptr),
                  CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              std::string("drawloom: ") + name +
                  ": the emulator doesn't do that\n");
    // It is said once.
    testing::internal::CaptureStderr();
    EXPECT_RESULT(reinterpret_cast<Result (*)(void *)>(address)(nullptr),
                  CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  }
}

TEST(CudaLookup, ThereAreNoExportTables) {
  const Library &cu = Library::get();
  char id[16] = {};
  const void *table = id;
  testing::internal::CaptureStderr();
  EXPECT_RESULT(cu.cuGetExportTable(&table, id), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(table, nullptr);
  // The library that asks is named, once.
  EXPECT_RESULT(cu.cuGetExportTable(&table, id), CUDA_ERROR_NOT_FOUND);
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(llvm::StringRef(said).starts_with("drawloom: '")) << said;
  EXPECT_TRUE(llvm::StringRef(said).ends_with(
      "CudaTests' has NVIDIA's CUDA runtime linked into it, which wants tables "
      "of the driver that aren't documented and can't run on the emulator; if "
      "it is yours, relink it with nvcc -cudart shared\n"))
      << said;
  EXPECT_EQ(llvm::count(said, '\n'), 1);
}

TEST(CudaLookup, NothingIsLogged) {
  const Library &cu = Library::get();
  const void *handle = nullptr;
  EXPECT_OK(cu.cuLogsRegisterCallback(&cu, nullptr, &handle));
  EXPECT_OK(cu.cuLogsUnregisterCallback(handle));
  EXPECT_RESULT(cu.cuLogsRegisterCallback(nullptr, nullptr, &handle),
                CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(cu.cuLogsUnregisterCallback(nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(CudaTest, NothingIsCaptured) {
  int status = -1;
  EXPECT_OK(cu.cuStreamGetCaptureInfo(nullptr, &status, nullptr));
  EXPECT_EQ(status, 0);
  status = -1;
  EXPECT_OK(cu.cuStreamGetCaptureInfo_v2(nullptr, &status, nullptr, nullptr,
                                         nullptr, nullptr));
  EXPECT_EQ(status, 0);
  status = -1;
  EXPECT_OK(cu.cuStreamGetCaptureInfo_v3(nullptr, &status, nullptr, nullptr,
                                         nullptr, nullptr, nullptr));
  EXPECT_EQ(status, 0);
}

TEST_F(CudaTest, WhatAContextIsAskedByItsHandle) {
  ContextState *context = nullptr;
  EXPECT_OK(cu.cuCtxGetCurrent(&context));
  DeviceHandle device = -1;
  EXPECT_OK(cu.cuCtxGetDevice_v2(&device, context));
  EXPECT_EQ(device, 0);
  EXPECT_OK(cu.cuCtxSynchronize_v2(context));
  int number = 0;
  auto *stale = reinterpret_cast<ContextState *>(&number);
  EXPECT_RESULT(cu.cuCtxGetDevice_v2(&device, stale),
                CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_RESULT(cu.cuCtxSynchronize_v2(stale), CUDA_ERROR_INVALID_CONTEXT);
  void *green = &number;
  EXPECT_OK(cu.cuStreamGetCtx_v2(nullptr, &context, &green));
  EXPECT_EQ(green, nullptr);
}

TEST(CudaLookup, ResultsAsText) {
  const Library &cu = Library::get();
  const char *text = nullptr;
  EXPECT_OK(cu.cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
  EXPECT_STREQ(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_OK(cu.cuGetErrorString(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
  EXPECT_STREQ(text, "the kernel used an illegal address");
  EXPECT_RESULT(cu.cuGetErrorName(Result(12345), &text),
                CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(text, nullptr);
}
