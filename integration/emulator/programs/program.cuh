//===- program.cuh - What CUTLASS's programs have in common -----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands on the host and on the device, and one way to launch a kernel of
// peers/cutlass.py: by CUTLASS's device adapter. Operands are small multiples of
// a power of two, so that all sums are exact in f32, in any order, and a result
// has to be equal to the last bit.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_INTEGRATION_PROGRAM_CUH
#define DRAWLOOM_INTEGRATION_PROGRAM_CUH

#include "cutlass/detail/helper_macros.hpp"
// CUTLASS's kernels are static, which clang puts into the name of a template and
// nvcc doesn't; the name has to be the one in the PTX.
#undef CUTLASS_GLOBAL
#define CUTLASS_GLOBAL __global__

#include "cute/tensor.hpp"
#include "cutlass/cutlass.h"
#include "cutlass/layout/vector.h"
#include "cutlass/util/host_tensor.h"
#include <cstdio>
#include <cstdlib>

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

/// Elements on the host and on the device; those of fewer than 8 bits packed.
template <class T>
class Matrix : public cutlass::HostTensor<T, cutlass::layout::PackedVectorLayout> {
public:
  /// Whole numbers from `least` to `most`, times `unit`.
  Matrix(size_t count, unsigned seed, int least = -2, int most = 2,
         float unit = 1) {
    this->reset(cutlass::make_Coord(int(count)));
    for (size_t i = 0; i != count; ++i) {
      seed = seed * 1664525 + 1013904223;
      int whole = least + int((seed >> 16) % unsigned(most - least + 1));
      this->host_data(i) = T(whole * unit);
    }
    this->sync_device();
  }

  template <class Layout> auto tensor(Layout layout) {
    return cute::make_tensor(cute::recast_ptr<T>(this->host_data()), layout);
  }
};

/// Runs a kernel to its end.
template <class Adapter>
void launch(const typename Adapter::Arguments &arguments) {
  Adapter adapter;
  CHECK_CUTLASS(adapter.can_implement(arguments));
  void *workspace = nullptr;
  CHECK(cudaMalloc(&workspace, Adapter::get_workspace_size(arguments)));
  CHECK_CUTLASS(adapter.initialize(arguments, workspace));
  CHECK_CUTLASS(adapter.run());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(workspace));
}

} // namespace program

#endif // DRAWLOOM_INTEGRATION_PROGRAM_CUH
