//===- sparse_program.cuh - A CUTLASS GEMM with a sparse A as a program -----===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUTLASS's utility zeroes half of A, its compressor kernel makes the stored
// half and the metadata, its GEMM multiplies them, and its reference on the
// host multiplies the A that has the zeros: `./sparse M N K` says `Passed` or
// what is wrong. Results are compared to the last bit. Some elements are zero
// beside those that the utility makes, so that chunks have less than they could
// store.
//
//===----------------------------------------------------------------------===//

#include "program.cuh"

#include "cutlass/epilogue/collective/collective_builder.hpp"
#include "cutlass/gemm/collective/collective_builder.hpp"
#include "cutlass/gemm/device/gemm_universal_adapter.h"
#include "cutlass/gemm/kernel/gemm_universal.hpp"
#include "cutlass/kernel_hardware_info.h"
#include "cutlass/transform/device/transform_universal_adapter.hpp"
#include "cutlass/transform/kernel/sparse_gemm_compressor.hpp"
#include "cutlass/util/packed_stride.hpp"
#include "cutlass/util/reference/host/gett.hpp"
#include <type_traits>
#include <vector>

namespace program {

using cutlass::float_e2m1_t, cutlass::float_e4m3_t, cutlass::half_t,
    cutlass::nv_float4_t, cutlass::tfloat32_t;
using cutlass::arch::Sm100, cutlass::arch::Sm90;
using namespace cutlass::gemm;
namespace ep = cutlass::epilogue;
template <int m, int n, int k>
using Tile = cute::Shape<cute::Int<m>, cute::Int<n>, cute::Int<k>>;
template <int m, int n>
using Cluster = cute::Shape<cute::Int<m>, cute::Int<n>, cute::_1>;

/// What an operand is made of: elements, and scales if there are any.
template <class Operand, class = void> struct Parts {
  static constexpr bool isScaled = false;
  using Element = Operand;
  using Class = cutlass::arch::OpClassSparseTensorOp;
};
template <class Operand>
struct Parts<Operand, std::void_t<typename Operand::ScaleFactorType>> {
  static constexpr bool isScaled = true;
  using Element = typename Operand::DataType;
  using Scale = typename Operand::ScaleFactorType;
  using Class = cutlass::arch::OpClassBlockScaledSparseTensorOp;
};

/// A and B are K-major, C and D row-major.
template <class Arch, class Operand, class TileShape, class ClusterShape,
          class MainloopSchedule, class EpilogueSchedule>
struct Sparse : Parts<Operand> {
  using Element = typename Parts<Operand>::Element;
  using Class = typename Parts<Operand>::Class;
  using Row = cutlass::layout::RowMajor;
  using Column = cutlass::layout::ColumnMajor;
  using Sum = std::conditional_t<std::is_integral_v<Element>, int, float>;
  static constexpr int bits = cutlass::sizeof_bits<Element>::value;
  static constexpr int alignment = 128 / bits;
  static constexpr bool isHopper = std::is_same_v<Arch, Sm90>;

  using Epilogue = typename ep::collective::CollectiveBuilder<
      Arch, Class, TileShape, ClusterShape, ep::collective::EpilogueTileAuto,
      Sum, Sum, Sum, Row, 4, Sum, Row, 4, EpilogueSchedule>::CollectiveOp;
  // On Blackwell the alignment of A counts the elements that aren't stored.
  using Mainloop = typename collective::CollectiveBuilder<
      Arch, Class, Operand, Row, isHopper ? alignment : 2 * alignment, Operand,
      Column, alignment, Sum, TileShape, ClusterShape,
      collective::StageCountAutoCarveout<int(
          sizeof(typename Epilogue::SharedStorage))>,
      MainloopSchedule>::CollectiveOp;
  using Problem = cute::Shape<int, int, int, int>;
  using Gemm = device::GemmUniversalAdapter<
      kernel::GemmUniversal<Problem, Mainloop, Epilogue>>;

  using Config = typename Mainloop::SparseConfig;
  using Utility = cutlass::transform::kernel::StructuredSparseCompressorUtility<
      Problem, Element, Row, Config>;
  using Compressor = cutlass::transform::device::TransformUniversalAdapter<
      cutlass::transform::kernel::StructuredSparseCompressor<Problem, Element,
                                                             Row, Config, Arch>>;
};

/// The scales of A and B, in CUTLASS's own layout.
template <class S, bool = S::isScaled> class Scales {
public:
  explicit Scales(const typename S::Problem &) {}
  template <class Arguments> void set(Arguments &) {}
  template <class A, class B> auto reference(A a, B b) {
    return cutlass::reference::host::GettMainloopParams<typename S::Sum, A, B>(
        a, b);
  }
};
template <class S> class Scales<S, true> {
  using Config = typename S::Mainloop::Sm1xxBlkScaledConfig;
  typename S::Mainloop::LayoutSFA layoutA;
  typename S::Mainloop::LayoutSFB layoutB;
  Matrix<typename S::Scale> a, b;

public:
  explicit Scales(const typename S::Problem &problem)
      : layoutA(Config::tile_atom_to_shape_SFA(problem)),
        layoutB(Config::tile_atom_to_shape_SFB(problem)),
        a(size(cute::filter_zeros(layoutA)), 8, 1, 8, 0.25f),
        b(size(cute::filter_zeros(layoutB)), 9, 1, 8, 0.25f) {}
  template <class Arguments> void set(Arguments &arguments) {
    arguments.ptr_SFA = a.device_data();
    arguments.layout_SFA = layoutA;
    arguments.ptr_SFB = b.device_data();
    arguments.layout_SFB = layoutB;
  }
  template <class A, class B> auto reference(A tensorA, B tensorB) {
    auto scalesA = a.tensor(layoutA);
    auto scalesB = b.tensor(layoutB);
    return cutlass::reference::host::GettBlockScalingMainloopParams<
        float, A, decltype(scalesA), B, decltype(scalesB)>(tensorA, scalesA,
                                                           tensorB, scalesB);
  }
};

template <class S> int run(int m, int n, int k) {
  using Element = typename S::Element;
  using Gemm = typename S::Gemm;
  using Kernel = typename Gemm::GemmKernel;
  using Sum = typename S::Sum;
  const Sum alpha = 2, beta = 3;
  typename S::Problem problem{m, n, k, 1};
  auto layoutOf = [](auto stride, int rows, int columns) {
    auto shape = cute::make_shape(rows, columns, 1);
    return cute::make_layout(shape,
                             cutlass::make_cute_packed_stride(stride, shape));
  };
  auto layoutA = layoutOf(TagToStrideA_t<typename S::Row>{}, m, k);
  auto layoutB = layoutOf(typename Kernel::StrideB{}, n, k);
  auto layoutC = layoutOf(typename Kernel::StrideC{}, m, n);
  cutlass::KernelHardwareInfo hardware;
  hardware.sm_count =
      cutlass::KernelHardwareInfo::query_device_multiprocessor_count(0);

  typename S::Utility utility(problem, layoutA.stride());
  Matrix<Element> a(size(layoutA), 1), b(size(layoutB), 2);
  utility.structure_sparse_zero_mask_fill(a.host_data(), 3);
  a.sync_device();
  Matrix<Element> stored(
      utility.get_compressed_tensor_A_bytes() * 8 / S::bits, 4);
  Matrix<uint8_t> metadata(utility.get_tensor_E_bytes(), 5, 0, 255);
  launch<typename S::Compressor>({problem,
                                  {a.device_data(), layoutA.stride(),
                                   stored.device_data(),
                                   metadata.device_data()},
                                  hardware});

  Matrix<Sum> c(size(layoutC), 6), d(size(layoutC), 7);
  typename Gemm::Arguments arguments{};
  arguments.mode = cutlass::gemm::GemmUniversalMode::kGemm;
  arguments.problem_shape = problem;
  arguments.mainloop.ptr_A =
      reinterpret_cast<decltype(arguments.mainloop.ptr_A)>(
          stored.device_data());
  arguments.mainloop.layout_a = S::Config::fill_layoutA(problem);
  arguments.mainloop.ptr_B =
      reinterpret_cast<decltype(arguments.mainloop.ptr_B)>(b.device_data());
  arguments.mainloop.dB = layoutB.stride();
  arguments.mainloop.ptr_E = metadata.device_data();
  arguments.mainloop.layout_e = S::Config::fill_layoutE(problem);
  Scales<S> scales(problem);
  scales.set(arguments.mainloop);
  arguments.epilogue.thread.alpha = alpha;
  arguments.epilogue.thread.beta = beta;
  arguments.epilogue.ptr_C = c.device_data();
  arguments.epilogue.dC = layoutC.stride();
  arguments.epilogue.ptr_D = d.device_data();
  arguments.epilogue.dD = layoutC.stride();
  arguments.hw_info = hardware;
  launch<Gemm>(arguments);
  d.sync_host();

  std::vector<Sum> expected(size(layoutC));
  auto tensorA = a.tensor(layoutA);
  auto tensorB = b.tensor(layoutB);
  auto tensorC = c.tensor(layoutC);
  auto tensorD = cute::make_tensor(expected.data(), layoutC);
  namespace host = cutlass::reference::host;
  auto mainloop = scales.reference(tensorA, tensorB);
  host::GettEpilogueParams<Sum, Sum, Sum, Sum, decltype(tensorC),
                           decltype(tensorD)>
      epilogue(alpha, beta, tensorC, tensorD);
  host::Gemm3x(mainloop, epilogue);

  for (size_t at = 0; at != expected.size(); ++at)
    if (Sum(d.host_data(at)) != expected[at]) {
      std::printf("Failed: (%d, %d) is %g, not %g\n", int(at / n), int(at % n),
                  double(d.host_data(at)), double(expected[at]));
      return 1;
    }
  std::printf("Passed\n");
  return 0;
}

} // namespace program

/// The program of one row: architecture, element, tile, cluster, schedules.
#define SPARSE_PROGRAM(...)                                                    \
  namespace program {                                                          \
  using Selected = Sparse<__VA_ARGS__>;                                        \
  }                                                                            \
  int main(int count, char **words) {                                          \
    if (count != 4) {                                                          \
      std::printf("Usage: %s M N K\n", words[0]);                              \
      return 2;                                                                \
    }                                                                          \
    return program::run<program::Selected>(std::atoi(words[1]),                \
                                           std::atoi(words[2]),                \
                                           std::atoi(words[3]));               \
  }
