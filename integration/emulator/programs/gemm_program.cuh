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
// wrong. Operands with block scales have them in CUTLASS's own layout. Results
// are compared to the last bit; only after an activation there is a bound, from
// the ISA's for tanh.approx.
//
//===----------------------------------------------------------------------===//

#include "program.cuh"

#include "gemm.cuh"

#include "cutlass/gemm/device/gemm_universal_adapter.h"
#include "cutlass/kernel_hardware_info.h"
#include "cutlass/util/packed_stride.hpp"
#include "cutlass/util/reference/host/gett.hpp"
#include <cmath>
#include <type_traits>
#include <vector>

namespace program {

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

/// The operands of a dense product.
template <class Mainloop, class LayoutA, class LayoutB, class = void>
class Operands {
  Matrix<typename Mainloop::ElementA> a;
  Matrix<typename Mainloop::ElementB> b;
  LayoutA layoutA;
  LayoutB layoutB;

public:
  Operands(int, int, int, LayoutA layoutA, LayoutB layoutB)
      : a(size(layoutA), 1), b(size(layoutB), 2), layoutA(layoutA),
        layoutB(layoutB) {}

  void set(typename Mainloop::Arguments &arguments) {
    arguments.ptr_A = a.device_data();
    arguments.dA = layoutA.stride();
    arguments.ptr_B = b.device_data();
    arguments.dB = layoutB.stride();
  }

  /// What CUTLASS's reference takes.
  auto reference() {
    auto tensorA = a.tensor(layoutA);
    auto tensorB = b.tensor(layoutB);
    return cutlass::reference::host::GettMainloopParams<
        float, decltype(tensorA), decltype(tensorB)>(tensorA, tensorB);
  }
};

/// The operands of a product with block scales: a scale belongs to 16 or 32
/// elements along K. Scales are quarters from 1/4 to 2, to the nearest power of
/// two where the type has no others.
template <class Mainloop, class LayoutA, class LayoutB>
class Operands<Mainloop, LayoutA, LayoutB,
               std::void_t<typename Mainloop::Sm1xxBlkScaledConfig>> {
  using Config = typename Mainloop::Sm1xxBlkScaledConfig;
  using Scale = typename Mainloop::ElementSF;
  Matrix<typename Mainloop::ElementA> a;
  Matrix<typename Mainloop::ElementB> b;
  LayoutA layoutA;
  LayoutB layoutB;
  typename Mainloop::LayoutSFA scaleLayoutA;
  typename Mainloop::LayoutSFB scaleLayoutB;
  Matrix<Scale> scalesA, scalesB;

public:
  Operands(int m, int n, int k, LayoutA layoutA, LayoutB layoutB)
      : a(size(layoutA), 1), b(size(layoutB), 2), layoutA(layoutA),
        layoutB(layoutB),
        scaleLayoutA(Config::tile_atom_to_shape_SFA(
            cute::make_shape(m, n, k, 1))),
        scaleLayoutB(Config::tile_atom_to_shape_SFB(
            cute::make_shape(m, n, k, 1))),
        scalesA(size(cute::filter_zeros(scaleLayoutA)), 6, 1, 8, 0.25f),
        scalesB(size(cute::filter_zeros(scaleLayoutB)), 7, 1, 8, 0.25f) {}

  void set(typename Mainloop::Arguments &arguments) {
    arguments.ptr_A = a.device_data();
    arguments.dA = layoutA.stride();
    arguments.ptr_B = b.device_data();
    arguments.dB = layoutB.stride();
    arguments.ptr_SFA = scalesA.device_data();
    arguments.layout_SFA = scaleLayoutA;
    arguments.ptr_SFB = scalesB.device_data();
    arguments.layout_SFB = scaleLayoutB;
  }

  auto reference() {
    auto tensorA = a.tensor(layoutA);
    auto tensorB = b.tensor(layoutB);
    auto tensorScalesA = scalesA.tensor(scaleLayoutA);
    auto tensorScalesB = scalesB.tensor(scaleLayoutB);
    return cutlass::reference::host::GettBlockScalingMainloopParams<
        float, decltype(tensorA), decltype(tensorScalesA), decltype(tensorB),
        decltype(tensorScalesB)>(tensorA, tensorScalesA, tensorB,
                                 tensorScalesB);
  }
};

/// Whether an element isn't what it has to be.
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
  using peer::bf16;
  const float alpha = 0.5f, beta = 2;
  auto layoutOf = [](auto stride, int rows, int columns) {
    return cute::make_layout(
        cute::make_shape(rows, columns, 1),
        cutlass::make_cute_packed_stride(stride, {rows, columns, 1}));
  };
  auto layoutA = layoutOf(typename Kernel::StrideA{}, m, k);
  auto layoutB = layoutOf(typename Kernel::StrideB{}, n, k);
  auto layoutC = layoutOf(typename Kernel::StrideC{}, m, n);
  auto layoutD = layoutOf(typename Kernel::StrideD{}, m, n);
  Operands<typename Kernel::CollectiveMainloop, decltype(layoutA),
           decltype(layoutB)>
      operands(m, n, k, layoutA, layoutB);
  Matrix<bf16> c(size(layoutC), 3), d(size(layoutD), 4), bias(n, 5);

  typename Gemm::Arguments arguments{};
  arguments.mode = cutlass::gemm::GemmUniversalMode::kGemm;
  arguments.problem_shape = {m, n, k, 1};
  operands.set(arguments.mainloop);
  arguments.epilogue.ptr_C = c.device_data();
  arguments.epilogue.dC = layoutC.stride();
  arguments.epilogue.ptr_D = d.device_data();
  arguments.epilogue.dD = layoutD.stride();
  arguments.epilogue.thread.alpha = alpha;
  arguments.epilogue.thread.beta = beta;
  using Thread = std::remove_reference_t<decltype(arguments.epilogue.thread)>;
  bool biased =
      Bias<Thread, bf16>::set(arguments.epilogue.thread, bias.device_data());
  arguments.hw_info.sm_count =
      cutlass::KernelHardwareInfo::query_device_multiprocessor_count(0);
  launch<Gemm>(arguments);
  d.sync_host();

  std::vector<float> reference(size(layoutD));
  auto tensorC = c.tensor(layoutC);
  auto tensorD = cute::make_tensor(reference.data(), layoutD);
  namespace host = cutlass::reference::host;
  host::GettEpilogueParams<float, float, float, float, decltype(tensorC),
                           decltype(tensorD)>
      epilogue(alpha, beta, tensorC, tensorD);
  host::Gemm3x(operands.reference(), epilogue);

  auto found = d.tensor(layoutD);
  for (int i = 0; i != m; ++i)
    for (int j = 0; j != n; ++j) {
      float linear =
          tensorD(i, j, 0) + (biased ? float(bias.host_data(j)) : 0);
      if (!differs(float(found(i, j, 0)), linear, gelu))
        continue;
      std::printf("Failed: (%d, %d) is %g; before the activation %g is right\n",
                  i, j, float(found(i, j, 0)), linear);
      return 1;
    }
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
