//===- LaunchTest.cpp - Kernels through the driver ------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Library.h"
#include <numeric>

using namespace drawloom::cuda;

static const char *const vectorAdd = R"(
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 d, .param .u32 n) {
  .reg .pred %p;
  .reg .b32 %r<5>;
  .reg .b64 %rd<8>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r1, %r1, %r2, %r3;
  ld.param.u32 %r2, [n];
  setp.ge.u32 %p, %r1, %r2;
  @%p bra done;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  ld.param.u64 %rd3, [d];
  mul.wide.u32 %rd4, %r1, 4;
  add.u64 %rd1, %rd1, %rd4;
  add.u64 %rd2, %rd2, %rd4;
  add.u64 %rd3, %rd3, %rd4;
  ld.global.u32 %r2, [%rd1];
  ld.global.u32 %r3, [%rd2];
  add.u32 %r4, %r2, %r3;
  st.global.u32 [%rd3], %r4;
done:
  ret;
}
)";

TEST_F(CudaTest, VectorAdd) {
  FunctionState *k = function(vectorAdd);
  std::vector<uint32_t> values(1000);
  std::iota(values.begin(), values.end(), 0);
  DevicePointer a = upload(values), b = upload(values), d = upload(values);
  unsigned n = values.size();
  void *parameters[] = {&a, &b, &d, &n};
  EXPECT_OK(cu.cuLaunchKernel(k, 8, 1, 1, 128, 1, 1, 0, nullptr, parameters,
                              nullptr));
  for (uint32_t &value : values)
    value *= 2;
  EXPECT_EQ(download<uint32_t>(d, n), values);

  // The same, with the parameters in one buffer.
  struct {
    DevicePointer a, b, d;
    unsigned n;
  } buffer = {d, d, a, n};
  size_t size = 28;
  void *extra[] = {reinterpret_cast<void *>(1), &buffer,
                   reinterpret_cast<void *>(2), &size, nullptr};
  EXPECT_OK(
      cu.cuLaunchKernel(k, 8, 1, 1, 128, 1, 1, 0, nullptr, nullptr, extra));
  EXPECT_EQ(download<uint32_t>(a, n)[999], 4u * 999);
  size = 27;
  EXPECT_RESULT(
      cu.cuLaunchKernel(k, 8, 1, 1, 128, 1, 1, 0, nullptr, nullptr, extra),
      CUDA_ERROR_INVALID_VALUE);
}

TEST_F(CudaTest, AKernelThatFailsSpoilsItsContext) {
  FunctionState *k = function(vectorAdd);
  DevicePointer a = upload(std::vector<uint32_t>(8)), none = 64;
  unsigned n = 8;
  void *parameters[] = {&a, &none, &a, &n};
  // The launch is fine; what it does comes out later.
  EXPECT_OK(
      cu.cuLaunchKernel(k, 1, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr));
  EXPECT_RESULT(cu.cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_NE(strstr(cu.lastReport(), "line 24, CTA (0, 0, 0), warp 0"), nullptr)
      << cu.lastReport();
  EXPECT_RESULT(cu.cuMemAlloc_v2(&a, 16), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_OK(cu.cuDevicePrimaryCtxReset_v2(0));
  EXPECT_OK(cu.cuMemAlloc_v2(&a, 16));
}

TEST_F(CudaTest, LaunchesThatCannotBe) {
  FunctionState *k = function(R"(
.visible .entry k() .reqntid 64 {
  .reg .b32 %r;
  .shared .b8 buffer[1024];
  mov.u32 %r, buffer;
  ret;
}
)");
  auto launch = [&](unsigned threads, unsigned shared, unsigned cluster) {
    LaunchAttribute attribute = {};
    attribute.id = LaunchClusterDimension;
    attribute.value.clusterDim[0] = cluster;
    attribute.value.clusterDim[1] = attribute.value.clusterDim[2] = 1;
    LaunchConfig config = {{32, 1, 1}, {threads, 1, 1}, shared,
                           nullptr,    &attribute,      1};
    return cu.cuLaunchKernelEx(&config, k, nullptr, nullptr);
  };
  EXPECT_OK(launch(64, 0, 1));
  EXPECT_OK(launch(64, 47 << 10, 8));
  EXPECT_RESULT(launch(32, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(launch(64, 48 << 10, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(launch(64, 0, 5), CUDA_ERROR_INVALID_VALUE);
  EXPECT_RESULT(launch(64, 0, 16), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_OK(cu.cuFuncSetAttribute(k, FunctionNonPortableCluster, 1));
  EXPECT_OK(launch(64, 0, 16));
  EXPECT_OK(cu.cuCtxSynchronize());
  EXPECT_RESULT(cu.cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr,
                                  nullptr, nullptr),
                CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(CudaTest, LaunchesAreRejectedWithAReason) {
  FunctionState *k = function(".visible .entry k(.param .u64 p) { ret; }");
  uint64_t value = 0;
  void *parameters[] = {&value}, *none[] = {nullptr};
  size_t size = 4;
  void *small[] = {reinterpret_cast<void *>(1), &value,
                   reinterpret_cast<void *>(2), &size, nullptr};
  void *unknown[] = {reinterpret_cast<void *>(7), &value, nullptr};
  auto rejection = [&](LaunchConfig config, FunctionState *function,
                       void **list, void **extra = nullptr) {
    testing::internal::CaptureStderr();
    EXPECT_NE(cu.cuLaunchKernelEx(&config, function, list, extra),
              CUDA_SUCCESS);
    return testing::internal::GetCapturedStderr();
  };
  LaunchConfig one = {{1, 1, 1}, {1, 1, 1}, 0, nullptr, nullptr, 0};
  auto with = [&](auto change) {
    LaunchConfig config = one;
    change(config);
    return rejection(config, k, parameters);
  };
  EXPECT_EQ(with([](LaunchConfig &c) { c.block[0] = 2048; }),
            "drawloom: a block of (2048, 1, 1) = 2048 threads; 1 to 1024 are "
            "possible\n");
  EXPECT_EQ(with([](LaunchConfig &c) { c.block[2] = 65; }),
            "drawloom: a block of (1, 1, 65) threads; its third dimension can "
            "be 64\n");
  EXPECT_EQ(with([](LaunchConfig &c) { c.grid[1] = 0; }),
            "drawloom: a grid of (1, 0, 1) has no CTA\n");
  EXPECT_EQ(with([](LaunchConfig &c) { c.grid[1] = 65536; }),
            "drawloom: a grid of (1, 65536, 1) CTAs; its dimensions can be "
            "2147483647, 65535 and 65535\n");
  EXPECT_EQ(with([](LaunchConfig &c) { c.attributeCount = 1; }),
            "drawloom: a launch without its configuration\n");
  EXPECT_EQ(with([&](LaunchConfig &c) {
              c.stream = reinterpret_cast<StreamState *>(&value);
            }),
            "drawloom: a launch into a stream that the current context doesn't "
            "have\n");
  EXPECT_EQ(rejection(one, nullptr, parameters),
            "drawloom: a launch of a function that the current context doesn't "
            "have\n");
  EXPECT_EQ(rejection(one, k, nullptr),
            "drawloom: a launch without parameters; 'k' takes 1\n");
  EXPECT_EQ(rejection(one, k, none),
            "drawloom: parameter 0 of 'k' is at null\n");
  EXPECT_EQ(rejection(one, k, parameters, small),
            "drawloom: a launch with both 'kernelParams' and 'extra'\n");
  EXPECT_EQ(rejection(one, k, nullptr, small),
            "drawloom: the buffer of parameters in 'extra' has 4 bytes; 'k' "
            "takes 8\n");
  EXPECT_EQ(rejection(one, k, nullptr, unknown),
            "drawloom: 'extra' of a launch has a key that isn't one of "
            "CU_LAUNCH_PARAM_*\n");
  testing::internal::CaptureStderr();
  EXPECT_RESULT(cu.cuLaunchCooperativeKernel(k, 9, 1, 1, 1024, 1, 1, 0, nullptr,
                                             parameters),
                CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "drawloom: a cooperative grid of 9 CTAs; 4 SMs hold 8 of them at a "
            "time\n");
}

// What kernels allocate is within the limit, and goes with the context.
TEST_F(CudaTest, TheHeapOfKernels) {
  FunctionState *k = function(R"(
.extern .func (.param .b64 r) malloc(.param .b64 size);
.visible .entry k(.param .u64 out) {
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out];
  { .param .b64 p; .param .b64 r;
  st.param.b64 [p], 65536;
  call (r), malloc, (p);
  ld.param.b64 %rd2, [r]; }
  st.global.u64 [%rd1], %rd2;
  ret;
}
)");
  DevicePointer out = upload(std::vector<uint64_t>(1));
  auto got = [&] {
    void *parameters[] = {&out};
    EXPECT_OK(cu.cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters,
                                nullptr));
    return download<uint64_t>(out, 1)[0] != 0;
  };
  size_t limit = 0;
  EXPECT_OK(cu.cuCtxGetLimit(&limit, LimitMallocHeap));
  EXPECT_EQ(limit, size_t(8) << 20);
  EXPECT_OK(cu.cuCtxSetLimit(LimitMallocHeap, 100000));
  EXPECT_TRUE(got());
  EXPECT_FALSE(got());
  EXPECT_OK(cu.cuCtxSetLimit(LimitMallocHeap, 200000));
  EXPECT_TRUE(got());
}

TEST_F(CudaTest, CooperativeLaunchesMustFit) {
  FunctionState *k = function(".visible .entry k() { ret; }");
  // Four SMs with 2048 threads each.
  EXPECT_OK(cu.cuLaunchCooperativeKernel(k, 8, 1, 1, 1024, 1, 1, 0, nullptr,
                                         nullptr));
  EXPECT_RESULT(
      cu.cuLaunchCooperativeKernel(k, 9, 1, 1, 1024, 1, 1, 0, nullptr, nullptr),
      CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  int count = 0;
  EXPECT_OK(cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(&count, k, 1024, 0));
  EXPECT_EQ(count, 2);
}

// As grid.sync() of cooperative groups: the first thread of each CTA adds to
// the word that the driver provides, and waits for its highest bit to change.
// Then every CTA sees what all others wrote.
TEST_F(CudaTest, CooperativeGridsMeet) {
  FunctionState *k = function(R"(
.visible .entry k(.param .u64 data, .param .u64 out) {
  .reg .pred %p;
  .reg .b32 %r<10>;
  .reg .b64 %rd<8>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %nctaid.x;
  ld.param.u64 %rd1, [data];
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r1;
  mov.u32 %r3, %envreg1;
  mov.u32 %r4, %envreg2;
  mov.b64 %rd4, {%r4, %r3};
  // All but the first add 1.
  sub.u32 %r5, 0x80000001, %r2;
  setp.eq.u32 %p, %r1, 0;
  selp.u32 %r5, %r5, 1, %p;
  atom.add.release.gpu.u32 %r6, [%rd4+4], %r5;
wait:
  ld.acquire.gpu.u32 %r7, [%rd4+4];
  xor.b32 %r8, %r6, %r7;
  setp.ge.s32 %p, %r8, 0;
  @%p bra wait;
  // What the next CTA wrote.
  add.u32 %r9, %r1, 1;
  rem.u32 %r9, %r9, %r2;
  mul.wide.u32 %rd5, %r9, 4;
  add.u64 %rd5, %rd1, %rd5;
  ld.global.u32 %r9, [%rd5];
  ld.param.u64 %rd6, [out];
  add.u64 %rd6, %rd6, %rd2;
  st.global.u32 [%rd6], %r9;
  ret;
}
)");
  size_t before = 0, after = 0, total = 0;
  DevicePointer data = upload(std::vector<uint32_t>(8, 99));
  DevicePointer out = upload(std::vector<uint32_t>(8));
  EXPECT_OK(cu.cuMemGetInfo_v2(&before, &total));
  void *parameters[] = {&data, &out};
  for (unsigned i = 0; i != 2; ++i) {
    EXPECT_OK(cu.cuLaunchCooperativeKernel(k, 8, 1, 1, 1, 1, 1, 0, nullptr,
                                           parameters));
    EXPECT_EQ(download<uint32_t>(out, 8),
              (std::vector<uint32_t>{1, 2, 3, 4, 5, 6, 7, 0}));
  }
  EXPECT_OK(cu.cuMemGetInfo_v2(&after, &total));
  EXPECT_EQ(after, before);
}

// The second kernel starts before the first has ended, and waits for a word
// that only it writes. Without the attribute it doesn't start at all.
TEST_F(CudaTest, ProgrammaticLaunchesOverlap) {
  ModuleState *module = load(R"(
.visible .entry first(.param .u64 flag) {
  .reg .pred %p;
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  griddepcontrol.launch_dependents;
  ld.param.u64 %rd1, [flag];
spin:
  ld.acquire.gpu.global.u32 %r1, [%rd1];
  setp.eq.u32 %p, %r1, 0;
  @%p bra spin;
  ret;
}
.visible .entry second(.param .u64 flag) {
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [flag];
  st.release.gpu.global.u32 [%rd1], 1;
  ret;
}
)");
  FunctionState *first = nullptr, *second = nullptr;
  EXPECT_OK(cu.cuModuleGetFunction(&first, module, "first"));
  EXPECT_OK(cu.cuModuleGetFunction(&second, module, "second"));
  DevicePointer flag = upload<uint32_t>({0});
  void *parameters[] = {&flag};
  LaunchAttribute attribute = {};
  attribute.id = LaunchProgrammaticStreamSerialization;
  attribute.value.flag = 1;
  LaunchConfig config = {{1, 1, 1}, {1, 1, 1}, 0, nullptr, &attribute, 1};
  setenv("DRAWLOOM_STEP_LIMIT", "100000", 1);
  EXPECT_OK(cu.cuLaunchKernelEx(&config, first, parameters, nullptr));
  EXPECT_OK(cu.cuLaunchKernelEx(&config, second, parameters, nullptr));
  EXPECT_OK(cu.cuCtxSynchronize());

  EXPECT_OK(cu.cuMemsetD32_v2(flag, 0, 1));
  config.attributeCount = 0;
  EXPECT_OK(cu.cuLaunchKernelEx(&config, first, parameters, nullptr));
  EXPECT_RESULT(cu.cuLaunchKernelEx(&config, second, parameters, nullptr),
                CUDA_ERROR_LAUNCH_TIMEOUT);
  unsetenv("DRAWLOOM_STEP_LIMIT");
}

TEST_F(CudaTest, Schedules) {
  FunctionState *k = function(".visible .entry k() { ret; }");
  auto run = [&] {
    EXPECT_OK(
        cu.cuLaunchKernel(k, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr));
    return cu.cuCtxSynchronize();
  };
  for (const char *schedule :
       {"deterministic", "random:7", "adversarial", "adversarial:tensor"}) {
    setenv("DRAWLOOM_ORDER", schedule, 1);
    EXPECT_OK(run());
  }
  setenv("DRAWLOOM_ORDER", "anyhow", 1);
  EXPECT_RESULT(run(), CUDA_ERROR_INVALID_VALUE);
  unsetenv("DRAWLOOM_ORDER");
}
