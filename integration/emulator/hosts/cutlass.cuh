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
// function of that for one row of peers/cutlass.py; a shared library has one for
// each row of an architecture, since most of the time goes to CUTLASS's headers.
// The tests call them with device addresses of the emulator.
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
/// is where CTAs that share a tile meet; it is zero before. Of a grouped problem,
/// `a` to `d` are arrays of pointers.
struct Problem {
  int m, n, k;
  int smCount;
  const void *a, *b, *c, *bias;
  void *d;
  void *workspace;
  float alpha, beta;
  const void *aScales, *bScales; ///< Of a block-scaled kernel.
  int groups;          ///< Of a grouped one, with arrays on the device:
  const void *sizes;   ///< m, n and k,
  const void *depths;  ///< the rows' lengths of A and B,
  const void *widths;  ///< and of C and D, in 64 bits.
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

template <class T> void point(T &field, const void *address) {
  field = static_cast<T>(const_cast<void *>(address));
}

template <class Thread, class = void> struct Bias {
  static void set(Thread &, const void *) {}
};
template <class Thread>
struct Bias<Thread, std::void_t<decltype(std::declval<Thread &>().bias_ptr)>> {
  static void set(Thread &thread, const void *bias) {
    point(thread.bias_ptr, bias);
  }
};

/// A scheduler that can split tiles has to: at these sizes it would find that it
/// isn't worth it.
template <class Scheduler, class = void> struct StreamK {
  static void set(Scheduler &) {}
};
template <class Scheduler>
struct StreamK<Scheduler, std::void_t<decltype(std::declval<Scheduler &>()
                                                   .decomposition_mode)>> {
  static void set(Scheduler &scheduler) {
    using Mode = decltype(scheduler.decomposition_mode);
    scheduler.decomposition_mode = Mode::StreamK;
  }
};

template <class Main, class = void> struct Scales {
  template <class Arguments, class Shape>
  static void set(Arguments &, const Shape &, const Problem &) {}
};
template <class Main>
struct Scales<Main, std::void_t<typename Main::Sm1xxBlkScaledConfig>> {
  using Config = typename Main::Sm1xxBlkScaledConfig;
  template <class Arguments, class Shape>
  static void set(Arguments &main, const Shape &shape, const Problem &p) {
    point(main.ptr_SFA, p.aScales);
    main.layout_SFA = Config::tile_atom_to_shape_SFA(shape);
    point(main.ptr_SFB, p.bScales);
    main.layout_SFB = Config::tile_atom_to_shape_SFB(shape);
  }
};

/// Sizes, pointers and strides of one problem.
template <class K, class = void> struct Operands {
  static void set(typename K::Arguments &arguments, const Problem &p) {
    arguments.mode = cutlass::gemm::GemmUniversalMode::kGemm;
    arguments.problem_shape = {p.m, p.n, p.k, 1};
    auto &main = arguments.mainloop;
    main.dA = packed<typename K::StrideA>(p.k);
    main.dB = packed<typename K::StrideB>(p.k);
    Scales<typename K::CollectiveMainloop>::set(main, arguments.problem_shape,
                                                p);
    arguments.epilogue.dC = packed<typename K::StrideC>(p.n);
    arguments.epilogue.dD = packed<typename K::StrideD>(p.n);
  }
};

/// Of many, which the host doesn't know.
template <class K>
struct Operands<K, std::enable_if_t<std::is_pointer_v<typename K::StrideA>>> {
  static_assert(sizeof(typename K::InternalStrideA) == 8);
  static void set(typename K::Arguments &arguments, const Problem &p) {
    arguments.mode = cutlass::gemm::GemmUniversalMode::kGrouped;
    arguments.problem_shape.num_groups = p.groups;
    point(arguments.problem_shape.problem_shapes, p.sizes);
    point(arguments.mainloop.dA, p.depths);
    point(arguments.mainloop.dB, p.depths);
    point(arguments.epilogue.dC, p.widths);
    point(arguments.epilogue.dD, p.widths);
  }
};

/// Writes the parameters to `buffer`. 0 if the kernel can't do the problem or
/// they take more than `capacity` bytes.
template <class K>
int describe(const Problem &p, LaunchShape &shape, void *buffer,
             size_t capacity) {
  typename K::Arguments arguments{};
  Operands<K>::set(arguments, p);
  point(arguments.mainloop.ptr_A, p.a);
  point(arguments.mainloop.ptr_B, p.b);
  auto &epilogue = arguments.epilogue;
  point(epilogue.ptr_C, p.c);
  point(epilogue.ptr_D, p.d);
  epilogue.thread.alpha = p.alpha;
  epilogue.thread.beta = p.beta;
  using Thread = std::remove_reference_t<decltype(epilogue.thread)>;
  Bias<Thread>::set(epilogue.thread, p.bias);
  arguments.hw_info.sm_count = p.smCount;
  using Scheduler = std::remove_reference_t<decltype(arguments.scheduler)>;
  StreamK<Scheduler>::set(arguments.scheduler);

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

#define HOST_HALF(name, ...)                                                   \
  namespace peer {                                                             \
  struct name : Gemm<__VA_ARGS__>::Kernel {};                                  \
  }                                                                            \
  extern "C" int describe_##name(const Problem *problem, LaunchShape *shape,   \
                                 void *buffer, size_t capacity) {              \
    return host::describe<peer::name>(*problem, *shape, buffer, capacity);     \
  }
