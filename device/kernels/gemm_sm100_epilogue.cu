//===- gemm_sm100_epilogue.cu - D = gelu(A B^T + bias) + residual --------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The GEMM with a longer way out: one more warp fetches the residual while a
// tile is multiplied, and the four that round add the bias, a number for each
// column, apply gelu and add the residual first.
//
//   gemm_sm100_epilogue M N K a.bin b.bin bias.bin residual.bin d.bin
//
//===----------------------------------------------------------------------===//

#include "Files.h"
#include "drawloom/device/Launch.h"

using namespace drawloom::device;
using bf16 = __nv_bfloat16;
using Element = bf16; // of A and B

using Load = Role<"load", 1, By::Tma>;
using Multiply = Role<"multiply", 1, By::TensorCore>;
using Fetch = Role<"fetch", 1, By::Tma>;
using Epilogue = Role<"epilogue", 4, By::CudaCores>;
using Store = Role<"store", 1, By::Tma>;

constexpr int step = 128 / sizeof(Element);
using A = Tile<Element, 128, step>;
using B = Tile<Element, 256, step>;
using D = Tile<bf16, 128, 64>;

using AB = Pipe<"operands", Load, Multiply, 3, Operands<A, B>>;
using Accumulators = Pipe<"accumulators", Multiply, Epilogue, 2, Accumulator<128, 256>>;
using Residual = Pipe<"residual", Fetch, Epilogue, 2, D>;
using Out = Pipe<"result", Epilogue, Store, 2, D>;
using Gemm = Kernel<Static<128, 256, step>, AB, Accumulators, Residual, Out>;

struct Arguments {
  Gemm::MapOfA<AB> a;
  Gemm::MapOfB<AB> b;
  Map<D> residual, d;
  const float *bias;
  Problem problem;
};

static __device__ float gelu(float x) {
  return 0.5f * x * (1 + erff(x * 0.70710678f));
}

/// Eight results of a row.
static __device__ uint4 finish(const float *accumulators, const float *bias,
                               uint4 residual) {
  uint4 values;
  auto *pairs = reinterpret_cast<__nv_bfloat162 *>(&values);
  auto *others = reinterpret_cast<const __nv_bfloat162 *>(&residual);
  for (int i = 0; i < 4; ++i) {
    float2 other = __bfloat1622float2(others[i]);
    pairs[i] = __floats2bfloat162_rn(gelu(accumulators[2 * i] + bias[2 * i]) + other.x,
                                     gelu(accumulators[2 * i + 1] + bias[2 * i + 1]) +
                                         other.y);
  }
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

  if (auto fetch = kernel.role<Fetch>())
    for (Item item : fetch.work())
      for (int column = 0; column < B::rows; column += D::columns) {
        auto residual = fetch.produce<Residual>();
        residual.load(g.residual, item.column + column, item.row);
      }

  if (auto epilogue = kernel.role<Epilogue>())
    for (Item item : epilogue.work()) {
      auto accumulators = epilogue.consume<Accumulators>();
      for (int column = 0; column < B::rows; column += D::columns) {
        float values[D::columns];
        accumulators.read(column, values);
        auto residual = epilogue.consume<Residual>();
        auto out = epilogue.produce<Out>();
        for (int i = 0; i < D::columns; i += 8) {
          int row = accumulators.getRow(), at = item.column + column + i;
          // Rows of D are whole groups of eight; beyond them nothing is stored.
          const float *bias = g.bias + (at < g.problem.n ? at : 0);
          out.write(row, i, finish(values + i, bias, residual.readRow(row, i)));
        }
      }
    }

  if (auto store = kernel.role<Store>())
    for (Item item : store.work())
      for (int column = 0; column < B::rows; column += D::columns) {
        auto out = store.consume<Out>();
        out.store(g.d, item.column + column, item.row);
      }
}

int main(int argc, char **argv) {
  if (argc != 9)
    return std::fprintf(stderr,
                        "M N K a.bin b.bin bias.bin residual.bin d.bin\n"),
           1;
  Problem problem{std::atoi(argv[1]), std::atoi(argv[2]), std::atoi(argv[3])};
  auto [m, n, k] = problem;
  Element *a = readTensor<Element>(argv[4], size_t(m) * k);
  Element *b = readTensor<Element>(argv[5], size_t(n) * k);
  const float *bias = readTensor<float>(argv[6], n);
  bf16 *residual = readTensor<bf16>(argv[7], size_t(m) * n);
  bf16 *d;
  check(cudaMalloc(&d, sizeof(bf16) * m * n));
  Arguments arguments{.bias = bias, .problem = problem};
  check(describe(arguments.a, a, m, k));
  check(describe(arguments.b, b, n, k));
  check(describe(arguments.residual, residual, m, n));
  check(describe(arguments.d, d, m, n));
  check(launch<Gemm>(gemm, arguments, problem));
  check(cudaDeviceSynchronize());
  writeTensor(argv[8], d, size_t(m) * n);
}
