//===- gemm_sm100_dependent.cu - E = (A B^T) C^T in two launches ---------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A layer after the other, by CTA pairs. The second launch begins while the
// first one ends: its roles have their barriers and tensor memory when D = A
// B^T is there, and wait for that. Both are the same kernel.
//
//   gemm_sm100_dependent M N K L a.bin b.bin c.bin e.bin
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
using Gemm = Kernel<Cluster<2, 1, Pair>, Dependent<Dynamic<128, 256, step>>, AB,
                    Accumulators, Out>;

struct Arguments {
  Gemm::MapOfA<AB> a;
  Gemm::MapOfB<AB> b;
  Map<D> d;
  Problem problem;
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
    for (Item item : load.work())
      for (int k : item.k()) {
        auto slot = load.produce<AB>();
        slot.load(g.a, g.b, item, k);
      }

  if (auto multiply = kernel.role<Multiply>())
    for (Item item : multiply.work()) {
      auto accumulators = multiply.produce<Accumulators>();
      for (int k : item.k()) {
        auto operands = multiply.consume<AB>();
        accumulators.mma(operands, k);
      }
    }

  if (auto epilogue = kernel.role<Epilogue>())
    for (Item item : epilogue.work()) {
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
    for (Item item : store.work())
      for (int column = 0; column < B::rows; column += D::columns) {
        auto out = store.consume<Out>();
        out.store(g.d, item.column + column, item.row);
      }
}

/// D = A B^T, after what the stream has done before.
static cudaError_t multiply(const bf16 *a, const bf16 *b, bf16 *d,
                            Problem problem) {
  auto [m, n, k] = problem;
  Arguments arguments{.problem = problem};
  check(describe(arguments.a, a, m, k));
  check(describe(arguments.b, b, n, k));
  check(describe(arguments.d, d, m, n));
  return launch<Gemm>(gemm, arguments, problem);
}

int main(int argc, char **argv) {
  if (argc != 9)
    return std::fprintf(stderr, "M N K L a.bin b.bin c.bin e.bin\n"), 1;
  int m = std::atoi(argv[1]), n = std::atoi(argv[2]), k = std::atoi(argv[3]);
  int l = std::atoi(argv[4]);
  bf16 *a = readTensor<bf16>(argv[5], size_t(m) * k);
  bf16 *b = readTensor<bf16>(argv[6], size_t(n) * k);
  bf16 *c = readTensor<bf16>(argv[7], size_t(l) * n);
  bf16 *d, *e;
  check(cudaMalloc(&d, sizeof(bf16) * m * n));
  check(cudaMalloc(&e, sizeof(bf16) * m * l));
  check(multiply(a, b, d, {m, n, k}));
  check(multiply(d, c, e, {m, l, n}));
  check(cudaDeviceSynchronize());
  writeTensor(argv[8], e, size_t(m) * l);
}
