//===- nvrtc.cu - A kernel that the program compiles by itself --------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NVRTC makes PTX of CUDA C++, the driver API loads and launches it. Programs of
// this kind open the driver's library by its name. It says `Passed`.
//
//===----------------------------------------------------------------------===//

#include "check.cuh"
#include <cuda.h>
#include <dlfcn.h>
#include <nvrtc.h>
#include <string>
#include <vector>

static const char *const source = R"(
template <typename T>
__global__ void axpy(T a, const T *x, T *y, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    y[i] += a * x[i];
}
)";

static void *driver() {
  static void *handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  REQUIRE(handle);
  return handle;
}

template <class... Args>
static void call(const char *name, Args... args) {
  auto function =
      reinterpret_cast<CUresult (*)(Args...)>(dlsym(driver(), name));
  REQUIRE(function);
  if (CUresult result = function(args...)) {
    std::printf("%s: %d\n", name, int(result));
    std::exit(1);
  }
}

int main(int, char **arguments) {
  const char *name = "axpy<float>";
  nvrtcProgram program;
  REQUIRE(nvrtcCreateProgram(&program, source, "axpy.cu", 0, nullptr,
                             nullptr) == NVRTC_SUCCESS);
  REQUIRE(nvrtcAddNameExpression(program, name) == NVRTC_SUCCESS);
  const char *options[] = {arguments[1], "-std=c++17"};
  REQUIRE(nvrtcCompileProgram(program, 2, options) == NVRTC_SUCCESS);
  const char *lowered = nullptr;
  REQUIRE(nvrtcGetLoweredName(program, name, &lowered) == NVRTC_SUCCESS);
  size_t size = 0;
  REQUIRE(nvrtcGetPTXSize(program, &size) == NVRTC_SUCCESS);
  std::string ptx(size, '\0');
  REQUIRE(nvrtcGetPTX(program, ptx.data()) == NVRTC_SUCCESS);

  CUdevice device = 0;
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction kernel = nullptr;
  call("cuInit", 0u);
  call("cuDeviceGet", &device, 0);
  call("cuDevicePrimaryCtxRetain", &context, device);
  call("cuCtxSetCurrent", context);
  call("cuModuleLoadData", &module, static_cast<const void *>(ptx.c_str()));
  call("cuModuleGetFunction", &kernel, module, lowered);
  REQUIRE(nvrtcDestroyProgram(&program) == NVRTC_SUCCESS);

  int count = 1000;
  float a = 3;
  std::vector<float> x(count), y(count, 1);
  for (int i = 0; i != count; ++i)
    x[i] = float(i);
  size_t bytes = count * sizeof(float);
  CUdeviceptr xs = 0, ys = 0;
  call("cuMemAlloc_v2", &xs, bytes);
  call("cuMemAlloc_v2", &ys, bytes);
  call("cuMemcpyHtoD_v2", xs, static_cast<const void *>(x.data()), bytes);
  call("cuMemcpyHtoD_v2", ys, static_cast<const void *>(y.data()), bytes);
  void *parameters[] = {&a, &xs, &ys, &count};
  call("cuLaunchKernel", kernel, 8u, 1u, 1u, 128u, 1u, 1u, 0u,
       CUstream(nullptr), static_cast<void **>(parameters),
       static_cast<void **>(nullptr));
  call("cuMemcpyDtoH_v2", static_cast<void *>(y.data()), ys, bytes);
  for (int i = 0; i != count; ++i)
    REQUIRE(y[i] == 1 + 3 * x[i]);
  std::puts("Passed");
}
