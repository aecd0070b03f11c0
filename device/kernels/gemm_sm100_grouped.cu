//===- gemm_sm100_grouped.cu - D = A B^T, for several A and B ------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Several problems in one launch, by CTA pairs, as experts of a model have
// them: each has its own rows of A and D, M0, M1, ... and its own B. The rows
// of a problem follow those of the last; where they end within a tile, the map
// of its D ends, too, so that nothing is stored to the next one's.
//
//   gemm_sm100_grouped N K a.bin b.bin d.bin M0 M1 ...
//
//===----------------------------------------------------------------------===//

#include "Files.h"
#include "drawloom/device/Launch.h"

using namespace drawloom::device;
using bf16 = __nv_bfloat16;
using Element = bf16; // of A and B

using Load = Role<"load", 1, By::Tma>;
using Multiply = Role<"multiply", 1, By::TensorCore>;
using Epilogue = Role<"epilogue", 4, By::CudaCores>;
using Store = Role<"store", 1, By::Tma>;

constexpr int step = 128 / sizeof(Element);
using A = Tile<Element, 128, step>;
using B = Tile<Element, 256, step>;
using D = Tile<bf16, 128, 64>;

using AB = Pipe<"operands", Load, Multiply, 6, Operands<A, B>>;
using Accumulators = Pipe<"accumulators", Multiply, Epilogue, 2, Accumulator<128, 256>>;
using Out = Pipe<"result", Epilogue, Store, 2, D>;
constexpr int most = 32; // problems
using Gemm = Kernel<Cluster<2, 1, Pair>, Grouped<Dynamic<128, 256, step>, most>,
                    AB, Accumulators, Out>;

struct Arguments {
  Gemm::MapOfA<AB> a;
  Gemm::MapOfB<AB> b;
  Map<D> d[most];
  Gemm::Problem problem;
};

/// Eight accumulators as bf16.
static __device__ uint4 round(const float *accumulators) {
  uint4 values;
  auto *pairs = reinterpret_cast<__nv_bfloat162 *>(&values);
  for (int i = 0; i < 4; ++i)
    pairs[i] = __floats2bfloat162_rn(accumulators[2 * i], accumulators[2 * i + 1]);
  return values;
}

__global__ void __launch_bounds__(Gemm::threads, 1)
    gemm(const __grid_constant__ Arguments g) {
  Gemm kernel(g.problem);

  if (auto load = kernel.role<Load>())
    for (GroupedItem item : load.work())
      for (int k : item.k()) {
        auto slot = load.produce<AB>();
        slot.load(g.a, g.b, item, k);
      }

  if (auto multiply = kernel.role<Multiply>())
    for (GroupedItem item : multiply.work()) {
      auto accumulators = multiply.produce<Accumulators>();
      for (int k : item.k()) {
        auto operands = multiply.consume<AB>();
        accumulators.mma(operands, k);
      }
    }

  if (auto epilogue = kernel.role<Epilogue>())
    for (GroupedItem item : epilogue.work()) {
      auto accumulators = epilogue.consume<Accumulators>();
      for (int column = 0; column < B::rows; column += D::columns) {
        float values[D::columns];
        accumulators.read(column, values);
        auto out = epilogue.produce<Out>();
        for (int i = 0; i < D::columns; i += 8)
          out.write(accumulators.getRow(), i, round(values + i));
      }
    }

  if (auto store = kernel.role<Store>())
    for (GroupedItem item : store.work())
      for (int column = 0; column < B::rows; column += D::columns) {
        auto out = store.consume<Out>();
        out.store(g.d[item.group], item.column + column, item.row);
      }
}

int main(int argc, char **argv) {
  if (argc < 7)
    return std::fprintf(stderr, "N K a.bin b.bin d.bin M0 M1 ...\n"), 1;
  int n = std::atoi(argv[1]), k = std::atoi(argv[2]), groups = argc - 6;
  Arguments arguments{.problem = {n, k}};
  Gemm::Problem &problem = arguments.problem;
  for (int group = 0; group < groups; ++group)
    if (!problem.add(std::atoi(argv[6 + group])))
      return std::fprintf(stderr, "at most %d problems\n", most), 1;
  int m = problem.groups[groups].firstRow; // of all
  Element *a = readTensor<Element>(argv[3], size_t(m) * k);
  Element *b = readTensor<Element>(argv[4], size_t(groups) * n * k);
  bf16 *d;
  check(cudaMalloc(&d, sizeof(bf16) * m * n));
  check(describe(arguments.a, a, m, k));
  check(describe(arguments.b, b, groups * n, k));
  for (int group = 0; group < groups; ++group)
    if (int rows = problem.countRows(group))
      check(describe(arguments.d[group],
                     d + size_t(problem.groups[group].firstRow) * n, rows, n));
  check(launch<Gemm>(gemm, arguments, problem));
  check(cudaDeviceSynchronize());
  writeTensor(argv[5], d, size_t(m) * n);
}
