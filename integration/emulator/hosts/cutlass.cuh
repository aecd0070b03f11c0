//===- cutlass.cuh - The host's half of a CUTLASS GEMM ----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUTLASS's own host code turns a problem into the kernel's parameters, one
// structure with tensor maps and a scheduler's numbers in it. HOST_HALF makes a
// function of that for one row of peers/cutlass.py; a shared library is made of
// it, and the tests call it with device addresses of the emulator.
//
//===----------------------------------------------------------------------===//

#include "gemm.cuh"
#include <cstring>
#include <cuda.h>

// CUTLASS asks the runtime for numbers that the driver has.
extern "C" cudaError_t cudaGetDevice(int *device) {
  *device = 0;
  return cudaSuccess;
}
extern "C" cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr which,
                                              int device) {
  return cuDeviceGetAttribute(value, CUdevice_attribute(which), device) ==
                 CUDA_SUCCESS
             ? cudaSuccess
             : cudaErrorInvalidValue;
}

/// D = f(alpha * A * B + beta * C + bias), all of it on the device. The workspace
/// is where CTAs that share a tile meet; it is zero before.
struct Problem {
  int m, n, k;
  int smCount;
  const void *a, *b, *c, *bias;
  void *d;
  void *workspace;
  float alpha, beta;
};

struct LaunchShape {
  unsigned grid[3], block[3], cluster[3];
  unsigned sharedBytes;
  unsigned parameterBytes;
  unsigned workspaceBytes;
};

namespace host {

/// Row-major with rows of that length; one matrix of a batch.
template <class Stride> Stride packed(int length) {
  Stride stride{};
  cute::get<0>(stride) = length;
  return stride;
}

template <class Thread, class = void> struct Bias {
  static void set(Thread &, const void *) {}
};
template <class Thread>
struct Bias<Thread, std::void_t<decltype(std::declval<Thread &>().bias_ptr)>> {
  static void set(Thread &thread, const void *bias) {
    thread.bias_ptr = static_cast<decltype(thread.bias_ptr)>(bias);
  }
};

/// Writes the parameters to `buffer`. 0 if the kernel can't do the problem or
/// they take more than `capacity` bytes.
template <class K>
int describe(const Problem &p, LaunchShape &shape, void *buffer,
             size_t capacity) {
  typename K::Arguments arguments{};
  arguments.mode = cutlass::gemm::GemmUniversalMode::kGemm;
  arguments.problem_shape = {p.m, p.n, p.k, 1};
  auto &main = arguments.mainloop;
  main.ptr_A = static_cast<decltype(main.ptr_A)>(p.a);
  main.ptr_B = static_cast<decltype(main.ptr_B)>(p.b);
  main.dA = packed<typename K::StrideA>(p.k);
  main.dB = packed<typename K::StrideB>(p.k);
  auto &epilogue = arguments.epilogue;
  epilogue.ptr_C = static_cast<decltype(epilogue.ptr_C)>(p.c);
  epilogue.ptr_D = static_cast<decltype(epilogue.ptr_D)>(p.d);
  epilogue.dC = packed<typename K::StrideC>(p.n);
  epilogue.dD = packed<typename K::StrideD>(p.n);
  epilogue.thread.alpha = p.alpha;
  epilogue.thread.beta = p.beta;
  using Thread = std::remove_reference_t<decltype(epilogue.thread)>;
  Bias<Thread>::set(epilogue.thread, p.bias);
  arguments.hw_info.sm_count = p.smCount;

  using Params = typename K::Params;
  if (sizeof(Params) > capacity || !K::can_implement(arguments))
    return 0;
  Params params = K::to_underlying_arguments(arguments, p.workspace);
  std::memcpy(buffer, &params, sizeof(Params));
  dim3 grid = K::get_grid_shape(params), block = K::get_block_shape();
  shape = {{grid.x, grid.y, grid.z},
           {block.x, block.y, block.z},
           {cute::size<0>(typename K::ClusterShape{}),
            cute::size<1>(typename K::ClusterShape{}),
            cute::size<2>(typename K::ClusterShape{})},
           unsigned(K::SharedStorageSize),
           unsigned(sizeof(Params)),
           unsigned(K::get_workspace_size(arguments))};
  return 1;
}

} // namespace host

#define HOST_HALF(...)                                                         \
  namespace peer {                                                             \
  struct Selected : Gemm<__VA_ARGS__>::Kernel {};                              \
  }                                                                            \
  extern "C" int describe(const Problem *problem, LaunchShape *shape,          \
                          void *buffer, size_t capacity) {                     \
    return host::describe<peer::Selected>(*problem, *shape, buffer, capacity); \
  }
