//===- conv.cu - A CUTLASS convolution as a program -------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A forward convolution on Hopper as an implicit GEMM: tensor maps in im2col
// mode bring the activations, to both CTAs of a cluster at once. CUTLASS's
// adapter launches it, and CUTLASS's reference on the host, seven loops, checks
// it to the last bit. `./conv N H W C, K R S, ...` says `Passed` or what is wrong.
//
//===----------------------------------------------------------------------===//

#include "program.cuh"

#include "cutlass/kernel_hardware_info.hpp"

#include "cutlass/conv/collective/collective_builder.hpp"
#include "cutlass/conv/device/conv_universal_adapter.hpp"
#include "cutlass/conv/kernel/conv_universal.hpp"
#include "cutlass/epilogue/collective/collective_builder.hpp"
#include "cutlass/util/reference/host/convolution.h"
#include <array>
#include <vector>

namespace program {

using Element = cutlass::half_t;
using Layout = cutlass::layout::TensorNHWC;
using Arch = cutlass::arch::Sm90;
using OpClass = cutlass::arch::OpClassTensorOp;
using Tile = cute::Shape<cute::_64, cute::_64, cute::Shape<cute::_64>>;
using Cluster = cute::Shape<cute::_1, cute::_2, cute::_1>;
constexpr int align = 8; // Elements in 16 bytes.

using Epilogue = cutlass::epilogue::collective::CollectiveBuilder<
    Arch, OpClass, Tile, Cluster,
    cutlass::epilogue::collective::EpilogueTileAuto, float, float, Element,
    Layout, align, Element, Layout, align,
    cutlass::epilogue::TmaWarpSpecialized>::CollectiveOp;
using Mainloop = cutlass::conv::collective::CollectiveBuilder<
    Arch, OpClass, cutlass::conv::Operator::kFprop, Element, Layout, align,
    Element, Layout, align, float, Tile, Cluster,
    cutlass::conv::collective::StageCountAutoCarveout<static_cast<int>(
        sizeof(Epilogue::SharedStorage))>,
    cutlass::conv::collective::KernelScheduleAuto>::CollectiveOp;
using Problem =
    cutlass::conv::ConvProblemShape<cutlass::conv::Operator::kFprop, 2>;
using Kernel =
    cutlass::conv::kernel::ConvUniversal<Problem, Mainloop, Epilogue>;
using Conv = cutlass::conv::device::ConvUniversalAdapter<Kernel>;

static const char *const names[] = {
    "N",    "H",      "W",     "C",    "K",      "R",        "S",       "TOP",
    "LEFT", "BOTTOM", "RIGHT", "DOWN", "ACROSS", "DILATE_H", "DILATE_W"};
using Sizes = std::array<int, std::size(names)>;

static int run(const Sizes &sizes) {
  auto [n, h, w, c, k, r, s, top, left, bottom, right, down, across, dilateH,
        dilateW] = sizes;
  Problem problem(cutlass::conv::Mode::kCrossCorrelation, {n, h, w, c},
                  {k, r, s, c}, {top, left}, {bottom, right}, {down, across},
                  {dilateH, dilateW}, /*groups=*/1);
  int p = problem.shape_C[1], q = problem.shape_C[2];
  const float alpha = 0.5f, beta = 2;

  Matrix<Element> x(problem.size_A(), 1), filter(problem.size_B(), 2),
      y(problem.size_C(), 3), out(problem.size_C(), 4);
  typename Kernel::StrideC stride{};
  cute::for_each(cute::make_seq<cute::rank<0>(stride)>{}, [&](auto i) {
    cute::get<0, i>(stride) = problem.stride_C[Problem::RankT - 2 - i];
  });
  launch<Conv>({problem,
                {x.device_data(), filter.device_data()},
                {{alpha, beta},
                 y.device_data(),
                 stride,
                 out.device_data(),
                 stride}});
  out.sync_host();

  std::vector<Element> reference(problem.size_C());
  auto view = [](Element *data, int n, int h, int w, int c) {
    return cutlass::TensorRef<Element, Layout>(data,
                                               Layout::packed({n, h, w, c}));
  };
  cutlass::reference::host::Conv2dFprop<Element, Layout, Element, Layout,
                                        Element, Layout, float>(
      cutlass::conv::Conv2dProblemSize(
          n, h, w, c, k, r, s, p, q, top, left, down, across, dilateH, dilateW,
          cutlass::conv::Mode::kCrossCorrelation),
      view(x.host_data(), n, h, w, c), view(filter.host_data(), k, r, s, c),
      view(y.host_data(), n, p, q, k), view(reference.data(), n, p, q, k),
      alpha, beta);
  for (size_t i = 0; i != reference.size(); ++i)
    if (float found = out.host_data(i), right = reference[i]; found != right) {
      std::printf("Failed: image %zu, line %zu, column %zu, channel %zu is %g, "
                  "not %g\n",
                  i / k / q / p, i / k / q % p, i / k % q, i % k, found, right);
      return 1;
    }
  std::printf("Passed\n");
  return 0;
}

} // namespace program

int main(int count, char **words) {
  program::Sizes sizes;
  if (count != 1 + int(sizes.size())) {
    std::printf("Usage: %s", words[0]);
    for (const char *name : program::names)
      std::printf(" %s", name);
    std::printf("\n");
    return 2;
  }
  for (size_t i = 0; i != sizes.size(); ++i)
    sizes[i] = std::atoi(words[i + 1]);
  return program::run(sizes);
}
