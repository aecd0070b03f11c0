//===- gemm_sm100_stream_k.cu - D = A B^T in equal shares ----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For results whose tiles don't go evenly into all multiprocessors: CTAs have
// equal shares of the steps of all tiles. One that begins within a tile leaves
// that part of the sum to the CTA that has the tile's first step. One warp
// loads, one multiplies, four add parts and round, and one stores.
//
//   gemm_sm100_stream_k M N K a.bin b.bin d.bin
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

using AB = Pipe<"operands", Load, Multiply, 4, Operands<A, B>>;
using Accumulators = Pipe<"accumulators", Multiply, Epilogue, 2, Accumulator<128, 256>>;
using Out = Pipe<"result", Epilogue, Store, 2, D>;
using Gemm = Kernel<StreamK<Static<128, 256, step>>, AB, Accumulators, Out>;

struct Arguments {
  Gemm::MapOfA<AB> a;
  Gemm::MapOfB<AB> b;
  Map<D> d;
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
    for (StreamItem item : load.work())
      for (int k : item.k()) {
        auto slot = load.produce<AB>();
        slot.load(g.a, g.b, item, k);
      }

  if (auto multiply = kernel.role<Multiply>())
    for (StreamItem item : multiply.work()) {
      auto accumulators = multiply.produce<Accumulators>();
      for (int k : item.k()) {
        auto operands = multiply.consume<AB>();
        accumulators.mma(operands, k);
      }
    }

  if (auto epilogue = kernel.role<Epilogue>())
    for (StreamItem item : epilogue.work()) {
      auto accumulators = epilogue.consume<Accumulators>();
      for (int column = 0; column < B::rows; column += D::columns) {
        float values[D::columns];
        accumulators.read(item, column, values);
        auto out = epilogue.produce<Out>();
        for (int i = 0; i < D::columns; i += 8)
          out.write(accumulators.getRow(), i, round(values + i));
      }
    }

  if (auto store = kernel.role<Store>())
    for (StreamItem item : store.work())
      for (int column = 0; column < B::rows; column += D::columns) {
        auto out = store.consume<Out>();
        out.store(g.d, item.column + column, item.row);
      }
}

int main(int argc, char **argv) {
  if (argc != 7)
    return std::fprintf(stderr, "M N K a.bin b.bin d.bin\n"), 1;
  int m = std::atoi(argv[1]), n = std::atoi(argv[2]), k = std::atoi(argv[3]);
  Gemm::Problem problem{m, n, k};
  check(allocateStream<Gemm>(problem));
  Element *a = readTensor<Element>(argv[4], size_t(m) * k);
  Element *b = readTensor<Element>(argv[5], size_t(n) * k);
  bf16 *d;
  check(cudaMalloc(&d, sizeof(bf16) * m * n));
  Arguments arguments{.problem = problem};
  check(describe(arguments.a, a, m, k));
  check(describe(arguments.b, b, n, k));
  check(describe(arguments.d, d, m, n));
  check(launch<Gemm>(gemm, arguments, problem));
  check(cudaDeviceSynchronize());
  writeTensor(argv[6], d, size_t(m) * n);
}
