//===- gemm_sm100_nvfp4.cu - D = scale A B^T, with scales of blocks ------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// By CTA pairs. Every 16 elements of a row have a scale, which tensor cores
// apply. Besides, tensors have a scale each; the product of the two is applied
// to the accumulators before they are rounded. With mxfp8 or mxfp4 in place of nvfp4,
// every 32 elements have a scale.
//
//   gemm_sm100_nvfp4 M N K scale a.bin a_scales.bin b.bin b_scales.bin d.bin
//
//===----------------------------------------------------------------------===//

#include "Files.h"
#include "drawloom/device/Launch.h"
#include "drawloom/device/Scaled.h"

using namespace drawloom::device;
using bf16 = __nv_bfloat16;
using Element = nvfp4; // of A and B

using Load = Role<"load", 1, By::Tma>;
using Multiply = Role<"multiply", 1, By::TensorCore>;
using Epilogue = Role<"epilogue", 4, By::CudaCores>;
using Store = Role<"store", 1, By::Tma>;

constexpr int step = panelColumns<Element>; // 128 bytes along K
using A = Tile<Element, 128, step>;
using B = Tile<Element, 256, step>;
using D = Tile<bf16, 128, 64>;

using AB = Pipe<"operands", Load, Multiply, 5, Operands<A, B>>;
using Accumulators = Pipe<"accumulators", Multiply, Epilogue, 1, Accumulator<128, 256>>;
using Out = Pipe<"result", Epilogue, Store, 2, D>;
using Gemm =
    Kernel<Cluster<2, 1, Pair>, Dynamic<128, 256, step>, AB, Accumulators, Out>;

struct Arguments {
  Gemm::MapOfA<AB> a;
  Gemm::MapOfB<AB> b;
  Map<D> d;
  float scale;
  Problem problem;
};

/// Eight accumulators, scaled, as bf16.
static __device__ uint4 round(const float *accumulators, float scale) {
  uint4 values;
  auto *pairs = reinterpret_cast<__nv_bfloat162 *>(&values);
  for (int i = 0; i < 4; ++i)
    pairs[i] =
        __floats2bfloat162_rn(scale * accumulators[2 * i], scale * accumulators[2 * i + 1]);
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
          out.write(accumulators.getRow(), i, round(values + i, g.scale));
      }
    }

  if (auto store = kernel.role<Store>())
    for (Item item : store.work())
      for (int column = 0; column < B::rows; column += D::columns) {
        auto out = store.consume<Out>();
        out.store(g.d, item.column + column, item.row);
      }
}

/// A tensor's scales in device memory, from a file with those of a row after
/// those of the last.
static auto *readScales(const char *path, int rows, int columns) {
  using Scale = Stored<Element>::Scale;
  size_t count = size_t(rows) * countScales<Element>(columns);
  size_t packedCount = countPackedScales<Element>(rows, columns);
  std::vector<Scale> scales = readFile<Scale>(path, count), packed(packedCount);
  packScales<Element>(packed.data(), scales.data(), rows, columns);
  return copyToDevice(packed);
}

int main(int argc, char **argv) {
  if (argc != 10)
    return std::fprintf(stderr, "M N K scale a.bin a_scales.bin b.bin "
                                "b_scales.bin d.bin\n"),
           1;
  Problem problem{std::atoi(argv[1]), std::atoi(argv[2]), std::atoi(argv[3])};
  auto [m, n, k] = problem;
  using Byte = Stored<Element>::type; // an element, or two
  constexpr int bits = Stored<Element>::bits;
  Byte *a = readTensor<Byte>(argv[5], size_t(m) * k * bits / 8);
  Byte *b = readTensor<Byte>(argv[7], size_t(n) * k * bits / 8);
  bf16 *d;
  check(cudaMalloc(&d, sizeof(bf16) * m * n));
  Arguments arguments{.scale = float(std::atof(argv[4])), .problem = problem};
  check(describe(arguments.a, a, readScales(argv[6], m, k), m, k));
  check(describe(arguments.b, b, readScales(argv[8], n, k), n, k));
  check(describe(arguments.d, d, m, n));
  check(launch<Gemm>(gemm, arguments, problem));
  check(cudaDeviceSynchronize());
  writeTensor(argv[9], d, size_t(m) * n);
}
