//===- gemm_program.cuh - A CUTLASS GEMM as a program -----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUTLASS's device adapter launches a kernel of peers/cutlass.py, and CUTLASS's
// reference on the host checks it: `./gemm M N K` says `Passed` or what is
// wrong. The operands are small whole numbers, so all sums are exact in f32,
// in any order, and the result has to be equal to the last bit. Only after an
// activation there is a bound, from the ISA's for tanh.approx.
//
//===----------------------------------------------------------------------===//

#include "cutlass/detail/helper_macros.hpp"
// CUTLASS's kernels are static, which clang puts into the name of a template and
// nvcc doesn't; the name has to be the one in the PTX.
#undef CUTLASS_GLOBAL
#define CUTLASS_GLOBAL __global__

#include "gemm.cuh"

#include "cutlass/gemm/device/gemm_universal_adapter.h"
#include "cutlass/kernel_hardware_info.h"
#include "cutlass/util/packed_stride.hpp"
#include "cutlass/util/reference/host/gett.hpp"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <vector>

#define CHECK(call)                                                            \
  if (cudaError_t error = (call); error != cudaSuccess) {                      \
    std::printf("%s: %s\n", #call, cudaGetErrorString(error));                 \
    std::exit(1);                                                              \
  }
#define CHECK_CUTLASS(call)                                                    \
  if (cutlass::Status status = (call); status != cutlass::Status::kSuccess) {  \
    std::printf("%s: %s\n", #call, cutlass::cutlassGetStatusString(status));   \
    std::exit(1);                                                              \
  }

namespace program {

/// A matrix on the host and on the device, of whole numbers from -2 to 2.
template <class T> struct Matrix {
  std::vector<T> host;
  T *device = nullptr;

  Matrix(size_t count, unsigned seed) : host(count) {
    for (T &value : host) {
      seed = seed * 1664525 + 1013904223;
      value = T(float(int((seed >> 16) % 5) - 2));
    }
    CHECK(cudaMalloc(&device, count * sizeof(T)));
    CHECK(cudaMemcpy(device, host.data(), count * sizeof(T),
                     cudaMemcpyHostToDevice));
  }
  ~Matrix() { cudaFree(device); }
  void download() {
    CHECK(cudaMemcpy(host.data(), device, host.size() * sizeof(T),
                     cudaMemcpyDeviceToHost));
  }
};

/// Sets the bias of fusions that have one, and says whether they do.
template <class Thread, class Element, class = void> struct Bias {
  static bool set(Thread &, const Element *) { return false; }
};
template <class Thread, class Element>
struct Bias<Thread, Element,
            std::void_t<decltype(std::declval<Thread &>().bias_ptr)>> {
  static bool set(Thread &thread, const Element *bias) {
    thread.bias_ptr = bias;
    return true;
  }
};

/// What is wrong with an element: 0 if nothing.
inline bool differs(float found, float linear, bool gelu) {
  if (!gelu)
    return found != float(peer::bf16(linear));
  double x = linear;
  double expected =
      0.5 * x * (1 + std::tanh(0.7978845608028654 * x * (1 + 0.044715 * x * x)));
  // tanh.approx is within 2^-11 of the value (PTX ISA), which x / 2 carries on;
  // rounding to bf16 adds 2^-9 of the result, and evaluation in f32 far less.
  double bound = std::abs(x) * 0x1p-11 + std::abs(expected) * 0x1p-8;
  return !(std::abs(found - expected) <= bound);
}

template <class Kernel> int run(int m, int n, int k, bool gelu) {
  using Gemm = cutlass::gemm::device::GemmUniversalAdapter<Kernel>;
  using Element = typename Kernel::ElementA;
  using peer::bf16;
  const float alpha = 0.5f, beta = 2;

  Matrix<Element> a(size_t(m) * k, 1), b(size_t(n) * k, 2);
  Matrix<bf16> c(size_t(m) * n, 3), d(size_t(m) * n, 4), bias(n, 5);
  auto strideA =
      cutlass::make_cute_packed_stride(typename Kernel::StrideA{}, {m, k, 1});
  auto strideB =
      cutlass::make_cute_packed_stride(typename Kernel::StrideB{}, {n, k, 1});
  auto strideC =
      cutlass::make_cute_packed_stride(typename Kernel::StrideC{}, {m, n, 1});
  auto strideD =
      cutlass::make_cute_packed_stride(typename Kernel::StrideD{}, {m, n, 1});

  typename Gemm::Arguments arguments{};
  arguments.mode = cutlass::gemm::GemmUniversalMode::kGemm;
  arguments.problem_shape = {m, n, k, 1};
  arguments.mainloop.ptr_A = a.device;
  arguments.mainloop.dA = strideA;
  arguments.mainloop.ptr_B = b.device;
  arguments.mainloop.dB = strideB;
  arguments.epilogue.ptr_C = c.device;
  arguments.epilogue.dC = strideC;
  arguments.epilogue.ptr_D = d.device;
  arguments.epilogue.dD = strideD;
  arguments.epilogue.thread.alpha = alpha;
  arguments.epilogue.thread.beta = beta;
  using Thread = std::remove_reference_t<decltype(arguments.epilogue.thread)>;
  bool biased =
      Bias<Thread, bf16>::set(arguments.epilogue.thread, bias.device);
  arguments.hw_info.sm_count =
      cutlass::KernelHardwareInfo::query_device_multiprocessor_count(0);

  Gemm gemm;
  CHECK_CUTLASS(gemm.can_implement(arguments));
  void *workspace = nullptr;
  size_t workspaceBytes = Gemm::get_workspace_size(arguments);
  CHECK(cudaMalloc(&workspace, workspaceBytes));
  CHECK_CUTLASS(gemm.initialize(arguments, workspace));
  CHECK_CUTLASS(gemm.run());
  CHECK(cudaDeviceSynchronize());
  d.download();

  std::vector<float> reference(size_t(m) * n);
  auto tensorA = cute::make_tensor(
      a.host.data(), cute::make_layout(cute::make_shape(m, k, 1), strideA));
  auto tensorB = cute::make_tensor(
      b.host.data(), cute::make_layout(cute::make_shape(n, k, 1), strideB));
  auto tensorC = cute::make_tensor(
      c.host.data(), cute::make_layout(cute::make_shape(m, n, 1), strideC));
  auto tensorD = cute::make_tensor(
      reference.data(), cute::make_layout(cute::make_shape(m, n, 1), strideD));
  namespace host = cutlass::reference::host;
  host::GettMainloopParams<float, decltype(tensorA), decltype(tensorB)>
      mainloop(tensorA, tensorB);
  host::GettEpilogueParams<float, float, float, float, decltype(tensorC),
                           decltype(tensorD)>
      epilogue(alpha, beta, tensorC, tensorD);
  host::Gemm3x(mainloop, epilogue);

  for (int i = 0; i != m; ++i)
    for (int j = 0; j != n; ++j) {
      size_t at = size_t(i) * n + j;
      float linear = reference[at] + (biased ? float(bias.host[j]) : 0);
      if (!differs(float(d.host[at]), linear, gelu))
        continue;
      std::printf("Failed: (%d, %d) is %g; before the activation %g is right\n",
                  i, j, float(d.host[at]), linear);
      return 1;
    }
  CHECK(cudaFree(workspace));
  std::printf("Passed\n");
  return 0;
}

} // namespace program

/// The program of one row, whose kernel's PTX is in its fat binary.
#define GEMM_PROGRAM(gelu, ...)                                                \
  namespace peer {                                                             \
  struct Selected : Gemm<__VA_ARGS__>::Kernel {};                              \
  }                                                                            \
  int main(int count, char **words) {                                          \
    if (count != 4) {                                                          \
      std::printf("Usage: %s M N K\n", words[0]);                              \
      return 2;                                                                \
    }                                                                          \
    return program::run<peer::Selected>(std::atoi(words[1]),                   \
                                        std::atoi(words[2]),                   \
                                        std::atoi(words[3]), gelu);            \
  }
