//===- gemm_sm90_pingpong.cu - D = A B^T by warp groups in turns ---------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two warp groups take items in turns: one multiplies while the other rounds
// its accumulators, so that tensor cores don't wait for roundings (ping-pong). One warp
// loads for both, one stores the results of both.
//
//   gemm_sm90_pingpong M N K a.bin b.bin d.bin
//
//===----------------------------------------------------------------------===//

#include "Files.h"
#include "drawloom/device/Launch.h"

using namespace drawloom::device;
using bf16 = __nv_bfloat16;
using Element = bf16; // of A and B

using Load = Role<"load", 1, By::Tma>;
using Ping = Role<"ping", 4, By::WarpGroups>;
using Pong = Role<"pong", 4, By::WarpGroups>;
using Store = Role<"store", 1, By::Tma>;

constexpr int step = 128 / sizeof(Element);
using A = Tile<Element, 64, step>;
using B = Tile<Element, 256, step>;
using D = Tile<bf16, 64, 64>;

using PingAB = Pipe<"ping_operands", Load, Ping, 2, Operands<A, B>>;
using PongAB = Pipe<"pong_operands", Load, Pong, 2, Operands<A, B>>;
using Products = Pipe<"products", Ping, Pong, 1, Turn>; // who multiplies
using PingOut = Pipe<"ping_result", Ping, Store, 2, D>;
using PongOut = Pipe<"pong_result", Pong, Store, 2, D>;
using Gemm = Kernel<PingPong<Static<64, 256, step>, 2>, PingAB, PongAB, Products,
                    PingOut, PongOut>;

struct Arguments {
  Gemm::MapOfA<PingAB> a;
  Gemm::MapOfB<PingAB> b;
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

template <class AB, class Loader>
static __device__ void load(const Arguments &g, Loader &loader, Item item) {
  for (int k : item.k()) {
    auto slot = loader.template produce<AB>();
    slot.load(g.a, g.b, item, k);
  }
}

template <class AB, class Out, class Multiplier>
static __device__ void multiply(Multiplier &multiplier, Item item) {
  auto accumulators = multiplier.template accumulators<A::rows, B::rows>();
  {
    auto turn = multiplier.template turn<Products>();
    for (int k : item.k()) {
      auto operands = multiplier.template consume<AB>();
      accumulators.mma(operands, k);
    }
  } // the other group's products follow the last of these
  auto &done = accumulators.finish();
#pragma unroll
  for (int column = 0; column < B::rows; column += D::columns) {
    auto out = multiplier.template produce<Out>();
#pragma unroll
    for (int i = 0; i < D::columns; i += 16)
      out.writeBlock(i, round(done.getBlock(column + i)));
  }
}

template <class Out, class Storer>
static __device__ void store(const Arguments &g, Storer &storer, Item item) {
  for (int column = 0; column < B::rows; column += D::columns) {
    auto out = storer.template consume<Out>();
    out.store(g.d, item.column + column, item.row);
  }
}

__global__ void __launch_bounds__(Gemm::threads, 1)
    gemm(const __grid_constant__ Arguments g) {
  Gemm kernel(g.problem);

  if (auto loader = kernel.role<Load>())
    for (auto round : loader.work()) {
      load<PingAB>(g, loader, round.get<0>());
      load<PongAB>(g, loader, round.get<1>());
    }

  if (auto ping = kernel.role<Ping>())
    for (auto round : ping.work())
      multiply<PingAB, PingOut>(ping, round.get<0>());

  if (auto pong = kernel.role<Pong>())
    for (auto round : pong.work())
      multiply<PongAB, PongOut>(pong, round.get<1>());

  if (auto storer = kernel.role<Store>())
    for (auto round : storer.work()) {
      store<PingOut>(g, storer, round.get<0>());
      store<PongOut>(g, storer, round.get<1>());
    }
}

int main(int argc, char **argv) {
  if (argc != 7)
    return std::fprintf(stderr, "M N K a.bin b.bin d.bin\n"), 1;
  Problem problem{std::atoi(argv[1]), std::atoi(argv[2]), std::atoi(argv[3])};
  auto [m, n, k] = problem;
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
