//===- gemm.cuh - A CUTLASS GEMM from one row of a table --------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gemm<...> puts a kernel together with CUTLASS's collective builders, and
// PEER_KERNEL instantiates it. The rows are in cutlass.py. All of them compute
// D = f(A * B + C) with A row-major, B column-major, C and D row-major bf16, and
// accumulate in f32.
//
//===----------------------------------------------------------------------===//

#include "cute/tensor.hpp"
#include "cutlass/cutlass.h"
#include "cutlass/device_kernel.h"
#include "cutlass/epilogue/collective/collective_builder.hpp"
#include "cutlass/epilogue/fusion/operations.hpp"
#include "cutlass/epilogue/thread/activation.h"
#include "cutlass/gemm/collective/collective_builder.hpp"
#include "cutlass/gemm/dispatch_policy.hpp"
#include "cutlass/gemm/group_array_problem_shape.hpp"
#include "cutlass/gemm/kernel/gemm_universal.hpp"
#include "cutlass/gemm/kernel/tile_scheduler.hpp"

namespace peer {

using namespace cute;
using namespace cutlass::gemm;
namespace ep = cutlass::epilogue;

using Sm90 = cutlass::arch::Sm90;
using Sm100 = cutlass::arch::Sm100;

using bf16 = cutlass::bfloat16_t;
using fp16 = cutlass::half_t;
using e4m3 = cutlass::float_e4m3_t;
using mxfp8 = cutlass::mx_float8_t<e4m3>;
using nvfp4 = cutlass::nv_float4_t<cutlass::float_e2m1_t>;

template <int M, int N, int K> using Tile = Shape<Int<M>, Int<N>, Int<K>>;
template <int M, int N> using Cluster = Shape<Int<M>, Int<N>, _1>;

// What the epilogue does to the accumulator.
using Linear = ep::fusion::LinearCombination<bf16, float, bf16, float>;
using Bias = ep::fusion::LinCombPerColBias<bf16, float, bf16, bf16, float>;
using BiasGelu =
    ep::fusion::LinCombPerColBiasEltAct<ep::thread::GELU_taylor, bf16, float,
                                        bf16, bf16, float>;

// The type that is stored, and whether scales come with it.
template <class E> struct Stored {
  using type = E;
  using OpClass = cutlass::arch::OpClassTensorOp;
};
template <class E> struct Stored<cutlass::mx_float8_t<E>> {
  using type = E;
  using OpClass = cutlass::arch::OpClassBlockScaledTensorOp;
};
template <class E> struct Stored<cutlass::nv_float4_t<E>> {
  using type = E;
  using OpClass = cutlass::arch::OpClassBlockScaledTensorOp;
};

// Elements in the 16 bytes that a row is aligned to.
template <class E>
constexpr int align = 128 /
                      cutlass::sizeof_bits<typename Stored<E>::type>::value;

using Single = Shape<int, int, int, int>;
using Grouped = GroupProblemShape<Shape<int, int, int>>;

template <class Arch, class Element, class TileShape, class ClusterShape,
          class MainloopSchedule, class EpilogueSchedule, class Fusion,
          class Scheduler, class Problem = Single>
struct Gemm {
  // A grouped problem has an array of pointers and strides for each operand,
  // which CUTLASS writes as a pointer to the layout.
  template <class Layout>
  using In = cute::conditional_t<cute::is_same_v<Problem, Grouped>, Layout *,
                                 Layout>;
  using Row = In<cutlass::layout::RowMajor>;
  using Col = In<cutlass::layout::ColumnMajor>;
  using OpClass = typename Stored<Element>::OpClass;

  using Epilogue = typename ep::collective::CollectiveBuilder<
      Arch, OpClass, TileShape, ClusterShape,
      ep::collective::EpilogueTileAuto, float, float, bf16, Row, align<bf16>,
      bf16, Row, align<bf16>, EpilogueSchedule, Fusion>::CollectiveOp;

  using Mainloop = typename collective::CollectiveBuilder<
      Arch, OpClass, Element, Row, align<Element>, Element, Col,
      align<Element>, float, TileShape, ClusterShape,
      collective::StageCountAutoCarveout<static_cast<int>(
          sizeof(typename Epilogue::SharedStorage))>,
      MainloopSchedule>::CollectiveOp;

  using Kernel =
      kernel::GemmUniversal<Problem, Mainloop, Epilogue, Scheduler>;
};

} // namespace peer

// A type of our own keeps the kernel's mangled name to a line.
#define PEER_KERNEL(...)                                                       \
  namespace peer {                                                             \
  struct Selected : Gemm<__VA_ARGS__>::Kernel {};                              \
  }                                                                            \
  template __global__ void cutlass::device_kernel<peer::Selected>(             \
      __grid_constant__ typename peer::Selected::Params const);
