//===- RuntimeTest.cpp - The runtime API ----------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FatBinaryWriter.h"
#include "RuntimeLibrary.h"
#include <cstring>
#include <thread>
#include <vector>

using namespace drawloom;
using namespace drawloom::cuda;

using Writer = FatBinaryWriter;

/// out[i] = in[i] * factor for each thread; `factor` is a variable.
static const char *const scaling = R"(.version 8.0
.target sm_90a
.address_size 64
.global .align 4 .u32 factor = 3;
.visible .entry scale(.param .u64 in, .param .u64 out)
{
  .reg .b32 %r<5>;
  .reg .b64 %p<3>, %o;
  ld.param.u64 %p1, [in];
  ld.param.u64 %p2, [out];
  mov.u32 %r1, %tid.x;
  mad.wide.u32 %p1, %r1, 4, %p1;
  mad.wide.u32 %p2, %r1, 4, %p2;
  ld.global.u32 %r2, [%p1];
  ld.global.u32 %r3, [factor];
  mul.lo.u32 %r4, %r2, %r3;
  st.global.u32 [%p2], %r4;
  ret;
}
.visible .entry stray()
{
  .reg .b64 %p;
  mov.u64 %p, 64;
  st.global.u32 [%p], 0;
  ret;
}
)";

// The host's stand-ins: only their addresses count.
static char scaleStub, strayStub, otherStub, factorStub;

class ScalingTest : public RuntimeTest {
protected:
  void SetUp() override {
    void **handle =
        add(Writer()
                .add(Writer::Kind::Ptx, 90, scaling, Writer::Packing::Zstd)
                .str());
    registerKernel(handle, &scaleStub, "scale");
    registerKernel(handle, &strayStub, "stray");
    rt.registerVar(handle, &factorStub, nullptr, "factor", 0, 4, 0, 0);
    rt.registerFatBinaryEnd(handle);
  }
  /// The stub that nvcc makes of `scale<<<1, 4>>>(in, out)`.
  Error launch(void *in, void *out, Dim3 block = {4, 1, 1}) {
    rt.pushCallConfiguration({1, 1, 1}, block, 0, nullptr);
    KernelState *kernel = nullptr;
    rt.getKernel(&kernel, &scaleStub);
    Dim3 grid, popped;
    size_t shared = 1;
    StreamState *stream = nullptr;
    EXPECT_FINE(rt.popCallConfiguration(&grid, &popped, &shared, &stream));
    void *parameters[] = {&in, &out};
    return rt.launchKernel(kernel, grid, popped, parameters, shared, stream);
  }
};

TEST_F(ScalingTest, AProgramAsNvccMakesIt) {
  std::vector<uint32_t> values = {1, 2, 3, 4}, results(4);
  void *in = nullptr, *out = nullptr;
  EXPECT_FINE(rt.cudaMalloc(&in, 16));
  EXPECT_FINE(rt.cudaMalloc(&out, 16));
  EXPECT_FINE(rt.cudaMemcpy(in, values.data(), 16, CopyKind::HostToDevice));
  EXPECT_FINE(launch(in, out));
  EXPECT_FINE(rt.cudaMemcpy(results.data(), out, 16, CopyKind::DeviceToHost));
  EXPECT_EQ(results, (std::vector<uint32_t>{3, 6, 9, 12}));

  uint32_t factor = 5;
  EXPECT_FINE(rt.cudaMemcpyToSymbol(&factorStub, &factor, 4, 0,
                                    CopyKind::HostToDevice));
  EXPECT_FINE(launch(in, out));
  EXPECT_FINE(rt.cudaMemcpy(results.data(), out, 16, CopyKind::Default));
  EXPECT_EQ(results, (std::vector<uint32_t>{5, 10, 15, 20}));
  factor = 0;
  EXPECT_FINE(rt.cudaMemcpyFromSymbol(&factor, &factorStub, 4, 0,
                                      CopyKind::DeviceToHost));
  EXPECT_EQ(factor, 5u);
  EXPECT_ERROR(
      rt.cudaMemcpyToSymbol(&factorStub, &factor, 4, 1, CopyKind::HostToDevice),
      cudaErrorInvalidValue);
  EXPECT_ERROR(
      rt.cudaMemcpyToSymbol(&scaleStub, &factor, 4, 0, CopyKind::HostToDevice),
      cudaErrorInvalidSymbol);
  size_t size = 0;
  EXPECT_FINE(rt.cudaGetSymbolSize(&size, &factorStub));
  EXPECT_EQ(size, 4u);
  EXPECT_FINE(rt.cudaFree(in));
  EXPECT_FINE(rt.cudaFree(out));
}

TEST_F(ScalingTest, LaunchesWithAttributes) {
  std::vector<uint32_t> values = {7, 8}, results(2);
  void *in = nullptr, *out = nullptr;
  EXPECT_FINE(rt.cudaMalloc(&in, 8));
  EXPECT_FINE(rt.cudaMalloc(&out, 8));
  EXPECT_FINE(rt.cudaMemcpy(in, values.data(), 8, CopyKind::HostToDevice));
  LaunchAttribute attributes[2] = {};
  attributes[0].id = LaunchClusterDimension;
  attributes[0].value.clusterDim[0] = 2;
  attributes[0].value.clusterDim[1] = attributes[0].value.clusterDim[2] = 1;
  attributes[1].id = LaunchProgrammaticStreamSerialization;
  attributes[1].value.flag = 1;
  RuntimeLaunchConfig config = {{2, 1, 1}, {2, 1, 1},  0,
                                nullptr,   attributes, 2};
  void *parameters[] = {&in, &out};
  EXPECT_FINE(rt.cudaLaunchKernelExC(&config, &scaleStub, parameters));
  EXPECT_FINE(rt.cudaMemcpy(results.data(), out, 8, CopyKind::DeviceToHost));
  EXPECT_EQ(results, (std::vector<uint32_t>{21, 24}));
  int clusters = 0;
  EXPECT_FINE(
      rt.cudaOccupancyMaxActiveClusters(&clusters, &scaleStub, &config));
  EXPECT_GT(clusters, 0);
  config.grid.x = 3;
  EXPECT_ERROR(rt.cudaLaunchKernelExC(&config, &scaleStub, parameters),
               cudaErrorInvalidValue);
  attributes[0].value.clusterDim[0] = 16;
  config.grid.x = 16;
  EXPECT_ERROR(rt.cudaLaunchKernelExC(&config, &scaleStub, parameters),
               cudaErrorInvalidClusterSize);
  EXPECT_FINE(rt.cudaFree(in));
  EXPECT_FINE(rt.cudaFree(out));
}

TEST_F(ScalingTest, Functions) {
  FunctionAttributes attributes;
  EXPECT_FINE(rt.cudaFuncGetAttributes(&attributes, &scaleStub));
  EXPECT_EQ(attributes.maxThreadsPerBlock, 1024);
  EXPECT_EQ(attributes.ptxVersion, 90);
  EXPECT_FINE(
      rt.cudaFuncSetAttribute(&scaleStub, FunctionMaxDynamicShared, 200000));
  EXPECT_FINE(rt.cudaFuncGetAttributes(&attributes, &scaleStub));
  EXPECT_EQ(attributes.maxDynamicSharedSizeBytes, 200000);
  EXPECT_ERROR(
      rt.cudaFuncSetAttribute(&scaleStub, FunctionMaxDynamicShared, 300000),
      cudaErrorInvalidValue);
  const char *name = nullptr;
  EXPECT_FINE(rt.cudaFuncGetName(&name, &scaleStub));
  EXPECT_STREQ(name, "scale");
  size_t offset = 0, size = 0;
  EXPECT_FINE(rt.cudaFuncGetParamInfo(&scaleStub, 1, &offset, &size));
  EXPECT_EQ(offset, 8u);
  int count = 0;
  EXPECT_FINE(rt.cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &count, &scaleStub, 1024, 0));
  EXPECT_EQ(count, 2);
  // 228 KiB of an SM, less 1 KiB that the system takes of each CTA.
  EXPECT_FINE(
      rt.cudaOccupancyAvailableDynamicSMemPerBlock(&size, &scaleStub, 2, 128));
  EXPECT_EQ(size, size_t(113) << 10);
  FunctionState *function = nullptr;
  EXPECT_FINE(rt.cudaGetFuncBySymbol(&function, &scaleStub));
  EXPECT_NE(function, nullptr);
  EXPECT_ERROR(rt.cudaFuncGetAttributes(&attributes, &otherStub),
               cudaErrorInvalidDeviceFunction);
  EXPECT_ERROR(rt.cudaFuncGetAttributes(&attributes, nullptr),
               cudaErrorInvalidDeviceFunction);
}

TEST_F(ScalingTest, BadLaunchesAreRejectedWithAReason) {
  auto words = [&](auto call) {
    testing::internal::CaptureStderr();
    EXPECT_NE(call(), cudaSuccess);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(words([&] { return launch(nullptr, nullptr, {2048, 1, 1}); }),
            "drawloom: a block of (2048, 1, 1) = 2048 threads; 1 to 1024 are "
            "possible\n");
  EXPECT_ERROR(rt.cudaGetLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(words([&] { return launch(nullptr, nullptr, {1, 1, 65}); }),
            "drawloom: a block of (1, 1, 65) threads; its third dimension can "
            "be 64\n");
  EXPECT_ERROR(rt.cudaGetLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(words([&] {
              return rt.cudaLaunchKernel(&strayStub, {1, 1, 1}, {1, 1, 1},
                                         nullptr, size_t(1) << 40, nullptr);
            }),
            "drawloom: 1099511627776 bytes of dynamic shared memory are more "
            "than any device has\n");
  EXPECT_EQ(words([&] {
              return rt.cudaLaunchKernelExC(nullptr, &strayStub, nullptr);
            }),
            "drawloom: cudaLaunchKernelExC without a configuration\n");
  EXPECT_EQ(words([&] {
              return rt.cudaLaunchKernel(nullptr, {1, 1, 1}, {1, 1, 1}, nullptr,
                                         0, nullptr);
            }),
            "drawloom: a kernel at null\n");
}

TEST_F(RuntimeTest, AKernelThatThePtxDoesNotHave) {
  void **handle =
      add(Writer()
              .add(Writer::Kind::Ptx, 90, scaling, Writer::Packing::Zstd)
              .str());
  registerKernel(handle, &otherStub, "missing");
  testing::internal::CaptureStderr();
  EXPECT_ERROR(rt.cudaLaunchKernel(&otherStub, {1, 1, 1}, {1, 1, 1}, nullptr, 0,
                                   nullptr),
               cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "drawloom: the PTX of the program has no kernel 'missing'\n");
}

TEST_F(RuntimeTest, ChannelsAreDescribed) {
  ChannelDescription channels = rt.createChannelDesc(32, 16, 8, 4, 2);
  EXPECT_EQ(channels.x, 32);
  EXPECT_EQ(channels.y, 16);
  EXPECT_EQ(channels.z, 8);
  EXPECT_EQ(channels.w, 4);
  EXPECT_EQ(channels.kind, 2);
}

TEST_F(RuntimeTest, NothingIsCaptured) {
  int status = -1;
  EXPECT_FINE(rt.cudaStreamGetCaptureInfo(nullptr, &status, nullptr, nullptr,
                                          nullptr, nullptr, nullptr));
  EXPECT_EQ(status, 0);
}

TEST_F(ScalingTest, BadLaunches) {
  EXPECT_ERROR(launch(nullptr, nullptr, {0, 1, 1}),
               cudaErrorInvalidConfiguration);
  EXPECT_ERROR(launch(nullptr, nullptr, {32, 32, 2}),
               cudaErrorInvalidConfiguration);
  EXPECT_ERROR(rt.cudaLaunchKernel(&otherStub, {1, 1, 1}, {1, 1, 1}, nullptr, 0,
                                   nullptr),
               cudaErrorInvalidDeviceFunction);
  EXPECT_ERROR(rt.cudaLaunchKernel(&strayStub, {1, 1, 1}, {1, 1, 1}, nullptr,
                                   size_t(1) << 40, nullptr),
               cudaErrorInvalidValue);
  Dim3 dim;
  size_t shared;
  StreamState *stream;
  EXPECT_ERROR(rt.popCallConfiguration(&dim, &dim, &shared, &stream),
               cudaErrorMissingConfiguration);
}

TEST_F(RuntimeTest, LastErrors) {
  EXPECT_FINE(rt.cudaGetLastError());
  EXPECT_ERROR(rt.cudaSetDevice(1), cudaErrorInvalidDevice);
  EXPECT_ERROR(rt.cudaPeekAtLastError(), cudaErrorInvalidDevice);
  // Each thread has its own.
  std::thread([&] { EXPECT_FINE(rt.cudaGetLastError()); }).join();
  EXPECT_FINE(rt.cudaSetDevice(0));
  EXPECT_ERROR(rt.cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT_FINE(rt.cudaGetLastError());
  EXPECT_STREQ(rt.errorString(cudaErrorInvalidValue), "invalid argument");
  EXPECT_STREQ(rt.errorName(Error(12345)), "unrecognized error code");
  // What the driver answers has a name here.
#define CU_RESULT(name, number, text)                                          \
  EXPECT_STRNE(rt.errorName(Error(number)), "unrecognized error code") << #name;
#include "Results.def"
}

TEST_F(RuntimeTest, ProgramsWithoutPtxForTheDevice) {
  void **handle = add(Writer().add(Writer::Kind::Cubin, 90, "code").str());
  registerKernel(handle, &otherStub, "_Z1kIfEvT_");
  testing::internal::CaptureStderr();
  KernelState *kernel = nullptr;
  EXPECT_ERROR(rt.getKernel(&kernel, &otherStub),
               cudaErrorNoKernelImageForDevice);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "drawloom: the module has no PTX for sm_90a; it has SASS "
            "for sm_90; compile with -gencode "
            "arch=compute_90a,code=compute_90a\n"
            "drawloom: so the kernel 'void k<float>(float)' can't run; if it "
            "is a library's, compute it on the CPU\n");
  // It is said once.
  testing::internal::CaptureStderr();
  EXPECT_ERROR(rt.getKernel(&kernel, &otherStub),
               cudaErrorNoKernelImageForDevice);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  // The stub launches what it got.
  EXPECT_ERROR(
      rt.launchKernel(kernel, {1, 1, 1}, {1, 1, 1}, nullptr, 0, nullptr),
      cudaErrorNoKernelImageForDevice);
  EXPECT_ERROR(rt.cudaGetLastError(), cudaErrorNoKernelImageForDevice);
}

TEST_F(RuntimeTest, DamagedPrograms) {
  std::string damaged =
      Writer().add(Writer::Kind::Ptx, 90, writerOf("sm_90a", 1)).str();
  patch(damaged, 20, 3, 4);
  registerKernel(add(damaged), &otherStub, "k");
  KernelState *kernel = nullptr;
  EXPECT_ERROR(rt.getKernel(&kernel, &otherStub), cudaErrorInvalidKernelImage);
  registerKernel(add(Writer()
                         .add(Writer::Kind::Ptx, 90,
                              ".version 8.0\n.target sm_90a\n.address_size 64\n"
                              ".visible .entry k() { add.s32; }\n")
                         .str()),
                 &otherStub, "k");
  EXPECT_ERROR(rt.getKernel(&kernel, &otherStub), cudaErrorInvalidPtx);
}

TEST_F(RuntimeTest, Memory) {
  void *pointer = nullptr;
  size_t pitch = 0;
  EXPECT_FINE(rt.cudaMalloc(&pointer, 0));
  EXPECT_EQ(pointer, nullptr);
  EXPECT_FINE(rt.cudaFree(nullptr));
  EXPECT_FINE(rt.cudaMallocPitch(&pointer, &pitch, 100, 3));
  EXPECT_EQ(pitch, 512u);
  PointerAttributes attributes;
  EXPECT_FINE(rt.cudaPointerGetAttributes(&attributes, pointer));
  EXPECT_EQ(attributes.type, 2);
  EXPECT_FINE(rt.cudaPointerGetAttributes(&attributes, &pitch));
  EXPECT_EQ(attributes.type, 0);

  std::vector<char> matrix(12), back(12, 1);
  for (char &value : matrix)
    value = char(&value - matrix.data());
  EXPECT_FINE(rt.cudaMemset2D(pointer, pitch, 9, 100, 3));
  EXPECT_FINE(rt.cudaMemcpy2D(pointer, pitch, matrix.data(), 4, 4, 3,
                              CopyKind::HostToDevice));
  EXPECT_FINE(rt.cudaMemcpy2D(back.data(), 4, pointer, pitch, 4, 3,
                              CopyKind::DeviceToHost));
  EXPECT_EQ(back, matrix);
  char ninth = 0;
  EXPECT_FINE(rt.cudaMemcpy(&ninth, static_cast<char *>(pointer) + pitch + 4, 1,
                            CopyKind::Default));
  EXPECT_EQ(ninth, 9);
  EXPECT_ERROR(rt.cudaMemcpy(back.data(), pointer, 12, CopyKind::HostToDevice),
               cudaErrorInvalidValue);
  EXPECT_ERROR(rt.cudaMemcpy(back.data(), pointer, 12, CopyKind(7)),
               cudaErrorInvalidMemcpyDirection);
  EXPECT_FINE(rt.cudaFree(pointer));
  EXPECT_ERROR(rt.cudaFree(pointer), cudaErrorInvalidValue);

  EXPECT_FINE(rt.cudaMallocHost(&pointer, 64));
  EXPECT_FINE(rt.cudaFreeHost(pointer));
  EXPECT_FINE(rt.cudaHostRegister(matrix.data(), 12, 0));
  EXPECT_ERROR(rt.cudaHostRegister(matrix.data(), 12, 0),
               cudaErrorHostMemoryAlreadyRegistered);
  EXPECT_FINE(rt.cudaHostUnregister(matrix.data()));
  EXPECT_ERROR(rt.cudaHostUnregister(matrix.data()),
               cudaErrorHostMemoryNotRegistered);

  EXPECT_FINE(rt.cudaMallocManaged(&pointer, 64, 1));
  memset(pointer, 5, 64);
  EXPECT_FINE(rt.cudaMemPrefetchAsync(pointer, 64, {1, 0}, 0, nullptr));
  EXPECT_FINE(rt.cudaMemAdvise(pointer, 64, 1, {1, 0}));
  EXPECT_FINE(rt.cudaStreamAttachMemAsync(nullptr, pointer, 0, 4));
  EXPECT_FINE(rt.cudaPointerGetAttributes(&attributes, pointer));
  EXPECT_EQ(attributes.type, memoryTypeManaged);
  EXPECT_EQ(attributes.hostPointer, pointer);
  EXPECT_FINE(rt.cudaFree(pointer));
}

TEST_F(RuntimeTest, StreamsAndEvents) {
  StreamState *stream = nullptr;
  EventState *start = nullptr, *end = nullptr;
  EXPECT_FINE(rt.cudaStreamCreate(&stream));
  EXPECT_FINE(rt.cudaEventCreate(&start));
  EXPECT_FINE(rt.cudaEventCreate(&end));
  EXPECT_FINE(rt.cudaEventRecord(start, stream));
  EXPECT_FINE(rt.cudaEventRecord(end, stream));
  EXPECT_FINE(rt.cudaStreamWaitEvent(stream, end, 0));
  float milliseconds = -1;
  EXPECT_FINE(rt.cudaEventElapsedTime(&milliseconds, start, end));
  EXPECT_GE(milliseconds, 0);
  int called = 0;
  EXPECT_FINE(rt.cudaStreamAddCallback(
      stream,
      [](StreamState *, Error status, void *data) {
        *static_cast<int *>(data) = status == cudaSuccess;
      },
      &called, 0));
  EXPECT_EQ(called, 1);
  EXPECT_FINE(rt.cudaStreamDestroy(stream));
  EXPECT_ERROR(rt.cudaStreamSynchronize(stream),
               cudaErrorInvalidResourceHandle);
  EXPECT_FINE(rt.cudaEventDestroy(start));
  EXPECT_FINE(rt.cudaEventDestroy(end));
}

TEST_F(RuntimeTest, GraphsAreRejected) {
  testing::internal::CaptureStderr();
  EXPECT_ERROR(rt.cudaStreamBeginCapture(nullptr), cudaErrorNotSupported);
  EXPECT_ERROR(rt.cudaGraphCreate(nullptr), cudaErrorNotSupported);
  EXPECT_ERROR(rt.cudaGetLastError(), cudaErrorNotSupported);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "drawloom: cudaStreamBeginCapture: the emulator doesn't do that\n"
            "drawloom: cudaGraphCreate: the emulator doesn't do that\n");
  // It is said once.
  testing::internal::CaptureStderr();
  EXPECT_ERROR(rt.cudaGraphDestroy(nullptr), cudaErrorNotSupported);
  EXPECT_ERROR(rt.cudaGraphDestroy(nullptr), cudaErrorNotSupported);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "drawloom: cudaGraphDestroy: the emulator doesn't do that\n");
  int status = 1;
  EXPECT_FINE(rt.cudaStreamIsCapturing(nullptr, &status));
  EXPECT_EQ(status, 0);
}

TEST_F(RuntimeTest, TheDevice) {
  int count = 0, value = 0, version = 0;
  EXPECT_FINE(rt.cudaGetDeviceCount(&count));
  EXPECT_EQ(count, 1);
  DeviceProperties properties;
  EXPECT_FINE(rt.cudaGetDeviceProperties(&properties, 0));
  EXPECT_EQ(properties.major, 9);
  EXPECT_EQ(properties.multiProcessorCount, 4);
  EXPECT_EQ(properties.maxGridSize[1], 65535);
  EXPECT_EQ(properties.sharedMemPerBlockOptin, size_t(227) << 10);
  EXPECT_EQ(properties.clusterLaunch, 1);
  EXPECT_NE(strstr(properties.name, "H100"), nullptr);
  EXPECT_ERROR(rt.cudaGetDeviceProperties(&properties, 1),
               cudaErrorInvalidDevice);
  EXPECT_FINE(rt.cudaDeviceGetAttribute(&value, 16, 0));
  EXPECT_EQ(value, 4);
  EXPECT_FINE(rt.cudaRuntimeGetVersion(&version));
  EXPECT_EQ(version, 13000);
  EXPECT_FINE(rt.cudaDeviceSynchronize());
}

TEST_F(RuntimeTest, EntryPointsOfTheDriver) {
  void *address = nullptr;
  int status = -1;
  EXPECT_FINE(rt.cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled",
                                                  &address, 12000, 0, &status));
  EXPECT_NE(address, nullptr);
  EXPECT_EQ(status, ProcFound);
  EXPECT_FINE(rt.cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled",
                                                  &address, 11000, 0, &status));
  EXPECT_EQ(status, ProcVersionTooLow);
  EXPECT_FINE(rt.cudaGetDriverEntryPoint("cuNoSuch", &address, 0, &status));
  EXPECT_EQ(address, nullptr);
  EXPECT_EQ(status, ProcNotFound);
}

// Last, because the context stays as the kernel left it.
TEST_F(ScalingTest, ZErrorsComeOutOfLaterCalls) {
  EXPECT_FINE(rt.cudaLaunchKernel(&strayStub, {1, 1, 1}, {1, 1, 1}, nullptr, 0,
                                  nullptr));
  EXPECT_ERROR(rt.cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_ERROR(rt.cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_ERROR(rt.cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_FINE(rt.cudaDeviceReset());
  EXPECT_FINE(rt.cudaDeviceSynchronize());
}
