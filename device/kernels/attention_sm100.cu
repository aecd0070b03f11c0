//===- attention_sm100.cu - O = softmax(Q K^T / sqrt(depth)) V -----------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention of all queries to all keys. A tensor has a row for each query or
// key, and in it `depth` columns for each head, so a work tile is 128 queries
// of a head, and a K tile is 128 keys. One warp loads, one issues MMAs, four
// have a query for each thread, and one stores. What a K tile adds is weighted
// by the highest score so far, so threads keep accumulators in registers and
// lower them whenever a higher score comes.
//
//   attention_sm100 queries keys heads q.bin k.bin v.bin o.bin
//
//===----------------------------------------------------------------------===//

#include "Files.h"
#include "drawloom/device/Launch.h"
#include <cmath>

using namespace drawloom::device;
using bf16 = __nv_bfloat16;

using Load = Role<"load", 1, By::Tma>;
using Multiply = Role<"multiply", 1, By::TensorCore>;
using Softmax = Role<"softmax", 4, By::CudaCores>;
using Store = Role<"store", 1, By::Tma>;

constexpr int depth = 128; // of a head
constexpr int block = 128; // keys
using Q = Tile<bf16, 128, depth>;
using KV = Tile<bf16, block, depth>;
using P = Tile<bf16, 128, block>;
using O = Tile<bf16, 128, 64>;

using Queries = Pipe<"queries", Load, Multiply, 1, Q>;
using Keys = Pipe<"keys", Load, Multiply, 2, KV>;
using Values = Pipe<"values", Load, Multiply, 2, KV>;
using Scores = Pipe<"scores", Multiply, Softmax, 1, Accumulator<128, block>>;
using Weights = Pipe<"weights", Softmax, Multiply, 1, P>;
using Parts = Pipe<"parts", Multiply, Softmax, 1, Accumulator<128, depth>>;
using Out = Pipe<"result", Softmax, Store, 2, O>;
using Attention = Kernel<Dynamic<128, depth, block>, Queries, Keys, Values,
                         Scores, Weights, Parts, Out>;

struct Arguments {
  Map<Q> q;
  Map<KV> k, v;
  Map<O> o;
  float scale; // of scores, whose powers are those of two
  Problem problem;
};

/// Eight numbers as bf16.
static __device__ uint4 round(const float *numbers) {
  uint4 values;
  auto *pairs = reinterpret_cast<__nv_bfloat162 *>(&values);
  for (int i = 0; i < 4; ++i)
    pairs[i] = __floats2bfloat162_rn(numbers[2 * i], numbers[2 * i + 1]);
  return values;
}

__global__ void __launch_bounds__(Attention::threads, 1)
    attention(const __grid_constant__ Arguments g) {
  Attention kernel(g.problem);
  constexpr int chunk = 32; // columns that a thread has at a time

  if (auto load = kernel.role<Load>())
    for (Item item : load.work()) {
      {
        auto queries = load.produce<Queries>();
        queries.load(g.q, item.column, item.row);
      }
      for (int step : item.k()) {
        {
          auto keys = load.produce<Keys>();
          keys.load(g.k, item.column, step * block);
        }
        auto values = load.produce<Values>();
        values.load(g.v, item.column, step * block);
      }
    }

  if (auto multiply = kernel.role<Multiply>())
    for (Item item : multiply.work()) {
      auto queries = multiply.consume<Queries>();
      for (int step : item.k()) {
        {
          auto scores = multiply.produce<Scores>();
          auto keys = multiply.consume<Keys>();
          scores.mma(queries, keys, 0);
        }
        auto parts = multiply.produce<Parts>();
        auto weights = multiply.consume<Weights>();
        auto values = multiply.consume<Values>();
        parts.mma(weights, flipped(values), 0);
      }
    }

  if (auto softmax = kernel.role<Softmax>())
    for (Item item : softmax.work()) {
      float accumulators[depth] = {}, highest = -INFINITY, total = 0;
      for (int step : item.k()) {
        float factor; // for all that was added before
        {
          auto scores = softmax.consume<Scores>();
          int end = min(g.problem.k - step * block, block); // of keys
          float before = highest;
          for (int column = 0; column < block; column += chunk) {
            float s[chunk];
            scores.read(column, s);
            for (int i = 0; i < chunk; ++i)
              if (column + i < end)
                highest = fmaxf(highest, s[i] * g.scale);
          }
          factor = exp2f(before - highest);
          total *= factor;
          auto weights = softmax.produce<Weights>();
          for (int column = 0; column < block; column += chunk) {
            float s[chunk];
            scores.read(column, s);
            for (int i = 0; i < chunk; ++i) {
              s[i] = column + i < end ? exp2f(s[i] * g.scale - highest) : 0;
              total += s[i];
            }
            for (int i = 0; i < chunk; i += 8)
              weights.write(scores.getRow(), column + i, round(s + i));
          }
        }
        auto parts = softmax.consume<Parts>();
#pragma unroll
        for (int column = 0; column < depth; column += chunk) {
          float part[chunk];
          parts.read(column, part);
#pragma unroll
          for (int i = 0; i < chunk; ++i)
            accumulators[column + i] = accumulators[column + i] * factor + part[i];
        }
      }
      int row = int(threadIdx.x % 128);
#pragma unroll
      for (int column = 0; column < depth; column += O::columns) {
        auto out = softmax.produce<Out>();
#pragma unroll
        for (int i = 0; i < O::columns; i += 8) {
          float numbers[8];
          for (int j = 0; j < 8; ++j)
            numbers[j] = accumulators[column + i + j] / total;
          out.write(row, i, round(numbers));
        }
      }
    }

  if (auto store = kernel.role<Store>())
    for (Item item : store.work())
      for (int column = 0; column < depth; column += O::columns) {
        auto out = store.consume<Out>();
        out.store(g.o, item.column + column, item.row);
      }
}

int main(int argc, char **argv) {
  if (argc != 8)
    return std::fprintf(stderr, "queries keys heads q.bin k.bin v.bin o.bin\n"),
           1;
  int queries = std::atoi(argv[1]), keys = std::atoi(argv[2]);
  int columns = std::atoi(argv[3]) * depth;
  Problem problem{queries, columns, keys};
  bf16 *q = readTensor<bf16>(argv[4], size_t(queries) * columns);
  bf16 *k = readTensor<bf16>(argv[5], size_t(keys) * columns);
  bf16 *v = readTensor<bf16>(argv[6], size_t(keys) * columns);
  bf16 *o;
  check(cudaMalloc(&o, sizeof(bf16) * queries * columns));
  float scale = float(M_LOG2E / std::sqrt(double(depth)));
  Arguments arguments{.scale = scale, .problem = problem};
  check(describe(arguments.q, q, queries, columns));
  check(describe(arguments.k, k, keys, columns));
  check(describe(arguments.v, v, keys, columns));
  check(describe(arguments.o, o, queries, columns));
  check(launch<Attention>(attention, arguments, problem));
  check(cudaDeviceSynchronize());
  writeTensor(argv[7], o, size_t(queries) * columns);
}
