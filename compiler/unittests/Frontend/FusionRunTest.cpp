//===- FusionRunTest.cpp - Fusions compute what they say ------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Each fusion goes through linalg into a tile program, the interpreter runs
// that, and the result is compared with plain loops over double. Inputs are
// small integers, so that sums in f32 are exact and the results must be equal.
// Sizes are no multiples of tiles: every edge takes part.

#include "drawloom/Conversion/Passes.h"
#include "drawloom/Dialect/Tile/IR/TileOps.h"
#include "drawloom/Frontend/Fusion.h"
#include "drawloom/InitAll.h"
#include "drawloom/Interpreter/Interpreter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace drawloom;
using namespace drawloom::frontend;
using interp::Format;
using interp::HostTensor;

namespace {

/// Integers from -3 to 3 in some order that the seed decides.
HostTensor makeInput(Format format, llvm::ArrayRef<int64_t> shape,
                     unsigned seed) {
  HostTensor tensor(format, shape);
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    tensor.setFloat(i, double((i * 5 + i / 7 + seed * 3) % 7) - 3);
  return tensor;
}

/// Runs the fusion; the last tensors are its outputs.
void run(const Fusion &fusion, std::vector<HostTensor *> tensors) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> module =
      fusion.build(context);
  ASSERT_TRUE(bool(module)) << llvm::toString(module.takeError());
  mlir::PassManager passes(&context);
  passes.addPass(createConvertLinalgToTile());
  ASSERT_TRUE(mlir::succeeded(passes.run(**module)));
  auto kernels = (*module)->getOps<tile::KernelOp>();
  ASSERT_FALSE(kernels.empty());
  EXPECT_TRUE(mlir::succeeded(interp::run(*kernels.begin(), tensors)));
}

void expectEqual(const HostTensor &actual, const HostTensor &expected) {
  ASSERT_EQ(actual.getShape(), expected.getShape());
  for (int64_t i = 0; i < actual.getNumElements(); ++i)
    ASSERT_EQ(actual.getFloat(i), expected.getFloat(i)) << "element " << i;
}

constexpr int64_t M = 70, N = 90, K = 50;

TEST(FusionRunTest, DocumentsExample) {
  Fusion fusion("linear");
  Tensor a = fusion.input("a", {"M", "K"}, DataType::BF16);
  Tensor b = fusion.input("b", {"N", "K"}, DataType::BF16);
  Tensor bias = fusion.input("bias", {"M", "N"}, DataType::BF16);
  fusion.output("d", cast(add(matmul(a, transpose(b)), bias), DataType::BF16));
  fusion.schedule().tile = {64, 32, 16};

  HostTensor x = makeInput(Format::BF16, {M, K}, 1),
             y = makeInput(Format::BF16, {N, K}, 2),
             c = makeInput(Format::BF16, {M, N}, 3), d(Format::BF16, {M, N}),
             expected(Format::BF16, {M, N});
  for (int64_t m = 0; m < M; ++m)
    for (int64_t n = 0; n < N; ++n) {
      double sum = c.getFloat(m * N + n);
      for (int64_t k = 0; k < K; ++k)
        sum += x.getFloat(m * K + k) * y.getFloat(n * K + k);
      expected.setFloat(m * N + n, sum);
    }
  run(fusion, {&x, &y, &c, &d});
  expectEqual(d, expected);
}

TEST(FusionRunTest, BatchesAndBroadcasts) {
  constexpr int64_t B = 3;
  Fusion fusion("batched");
  Tensor a = fusion.input("a", {B, "M", "K"}, DataType::F16);
  Tensor b = fusion.input("b", {B, "K", "N"}, DataType::F16);
  Tensor row = fusion.input("row", {"N"}, DataType::F32);
  Tensor column = fusion.input("column", {"M"}, DataType::F32);
  fusion.output("d", relu(mul(add(matmul(a, b), row), unsqueeze(column, 1))));
  fusion.schedule().tile = {64, 32, 16};

  HostTensor x = makeInput(Format::F16, {B, M, K}, 4),
             y = makeInput(Format::F16, {B, K, N}, 5),
             r = makeInput(Format::F32, {N}, 6),
             c = makeInput(Format::F32, {M}, 7), d(Format::F32, {B, M, N}),
             expected(Format::F32, {B, M, N});
  for (int64_t i = 0; i < B; ++i)
    for (int64_t m = 0; m < M; ++m)
      for (int64_t n = 0; n < N; ++n) {
        double sum = r.getFloat(n);
        for (int64_t k = 0; k < K; ++k)
          sum +=
              x.getFloat((i * M + m) * K + k) * y.getFloat((i * K + k) * N + n);
        expected.setFloat((i * M + m) * N + n,
                          std::max(sum * c.getFloat(m), 0.0));
      }
  run(fusion, {&x, &y, &r, &c, &d});
  expectEqual(d, expected);
}

/// The padding of a maximum is not zero: all sums here are negative.
TEST(FusionRunTest, RowMaximum) {
  Fusion fusion("top");
  Tensor x = fusion.input("x", {"M", "N"}, DataType::F32);
  fusion.output("y", maximum(add(x, -10.0), 1));
  fusion.schedule().tile = {16, 32};

  HostTensor in = makeInput(Format::F32, {M, N}, 8), y(Format::F32, {M}),
             expected(Format::F32, {M});
  for (int64_t m = 0; m < M; ++m) {
    double top = -INFINITY;
    for (int64_t n = 0; n < N; ++n)
      top = std::max(top, in.getFloat(m * N + n) - 10);
    expected.setFloat(m, top);
  }
  run(fusion, {&in, &y});
  expectEqual(y, expected);
}

TEST(FusionRunTest, ActivationsAndSum) {
  Fusion fusion("act");
  Tensor x = fusion.input("x", {"M", "N"}, DataType::F32);
  fusion.output("g", gelu(x));
  fusion.output("s", silu(x));
  fusion.schedule().tile = {16, 32};

  HostTensor in = makeInput(Format::F32, {M, N}, 9), g(Format::F32, {M, N}),
             s(Format::F32, {M, N});
  run(fusion, {&in, &g, &s});
  // Each formula is five operations, each rounded to 24 bits, on numbers up to
  // exp(3).
  const double tolerance = 5 * std::ldexp(1.0, -24) * std::exp(3.0);
  for (int64_t i = 0; i < in.getNumElements(); ++i) {
    double v = in.getFloat(i);
    ASSERT_NEAR(g.getFloat(i), v * (1 + std::erf(v * M_SQRT1_2)) / 2,
                tolerance);
    ASSERT_NEAR(s.getFloat(i), v / (1 + std::exp(-v)), tolerance);
  }
}

/// No schedule at all: the planner chooses the tile.
TEST(FusionRunTest, ChosenTile) {
  Fusion fusion("planned");
  Tensor a = fusion.input("a", {"M", "K"}, DataType::BF16);
  Tensor b = fusion.input("b", {"K", "N"}, DataType::BF16);
  fusion.output("d", matmul(a, b));
  fusion.target("sm_100a");

  HostTensor x = makeInput(Format::BF16, {M, K}, 1),
             y = makeInput(Format::BF16, {K, N}, 2), d(Format::F32, {M, N}),
             expected(Format::F32, {M, N});
  for (int64_t m = 0; m < M; ++m)
    for (int64_t n = 0; n < N; ++n) {
      double sum = 0;
      for (int64_t k = 0; k < K; ++k)
        sum += x.getFloat(m * K + k) * y.getFloat(k * N + n);
      expected.setFloat(m * N + n, sum);
    }
  run(fusion, {&x, &y, &d});
  expectEqual(d, expected);
}

} // namespace
